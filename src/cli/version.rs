//! `--version`: what a bug report needs to say of the program itself.

use std::sync::LazyLock;

/// The version, the ABI of the grammar that editors must be able to load, and the revision it was built
/// from, where `build.rs` knew it. The first line stays `mangle-ls VERSION`, which clients read.
pub(super) fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let version = env!("CARGO_PKG_VERSION");
        let abi = mangle_syntax::syntax::grammar_abi();
        let revision = option_env!("MANGLE_LS_REVISION").unwrap_or("unknown");
        format!("{version}\ngrammar ABI {abi}\nrevision {revision}")
    });
    &TEXT
}
