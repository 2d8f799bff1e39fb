//! Reply grammars in the editor: the code lens at the top, and the command that generates or
//! updates a grammar.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{CodeLens, Command, ExecuteCommandParams, Uri};

use crate::lsp::actions::workspace_edit_of_texts;
use crate::lsp::from_proto;
use crate::lsp::view::View;
use mangle_host::workspace::{SnapshotGrammar, SnapshotProgram};
use mangle_ide::reply_grammars::ReplyGrammarRequest;
use mangle_syntax::text::TextRange;
use reply_grammar::target::{TARGETS, Target};

/// Generates a grammar. For a grammar file, generates its content again; for a policy, generates
/// the grammar of a target.
pub(in crate::lsp) const GRAMMAR: &str = "mangle.grammar";

/// The response for a document that is neither a policy nor a grammar.
const NO_PROGRAM: &str = "This document is neither a policy nor a grammar of replies.";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::lsp) struct GrammarParams {
    uri: Uri,
    /// The name of a target, for a policy. Default: list the targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// True if the client displays the response itself, so that no message is needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    quiet: bool,
}

impl GrammarParams {
    pub(in crate::lsp) fn document(&self) -> PathBuf {
        from_proto::document_path(&self.uri)
    }
}

/// Parses the arguments of a command.
pub(in crate::lsp) fn asked_by(params: &ExecuteCommandParams) -> Option<GrammarParams> {
    let argument = params.arguments.first().filter(|_| params.command == GRAMMAR)?;
    GrammarParams::deserialize(argument).ok()
}

/// Returns the lens of a grammar: the number of declarations it was generated from, and a note if
/// it is outdated.
pub(super) fn lenses(view: &View, uri: &Uri, grammar: &SnapshotGrammar) -> Vec<CodeLens> {
    let Some(title) = grammar.title() else { return Vec::new() };
    let params = GrammarParams { uri: uri.clone(), target: None, quiet: false };
    let arguments = serde_json::to_value(params).ok().map(|params| vec![params]);
    let range = view.range(&grammar.file, TextRange::default());
    let command = Some(Command { title: title.to_owned(), command: GRAMMAR.into(), arguments });
    vec![CodeLens { range, command, data: None }]
}

/// Runs the command. Returns the response, and a message for clients that only show messages.
///
/// # Errors
///
/// If the target is unknown, or no envelope is possible.
pub(in crate::lsp) fn command(view: &View, params: &GrammarParams) -> Result<(Value, Option<String>)> {
    let file = view.file(&params.uri);
    if let Some(grammar) = file.and_then(|file| view.snapshot.grammar(file.id)) {
        let (answer, message) = generate_again(view, grammar)?;
        return Ok((answer, Some(message)));
    }
    let Some(program) = file.and_then(|file| view.snapshot.programs_of(file.id).next()) else {
        return Ok((json!({}), Some(NO_PROGRAM.to_owned())));
    };
    let (answer, message) = match &params.target {
        Some(name) => generate(view, program, name)?,
        None => targets(),
    };
    Ok((answer, Some(message).filter(|_| !params.quiet)))
}

/// Returns the targets, with the tool that uses each.
fn targets() -> (Value, String) {
    let all = TARGETS.map(|target| json!({ "name": target.name, "readers": target.readers }));
    let lines = TARGETS.map(|target| format!("{}: {}", target.name, target.readers));
    (json!({ "targets": all }), lines.join("\n"))
}

fn generate(view: &View, program: &SnapshotProgram, name: &str) -> Result<(Value, String)> {
    if let Some(why) = program.refusal() {
        return Err(Error::invalid_params(why));
    }
    let unknown = || Error::invalid_params(format!("there is no target `{name}`"));
    let target = Target::named(name).ok_or_else(unknown)?;
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
    let text = grammar.generated().map_err(|reason| Error::invalid_params(reason.to_owned()))?;
    let edit = workspace_edit_of_texts(view, [(grammar.file.id, text)]);
    let is_changed = edit.is_some();
    let message = match (is_changed, view.snapshot.is_editable(grammar.file.id)) {
        (true, _) => "Grammar generated again.",
        (false, true) => "Grammar is up to date.",
        (false, false) => "Grammar is unchanged: an edit of the document was lost.",
    };
    edit.into_iter().for_each(|edit| view.outbox.apply_edit(edit));
    Ok((json!({ "changed": is_changed }), message.to_owned()))
}
