//! The table of all keys of `mangle-ls.toml`. Reading, documentation and editor settings follow it.

mod prompt;
mod replay;
mod transcripts;

use super::{ArgumentHints, FailOn, Reading};

pub use prompt::{CONTEXT_BLOCK, PROMPT};
pub use replay::{ABDUCTION, REPLAY};
pub use transcripts::{ATOMS, CAPS, CONSUMERS, OVERRIDE, SHAPE, TRANSCRIPTS};

/// The largest limit of a scan.
const MOST_SCANNED: i64 = 1 << 40;

/// The values that a severity in `[rules]` can have.
pub const RULE_WORDS: [&str; 5] = ["off", "hint", "information", "warning", "error"];

/// A table of the configuration file.
#[derive(Debug)]
pub struct Section {
    /// The name in brackets, with those of the tables around it (`transcripts.atoms`); empty for the keys outside of any
    /// table.
    pub name: &'static str,
    /// Its keys. Empty for a table whose keys are names of something else.
    pub keys: &'static [Key],
}

/// A key.
#[derive(Debug)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// What its values look like.
    pub kind: Kind,
    /// The default, as it would be written; empty where leaving the key out means something that
    /// cannot be written.
    pub default: &'static str,
    /// What it does, in a sentence or two.
    pub doc: &'static str,
}

/// What the values of a key look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A regular expression.
    Pattern,
    /// A JSON pointer in which `*` means every element.
    Pointer,
    /// The same, or a list of them.
    PointerOrPointers,
    /// A file, relative to the configuration file and not outside of its folder.
    File,
    /// A list of globs relative to the configuration file.
    Globs,
    /// The same, or one of them; its table means nothing without it.
    GlobOrGlobs,
    /// A list of `name/arity`.
    Predicates,
    /// A requirement on the version of this tool, as Cargo writes them: `>=0.1, <0.3`.
    Version,
    /// A release of the engine, or a day.
    Engine,
    /// A whole number from the first to the second.
    Number(i64, i64),
    /// A number from the first to the second, perhaps with a fraction.
    Decimal(u32, u32),
    /// An instant as RFC 3339 writes it: `2026-01-31T12:00:00Z`.
    Instant,
    /// One of these words.
    Word(&'static [&'static str]),
    /// The same, or `true` or `false`.
    WordOrFlag(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A table of the section of this name.
    Table,
    /// A list of tables (`[[…]]`) of the section of this name.
    Tables,
    /// A table whose keys are names that somebody gives, and whose values are tables of the section of this name.
    Named,
    /// A table whose keys are names that somebody gives, and whose values are strings.
    TextsByName,
}

/// All tables with their keys.
pub const SECTIONS: &[&Section] = &[
    &ROOT,
    &PROGRAM,
    &RULES,
    &FILES,
    &FORMAT,
    &KERNEL,
    &TRANSCRIPTS,
    &ATOMS,
    &CAPS,
    &CONSUMERS,
    &SHAPE,
    &OVERRIDE,
    &PROMPT,
    &CONTEXT_BLOCK,
    &REPLAY,
    &ABDUCTION,
];

/// The numbers that `max_findings` takes.
pub const MAX_FINDINGS: (i64, i64) = (0, 1_000_000);

/// The keys outside of any table.
pub const ROOT: Section = Section {
    name: "",
    keys: &[
        Key {
            name: "fail_on",
            kind: Kind::Word(&FailOn::WORDS),
            default: "\"error\"",
            doc: "From which severity on findings make `check` end with exit status 1. `--fail-on` overrides it.",
        },
        Key {
            name: "max_findings",
            kind: Kind::Number(MAX_FINDINGS.0, MAX_FINDINGS.1),
            default: "100",
            doc: "How many findings of one rule in one file are shown in text, in annotations and in editors; 0 shows all. \
                  JSON, SARIF and JUnit have all findings, and counts and the exit status are about all. `--max-findings` overrides it.",
        },
        Key {
            name: "required_version",
            kind: Kind::Version,
            default: "",
            doc: "Which versions of mangle-ls may check this project, as `\">=0.1, <0.3\"`; `\"0.1\"` means 0.1 and what \
                  is compatible with it. Any other version says so in one finding, and `check` ends with exit status 2.",
        },
        Key {
            name: "program",
            kind: Kind::Tables,
            default: "",
            doc: "The programs: which files are analysed together. Without any, all files below the \
                  configuration file are one program.",
        },
        Key {
            name: "rules",
            kind: Kind::Table,
            default: "",
            doc: "How grave the findings of which rules are.",
        },
        Key {
            name: "files",
            kind: Kind::Table,
            default: "",
            doc: "Which files are Mangle, and how many are scanned.",
        },
        Key {
            name: "format",
            kind: Kind::Table,
            default: "",
            doc: "How `mangle-ls fmt` and the editor lay files out.",
        },
        Key {
            name: "kernel",
            kind: Kind::Table,
            default: "",
            doc: "With which facts, how far and in which reading programs are evaluated.",
        },
        Key {
            name: "transcripts",
            kind: Kind::Table,
            default: "",
            doc: "Which files are transcripts of agents, how the replies in them are read, and what is expected of them.",
        },
        Key {
            name: "prompt",
            kind: Kind::Table,
            default: "",
            doc: "How the prompts of shards are previewed.",
        },
        Key {
            name: "replay",
            kind: Kind::Table,
            default: "",
            doc: "How the constitution is asked about captured sessions, and what its predicates are called.",
        },
    ],
};

/// `[[program]]`
pub const PROGRAM: Section = Section {
    name: "program",
    keys: &[
        Key {
            name: "name",
            kind: Kind::Text,
            default: "",
            doc: "What the program is called in output. Without it, the name of the folder.",
        },
        Key {
            name: "include",
            kind: Kind::Globs,
            default: "[\"**/*.mg\", \"**/*.gl\"]",
            doc: "Which files belong to it. Files that git ignores, hidden files and files of a folder that \
                  has its own configuration never do.",
        },
        Key {
            name: "exclude",
            kind: Kind::Globs,
            default: "[]",
            doc: "Which of the included files do not belong to it.",
        },
        Key {
            name: "hybrid",
            kind: Kind::Globs,
            default: "[]",
            doc: "Which of its files are loaded by codeNERD, which takes lines that start with `TAXONOMY:`, `INTENT:` \
                  or `PROMPT:` out before the engine reads the rest. In all other files such lines are errors.",
        },
        Key {
            name: "host_predicates",
            kind: Kind::Predicates,
            default: "[]",
            doc: "Predicates that the program in which the engine is embedded supplies, as `name/arity`. They \
                  count as declared and defined.",
        },
        Key {
            name: "target",
            kind: Kind::Engine,
            default: "",
            doc: "The version of the engine that runs it: a release as `\"0.4.0\"`, or the day of a commit as \
                  `\"2026-06-30\"`. Built-ins that came later are not there then. Without it, the newest engine.",
        },
    ],
};

/// `[rules]`: its keys are rules.
pub const RULES: Section = Section { name: "rules", keys: &[] };

/// `[files]`
pub const FILES: Section = Section {
    name: "files",
    keys: &[
        Key {
            name: "extensions",
            kind: Kind::Texts,
            default: "[]",
            doc: "Further endings of Mangle files beside `mg` and `gl`, as `[\"dl\"]`: such files below the configuration file \
                  join its programs. A file that is named on the command line is read whatever it is called.",
        },
        Key {
            name: "max_scan_bytes",
            kind: Kind::Number(1, MOST_SCANNED),
            default: "67108864",
            doc: "How many bytes of Mangle files are read below a folder. A scan that reaches a limit stops, and `scan-limit` \
                  reports it. The folders of open documents come first. Without a configuration file the defaults hold.",
        },
        Key {
            name: "max_scan_entries",
            kind: Kind::Number(1, MOST_SCANNED),
            default: "100000",
            doc: "How many files of all kinds and folders a scan visits below a folder. What git ignores does not count.",
        },
        Key {
            name: "max_scan_files",
            kind: Kind::Number(1, MOST_SCANNED),
            default: "5000",
            doc: "How many Mangle files are read below a folder.",
        },
    ],
};

/// `[format]`
pub const FORMAT: Section = Section {
    name: "format",
    keys: &[
        Key {
            name: "indent",
            kind: Kind::Number(1, 16),
            default: "4",
            doc: "How many columns the premises of a rule and the arguments of a broken atom are indented. It counts \
                  rather than what the editor is set to.",
        },
        Key {
            name: "width",
            kind: Kind::Number(40, 1000),
            default: "100",
            doc: "Lines are broken only beyond this many columns.",
        },
    ],
};

/// `[kernel]`
pub const KERNEL: Section = Section {
    name: "kernel",
    keys: &[
        Key {
            name: "sample",
            kind: Kind::Globs,
            default: "[]",
            doc: "Files with the facts that the editor evaluates programs with: `.mg`, `.gl`, `.csv`, `.jsonl` or \
                  `.ndjson`. Without any, every `*.kernel.mg` that a file belongs to.",
        },
        Key {
            name: "reading",
            kind: Kind::Word(&Reading::WORDS),
            default: "\"go\"",
            doc: "How programs are evaluated: `go` as the engine does it, with negations that it drops; `written` as \
                  the text says. `--reading` overrides it.",
        },
        Key {
            name: "max_facts",
            kind: Kind::Number(1, 1_000_000_000),
            default: "5000000",
            doc: "How many facts an evaluation may hold, those that it derives included.",
        },
        Key {
            name: "max_derived",
            kind: Kind::Number(1, 1_000_000_000),
            default: "2000000",
            doc: "How many facts an evaluation may derive.",
        },
        Key {
            name: "max_steps",
            kind: Kind::Number(1, 1_000_000_000_000),
            default: "500000000",
            doc: "How many facts an evaluation may look at, and values compute and compare.",
        },
        Key {
            name: "timeout_ms",
            kind: Kind::Number(1, 86_400_000),
            default: "10000",
            doc: "How long an evaluation may take, in milliseconds.",
        },
        Key {
            name: "now",
            kind: Kind::Instant,
            default: "",
            doc: "The time of evaluation, as `\"2026-01-31T12:00:00Z\"`: what `fn:time:now` gives and temporal operators \
                  count from. Without it, the start of the run. `--now` overrides it.",
        },
    ],
};

/// `mangle.hints` in the settings of an editor; nothing of it stands in a configuration file.
pub const HINTS: Section = Section {
    name: "mangle.hints",
    keys: &[
        Key {
            name: "arguments",
            kind: Kind::Word(&ArgumentHints::WORDS),
            default: "\"constants\"",
            doc: "Which arguments are shown with the names of their parameters: none, constants, or all that do not say \
                  it themselves. Of facts in a row the first one has them.",
        },
        Key {
            name: "types",
            kind: Kind::Flag,
            default: "false",
            doc: "Show the inferred types of variables where the body has them first.",
        },
        Key {
            name: "columns",
            kind: Kind::Flag,
            default: "true",
            doc: "Show what the columns of a predicate without `Decl` hold, at its first clause.",
        },
        Key {
            name: "bounds",
            kind: Kind::Flag,
            default: "false",
            doc: "Show the names of the parameters in `bound […]`.",
        },
        Key {
            name: "unfired",
            kind: Kind::Flag,
            default: "true",
            doc: "Mark rules that give nothing with any sample. Without a sample none is marked.",
        },
    ],
};

impl Section {
    /// The section that a key of this one opens, if it does.
    #[must_use]
    pub fn inner(&self, key: &Key) -> Option<&'static Section> {
        let opens = matches!(key.kind, Kind::Table | Kind::Tables | Kind::Named);
        let name = self.path(key.name);
        SECTIONS.iter().copied().find(|section| opens && section.name == name)
    }

    /// The name of one of its keys with the names of the tables around it.
    #[must_use]
    pub fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    /// The line that opens the section: `[kernel]`, `[[program]]`, `[transcripts.consumers.NAME]`.
    #[must_use]
    pub fn header(&self) -> String {
        let opens = |around: &&Section| {
            let key = around.keys.iter().find(|key| around.path(key.name) == self.name)?;
            Some(key.kind)
        };
        match SECTIONS.iter().find_map(opens) {
            Some(Kind::Tables) => format!("[[{}]]", self.name),
            Some(Kind::Named) => format!("[{}.NAME]", self.name),
            _ => format!("[{}]", self.name),
        }
    }

    /// The key of this name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}
