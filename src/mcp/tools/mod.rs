//! The tools, with one entry in the table per tool.

mod policies;
mod replies;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use super::arguments::{Argument, Arguments, Folders, Kind, optional};
use super::pages;

/// All tools, in the order of the tool list that clients receive.
pub(super) const TOOLS: &[&Tool] = &[
    &policies::CHECK,
    &policies::EXPLAIN_RULE,
    &policies::PREDICATES,
    &policies::QUERY,
    &policies::TEST,
    &policies::VERIFY,
    &replies::PARSE,
    &replies::REPLAY,
    &replies::REPAIR,
    &replies::PREVIEW,
    &replies::SCHEMA,
];

/// A tool: its description for clients, its command, and the conversion of its output.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) arguments: &'static [Argument],
    /// The command that does the work.
    pub(super) command: fn(&Arguments, &Folders) -> Result<ToolCommand, String>,
    /// Converts standard output into the result, or into the page of a cursor.
    pub(super) answer: fn(&str, &Arguments) -> Result<Value, String>,
}

/// The command line of a tool.
#[derive(Debug, Default)]
pub(super) struct ToolCommand {
    pub(super) arguments: Vec<OsString>,
    /// Texts that override the files on disk.
    pub(super) texts: Vec<(PathBuf, Arc<str>)>,
}

impl ToolCommand {
    fn new(words: &[&str]) -> Self {
        Self { arguments: words.iter().map(OsString::from).collect(), texts: Vec::new() }
    }

    /// Adds an option and its value in one word, so that the value cannot be parsed as another
    /// option.
    fn option(mut self, name: &str, value: Option<impl ToString>) -> Self {
        self.arguments.extend(value.map(|value| format!("--{name}={}", value.to_string()).into()));
        self
    }

    /// Adds an option with the path of a file, after resolving it.
    fn file(mut self, name: &str, path: Option<&str>, folders: &Folders) -> Result<Self, String> {
        if let Some(path) = path {
            let mut word = OsString::from(format!("--{name}="));
            word.push(folders.resolve(path)?);
            self.arguments.push(word);
        }
        Ok(self)
    }

    fn flag(mut self, name: &str, is_set: bool) -> Self {
        self.arguments.extend(is_set.then(|| format!("--{name}").into()));
        self
    }

    /// Adds the versions in the arguments [`ENGINE`] and [`RUNTIME`].
    fn versions(self, arguments: &Arguments) -> Self {
        self.option("engine", arguments.text("engine")).option("runtime", arguments.text("runtime"))
    }

    /// Adds the versions in the arguments [`COMPARE_ENGINE`] and [`COMPARE_RUNTIME`].
    fn compared_versions(self, arguments: &Arguments) -> Self {
        self.option("compare-engine", arguments.text(COMPARE_ENGINE.name))
            .option("compare-runtime", arguments.text(COMPARE_RUNTIME.name))
    }

    /// Ends the options. Later words are values, even if they begin with a dash.
    fn values(mut self) -> Self {
        self.arguments.push("--".into());
        self
    }

    fn word(mut self, word: &str) -> Self {
        self.arguments.push(word.into());
        self
    }

    /// Adds the paths of files and folders, after resolving them.
    fn paths<'a>(
        mut self,
        paths: impl IntoIterator<Item = &'a str>,
        folders: &Folders,
    ) -> Result<Self, String> {
        for path in paths {
            self.arguments.push(folders.resolve(path)?.into());
        }
        Ok(self)
    }
}

/// The argument of tools that process programs.
const PATHS: Argument = optional(
    "paths",
    Kind::Words,
    "Files or folders of policies, relative to the first folder of the server. Default: this folder.",
);

/// The argument of tools that refuse programs that do not load.
const ANYWAY: Argument = optional(
    "anyway",
    Kind::Flag,
    "Evaluate the readable part of a program that does not load. The answer then has `program_loads`: false. By default, \
     such a program is rejected with its errors.",
);

/// The arguments of tools whose results depend on versions.
const ENGINE: Argument = optional(
    "engine",
    Kind::Word,
    "The version of the engine: a modeled version, a release, a date, or `auto`. Default: the configured version.",
);
const RUNTIME: Argument = optional(
    "runtime",
    Kind::Word,
    "The version of the runtime that parses the replies: a modeled version, `none` or `auto`. Default: the configured \
     version.",
);

/// The arguments of tools that compare two versions.
const COMPARE_ENGINE: Argument = optional(
    "compare_engine",
    Kind::Word,
    "A version of the engine to compare with, as in `engine`. The answer has the differences.",
);
const COMPARE_RUNTIME: Argument = optional(
    "compare_runtime",
    Kind::Word,
    "A version of the runtime to compare with, as in `runtime`. The answer has the differences.",
);

/// The argument of tools that evaluate.
const READING: Argument = optional(
    "reading",
    Kind::Choice(&["engine", "intended"]),
    "`engine` (default): evaluate the program as the engine does, including the parts that it ignores. `intended`: evaluate \
     every negation, as the author intended.",
);

/// Parses the JSON document that a command wrote.
fn document(output: &str) -> Result<Value, String> {
    serde_json::from_str(output).map_err(|_| "the command printed no JSON".to_owned())
}

/// Parses the JSON lines that a command wrote.
fn lines(output: &str) -> Result<Vec<Value>, String> {
    output.lines().filter(|line| !line.is_empty()).map(document).collect()
}

/// True if the arguments contain a version to compare with.
fn is_comparison(arguments: &Arguments) -> bool {
    [COMPARE_ENGINE, COMPARE_RUNTIME].iter().any(|argument| arguments.text(argument.name).is_some())
}

/// Cuts the list at `place` of a result to one page.
fn page(mut answer: Value, place: &str, arguments: &Arguments) -> Result<Value, String> {
    pages::cut(&mut answer, place, arguments.text("cursor"))?;
    Ok(answer)
}
