//! The tools: one file each, and one line in the table.

mod check;
mod explain_rule;
mod parse;
mod predicates;
mod preview;
mod query;
mod repair;
mod replay;
mod schema;
mod test;
mod verify;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use super::arguments::{Argument, Arguments, Kind, optional};
use super::folders::Folders;
use super::pages;

/// All tools, in the order in which clients list them.
pub(super) const TOOLS: &[&Tool] = &[
    &check::TOOL,
    &explain_rule::TOOL,
    &predicates::TOOL,
    &query::TOOL,
    &test::TOOL,
    &verify::TOOL,
    &parse::TOOL,
    &replay::TOOL,
    &repair::TOOL,
    &preview::TOOL,
    &schema::TOOL,
];

/// A tool: what clients are told of it, its twin, and what its answer is.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) arguments: &'static [Argument],
    /// The command that does the work.
    pub(super) twin: fn(&Arguments, &Folders) -> Result<Twin, String>,
    /// The answer, from what the command wrote to standard output; with a cursor the page that it names.
    pub(super) answer: fn(&str, &Arguments) -> Result<Value, String>,
}

/// A command of the command line, as a tool wants it to run.
#[derive(Debug, Default)]
pub(super) struct Twin {
    pub(super) arguments: Vec<OsString>,
    /// Texts that count instead of those on disk.
    pub(super) texts: Vec<(PathBuf, Arc<str>)>,
}

impl Twin {
    /// The command with these words.
    fn of(words: &[&str]) -> Self {
        Self { arguments: words.iter().map(OsString::from).collect(), texts: Vec::new() }
    }

    /// Adds an option with its value in one word, so that no value is taken for another option.
    fn option(mut self, name: &str, value: Option<impl ToString>) -> Self {
        self.arguments.extend(value.map(|value| format!("--{name}={}", value.to_string()).into()));
        self
    }

    /// Adds an option with the file that an argument names.
    fn file(mut self, name: &str, path: Option<&str>, folders: &Folders) -> Result<Self, String> {
        if let Some(path) = path {
            let mut word = OsString::from(format!("--{name}="));
            word.push(folders.resolve(path)?);
            self.arguments.push(word);
        }
        Ok(self)
    }

    /// Adds a flag.
    fn flag(mut self, name: &str, is_set: bool) -> Self {
        self.arguments.extend(is_set.then(|| format!("--{name}").into()));
        self
    }

    /// Adds the versions that the arguments [`ENGINE`] and [`RUNTIME`] name.
    fn versions(self, arguments: &Arguments) -> Self {
        self.option("engine", arguments.text("engine")).option("runtime", arguments.text("runtime"))
    }

    /// Adds the versions that the arguments [`COMPARE_ENGINE`] and [`COMPARE_RUNTIME`] name.
    fn compared_versions(self, arguments: &Arguments) -> Self {
        self.option("compare-engine", arguments.text(COMPARE_ENGINE.name))
            .option("compare-runtime", arguments.text(COMPARE_RUNTIME.name))
    }

    /// Ends the options: words after this are values, whatever they begin with.
    fn values(mut self) -> Self {
        self.arguments.push("--".into());
        self
    }

    /// Adds a value.
    fn word(mut self, word: &str) -> Self {
        self.arguments.push(word.into());
        self
    }

    /// Adds the files and folders that arguments name.
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

/// The argument of tools about programs.
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

/// The arguments of tools whose answers depend on versions.
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

/// The JSON document that a command wrote.
fn document(output: &str) -> Result<Value, String> {
    serde_json::from_str(output).map_err(|_| "the command printed no JSON".to_owned())
}

/// The lines of JSON that a command wrote.
fn lines(output: &str) -> Result<Vec<Value>, String> {
    output.lines().filter(|line| !line.is_empty()).map(document).collect()
}

/// True if the arguments name a version to compare with.
fn is_comparison(arguments: &Arguments) -> bool {
    [COMPARE_ENGINE, COMPARE_RUNTIME].iter().any(|argument| arguments.text(argument.name).is_some())
}

/// A page of the list at `place` of an answer.
fn page(mut answer: Value, place: &str, arguments: &Arguments) -> Result<Value, String> {
    pages::cut(&mut answer, place, arguments.text("cursor"))?;
    Ok(answer)
}
