//! The server capabilities in the response to `initialize`.

use tower_lsp::ls_types::{
    CallHierarchyServerCapability, CodeActionKind, CodeActionOptions, CodeActionProviderCapability,
    DeclarationCapability, DiagnosticOptions, DiagnosticServerCapabilities, DocumentLinkOptions,
    ExecuteCommandOptions, FileSystemWatcher, FoldingRangeProviderCapability, GlobPattern,
    HoverProviderCapability, ImplementationProviderCapability, InitializeResult,
    LinkedEditingRangeServerCapabilities, OneOf, Registration, SelectionRangeProviderCapability,
    SemanticTokensServerCapabilities, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    TypeDefinitionProviderCapability, WatchKind, WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};

use super::actions::{ASSIST_KINDS, COMMANDS, FIX_ALL, FIX_WORKSPACE};
use super::features;
use super::session::ClientSession;
use super::to_proto::NAME;
use mangle_host::watched_patterns;

pub(super) fn initialize_result(session: &ClientSession) -> InitializeResult {
    InitializeResult {
        capabilities: capabilities(session),
        server_info: Some(ServerInfo { name: NAME.into(), version: Some(env!("CARGO_PKG_VERSION").into()) }),
        ..InitializeResult::default()
    }
}

fn capabilities(session: &ClientSession) -> ServerCapabilities {
    let kinds = [CodeActionKind::QUICKFIX, FIX_ALL, FIX_WORKSPACE].into_iter();
    let actions = CodeActionOptions {
        code_action_kinds: Some(kinds.chain(ASSIST_KINDS.map(|(_, kind)| kind)).collect()),
        resolve_provider: session.resolve_actions.then_some(true),
        ..CodeActionOptions::default()
    };
    let diagnostics = DiagnosticOptions {
        identifier: Some(NAME.into()),
        inter_file_dependencies: true,
        workspace_diagnostics: true,
        work_done_progress_options: WorkDoneProgressOptions::default(),
    };
    let folders = WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: Some(OneOf::Left(true)),
    };
    ServerCapabilities {
        position_encoding: Some(session.encoding_kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        document_on_type_formatting_provider: Some(features::editing::on_type_options()),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        completion_provider: Some(features::completion::options(session)),
        signature_help_provider: Some(features::hints::signature_options()),
        inlay_hint_provider: Some(features::hints::inlay_hint_options(session)),
        code_lens_provider: Some(features::code_lens::options()),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        semantic_tokens_provider: features::semantic_tokens::options(&session.client)
            .map(SemanticTokensServerCapabilities::SemanticTokensOptions),
        definition_provider: Some(OneOf::Left(true)),
        declaration_provider: Some(DeclarationCapability::Simple(true)),
        type_definition_provider: Some(TypeDefinitionProviderCapability::Simple(true)),
        implementation_provider: Some(ImplementationProviderCapability::Simple(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        rename_provider: Some(features::editing::rename_options(session)),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        linked_editing_range_provider: Some(LinkedEditingRangeServerCapabilities::Simple(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: None,
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        code_action_provider: session
            .action_literals
            .then_some(CodeActionProviderCapability::Options(actions)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: COMMANDS.map(String::from).to_vec(),
            ..ExecuteCommandOptions::default()
        }),
        diagnostic_provider: session.pull.then_some(DiagnosticServerCapabilities::Options(diagnostics)),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(folders),
            ..WorkspaceServerCapabilities::default()
        }),
        ..ServerCapabilities::default()
    }
}

/// Returns the registration of file watchers, for relevant changes outside the editor.
pub(super) fn watchers() -> Registration {
    let watch = |glob: String, kind| FileSystemWatcher { glob_pattern: GlobPattern::String(glob), kind };
    let named = watched_patterns().map(|pattern| watch(pattern, None));
    // Editors do not report the files of a deleted folder.
    let deleted = watch("**".into(), Some(WatchKind::Delete));
    let watchers: Vec<_> = named.chain([deleted]).collect();
    Registration {
        id: "mangle-ls/files".into(),
        method: "workspace/didChangeWatchedFiles".into(),
        register_options: Some(serde_json::json!({ "watchers": watchers })),
    }
}
