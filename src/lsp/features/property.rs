//! Properties of policy tests: their results as code lenses, hovers, documents and code actions.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::ls_types::{CodeLens, Command, ExecuteCommandParams, Uri};

use crate::lsp::from_proto;
use crate::lsp::view::View;
use crate::lsp::virtual_documents::component;
use mangle_host::workspace::{SnapshotFile, SnapshotProgram};
use mangle_ide::markup::Markup;
use mangle_ide::verification::AnsweredProperty;
use mangle_syntax::text::{TextRange, TextSize};

/// Shows the result of a property.
pub(in crate::lsp) const PROPERTY: &str = "mangle.property";

/// The text for an unchecked property.
const OPEN: &str = "not checked yet";

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct PropertyParams {
    uri: Uri,
    /// The name of the property.
    #[serde(default)]
    name: String,
    /// True if the client displays the document itself, so that no message is needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    quiet: bool,
}

impl PropertyParams {
    pub(in crate::lsp) fn document(&self) -> PathBuf {
        from_proto::document_path(&self.uri)
    }
}

/// Parses the arguments of a command.
pub(in crate::lsp) fn asked_by(params: &ExecuteCommandParams) -> Option<PropertyParams> {
    let argument = params.arguments.first().filter(|_| params.command == PROPERTY)?;
    PropertyParams::deserialize(argument).ok()
}

pub(in crate::lsp) fn show(uri: &Uri, name: &str, title: String) -> Command {
    let params = PropertyParams { uri: uri.clone(), name: name.to_owned(), quiet: false };
    let arguments = serde_json::to_value(params).ok().map(|params| vec![params]);
    Command { title, command: PROPERTY.into(), arguments }
}

/// Returns the properties of a test file with the known answers.
pub(in crate::lsp) fn answered(view: &View, file: &SnapshotFile) -> Arc<[AnsweredProperty]> {
    let mut programs = view.snapshot.programs_of(file.id);
    let test = programs.find(|program| program.test() == Some(file.id));
    test.map_or_else(|| Vec::new().into(), |program| program.known_answers())
}

/// Returns the range of a property in a test file and its description. Returns `None` if no
/// property has this name.
pub(in crate::lsp) fn text(view: &View, file: &SnapshotFile, name: &str) -> Option<(TextRange, String)> {
    let all = answered(view, file);
    let of = all.iter().find(|of| of.property.name == name)?;
    let refusal = view.snapshot.programs_of(file.id).find_map(|program| program.refusal());
    let text = match (&of.report, refusal) {
        (Some(report), None) => report.document(),
        (_, Some(why)) => format!("@{} {name}\n  {why}\n", of.property.kind.as_str()),
        (None, None) => format!("@{} {name}\n  {OPEN}\n", of.property.kind.as_str()),
    };
    Some((of.property.header, text))
}

/// Returns the counterexample of a property as a case of its test file.
pub(in crate::lsp) fn test_case(view: &View, file: &SnapshotFile, of: &AnsweredProperty) -> Option<String> {
    let program = view.snapshot.programs_of(file.id).next()?;
    mangle_verify::test_case(&of.property, of.answer.as_deref()?, &program.settings().replay.permit)
}

/// Runs the command. Returns the document, and a message for clients that only show messages.
pub(in crate::lsp) fn command(view: &View, params: &PropertyParams) -> (Value, Option<String>) {
    let found = view.file(&params.uri).and_then(|file| text(view, file, &params.name));
    let (document, message) = match found {
        Some((_, text)) => {
            let (name, of) = (component(&params.name), component(params.uri.as_str()));
            (Value::from(format!("mangle-property:/{name}?of={of}")), text)
        }
        None => (Value::Null, "No property has this name.".to_owned()),
    };
    (json!({ "document": document }), Some(message).filter(|_| !params.quiet))
}

/// Returns the lenses with the results of the properties in a test file.
pub(super) fn lenses(
    view: &View,
    uri: &Uri,
    file: &SnapshotFile,
    program: &SnapshotProgram,
) -> Vec<CodeLens> {
    let lens = |of: &AnsweredProperty| {
        let title = match (program.refusal(), &of.report) {
            (Some(why), _) => why,
            (None, Some(report)) => report.headline().to_owned(),
            (None, None) => OPEN.to_owned(),
        };
        let command = Some(show(uri, &of.property.name, title));
        CodeLens { range: view.range(file, of.property.header), command, data: None }
    };
    program.known_answers().iter().map(lens).collect()
}

/// Returns the hover with the result of a property, if the position is in its first line.
pub(super) fn hover(view: &View, file: &SnapshotFile, offset: TextSize) -> Option<mangle_ide::hover::Hover> {
    let is_here = |of: &&AnsweredProperty| of.property.header.contains_inclusive(offset);
    let all = answered(view, file);
    let of = all.iter().find(is_here)?;
    let text = of.report.as_ref()?.document();
    Some(mangle_ide::hover::Hover { range: of.property.header, markup: Markup::default().excerpt(text) })
}
