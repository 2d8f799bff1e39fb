//! Declarations of the rules about `# @preview` comments and session files. The readers of these
//! inputs apply them.

use mangle_syntax::lint::{Rule, rule};

/// A preview without a shard.
pub static PREVIEW_INCOMPLETE: Rule = rule!("preview-incomplete.md");

/// An unknown key, for example `# @preview sesion: x`.
pub static PREVIEW_KEY: Rule = rule!("preview-key.md");

/// An invalid directive, for example `INTENT: nothing`.
pub static HYBRID_DIRECTIVE: Rule = rule!("hybrid-directive.md");

/// A missing file, for example `# @preview session: missing.yaml`.
pub static PREVIEW_PATH: Rule = rule!("preview-path.md");

/// An unknown key of a session file, for example `activ_files: [a]`.
pub static SESSION_KEY: Rule = rule!("session-key.md");

pub(super) static PREVIEW_OUTSIDE_KERNEL: Rule = rule!("preview-outside-kernel.md");
