//! The parameters of `initialize`, reduced to the values that the server uses, and editor settings:
//! `mangle.rules` (severities of rules that `mangle-ls.toml` does not set), `mangle.hints` and
//! `mangle.lenses`.

use std::path::PathBuf;

use serde_json::Value;
use tower_lsp::ls_types::{
    ClientCapabilities, InitializeParams, PositionEncodingKind, ProgressToken, ResourceOperationKind,
    WorkspaceFolder,
};

use super::from_proto;
use mangle_ide::registry;
use mangle_settings::{HintSettings, LensSettings, RuleSettings, severities};
use mangle_syntax::text::Encoding;

/// The capabilities and folders of the client.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClientSession {
    /// The capabilities of the client. Each feature reads its own part.
    pub(super) client: Box<ClientCapabilities>,
    /// The negotiated unit of columns.
    pub(super) encoding: Encoding,
    /// The folders of the workspace at the start.
    pub(super) folders: Vec<PathBuf>,
    /// The client pulls diagnostics and supports refresh requests. Diagnostics are then not
    /// pushed.
    pub(super) pull: bool,
    /// A pulled report may contain reports of other documents.
    pub(super) related_documents: bool,
    /// Diagnostics may have related locations.
    pub(super) related_information: bool,
    /// Diagnostics may have the URL of the rule page.
    pub(super) code_description: bool,
    /// Diagnostics may have a `data` member.
    pub(super) diagnostic_data: bool,
    /// Support for `workspace/diagnostic/refresh`.
    pub(super) refresh: bool,
    /// Support for `workspace/inlayHint/refresh`.
    pub(super) refresh_hints: bool,
    /// Support for `workspace/codeLens/refresh`.
    pub(super) refresh_lenses: bool,
    /// Support for code action literals. If unsupported, no actions are offered.
    pub(super) action_literals: bool,
    /// Support for preferred code actions.
    pub(super) preferred_actions: bool,
    /// Edits of code actions can be resolved lazily.
    pub(super) resolve_actions: bool,
    /// The client can open pages in a browser.
    pub(super) show_document: bool,
    /// Edits may specify the version of their document.
    pub(super) document_changes: bool,
    /// Edits may create files.
    pub(super) create_files: bool,
    /// File watchers can be registered.
    pub(super) watch_files: bool,
    /// Support for `workspace/configuration`.
    pub(super) configuration: bool,
    /// The severities in the initialization options.
    pub(super) settings: Option<RuleSettings>,
    /// The inlay hint settings in the initialization options.
    pub(super) hints: Option<HintSettings>,
    /// The code lens settings in the initialization options.
    pub(super) lenses: Option<LensSettings>,
    /// Progress bars can be created.
    pub(super) progress: bool,
    /// The progress token of the `initialize` request.
    pub(super) initial_progress: Option<ProgressToken>,
}

impl ClientSession {
    /// Converts the parameters of `initialize`.
    pub(super) fn new(params: &InitializeParams) -> Self {
        let client = &params.capabilities;
        let document = client.text_document.as_ref();
        let workspace = client.workspace.as_ref();
        let refresh = workspace
            .and_then(|workspace| workspace.diagnostics.as_ref())
            .is_some_and(|diagnostics| diagnostics.refresh_support == Some(true));
        // Without refresh requests, the client would miss changes from other files and later
        // findings.
        let pull = document.and_then(|document| document.diagnostic.as_ref()).filter(|_| refresh);
        let push = document.and_then(|document| document.publish_diagnostics.as_ref());
        let action = document.and_then(|document| document.code_action.as_ref());
        Self {
            client: Box::new(client.clone()),
            encoding: encoding(client),
            folders: folders(params),
            pull: pull.is_some(),
            related_documents: pull.is_some_and(|pull| pull.related_document_support == Some(true)),
            related_information: push.is_some_and(|push| push.related_information == Some(true))
                || pull.is_some_and(|pull| pull.related_information == Some(true)),
            code_description: push.is_some_and(|push| push.code_description_support == Some(true))
                || pull.is_some_and(|pull| pull.code_description_support == Some(true)),
            diagnostic_data: push.is_some_and(|push| push.data_support == Some(true))
                || pull.is_some_and(|pull| pull.data_support == Some(true)),
            refresh,
            refresh_hints: workspace
                .and_then(|workspace| workspace.inlay_hint.as_ref())
                .is_some_and(|hints| hints.refresh_support == Some(true)),
            refresh_lenses: workspace
                .and_then(|workspace| workspace.code_lens.as_ref())
                .is_some_and(|lenses| lenses.refresh_support == Some(true)),
            action_literals: action.is_some_and(|action| action.code_action_literal_support.is_some()),
            preferred_actions: action.is_some_and(|action| action.is_preferred_support == Some(true)),
            resolve_actions: action.is_some_and(|action| {
                let lazily = action.resolve_support.as_ref();
                action.data_support == Some(true)
                    && lazily.is_some_and(|lazily| lazily.properties.iter().any(|name| name == "edit"))
            }),
            show_document: client
                .window
                .as_ref()
                .and_then(|window| window.show_document.as_ref())
                .is_some_and(|show| show.support),
            document_changes: workspace
                .and_then(|workspace| workspace.workspace_edit.as_ref())
                .is_some_and(|edit| edit.document_changes == Some(true)),
            create_files: workspace.and_then(|workspace| workspace.workspace_edit.as_ref()).is_some_and(
                |edit| {
                    let operations = edit.resource_operations.as_deref().unwrap_or_default();
                    edit.document_changes == Some(true) && operations.contains(&ResourceOperationKind::Create)
                },
            ),
            watch_files: workspace
                .and_then(|workspace| workspace.did_change_watched_files.as_ref())
                .is_some_and(|watch| watch.dynamic_registration == Some(true)),
            configuration: workspace.is_some_and(|workspace| workspace.configuration == Some(true)),
            settings: params.initialization_options.as_ref().and_then(rule_settings),
            hints: params.initialization_options.as_ref().and_then(hint_settings),
            lenses: params.initialization_options.as_ref().and_then(lens_settings),
            progress: client.window.as_ref().is_some_and(|window| window.work_done_progress == Some(true)),
            initial_progress: params.work_done_progress_params.work_done_token.clone(),
        }
    }

    /// The LSP name of the negotiated encoding.
    pub(super) fn encoding_kind(&self) -> PositionEncodingKind {
        match self.encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }
}

/// Selects the encoding. UTF-8 has no conversion cost and UTF-32 a small cost. All clients support
/// UTF-16.
fn encoding(client: &ClientCapabilities) -> Encoding {
    let offered = client.general.as_ref().and_then(|general| general.position_encodings.as_deref());
    let offers = |kind| offered.is_some_and(|offered| offered.contains(&kind));
    if offers(PositionEncodingKind::UTF8) {
        Encoding::Utf8
    } else if offers(PositionEncodingKind::UTF32) {
        Encoding::Utf32
    } else {
        Encoding::Utf16
    }
}

#[allow(deprecated)] // Older clients send only the root.
fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    match &params.workspace_folders {
        Some(folders) if !folders.is_empty() => folder_paths(folders),
        _ => {
            let root = params.root_uri.as_ref().and_then(from_proto::file_path);
            root.or_else(|| params.root_path.clone().map(PathBuf::from)).into_iter().collect()
        }
    }
}

/// Returns the folders that are on disk.
pub(super) fn folder_paths(folders: &[WorkspaceFolder]) -> Vec<PathBuf> {
    folders.iter().filter_map(|folder| from_proto::file_path(&folder.uri)).collect()
}

/// The name of the settings section in an editor.
pub(super) const SETTINGS_SECTION: &str = "mangle";

/// Returns the severities in a value that is or contains the section. Returns `None` if the value
/// does not concern this server.
pub(super) fn rule_settings(settings: &Value) -> Option<RuleSettings> {
    let section = settings.get(SETTINGS_SECTION).unwrap_or(settings);
    let rules = match section.get("rules") {
        Some(rules) => rules,
        // The section exists without rules. The rules may have been removed.
        None if settings.get(SETTINGS_SECTION).is_some() => return Some(RuleSettings::default()),
        None => return None,
    };
    let pairs = rules.as_object().into_iter().flatten();
    let pairs = pairs.map(|(key, word)| (key.as_str(), word.as_str().unwrap_or_default()));
    let (settings, unknown) = severities(pairs, &registry::rules().collect::<Vec<_>>());
    for key in unknown {
        tracing::warn!(key, "a setting of `mangle.rules` has an unknown rule or severity");
    }
    Some(settings)
}

/// Returns the inlay hint settings in a value that is or contains the section, or `None` if it has
/// none.
pub(super) fn hint_settings(settings: &Value) -> Option<HintSettings> {
    let section = settings.get(SETTINGS_SECTION).unwrap_or(settings);
    section.get("hints").map(HintSettings::from_editor)
}

/// Returns the code lens settings in a value that is or contains the section, or `None` if it has
/// none.
pub(super) fn lens_settings(settings: &Value) -> Option<LensSettings> {
    let section = settings.get(SETTINGS_SECTION).unwrap_or(settings);
    section.get("lenses").map(LensSettings::from_editor)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_settings::{ArgumentHints, SettingTable as _};
    use mangle_syntax::lint::Severity;
    use serde_json::json;

    fn session(params: serde_json::Value) -> ClientSession {
        ClientSession::new(&serde_json::from_value(params).unwrap())
    }

    #[test]
    fn the_best_offered_encoding_wins() {
        let encoding = |offered: &[&str]| {
            let general = serde_json::json!({ "positionEncodings": offered });
            session(serde_json::json!({ "capabilities": { "general": general } })).encoding
        };
        assert_eq!(encoding(&[]), Encoding::Utf16);
        assert_eq!(encoding(&["utf-16", "utf-32"]), Encoding::Utf32);
        assert_eq!(encoding(&["utf-16", "utf-32", "utf-8"]), Encoding::Utf8);
        assert_eq!(encoding(&["utf-7"]), Encoding::Utf16);
    }

    #[test]
    fn folders_from_any_of_three_members() {
        let folders = |params| session(params).folders;
        let expected = [PathBuf::from("/a b")];
        let folder = serde_json::json!([{ "uri": "file:///a%20b", "name": "x" }]);
        assert_eq!(folders(serde_json::json!({ "capabilities": {}, "workspaceFolders": folder })), expected);
        assert_eq!(folders(serde_json::json!({ "capabilities": {}, "rootUri": "file:///a%20b" })), expected);
        assert_eq!(folders(serde_json::json!({ "capabilities": {}, "rootPath": "/a b" })), expected);
        assert!(folders(serde_json::json!({ "capabilities": {}, "workspaceFolders": null })).is_empty());
    }

    #[test]
    fn the_narrower_key_wins() {
        let sent =
            json!({ "mangle": { "rules": { "MG210": "hint", "MG2*": "off", "xyzzy": "off", "MG211": 3 } } });
        let rule_settings = rule_settings(&sent);
        let severity = |name| registry::find(name).and_then(|rule| rule_settings.as_ref()?.severity(rule));
        assert_eq!((severity("MG210"), severity("MG211")), (Some(Severity::Hint), None));
    }

    #[test]
    fn hints_that_are_wanted() {
        let sent = json!({ "mangle": { "hints": { "arguments": "all", "types": true, "bounds": 3 } } });
        let default = HintSettings::default();
        let wanted = HintSettings { arguments: ArgumentHints::All, types: true, ..default };
        assert_eq!(hint_settings(&sent), Some(wanted));
        assert_eq!(hint_settings(&json!({ "mangle": { "rules": {} } })), None);
        let documented: Value =
            HintSettings::SECTION.keys.iter().map(|key| (key.name.to_owned(), key.default_value())).collect();
        assert_eq!(hint_settings(&json!({ "hints": documented })), Some(default));
    }

    #[test]
    fn lenses_that_are_wanted() {
        let all = LensSettings { all: true };
        assert_eq!(lens_settings(&json!({ "mangle": { "lenses": { "all": true } } })), Some(all));
        assert_eq!(lens_settings(&json!({ "lenses": { "all": 1 } })), Some(LensSettings::default()));
        assert_eq!(lens_settings(&json!({ "mangle": { "hints": {} } })), None);
    }

    #[test]
    fn settings_of_others_are_not_about_us() {
        assert_eq!(rule_settings(&json!(null)), None);
        assert_eq!(rule_settings(&json!({ "editor": {} })), None);
        assert_eq!(rule_settings(&json!({ "mangle": { "trace": {} } })), Some(RuleSettings::default()));
        assert!(rule_settings(&json!({ "rules": {} })).is_some());
    }
}
