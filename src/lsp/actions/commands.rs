//! The commands that actions, lenses and users run. All are the server's, so that a client needs no code for them.

use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, Command, Diagnostic, ExecuteCommandParams, LSPAny, ShowDocumentParams, Uri,
};

use super::deed::fix_workspace;
use crate::ide::registry;
use crate::lint::Rule;
use crate::lsp::features::preview::{self, PREVIEW};
use crate::lsp::features::query::{self, COPY_QUERY, QUERY};
use crate::lsp::features::repair::{self, COPY_REPAIR, RepairParams};
use crate::lsp::features::replay::{self, REPLAY, STATE};
use crate::lsp::features::test::{self, TEST};
use crate::lsp::view::View;
use crate::text::Cancel;

/// Opens the page of the rule whose name or code is the argument.
const OPEN_PAGE: &str = "mangle.openRulePage";

/// Applies the safe fixes of the workspace.
const FIX_WORKSPACE: &str = "mangle.fixWorkspace";

/// All commands.
pub(in crate::lsp) const COMMANDS: [&str; 9] =
    [COPY_QUERY, COPY_REPAIR, FIX_WORKSPACE, OPEN_PAGE, PREVIEW, QUERY, REPLAY, STATE, TEST];

/// The action that hands over the message which asks the model to send a reply again.
pub(super) fn copy_repair(uri: &Uri, record: u64, diagnostics: Option<Vec<Diagnostic>>) -> CodeAction {
    let title = "Copy the repair prompt".to_owned();
    let argument = serde_json::to_value(RepairParams::of(uri, record)).ok();
    let (command, arguments) = (COPY_REPAIR.into(), argument.map(|argument| vec![argument]));
    CodeAction {
        title: title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics,
        command: Some(Command { title, command, arguments }),
        ..CodeAction::default()
    }
}

/// The action that opens the page of a rule.
pub(super) fn open_page(rule: &Rule, diagnostics: Option<Vec<Diagnostic>>) -> CodeAction {
    let title = format!("Open the page of `{}`", rule.name);
    let command =
        Command { title: title.clone(), command: OPEN_PAGE.into(), arguments: Some(vec![rule.name.into()]) };
    CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics,
        command: Some(command),
        ..CodeAction::default()
    }
}

/// What the page says, where it cannot be opened.
fn page_in_short(rule: &Rule) -> String {
    format!("{} {}: {} {}", rule.code, rule.name, rule.summary, rule.rationale)
}

/// Runs a command: what it asks of the client is on its way when this returns.
///
/// # Errors
/// When it is not ours, or its argument is none of its kind.
pub(in crate::lsp) fn command(
    view: &View,
    params: &ExecuteCommandParams,
    cancel: &Cancel,
) -> Result<Option<LSPAny>> {
    match params.command.as_str() {
        OPEN_PAGE => {
            let name = params.arguments.first().and_then(LSPAny::as_str).unwrap_or_default();
            let rule = registry::find(name).ok_or_else(|| Error::invalid_params("no such rule"))?;
            match rule.address().and_then(|address| address.parse().ok()) {
                Some(uri) if view.session.show_document => {
                    let (external, take_focus, selection) = (Some(true), None, None);
                    view.outbox.show_document(ShowDocumentParams { uri, external, take_focus, selection });
                }
                _ => view.outbox.show_message(page_in_short(rule)),
            }
        }
        FIX_WORKSPACE => {
            if let Some(edit) = fix_workspace(view) {
                view.outbox.apply_edit(edit);
            }
        }
        QUERY => {
            let question = query::asked_by(params);
            let question = question.ok_or_else(|| Error::invalid_params("its argument is no question"))?;
            view.outbox.show_message(query::in_short(view, &question)?);
            return query::query(view, &question).map(Some);
        }
        PREVIEW => {
            let wanted = preview::asked_by(params);
            let wanted = wanted.ok_or_else(|| Error::invalid_params("its argument names no preview"))?;
            let (answer, message) = preview::in_short(view, &wanted, cancel)?;
            view.outbox.show_message(message);
            return Ok(Some(answer));
        }
        REPLAY | STATE => {
            let wanted = replay::asked_by(params);
            let wanted = wanted.ok_or_else(|| Error::invalid_params("its argument names no transcript"))?;
            let (answer, message) = replay::command(view, &params.command, &wanted, cancel)?;
            message.into_iter().for_each(|message| view.outbox.show_message(message));
            return Ok(Some(answer));
        }
        TEST => {
            let wanted = test::asked_by(params);
            let wanted = wanted.ok_or_else(|| Error::invalid_params("its argument names no tests"))?;
            let (report, message) = test::in_short(view, &wanted, cancel);
            view.outbox.show_message(message);
            return Ok(Some(report));
        }
        COPY_REPAIR => {
            let wanted = repair::asked_by(params);
            let wanted = wanted.ok_or_else(|| Error::invalid_params("its argument names no transcript"))?;
            let answer = repair::repair(view, &wanted);
            let message = answer["message"].as_str().unwrap_or("There is nothing to repair.");
            view.outbox.show_message(message.to_owned());
            return Ok(Some(answer));
        }
        COPY_QUERY => {
            let line = params.arguments.first().and_then(LSPAny::as_str);
            let line = line.ok_or_else(|| Error::invalid_params("its argument is no command line"))?;
            view.outbox.show_message(line.to_owned());
        }
        _ => return Err(Error::invalid_params("no such command")),
    }
    Ok(None)
}
