//! The table of targets.

use crate::{seeds, targets};

/// Something that reads foreign bytes, and what has to hold for all of them.
#[derive(Debug)]
pub struct Target {
    /// Its name on the command line, and of its folders of inputs.
    pub name: &'static str,
    /// What holds, in one line.
    pub about: &'static str,
    /// The longest input that is tried, in bytes.
    pub max_len: usize,
    /// The words that libFuzzer puts into inputs: a file in `fuzz/dictionaries`.
    pub dictionary: &'static str,
    /// The body. It panics where a promise is broken.
    pub run: fn(&[u8]),
    /// Inputs to begin with, made from the examples of rules and of the repository.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All targets.
#[rustfmt::skip] // One row a target.
pub const TARGETS: &[Target] = &[
    Target { name: "check", about: "any text is checked; all ranges lie in it, between characters", max_len: 4096, dictionary: "mangle", run: targets::check::run, seeds: seeds::policies },
    Target { name: "edit", about: "an edited file is read as the same text parsed anew", max_len: 4096, dictionary: "mangle", run: targets::edit::run, seeds: seeds::policies },
    Target { name: "format", about: "formatting keeps every word and is done in one pass", max_len: 4096, dictionary: "mangle", run: targets::format::run, seeds: seeds::policies },
    Target { name: "rename", about: "a rename keeps the structure of the program, or is refused", max_len: 4096, dictionary: "mangle", run: targets::rename::run, seeds: seeds::policies },
    Target { name: "kernel", about: "a program ends within its limits of steps and memory; facts that come and go leave nothing", max_len: 2048, dictionary: "mangle", run: targets::kernel::run, seeds: seeds::programs },
    Target { name: "derive", about: "the kernel derives what the second evaluator derives", max_len: 2048, dictionary: "none", run: targets::derive::run, seeds: seeds::noise },
    Target { name: "facts", about: "any table of facts is read, and read again as it was written", max_len: 4096, dictionary: "json", run: targets::facts::run, seeds: seeds::tables },
    Target { name: "settings", about: "configurations, headers, session files and settings of agents: all ranges lie in them", max_len: 4096, dictionary: "json", run: targets::settings::run, seeds: seeds::settings },
    Target { name: "grammar", about: "a grammar of any program is read again without a finding; any grammar is read", max_len: 4096, dictionary: "json", run: targets::grammar::run, seeds: seeds::grammars },
    Target { name: "reply", about: "any bytes are read as a reply; what is taken is taken again when it is alone", max_len: 4096, dictionary: "json", run: targets::reply::run, seeds: seeds::replies },
    Target { name: "transcript", about: "a transcript in pieces is the transcript at once; all ranges lie in it; fixes are read back", max_len: 8192, dictionary: "json", run: targets::transcript::run, seeds: seeds::transcripts },
    Target { name: "report", about: "`check` in every format is well formed and shows no control character", max_len: 8192, dictionary: "mangle", run: targets::commands::report, seeds: seeds::worlds },
    Target { name: "fix", about: "`check --fix` is done in one run and loses no word", max_len: 8192, dictionary: "mangle", run: targets::fix::run, seeds: seeds::worlds },
    Target { name: "replay", about: "`replay` in every format", max_len: 8192, dictionary: "json", run: targets::commands::replay, seeds: seeds::sessions },
    Target { name: "preview", about: "`preview` in every form", max_len: 8192, dictionary: "mangle", run: targets::commands::preview, seeds: seeds::previews },
    Target { name: "test", about: "`test` in every format", max_len: 8192, dictionary: "mangle", run: targets::commands::test, seeds: seeds::policy_tests },
    Target { name: "query", about: "`query` in every format, with tables of facts", max_len: 8192, dictionary: "mangle", run: targets::commands::query, seeds: seeds::worlds },
    Target { name: "commands", about: "all other commands that read files", max_len: 8192, dictionary: "json", run: targets::commands::others, seeds: seeds::worlds },
    Target { name: "archive", about: "damaged archives and compressed files are reported, and read in bounded memory", max_len: 8192, dictionary: "json", run: targets::archive::run, seeds: seeds::archives },
    Target { name: "server", about: "each request of any session gets one response", max_len: 4096, dictionary: "protocol", run: targets::server::run, seeds: seeds::messages },
    Target { name: "wire", about: "any bytes on the wire; what is written is framed JSON", max_len: 8192, dictionary: "protocol", run: targets::wire::run, seeds: seeds::wire },
];

/// The target of a name.
#[must_use]
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
