//! Grammars of replies in the editor: what stands above one, and the command that generates one or generates it again.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{CodeLens, Command, ExecuteCommandParams, Uri, WorkspaceEdit};

use crate::host::workspace::{SnapshotFile, SnapshotGrammar, SnapshotProgram};
use crate::ide::fixes::difference;
use crate::ide::reply_grammars::ReplyGrammarRequest;
use crate::lsp::actions::workspace_edit;
use crate::lsp::from_proto;
use crate::lsp::view::View;
use mangle_syntax::lint::FileEdit;
use mangle_syntax::text::TextRange;
use reply_grammar::target::{TARGETS, Target};

/// Generates the grammar that a document is again; of a policy, one for a target.
pub(in crate::lsp) const GRAMMAR: &str = "mangle.grammar";

/// The answer about a document for which there is nothing to generate.
const NO_PROGRAM: &str = "This document is neither a policy nor a grammar of replies.";

/// The argument of the command.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::lsp) struct GrammarParams {
    uri: Uri,
    /// The name of a target, where the document is a policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// Whether the client shows the answer itself, so that no message is needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    quiet: bool,
}

impl GrammarParams {
    pub(in crate::lsp) fn document(&self) -> PathBuf {
        from_proto::document_path(&self.uri)
    }
}

/// What a command asks for.
pub(in crate::lsp) fn asked_by(params: &ExecuteCommandParams) -> Option<GrammarParams> {
    let argument = params.arguments.first().filter(|_| params.command == GRAMMAR)?;
    GrammarParams::deserialize(argument).ok()
}

/// What stands above a grammar: how many declarations it is generated from, and whether it is what is generated now.
pub(super) fn lenses(view: &View, uri: &Uri, grammar: &SnapshotGrammar) -> Vec<CodeLens> {
    let Some(title) = grammar.title() else { return Vec::new() };
    let params = GrammarParams { uri: uri.clone(), target: None, quiet: false };
    let arguments = serde_json::to_value(params).ok().map(|params| vec![params]);
    let range = view.range(&grammar.file, TextRange::default());
    let command = Some(Command { title, command: GRAMMAR.into(), arguments });
    vec![CodeLens { range, command, data: None }]
}

/// Runs the command. Gives the answer, and what a person reads of it where the client shows messages only.
///
/// # Errors
/// For an unknown target, and where no envelope is possible.
pub(in crate::lsp) fn command(view: &View, params: &GrammarParams) -> Result<(Value, Option<String>)> {
    let file = view.file(&params.uri);
    if let Some(grammar) = file.and_then(|file| view.snapshot.grammar(file.id)) {
        return generate_again(view, grammar).map(|(answer, message)| (answer, Some(message)));
    }
    let Some(program) = file.and_then(|file| view.snapshot.programs_of(file.id).next()) else {
        return Ok((json!({ "changed": false }), Some(NO_PROGRAM.to_owned())));
    };
    let name = params.target.as_deref().unwrap_or_default();
    let names = || TARGETS.map(|target| target.name).join(", ");
    let target = Target::named(name)
        .ok_or_else(|| Error::invalid_params(format!("unknown target `{name}`; there are {}", names())))?;
    let (answer, report) = generate(view, program, target)?;
    Ok((answer, Some(report).filter(|_| !params.quiet)))
}

fn generate(view: &View, program: &SnapshotProgram, target: &'static Target) -> Result<(Value, String)> {
    let request = ReplyGrammarRequest {
        program: program.program(),
        settings: program.settings(),
        tools: view.snapshot.tools_of(program),
        profile: None,
        consumer: None,
        target,
        dialect: target.usual_dialect(),
    };
    let grammar = request.generate().map_err(|error| Error::invalid_params(error.to_string()))?;
    let report = grammar.report.text();
    Ok((json!({ "text": grammar.text, "extension": target.extension, "report": report }), report))
}

fn generate_again(view: &View, grammar: &SnapshotGrammar) -> Result<(Value, String)> {
    let text = grammar.generated().map_err(Error::invalid_params)?;
    let edit = edit(view, &grammar.file, &text);
    let is_changed = edit.is_some();
    let message = match (is_changed, view.snapshot.is_editable(grammar.file.id)) {
        (true, _) => "Grammar generated again.",
        (false, true) => "Grammar is what is generated now.",
        (false, false) => "Grammar is not changed: an edit of the document was lost.",
    };
    edit.into_iter().for_each(|edit| view.outbox.apply_edit(edit));
    Ok((json!({ "changed": is_changed }), message.to_owned()))
}

/// The edit that makes a document this text; `None` if it has it, or must not be edited.
fn edit(view: &View, file: &SnapshotFile, text: &str) -> Option<WorkspaceEdit> {
    let changes = difference(file.text(), text).into_iter();
    let edits: Vec<_> = changes.map(|(range, text)| FileEdit { file: file.id, range, text }).collect();
    workspace_edit(view, &edits).filter(|_| !edits.is_empty())
}
