//! Code actions: the fixes of the diagnostics at a place, all of a kind, all of a file or of the workspace; comments that
//! silence; the page of a rule; assists.
//!
//! `offer` says what there is, which costs next to nothing. What an action does is worked out (`deed`) when the
//! client resolves it, or at once for a client that cannot. `edit` turns texts into edits of the protocol.

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

/// Applies every fix of a file that needs no look.
pub(super) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.mangle");

/// Applies every fix of the workspace that needs no look. Not below `source.fixAll`, which editors are told to run
/// whenever a file is saved.
pub(super) const FIX_WORKSPACE: CodeActionKind = CodeActionKind::new("source.fixWorkspace.mangle");
