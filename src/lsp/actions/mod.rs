//! Code actions: fixes at a position, of a rule, of a file and of the workspace; comments that
//! silence findings; pages of rules; assists.
//!
//! [`code_actions`] lists the actions and is cheap. `action_data` computes the edit of an action when
//! the client resolves it, or immediately if the client cannot resolve.

mod action_data;
mod commands;

use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionTriggerKind, Diagnostic,
};

use self::action_data::{
    ActionKind, DeferredAction, DiagnosticRef, compute_edit, is_workspace_fixable, pin, version,
};
use super::features::conversations::ShownConversation;
use super::features::{replies, test};
use super::to_proto::test_file_edit;
use super::view::View;
use super::{from_proto, to_proto};
use mangle_host::workspace::{SnapshotFile, SnapshotTranscript};
use mangle_ide::assists::{AssistKind, assists};
use mangle_ide::fixes::is_safely_fixable;
use mangle_ide::transcripts::Scope;
use mangle_ide::verification::PROPERTY_VIOLATED;
use mangle_ide::{Place, transcripts};
use mangle_settings::{Container, FILE_NAME};
use mangle_syntax::lint;
use mangle_syntax::text::TextRange;

pub(super) use action_data::{document, resolve};
pub(super) use commands::{COMMANDS, command, needs};

/// Applies all safe fixes of a file.
pub(super) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.mangle");

/// Applies all safe fixes of the workspace. Not a subkind of `source.fixAll`, which editors often
/// run on save.
pub(super) const FIX_WORKSPACE: CodeActionKind = CodeActionKind::new("source.fixWorkspace.mangle");

/// Returns the actions that the client requests.
pub(super) fn code_actions(view: &View, params: &CodeActionParams) -> Vec<CodeActionOrCommand> {
    let Some(file) = view.file(&params.text_document.uri) else { return Vec::new() };
    let all = view.snapshot.diagnostics(file.id);
    let mut offer = Offer { view, file, params, all, actions: Vec::new() };
    if offer.wants(&CodeActionKind::QUICKFIX) {
        offer.at_place();
    }
    offer.everywhere();
    offer.assists();
    offer.actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()
}

/// LSP kinds of the assists.
pub(super) const ASSIST_KINDS: [(AssistKind, CodeActionKind); 4] = [
    (AssistKind::Extract, CodeActionKind::REFACTOR_EXTRACT),
    (AssistKind::Inline, CodeActionKind::REFACTOR_INLINE),
    (AssistKind::Rewrite, CodeActionKind::REFACTOR_REWRITE),
    (AssistKind::OrganiseUses, CodeActionKind::SOURCE_ORGANIZE_IMPORTS),
];

fn assist_kind(kind: AssistKind) -> CodeActionKind {
    let known = ASSIST_KINDS.into_iter().find(|(known, _)| *known == kind);
    known.map_or(CodeActionKind::REFACTOR, |(_, kind)| kind)
}

struct Offer<'v> {
    view: &'v View,
    file: &'v SnapshotFile,
    params: &'v CodeActionParams,
    /// The diagnostics of the file.
    all: Vec<&'v lint::Diagnostic>,
    actions: Vec<CodeAction>,
}

impl<'v> Offer<'v> {
    /// True if the client requests actions of this kind: it lists the kind, a parent kind, or no
    /// kind.
    fn wants(&self, kind: &CodeActionKind) -> bool {
        let covers = |wanted: &CodeActionKind| {
            let rest = kind.as_str().strip_prefix(wanted.as_str());
            rest.is_some_and(|rest| wanted.as_str().is_empty() || rest.is_empty() || rest.starts_with('.'))
        };
        self.params.context.only.as_ref().is_none_or(|only| only.iter().any(covers))
    }

    /// Adds the actions for the diagnostics at the position: fixes first, then silencing.
    fn at_place(&mut self) {
        let Self { view, file, params, .. } = *self;
        let range = from_proto::text_range(file.text(), file.lines(), params.range, view.session.encoding);
        let here = self.all.iter().copied().filter(|diagnostic| diagnostic.range.intersect(range).is_some());
        let here: Vec<&'v lint::Diagnostic> = here.collect();
        for diagnostic in &here {
            if let Some(fix) = &diagnostic.fix {
                let is_safe = is_safely_fixable(diagnostic);
                let preferred = (is_safe && view.session.preferred_actions).then_some(true);
                let title = if fix.evidence { marked(&fix.title) } else { fix.title.clone().into() };
                self.add(
                    title,
                    CodeActionKind::QUICKFIX,
                    Some(diagnostic),
                    ActionKind::Fix(DiagnosticRef::from_diagnostic(diagnostic)),
                    preferred,
                );
                if let Some(other) = &fix.alternative {
                    let what = ActionKind::OtherFix(DiagnosticRef::from_diagnostic(diagnostic));
                    self.add(
                        other.title.clone().into(),
                        CodeActionKind::QUICKFIX,
                        Some(diagnostic),
                        what,
                        None,
                    );
                }
            }
        }
        for diagnostic in first_of_each(&here, is_safely_fixable) {
            let same = |other: &&&lint::Diagnostic| other.rule == diagnostic.rule && is_safely_fixable(other);
            if self.all.iter().filter(same).count() > 1 {
                let title = format!("Fix all `{}` in this file", diagnostic.rule.name);
                let what = ActionKind::FixKind(diagnostic.rule.code.into());
                self.add(title, CodeActionKind::QUICKFIX, Some(diagnostic), what, None);
            }
        }
        if let Some(transcript) = view.snapshot.transcript(file.id) {
            self.in_transcript(transcript, &here, range);
        }
        self.in_property(&here, range);
        for diagnostic in first_of_each(&here, |diagnostic| diagnostic.rule.is_silenceable()) {
            self.silence(diagnostic);
        }
        for diagnostic in first_of_each(&here, |_| true) {
            let diagnostics = Some(vec![self.as_sent(diagnostic)]);
            self.actions.push(commands::open_page(diagnostic.rule, diagnostics));
        }
    }

    /// Adds the silencing actions of a diagnostic, if its line, file or reply supports silencing
    /// comments.
    fn silence(&mut self, diagnostic: &lint::Diagnostic) {
        let Self { view, file, .. } = *self;
        let (name, spot) = (diagnostic.rule.name, DiagnosticRef::from_diagnostic(diagnostic));
        let mut all = Some("in this file");
        if let Some(transcript) = view.snapshot.transcript(file.id) {
            let edit = |scope| {
                transcripts::silence(transcript.opened(), diagnostic.rule, diagnostic.range.start(), scope)
            };
            let (here, whole) = (edit(Scope::Here), edit(Scope::All));
            if here.is_none() {
                return;
            }
            let is_markdown = transcript.records().transcript().container() == Some(Container::Markdown);
            all = (whole.is_some() && whole != here).then_some(if is_markdown {
                "in this file"
            } else {
                "in this reply"
            });
        }
        let mut add = |place: &str, what| {
            let title = format!("Silence `{name}` {place}");
            self.add(title, CodeActionKind::QUICKFIX, Some(diagnostic), what, None);
        };
        add("here", ActionKind::SilenceHere(spot.clone()));
        if let Some(all) = all {
            add(all, ActionKind::SilenceFile(spot));
        }
    }

    /// Adds the actions for the counterexample of a property.
    fn in_property(&mut self, here: &[&lint::Diagnostic], range: TextRange) {
        let Self { view, file, params, .. } = *self;
        let about = here.iter().copied().find(|found| found.rule == &PROPERTY_VIOLATED);
        let answered = test::answered(view, file);
        for of in answered.iter().filter(|of| of.property.header.intersect(range).is_some()) {
            let name = &of.property.name;
            if test::test_case(view, file, of).is_some() {
                let what = ActionKind::AddTestCase(name.clone());
                self.add("Add the world as a test case".into(), CodeActionKind::QUICKFIX, about, what, None);
            }
            if of.answer.as_ref().is_some_and(|answer| !answer.differences.is_empty()) {
                let diagnostics = about.map(|about| vec![self.as_sent(about)]);
                let title = "Show the differences between the readings";
                self.actions.push(commands::show_property(
                    &params.text_document.uri,
                    name,
                    title,
                    diagnostics,
                ));
            }
        }
    }

    /// Adds the actions for a reply other than fixes: request a corrected reply, or set the
    /// protocol version.
    fn in_transcript(
        &mut self,
        transcript: &SnapshotTranscript,
        here: &[&lint::Diagnostic],
        range: TextRange,
    ) {
        let file = self.file;
        let record = transcript.records().touching(TextRange::empty(range.start())).next();
        let bad: Vec<_> = here.iter().copied().filter(|found| replies::is_repairable(found)).collect();
        if let (Some(record), Some(first)) = (record, bad.first()) {
            let diagnostics = Some(vec![self.as_sent(first)]);
            let uri = &self.params.text_document.uri;
            self.actions.push(commands::copy_repair(uri, record.number, diagnostics));
        }
        let about = here.iter().copied().find(|found| PROFILES.contains(&found.rule.name));
        if let Some(pin) = pin(transcript, range.start())
            && self.view.snapshot.is_editable(pin.file)
        {
            let kind = match about {
                Some(_) => CodeActionKind::QUICKFIX,
                None => CodeActionKind::REFACTOR_REWRITE,
            };
            let title = format!("Pin the profile `{}` in {FILE_NAME}", pin.profile);
            if self.wants(&kind) && self.view.snapshot.is_editable(file.id) {
                self.add(title, kind, about, ActionKind::PinProfile(range.start().into()), None);
            }
        }
    }

    /// Adds refactorings at the position, except duplicates of fixes.
    fn assists(&mut self) {
        let Self { view, file, params, .. } = *self;
        // Cursor movement does not offer fixes of the whole file.
        let moving = self.params.context.trigger_kind == Some(CodeActionTriggerKind::AUTOMATIC)
            && self.params.context.only.is_none();
        let tidies = |kind| kind == AssistKind::OrganiseUses;
        let wants = |kind: AssistKind| self.wants(&assist_kind(kind)) && !(moving && tidies(kind));
        if !ASSIST_KINDS.iter().any(|(kind, _)| wants(*kind)) {
            return;
        }
        let range = from_proto::text_range(file.text(), file.lines(), params.range, view.session.encoding);
        let Some(program) = view.snapshot.programs_of(file.id).next() else { return };
        let Some(place) = Place::new(program.as_ref(), file.id, range.start()) else { return };
        for assist in assists(place, range, &wants) {
            let is_impossible =
                assist.test_file_text.as_ref().is_some_and(|text| test_file_edit(view, file, text).is_none());
            if is_impossible || self.actions.iter().any(|action| action.title == assist.title) {
                continue;
            }
            let (start, end) = (range.start().into(), range.end().into());
            let what = ActionKind::Assist { id: assist.id.to_owned(), start, end };
            self.add(assist.title, assist_kind(assist.kind), None, what, None);
        }
    }

    /// Adds the actions for the file and the workspace. Unless requested explicitly, they are
    /// offered only at a position with diagnostics, and not on cursor movement.
    fn everywhere(&mut self) {
        let by_name = self.params.context.only.is_some();
        let moving = self.params.context.trigger_kind == Some(CodeActionTriggerKind::AUTOMATIC);
        if !by_name && (moving || self.actions.is_empty()) {
            return;
        }
        if self.wants(&FIX_ALL) && self.all.iter().any(|diagnostic| is_safely_fixable(diagnostic)) {
            self.add("Apply all safe fixes in this file".into(), FIX_ALL, None, ActionKind::FixFile, None);
        }
        let view = self.view;
        // Without deferred resolution, each request would compute the edit.
        if view.session.resolve_actions && self.wants(&FIX_WORKSPACE) && is_workspace_fixable(view) {
            let title = "Apply all safe fixes in the workspace".into();
            self.add(title, FIX_WORKSPACE, None, ActionKind::FixWorkspace, None);
        }
    }

    /// Adds an action. Its edit is computed on resolution, if the client supports that.
    fn add(
        &mut self,
        title: String,
        kind: CodeActionKind,
        about: Option<&lint::Diagnostic>,
        what: ActionKind,
        is_preferred: Option<bool>,
    ) {
        let (mut edit, mut data) = (None, None);
        if self.view.session.resolve_actions {
            let uri = self.params.text_document.uri.clone();
            let deed = DeferredAction { uri, version: version(self.file), what };
            data = serde_json::to_value(deed).ok();
        } else {
            edit = compute_edit(self.view, self.file, &what);
        }
        let is_allowed = self.view.snapshot.is_editable(self.file.id);
        if is_allowed && (edit.is_some() || data.is_some()) {
            let diagnostics = about.map(|diagnostic| vec![self.as_sent(diagnostic)]);
            let kind = Some(kind);
            self.actions.push(CodeAction {
                title,
                kind,
                diagnostics,
                edit,
                data,
                is_preferred,
                ..CodeAction::default()
            });
        }
    }

    /// Returns the diagnostic in the client's representation, if the request contains it.
    fn as_sent(&self, diagnostic: &lint::Diagnostic) -> Diagnostic {
        let diagnostic = to_proto::diagnostic(self.view, self.file, diagnostic);
        let same = |sent: &&Diagnostic| sent.range == diagnostic.range && sent.code == diagnostic.code;
        self.params.context.diagnostics.iter().find(same).cloned().unwrap_or(diagnostic)
    }
}

/// Returns the title of an action that edits a captured transcript.
fn marked(title: &str) -> String {
    format!("{title} (edits evidence)")
}

/// The names of the rules that a pinned profile settles.
const PROFILES: [&str; 2] = ["profile-inferred", "profile-outlier"];

/// Returns the first diagnostic of each rule that `wanted` accepts.
fn first_of_each<'v>(
    diagnostics: &[&'v lint::Diagnostic],
    wanted: impl Fn(&lint::Diagnostic) -> bool,
) -> Vec<&'v lint::Diagnostic> {
    let mut first: Vec<&lint::Diagnostic> = Vec::new();
    for diagnostic in diagnostics.iter().copied().filter(|diagnostic| wanted(diagnostic)) {
        if !first.iter().any(|other| other.rule == diagnostic.rule) {
            first.push(diagnostic);
        }
    }
    first
}

impl ShownConversation<'_> {
    /// Answers `textDocument/codeAction` for the bytes of the transcript that a range shows.
    pub(in crate::lsp) fn code_actions(&self, params: &CodeActionParams) -> Vec<CodeActionOrCommand> {
        let Some(bytes) = self.bytes(params.range) else { return Vec::new() };
        let mut raw = params.clone();
        raw.text_document.uri = self.source.clone();
        raw.range = self.view.range(self.file, bytes);
        // An action contains the diagnostics of the request, at their positions in the
        // conversation.
        raw.context.diagnostics.clear();
        let here = |diagnostic: Diagnostic| {
            let (file, encoding) = (self.file, self.view.session.encoding);
            let bytes = from_proto::text_range(file.text(), file.lines(), diagnostic.range, encoding);
            let range = self.place(bytes)?;
            let same = |sent: &&Diagnostic| sent.range == range && sent.code == diagnostic.code;
            let sent = params.context.diagnostics.iter().find(same).cloned();
            Some(sent.unwrap_or(Diagnostic { range, ..diagnostic }))
        };
        let placed = |action| match action {
            CodeActionOrCommand::CodeAction(action) => {
                let about = action.diagnostics.map(|about| about.into_iter().filter_map(here).collect());
                CodeActionOrCommand::CodeAction(CodeAction { diagnostics: about, ..action })
            }
            command @ CodeActionOrCommand::Command(_) => command,
        };
        code_actions(self.view, &raw).into_iter().map(placed).collect()
    }
}
