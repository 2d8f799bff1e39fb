//! `mangle/query` and `mangle/graph`, the equivalents of the commands `query` and `graph`, and the
//! command behind the code lenses of rules.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Command, ExecuteCommandParams, Uri};

use crate::lsp::view::View;
use crate::lsp::{from_proto, to_proto};
use mangle_host::workspace::SnapshotProgram;
use mangle_ide::evaluation::PlaceNames;
use mangle_ide::graph::{Direction, PredicateName, Selection, predicate_graph};
use mangle_ide::query::AnswerOptions;
use mangle_report::graph::NodePlace;
use mangle_report::{LoadErrors, QueryAnswer, answers_json, graph};
use mangle_settings::Reading;
use mangle_syntax::text::{Cancel, Encoding, LineCol, TextSize};

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

/// All parameters are optional.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::lsp) struct GraphParams {
    /// Restricts the graph to the programs of this document.
    pub(in crate::lsp) uri: Option<Uri>,
    format: Format,
    /// Restricts the graph to these predicates and their neighbors.
    of: Names,
    depth: Option<u32>,
    direction: DirectionParam,
    recursive: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Json,
    Mermaid,
    Dot,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DirectionParam {
    #[default]
    Both,
    Uses,
    Users,
}

/// A name or a list of names.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Several(Vec<String>),
}

impl Default for Names {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl GraphParams {
    fn selection(&self) -> Selection {
        let of = match &self.of {
            Names::One(name) => vec![PredicateName::parse(name)],
            Names::Several(names) => names.iter().map(|name| PredicateName::parse(name)).collect(),
        };
        let direction = match self.direction {
            DirectionParam::Both => Direction::Both,
            DirectionParam::Uses => Direction::Uses,
            DirectionParam::Users => Direction::Users,
        };
        let depth = self.depth.unwrap_or(1) as usize;
        Selection { files: None, of, depth, direction, recursive: self.recursive }
    }
}

/// Answers the request.
///
/// # Errors
///
/// `InvalidParams` if no program mentions a requested predicate.
pub(in crate::lsp) fn graph(view: &View, params: &GraphParams) -> Result<Value> {
    let file = params.uri.as_ref().map(|uri| view.file(uri).map(|file| file.id));
    let programs: Vec<_> = match file {
        None => view.snapshot.programs.iter().collect(),
        Some(Some(file)) => view.snapshot.programs_of(file).collect(),
        Some(None) => Vec::new(),
    };
    let selection = params.selection();
    for wanted in &selection.of {
        if let Some(why) = wanted.missing_from(programs.iter().map(|program| program.program().as_ref())) {
            return Err(Error::invalid_params(why));
        }
    }
    let draw = |program: &&_| {
        let program: &mangle_host::workspace::SnapshotProgram = program;
        predicate_graph(program.program(), program.name(), &selection)
    };
    let graphs: Vec<_> = programs.iter().map(|program| draw(&program.as_ref())).collect();
    let mut errors = LoadErrors::default();
    programs.iter().for_each(|program| errors.add(program.load_errors().clone()));
    let mut answer = match params.format {
        Format::Json => graph::json(&graphs, &|place| located(view, place)),
        Format::Mermaid => json!({ "text": errors.comment("%%") + &graph::mermaid(&graphs) }),
        Format::Dot => json!({ "text": errors.comment("//") + &graph::dot(&graphs) }),
    };
    errors.mark_json(&mut answer);
    Ok(answer)
}

/// Returns a position in the notation of the command line and in the notation of the protocol.
fn located(view: &View, place: NodePlace) -> Value {
    let Some(file) = view.shown(place.file) else { return Value::Null };
    let at = |offset: TextSize| {
        let LineCol { line, col } = file.line_col(offset, Encoding::Utf32);
        LineCol { line: line + 1, col: col + 1 }
    };
    let bytes = file.map().to_source(place.range);
    let (from, to) = (at(bytes.start()), at(bytes.end()));
    json!({
        "file": file.path.to_string_lossy(),
        "line": from.line,
        "column": from.col,
        "end_line": to.line,
        "end_column": to.col,
        "start": u32::from(bytes.start()),
        "end": u32::from(bytes.end()),
        "uri": to_proto::uri(file),
        "range": view.range(file, place.range),
    })
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
