//! `mangle/query`, the equivalent of the command `query`, and two commands of code lenses: run a
//! query, and show the equivalent command line.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Command, ExecuteCommandParams, Uri};

use crate::lsp::from_proto;
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotProgram;
use mangle_ide::evaluation::PlaceNames;
use mangle_ide::query::AnswerOptions;
use mangle_report::{QueryAnswer, answers_json};
use mangle_settings::Reading;
use mangle_syntax::text::Cancel;

/// Runs a query. The argument has the parameters of `mangle/query`.
pub(in crate::lsp) const QUERY: &str = "mangle.query";

/// Command that returns the command line of a query. The argument is that command line.
pub(in crate::lsp) const COPY_QUERY: &str = "mangle.copyQuery";

/// The maximum number of facts in a message.
const SHOWN: usize = 10;

/// All parameters are optional.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::lsp) struct QueryParams {
    /// Restricts the query to the programs of this document.
    pub(in crate::lsp) uri: Option<Uri>,
    /// The query atom. Default: all facts.
    pub(in crate::lsp) atom: Option<String>,
    /// The reading of the program. Default: `[kernel]` of the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<Semantics>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    why: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    why_not: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Semantics {
    #[serde(alias = "go")]
    Engine,
    #[serde(alias = "written")]
    Intended,
    Both,
}

impl QueryParams {
    /// A query for the facts that match an atom.
    pub(in crate::lsp) fn new(uri: Uri, atom: String) -> Self {
        Self { uri: Some(uri), atom: Some(atom), ..Self::default() }
    }

    /// A query for all facts of the programs of a document.
    pub(in crate::lsp) fn of_all(uri: Uri) -> Self {
        Self { uri: Some(uri), ..Self::default() }
    }

    /// The document whose programs are queried.
    pub(in crate::lsp) fn document(&self) -> Option<PathBuf> {
        self.uri.as_ref().map(from_proto::document_path)
    }

    pub(in crate::lsp) fn command(&self, title: String) -> Command {
        let arguments = serde_json::to_value(self).ok().map(|params| vec![params]);
        Command { title, command: QUERY.into(), arguments }
    }

    /// Returns the command that shows the equivalent command line.
    pub(in crate::lsp) fn copy_command(&self, view: &View, title: String) -> Command {
        let arguments = Some(vec![Value::from(self.command_line(view))]);
        Command { title, command: COPY_QUERY.into(), arguments }
    }

    /// Returns the equivalent shell command.
    fn command_line(&self, view: &View) -> String {
        let subject = programs(view, self.uri.as_ref()).first().map(|program| program.subject());
        let subject = subject.unwrap_or_else(|| Path::new("."));
        let question = self.atom.as_deref().map_or_else(|| "--dump".to_owned(), quoted);
        format!("mangle-ls query {question} {}", quoted(&subject.to_string_lossy()))
    }
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "/._-".contains(char);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Returns the queried programs: the programs of a document's samples, or the programs that report
/// the document.
fn programs<'v>(view: &'v View, uri: Option<&Uri>) -> Vec<&'v SnapshotProgram> {
    match uri {
        Some(uri) => {
            let file = view.file(uri).map(|file| file.id);
            file.into_iter().flat_map(|file| view.snapshot.query_programs(file)).map(AsRef::as_ref).collect()
        }
        None => {
            let programs = view.snapshot.programs.iter().map(AsRef::as_ref);
            programs.filter(|program: &&SnapshotProgram| program.single().is_none()).collect()
        }
    }
}

/// Answers the request.
///
/// # Errors
///
/// `InvalidParams` if the atom is invalid, no program has its predicate, or a program does not
/// load.
pub(in crate::lsp) fn query(view: &View, params: &QueryParams) -> Result<Value> {
    let answers = answers(view, params)?;
    let mut json = answers_json(&answers.iter().map(|(_, answer)| answer.clone()).collect::<Vec<_>>());
    let objects = json.as_array_mut().into_iter().flatten();
    for (object, (sample, _)) in objects.zip(&answers) {
        if let Some(members) = object.as_object_mut() {
            members.insert("sample".to_owned(), json!(sample));
        }
    }
    Ok(json)
}

/// Returns the answers, each with the name of its sample.
fn answers(view: &View, params: &QueryParams) -> Result<Vec<(Option<String>, QueryAnswer)>> {
    let wish = AnswerOptions { why: params.why, why_not: params.why_not, ..AnswerOptions::default() };
    let name = |file| view.name(file);
    let (mut answers, mut complaints) = (Vec::new(), Vec::new());
    for program in programs(view, params.uri.as_ref()) {
        if let Some(why) = program.refusal() {
            return Err(Error::invalid_params(why));
        }
        // The evaluation may have been dropped since the request was accepted.
        program.evaluate(&Cancel::new());
        let Some(evaluated) = program.evaluated() else { continue };
        let readings = &evaluated.readings;
        let wanted = match params.reading {
            None => vec![readings.selected],
            Some(Semantics::Engine) => vec![Reading::Engine],
            Some(Semantics::Intended) => vec![Reading::Intended],
            Some(Semantics::Both) => vec![Reading::Engine, Reading::Intended],
        };
        let places = PlaceNames { program: program.program(), file: &name };
        for reading in wanted {
            match readings.get(reading).ask(params.atom.as_deref(), wish, places) {
                Ok(answer) => answers.push((program.sample().map(ToString::to_string), answer)),
                Err(why) => complaints.push(why),
            }
        }
    }
    // If several programs are queried, one with the predicate is sufficient.
    match complaints.into_iter().next() {
        Some(why) if answers.is_empty() => Err(Error::invalid_params(why)),
        _ => Ok(answers),
    }
}

/// Returns the query of a command `mangle.query`.
pub(in crate::lsp) fn asked_by(params: &ExecuteCommandParams) -> Option<QueryParams> {
    let argument = params.arguments.first().filter(|_| params.command == QUERY)?;
    QueryParams::deserialize(argument).ok()
}

/// Returns a short answer, for clients that only show messages.
///
/// # Errors
///
/// As [`query`].
pub(in crate::lsp) fn in_short(view: &View, params: &QueryParams) -> Result<String> {
    let mut lines = Vec::new();
    for (sample, answer) in answers(view, params)? {
        let with = sample.map_or_else(String::new, |sample| format!(" with {sample}"));
        let count = answer.facts.len() + answer.omitted;
        let unit = if count == 1 { "fact" } else { "facts" };
        let of = params.atom.as_deref().map_or_else(String::new, |atom| format!(" for {atom}"));
        lines.push(format!("{count} {unit}{of}{with}:"));
        lines.extend(answer.facts.iter().take(SHOWN).map(|fact| fact.text.to_string()));
        if count > SHOWN {
            lines.push(format!("… and {} more", count - SHOWN));
        }
        lines.extend(answer.hints);
        lines.extend(answer.stopped);
    }
    Ok(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_for_a_shell() {
        let words = ["a/b.mg", "p(X, _)", "it's", ""].map(quoted);
        assert_eq!(words, ["a/b.mg", "'p(X, _)'", "'it'\\''s'", "''"]);
    }
}
