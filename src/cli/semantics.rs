//! `--reading`: the semantics of a program.

use clap::ValueEnum;

use mangle_engine::kernel::Reading;

/// The semantics of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Semantics {
    /// The behavior of the engine, bug for bug
    #[value(alias = "go")]
    Engine,
    /// The intended behavior: every negation is evaluated
    #[value(alias = "written")]
    Intended,
}

impl From<Semantics> for Reading {
    fn from(semantics: Semantics) -> Self {
        match semantics {
            Semantics::Engine => Self::Engine,
            Semantics::Intended => Self::Intended,
        }
    }
}

/// Prints a hint for each `--reading` with a word of earlier versions.
#[cfg(not(target_family = "wasm"))]
pub(super) fn hint_at_earlier_words(arguments: &[std::ffi::OsString]) {
    let words: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let behind = words.windows(2).filter(|pair| pair[0] == "--reading").map(|pair| &*pair[1]);
    let joined = words.iter().filter_map(|word| word.strip_prefix("--reading="));
    for earlier in behind.chain(joined) {
        if let Some(word) = Reading::successor(earlier) {
            super::output::note(&format!("note: `--reading {earlier}` is now `--reading {word}`\n"));
        }
    }
}
