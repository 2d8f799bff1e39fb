//! `textDocument/codeLens` and `codeLens/resolve`
//!
//! The list is returned immediately, for the rules and predicates that are known to have
//! solutions. The title of a rule's lens is computed on resolution, which waits for the
//! evaluation. An editor resolves only visible lenses.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{CodeLens, CodeLensOptions, CodeLensParams, Uri};

use super::query::QueryParams;
use super::{replay, replies};
use crate::lsp::from_proto;
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_ide::code_lens;
use mangle_ide::code_lens::{Lens, LensKind};
use mangle_syntax::text::TextRange;

pub(in crate::lsp) fn options() -> CodeLensOptions {
    CodeLensOptions { resolve_provider: Some(true) }
}

/// The `data` of a lens for its resolution.
#[derive(Debug, Serialize, Deserialize)]
struct Data {
    uri: Uri,
    version: Option<i32>,
    /// The index of the rule among the statements.
    item: usize,
    atom: String,
}

impl Data {
    fn parse(lens: &CodeLens) -> Option<Self> {
        Self::deserialize(lens.data.as_ref()?).ok()
    }
}

pub(in crate::lsp) fn code_lenses(view: &View, params: &CodeLensParams) -> Option<Vec<CodeLens>> {
    view.writer_status.lensed.store(true, Ordering::Release);
    let uri = &params.text_document.uri;
    let file = view.file(uri)?;
    if let Some(transcript) = view.snapshot.transcript(file.id) {
        return Some(replay::lenses(view, uri, transcript));
    }
    if let Some(grammar) = view.snapshot.grammar(file.id) {
        return Some(replies::grammar_lenses(view, uri, grammar));
    }
    let program = view.snapshot.programs_of(file.id).next()?;
    if program.test().is_some() {
        return Some(super::test::case_lenses(view, uri, file, program));
    }
    let program = Some(program).filter(|program| !program.is_test())?;
    if let Some(title) = refusal(view, file) {
        let question = QueryParams::of_all(uri.clone());
        let (range, command) = (view.range(file, TextRange::default()), Some(question.command(title)));
        return Some(vec![CodeLens { range, command, data: None }]);
    }
    let version = file.open.as_ref().map(|open| open.version);
    let mut lenses = super::preview::lenses(view, uri, file);
    let mut found = code_lens::code_lenses(program.as_ref(), file.id);
    retain_with_solutions(view, file, &mut found);
    for lens in found {
        let range = view.range(file, lens.range);
        match lens.kind {
            LensKind::Rule(item) => {
                let data = Data { uri: uri.clone(), version, item, atom: lens.atom };
                lenses.push(CodeLens { range, command: None, data: serde_json::to_value(data).ok() });
            }
            LensKind::Query => {
                let question = QueryParams::new(uri.clone(), lens.atom);
                let ask = question.command("query".to_owned());
                let copy = question.copy_command(view, "copy query".to_owned());
                let with = |command| CodeLens { range, command: Some(command), data: None };
                lenses.extend([ask, copy].map(with));
            }
        }
    }
    Some(lenses)
}

/// Returns the message that no program of a file loads, with the first error.
fn refusal(view: &View, file: &SnapshotFile) -> Option<String> {
    let programs = view.snapshot.query_programs(file.id);
    let loads = programs.iter().any(|program| !program.is_refused());
    programs.first().filter(|_| !loads).and_then(|program| program.refusal())
}

/// Keeps only lenses of rules and predicates with solutions, unless the user requests all. Before
/// the first evaluation, the list is empty for clients that support refresh requests. Other
/// clients receive all lenses.
fn retain_with_solutions(view: &View, file: &SnapshotFile, lenses: &mut Vec<Lens>) {
    if view.lenses.all {
        return;
    }
    view.evaluations_of(file.id).with(|evaluations| {
        let is_evaluated = evaluations.iter().any(|evaluation| evaluation.readings.is_some());
        if is_evaluated || view.session.refresh_lenses {
            lenses.retain(|lens| lens.has_solutions(evaluations, file.summary()));
        }
    });
}

pub(in crate::lsp) fn document(lens: &CodeLens) -> Option<PathBuf> {
    Some(from_proto::document_path(&Data::parse(lens)?.uri))
}

/// Resolves the title of a lens. A lens with a title is already complete.
///
/// # Errors
///
/// If the document was edited since the lens was sent, or the lens is from another source.
pub(in crate::lsp) fn resolve(view: &View, mut lens: CodeLens) -> Result<CodeLens> {
    if lens.command.is_some() {
        return Ok(lens);
    }
    let data = Data::parse(&lens).ok_or_else(|| Error::invalid_params("not a lens of this server"))?;
    let file = view.file(&data.uri).ok_or_else(Error::content_modified)?;
    if file.open.as_ref().map(|open| open.version) != data.version {
        return Err(Error::content_modified());
    }
    let tried = view.evaluations_of(file.id);
    let title = tried.with(|tried| code_lens::rule_title(tried, file.summary(), data.item));
    lens.command = Some(QueryParams::new(data.uri, data.atom).command(title));
    Ok(lens)
}
