//! `mangle/graph`, the equivalent of the command `graph`.

use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::Uri;

use crate::lsp::to_proto;
use crate::lsp::view::View;
use mangle_ide::graph::{Direction, PredicateName, Selection, predicate_graph};
use mangle_report::LoadErrors;
use mangle_report::graph::{self, NodePlace};
use mangle_syntax::text::{Encoding, LineCol, TextSize};

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
