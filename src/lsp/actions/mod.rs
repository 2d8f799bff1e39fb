//! Code actions: fixes at a position, of a rule, of a file and of the workspace; comments that
//! silence findings; pages of rules; assists.
//!
//! `offer` lists the actions and is cheap. `action_data` computes the edit of an action when the
//! client resolves it, or immediately if the client cannot resolve. `edit` converts texts to LSP
//! edits.

mod action_data;
mod commands;
mod edit;
mod offer;
mod pin;

pub(super) use self::action_data::{document, resolve};
pub(super) use self::commands::{COMMANDS, command, needs};
pub(super) use self::edit::{workspace_edit, workspace_edit_of_texts};
pub(super) use self::offer::{ASSIST_KINDS, code_actions};

use tower_lsp::ls_types::CodeActionKind;

/// Applies all safe fixes of a file.
pub(super) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.mangle");

/// Applies all safe fixes of the workspace. Not a subkind of `source.fixAll`, which editors often
/// run on save.
pub(super) const FIX_WORKSPACE: CodeActionKind = CodeActionKind::new("source.fixWorkspace.mangle");
