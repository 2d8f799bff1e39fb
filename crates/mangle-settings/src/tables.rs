//! Tables with few keys: `[files]`, `[format]`, `[decoding]`, `[runtime]` and `[verify]`.

use std::sync::Arc;

use super::declare::{settings, words};
use super::kinds::{Integer, Text};
use super::program::Predicate;
use super::stores::StoreTable;
use super::value::{KeyPath, ValueError, shorten};
use super::{Globs, Stores};
use mangle_syntax::text::Symbol;

/// The largest value of the scan limits.
const MAX_SCANNED: i64 = 1 << 40;

settings! {
    /// `[files]`. Without a configuration file the defaults hold.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FilesSettings("files") {
        /// File extensions of Mangle in addition to `mg` and `gl`, for example `["dl"]`. Such files below the
        /// configuration file join its programs. Files on the command line are read with any extension.
        extensions: Vec<String> as Vec<Extension>;
        /// Maximum bytes of Mangle files to read below a folder. A scan that reaches a limit stops, and
        /// `scan-limit` reports it. Folders of open documents come first. If no configuration file exists,
        /// the defaults apply.
        max_scan_bytes: u64 as Integer<1, MAX_SCANNED> = 64 << 20;
        /// Maximum number of files and folders, of all kinds, to visit below a folder. Files ignored by git
        /// are excluded.
        max_scan_entries: u64 as Integer<1, MAX_SCANNED> = 100_000;
        /// Maximum number of Mangle files to read below a folder.
        max_scan_files: u64 as Integer<1, MAX_SCANNED> = 5_000;
    }
}

impl FilesSettings {
    /// True if the file has one of the additional extensions.
    #[must_use]
    pub fn adds(&self, path: &std::path::Path) -> bool {
        let extension = path.extension().map(|extension| extension.to_string_lossy());
        extension.is_some_and(|extension| self.extensions.iter().any(|added| *added == extension))
    }
}

/// A file extension without its dot.
enum Extension {}

impl Text for Extension {
    type Value = String;

    fn parse(word: &str, at: KeyPath) -> Result<String, ValueError> {
        let bare = word.strip_prefix("*.").or(word.strip_prefix('.')).unwrap_or(word);
        let is_word = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
        let why = match bare.to_ascii_lowercase().as_str() {
            "toml" | "yaml" | "yml" | "md" | "markdown" | "json" | "jsonl" | "ndjson" | "csv" | "tsv" => {
                "such files contain something else"
            }
            "" => "an ending is written as `dl`",
            _ if !bare.chars().all(is_word) => "an ending is written as `dl`",
            _ => return Ok(bare.to_owned()),
        };
        Err(ValueError::new(format!("unusable file ending `{}` for {}", shorten(word), at.label())).note(why))
    }

    fn print(value: &String) -> String {
        value.clone()
    }
}

settings! {
    /// `[format]`
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct FormatSettings("format") {
        /// Columns of indentation for premises and for arguments of a broken atom. The setting of the editor
        /// is ignored.
        indent: u32 as Integer<1, 16> = 4;
        /// Lines are broken only beyond this many columns.
        width: u32 as Integer<40, 1000> = 100;
    }
}

settings! {
    /// `[decoding]`. Lengths count characters of the decoded text.
    #[derive(Debug, Clone, PartialEq)]
    pub struct DecodingSettings("decoding") {
        /// Files of grammars and schemas that `check` compares with the declarations: `.json`, `.gbnf`, `.ebnf`,
        /// `.lark` and `.regex`.
        files: Globs;
        /// Predicates to generate first, in this order, before the usual predicates of replies and the
        /// predicates in rule bodies.
        predicates: Vec<String>;
        /// Maximum number of generated predicates. Commands that write grammars report the rest.
        max_predicates: usize as Integer<0, 100_000> = 100;
        /// Fields of the control packet to generate, besides `intent_classification`, `mangle_updates`,
        /// `memory_operations` and required fields. Default: all fields of the protocol version.
        fields: Option<Vec<String>> => Means("all fields of the protocol version");
        /// Maximum number of updates in an envelope.
        updates: u32 as Integer<0, 2_000> = 16;
        /// Maximum number of elements in any other list.
        elements: u32 as Integer<0, 500> = 4;
        /// Maximum length of the surface.
        surface: u32 as Integer<1, 50_000> = 1_000;
        /// Maximum length of any other text of an envelope.
        text: u32 as Integer<1, 50_000> = 200;
        /// Maximum length of a string in an update.
        string: u32 as Integer<1, 1_000> = 80;
        /// Maximum length of each part of a name, unless the name is from a list.
        name: u32 as Integer<1, 1_000> = 32;
        /// Maximum number of digits of an integer, and of a float before and after the point.
        digits: u32 as Integer<1, 18> = 9;
        /// Maximum number of names in a list to generate name by name. Longer lists become any name.
        max_names: usize as Integer<1, 100_000> = 1_000;
    }
}

settings! {
    /// `[runtime]`
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RuntimeSettings("runtime") {
        /// The fact stores of a runtime that evaluates the program in each store separately: `"codenerd"`, or
        /// a table with a list of predicates per store. `shared` lists predicates whose facts are in every
        /// store. `default` names the store of all other predicates. Queries, tests and replays evaluate each
        /// store and combine the results.
        stores: Option<Arc<Stores>> as Option<StoreTable> => Means("one store");
    }
}

settings! {
    /// `[verify]`
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct VerifySettings("verify") {
        /// The predicates of facts in a world, for example `["request/2"]`. Default: predicates that are
        /// declared `extensional()` or `external()`, listed in `host_predicates`, or without rules and facts.
        /// `@inputs` overrides it.
        inputs: Vec<(Symbol, u16)> as Vec<Predicate>;
        /// Maximum number of facts in a world. `@scope` and `--scope` override it.
        facts: u64 as Integer<0, 12> = 5;
        /// Maximum number of seconds for a property. `--time` overrides it.
        seconds: u64 as Integer<1, 86_400> = 10;
        /// The solver for properties whose values are not complete: `auto` uses `z3` and `cvc5` if they are
        /// on the search path; `none` uses none. `--solver` overrides it.
        solver: SolverChoice;
    }
}

words! {
    /// A solver for properties whose values are not complete.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum SolverChoice {
        /// All that are on the search path, one after the other.
        #[default]
        Auto = "auto",
        /// No solver.
        None = "none",
        /// Z3.
        Z3 = "z3",
        /// cvc5.
        Cvc5 = "cvc5",
    }
}
