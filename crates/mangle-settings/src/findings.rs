//! The rules about configuration files, and about files that cannot be read as text.

use mangle_syntax::lint::{FixKind, Group, Rule, Severity};

/// All rules of this module, in the order of their codes.
pub const RULES: &[&Rule] = &[
    &CONFIG_SYNTAX,
    &CONFIG_UNKNOWN_KEY,
    &CONFIG_BAD_VALUE,
    &CONFIG_UNKNOWN_RULE,
    &INVALID_UTF8,
    &BINARY_FILE,
    &FILE_TOO_LARGE,
    &UNREADABLE_FILE,
    &EMPTY_PROGRAM,
    &TRANSCRIPT_LEFT_OUT,
    &REQUIRED_VERSION,
    &UNMATCHED_PATTERN,
    &DOCUMENT_OUT_OF_SYNC,
    &SCAN_LIMIT,
];

/// The file is no TOML, or no JSON.
pub static CONFIG_SYNTAX: Rule = Rule {
    code: "MG901",
    name: "config-syntax",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "The configuration file is not valid TOML, or that of the runtime not valid JSON",
    rationale: "Nothing of the file is used then: every setting is at its default, and all files below the \
                configuration file are taken as one program. The runtime loads nothing of a `.nerd/config.json` \
                with such a slip.",
    bad: "#- mangle-ls.toml\nfail_on = \n",
    good: "#- mangle-ls.toml\nfail_on = \"warning\"\n",
    fix: FixKind::None,
};

/// A key that means nothing.
pub(super) static CONFIG_UNKNOWN_KEY: Rule = Rule {
    code: "MG902",
    name: "config-unknown-key",
    group: Group::Configuration,
    severity: Some(Severity::Warning),
    summary: "The configuration file has a key that this version does not know",
    rationale: "The key is ignored. Most are typing mistakes, and then a setting that somebody relies on is \
                silently at its default.",
    bad: "#- mangle-ls.toml\nfail_om = \"warning\"\n",
    good: "#- mangle-ls.toml\nfail_on = \"warning\"\n",
    fix: FixKind::Unsafe,
};

/// A value of the wrong type, a word that is not offered, a glob that does not compile.
pub static CONFIG_BAD_VALUE: Rule = Rule {
    code: "MG903",
    name: "config-bad-value",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "A setting has a value that it cannot have",
    rationale: "The setting stays at its default: a severity that was raised for CI is not, a file that was \
                excluded is checked.",
    bad: "#- mangle-ls.toml\nfail_on = \"warnings\"\n",
    good: "#- mangle-ls.toml\nfail_on = \"warning\"\n",
    fix: FixKind::Unsafe,
};

/// A rule that does not exist.
pub(super) static CONFIG_UNKNOWN_RULE: Rule = Rule {
    code: "MG904",
    name: "config-unknown-rule",
    group: Group::Configuration,
    severity: Some(Severity::Warning),
    summary: "`[rules]` names a rule that does not exist",
    rationale: "The line has no effect: the rule that was meant keeps its severity.",
    bad: "#- mangle-ls.toml\n[rules]\nconfig-unknown-kye = \"off\"\n",
    good: "#- mangle-ls.toml\n[rules]\nconfig-unknown-key = \"off\"\n",
    fix: FixKind::Unsafe,
};

/// Bytes that are no UTF-8.
pub static INVALID_UTF8: Rule = Rule {
    code: "MG905",
    name: "invalid-utf8",
    group: Group::Configuration,
    severity: Some(Severity::Warning),
    summary: "The file has bytes that are not UTF-8",
    rationale: "The engine reads each of them as the replacement character U+FFFD. In a string the text is \
                not the one that was meant, and two different texts may become equal.",
    bad: "",
    good: "",
    fix: FixKind::None,
};

/// A file that is no text.
pub static BINARY_FILE: Rule = Rule {
    code: "MG906",
    name: "binary-file",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "The file is not text",
    rationale: "A program that is told to load the file fails. Nothing in it is checked, and what it was \
                meant to define is missing from the program.",
    bad: "",
    good: "",
    fix: FixKind::None,
};

/// A file beyond the size limit.
pub static FILE_TOO_LARGE: Rule = Rule {
    code: "MG907",
    name: "file-too-large",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "The file is larger than 16 MiB and is not checked",
    rationale: "Policies are written by hand and are thousands of times smaller; checking such a file would \
                cost seconds at every change. What it defines is missing from the program.",
    bad: "",
    good: "",
    fix: FixKind::None,
};

/// A file of a folder that cannot be read.
pub static UNREADABLE_FILE: Rule = Rule {
    code: "MG908",
    name: "unreadable-file",
    group: Group::Configuration,
    severity: Some(Severity::Warning),
    summary: "A file or folder below the checked ones cannot be read",
    rationale: "What it defines is missing from the program, so findings about undefined predicates may be \
                its consequence. A file that was named on the command line is an error instead, and exit \
                status 2.",
    bad: "",
    good: "",
    fix: FixKind::None,
};

/// A `[[program]]` without files.
pub static EMPTY_PROGRAM: Rule = Rule {
    code: "MG909",
    name: "empty-program",
    group: Group::Configuration,
    severity: Some(Severity::Warning),
    summary: "No file belongs to a `[[program]]`",
    rationale: "Nothing is checked, which looks the same as nothing being wrong. Mostly a folder was renamed, \
                or git ignores the files.",
    bad: "",
    good: "",
    fix: FixKind::None,
};

/// A transcript that an editor does not look at.
pub static TRANSCRIPT_LEFT_OUT: Rule = Rule {
    code: "MG910",
    name: "transcript-left-out",
    group: Group::Configuration,
    severity: Some(Severity::Information),
    summary: "A transcript that is not open in the editor is too large to be looked at there",
    rationale: "The language server reads transcripts of the workspace that nobody has open, up to `[transcripts] closed_limit` bytes \
                each and 32 MiB in all, so that its findings and references are complete. Of a larger one nothing is found and \
                nothing is mentioned as long as it is closed. `mangle-ls check` reads files of any size.",
    bad: "",
    good: "",
    fix: FixKind::None,
};

/// A version of this tool that the project does not want.
pub(super) static REQUIRED_VERSION: Rule = Rule {
    code: "MG920",
    name: "required-version",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "The project asks for another version of mangle-ls",
    rationale: "Another version has other rules and other settings: what it finds is not what the project has agreed \
                on. Settings that this version does not know are not reported then, and `check` ends with exit status 2.",
    bad: "#- mangle-ls.toml\nrequired_version = \">=99\"\n",
    good: "#- mangle-ls.toml\nrequired_version = \">=0.1\"\n",
    fix: FixKind::None,
};

/// A pattern of `include`, `hybrid` or `sample` that matches no file.
pub static UNMATCHED_PATTERN: Rule = Rule {
    code: "MG921",
    name: "unmatched-pattern",
    group: Group::Configuration,
    severity: Some(Severity::Warning),
    summary: "A pattern of `include`, `hybrid`, `sample` or `atoms` matches no file",
    rationale: "Mostly a file was renamed or moved, and is not checked any more, which looks the same as nothing being \
                wrong with it; a sample without its facts shows that nothing follows. Files that git ignores do not count.",
    bad: "",
    good: "",
    fix: FixKind::None,
};

/// An open document of which an edit was lost.
pub static DOCUMENT_OUT_OF_SYNC: Rule = Rule {
    code: "MG945",
    name: "document-out-of-sync",
    group: Group::Configuration,
    severity: Some(Severity::Information),
    summary: "An edit of the open document did not reach the language server",
    rationale: "The server's text may differ from the editor's, so that its places would be wrong: it shows no other \
                finding of the document, and does not format, rename or fix in it. Opening the document again sends the \
                whole text.",
    bad: "",
    good: "",
    fix: FixKind::None,
};

/// A folder with more than is scanned.
pub static SCAN_LIMIT: Rule = Rule {
    code: "MG946",
    name: "scan-limit",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "A folder holds more than is scanned",
    rationale: "The files beyond the limit are not checked, and what they declare is missing: predicates that only they \
                define count as undefined. `[files]` in `mangle-ls.toml` has the limits.",
    bad: "",
    good: "",
    fix: FixKind::None,
};
