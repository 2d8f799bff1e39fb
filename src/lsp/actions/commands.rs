//! Commands of actions, code lenses and users. All commands run in the server, so that clients
//! need no code for them.

use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, Command, Diagnostic, ExecuteCommandParams, LSPAny, ShowDocumentParams, Uri,
};

use super::action_data::fix_workspace;
use crate::lsp::features::preview::PREVIEW;
use crate::lsp::features::query::{COPY_QUERY, QUERY};
use crate::lsp::features::replay::{REPLAY, STATE};
use crate::lsp::features::replies::{COPY_REPAIR, GRAMMAR, RepairParams};
use crate::lsp::features::test::{PROPERTY, TEST};
use crate::lsp::features::{preview, query, replay, replies, test};
use crate::lsp::message::Prerequisite;
use crate::lsp::view::View;
use mangle_ide::registry;
use mangle_report::replies::without_secrets;
use mangle_syntax::lint::Rule;
use mangle_syntax::text::Cancel;

/// Opens the page of a rule. The argument is its name or code.
const OPEN_PAGE: &str = "mangle.openRulePage";

const FIX_WORKSPACE: &str = "mangle.fixWorkspace";

/// The response to [`FIX_WORKSPACE`] if no fix applies.
const NOTHING_TO_FIX: &str = "no finding in the workspace has a safe fix";

/// Appended to this response if suspect documents were skipped.
const OUT_OF_SYNC: &str = "except in documents that lost an edit";

pub(in crate::lsp) const COMMANDS: [&str; 11] = [
    COPY_QUERY,
    COPY_REPAIR,
    FIX_WORKSPACE,
    GRAMMAR,
    OPEN_PAGE,
    PREVIEW,
    PROPERTY,
    QUERY,
    REPLAY,
    STATE,
    TEST,
];

/// Returns the action that shows the retry prompt for a bad reply.
pub(super) fn copy_repair(uri: &Uri, record: u64, diagnostics: Option<Vec<Diagnostic>>) -> CodeAction {
    let title = "Copy the repair prompt".to_owned();
    let argument = serde_json::to_value(RepairParams::new(uri, record)).ok();
    let (command, arguments) = (COPY_REPAIR.into(), argument.map(|argument| vec![argument]));
    CodeAction {
        title: title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics,
        command: Some(Command { title, command, arguments }),
        ..CodeAction::default()
    }
}

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

pub(super) fn show_property(
    uri: &Uri,
    name: &str,
    title: &str,
    diagnostics: Option<Vec<Diagnostic>>,
) -> CodeAction {
    let (title, kind) = (title.to_owned(), Some(CodeActionKind::QUICKFIX));
    let command = Some(test::show(uri, name, title.clone()));
    CodeAction { title, kind, diagnostics, command, ..CodeAction::default() }
}

/// Returns a short text of the rule page, for clients that cannot open it.
fn page_in_short(rule: &Rule) -> String {
    format!("{} {}: {} {}", rule.code, rule.name, rule.summary, rule.rationale)
}

/// Returns the analysis state that a command requires.
pub(in crate::lsp) fn needs(params: &ExecuteCommandParams) -> Prerequisite {
    let needs = match params.command.as_str() {
        QUERY => query::asked_by(params).map(|wanted| Prerequisite::Evaluation(wanted.document())),
        TEST => test::test_asked_by(params)
            .map(|wanted| wanted.document().map_or(Prerequisite::Workspace, Prerequisite::Place)),
        COPY_REPAIR => {
            replies::repair_asked_by(params).map(|wanted| Prerequisite::Diagnostics(wanted.document()))
        }
        GRAMMAR => replies::grammar_asked_by(params).map(|wanted| Prerequisite::Place(wanted.document())),
        PREVIEW => preview::asked_by(params).map(|wanted| Prerequisite::Place(wanted.document())),
        PROPERTY => test::property_asked_by(params).map(|wanted| Prerequisite::Place(wanted.document())),
        REPLAY | STATE => replay::asked_by(params).map(|wanted| Prerequisite::Place(wanted.document())),
        _ => None,
    };
    needs.unwrap_or(Prerequisite::Nothing)
}

/// Runs a command. Requests to the client are already queued when this function returns.
///
/// # Errors
///
/// If the command is unknown or its argument is invalid.
pub(in crate::lsp) fn command(
    view: &View,
    params: &ExecuteCommandParams,
    cancel: &Cancel,
) -> Result<Option<LSPAny>> {
    match params.command.as_str() {
        OPEN_PAGE => show_page(view, params)?,
        FIX_WORKSPACE => match fix_workspace(view) {
            Some(edit) => view.outbox.apply_edit(edit),
            None if view.snapshot.is_in_sync() => view.outbox.show_message(NOTHING_TO_FIX.to_owned()),
            None => view.outbox.show_message(format!("{NOTHING_TO_FIX} {OUT_OF_SYNC}")),
        },
        COPY_QUERY => {
            let line = params.arguments.first().and_then(LSPAny::as_str);
            view.outbox.show_message(argument(line, "its argument is not a command line")?.to_owned());
        }
        _ => {
            let (answer, message) = answered(view, params, cancel)?;
            message.into_iter().for_each(|message| view.outbox.show_message(message));
            return Ok(Some(without_secrets(answer)));
        }
    }
    Ok(None)
}

fn show_page(view: &View, params: &ExecuteCommandParams) -> Result<()> {
    let name = params.arguments.first().and_then(LSPAny::as_str).unwrap_or_default();
    let rule = argument(registry::find(name), "no such rule")?;
    match rule.address().and_then(|address| address.parse().ok()) {
        Some(uri) if view.session.show_document => {
            let (external, take_focus, selection) = (Some(true), None, None);
            view.outbox.show_document(ShowDocumentParams { uri, external, take_focus, selection });
        }
        _ => view.outbox.show_message(page_in_short(rule)),
    }
    Ok(())
}

/// Runs a command that has a response. The second value is a message for clients that only show
/// messages.
fn answered(view: &View, params: &ExecuteCommandParams, cancel: &Cancel) -> Result<(LSPAny, Option<String>)> {
    let (answer, message) = match params.command.as_str() {
        QUERY => {
            let question = argument(query::asked_by(params), "its argument is not a query")?;
            (query::query(view, &question)?, query::in_short(view, &question)?)
        }
        GRAMMAR => {
            let wanted = argument(replies::grammar_asked_by(params), "its argument is not a document")?;
            return replies::grammar_command(view, &wanted);
        }
        PREVIEW => {
            let wanted = argument(preview::asked_by(params), "its argument is not a preview")?;
            preview::in_short(view, &wanted, cancel)?
        }
        PROPERTY => {
            let wanted = argument(test::property_asked_by(params), "its argument is not a test file")?;
            return Ok(test::property_command(view, &wanted));
        }
        REPLAY | STATE => {
            let wanted = argument(replay::asked_by(params), "its argument is not a transcript")?;
            return replay::command(view, &params.command, &wanted, cancel);
        }
        TEST => {
            let wanted = argument(test::test_asked_by(params), "its argument is not a list of tests")?;
            test::in_short(view, &wanted, cancel)
        }
        COPY_REPAIR => {
            let wanted = argument(replies::repair_asked_by(params), "its argument is not a transcript")?;
            let answer = replies::repair(view, &wanted);
            let message =
                answer["message"].as_str().unwrap_or("The transcript has no invalid replies.").to_owned();
            (answer, message)
        }
        _ => return Err(Error::invalid_params("no such command")),
    };
    Ok((answer, Some(message)))
}

fn argument<T>(given: Option<T>, problem: &'static str) -> Result<T> {
    given.ok_or_else(|| Error::invalid_params(problem))
}
