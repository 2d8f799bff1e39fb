//! The rules about `# @preview` comments and session files, which are applied while these are read.

use mangle_syntax::lint::{Rule, rule};

/// A preview without a shard.
pub static PREVIEW_INCOMPLETE: Rule = rule!("preview-incomplete.md");

/// `# @preview sesion: x`
pub static PREVIEW_KEY: Rule = rule!("preview-key.md");

/// `INTENT: nothing`
pub static HYBRID_DIRECTIVE: Rule = rule!("hybrid-directive.md");

/// `# @preview session: missing.yaml`
pub static PREVIEW_PATH: Rule = rule!("preview-path.md");

/// `activ_files: [a]`
pub static SESSION_KEY: Rule = rule!("session-key.md");

/// `# @preview` in `fix.mg`
pub(super) static PREVIEW_OUTSIDE_KERNEL: Rule = rule!("preview-outside-kernel.md");
