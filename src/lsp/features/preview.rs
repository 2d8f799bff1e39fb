//! `mangle/preview`, the equivalent of the command `preview`, and the code lenses of `# @preview`
//! comments.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{CodeLens, Command, ExecuteCommandParams, Uri};

use crate::lsp::view::View;
use crate::lsp::{from_proto, to_proto};
use agent_prompt::Mode;
use mangle_host::workspace::{PreviewError, Previewed, SnapshotFile};
use mangle_host::{PreviewRequest, RequestedPart, preview_name, relative};
use mangle_ide::preview_document::{preview_lenses, shard_lenses};
use mangle_ide::previews::{PreviewNames, findings, note, report};
use mangle_report::prompts::{PromptReport, prompts_json};
use mangle_syntax::text::{Cancel, FileId};

/// Shows a prompt. The argument has the parameters of `mangle/preview`.
pub(in crate::lsp) const PREVIEW: &str = "mangle.preview";

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct PreviewParams {
    uri: Uri,
    /// The name of a preview. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// A different agent role (shard): its id and its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shard: Option<(String, String)>,
    /// A different prompt mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    part: Option<String>,
    /// True if each line includes its derivation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    provenance: bool,
}

impl PreviewParams {
    pub(in crate::lsp) fn document(&self) -> PathBuf {
        from_proto::document_path(&self.uri)
    }

    fn wish(&self) -> Result<PreviewRequest> {
        let bad = |what: &str| Error::invalid_params(format!("unknown {what}"));
        let mode = self.mode.as_deref().map(|mode| Mode::parse(mode).ok_or_else(|| bad("mode")));
        let part = self.part.as_deref().map(|part| RequestedPart::parse(part).ok_or_else(|| bad("part")));
        let shard = self.shard.clone().map(|(id, kind)| (id, Some(kind)));
        let (mode, part) = (mode.transpose()?, part.transpose()?.unwrap_or_default());
        Ok(PreviewRequest { name: self.name.clone(), shard, mode, part })
    }
}

/// Answers the request.
///
/// # Errors
///
/// `InvalidParams` for unknown values, and `ContentModified` if the text was edited meanwhile.
pub(in crate::lsp) fn preview(view: &View, params: &PreviewParams, cancel: &Cancel) -> Result<Value> {
    Ok(prompts_json(&reports(view, params, cancel)?))
}

fn reports(view: &View, params: &PreviewParams, cancel: &Cancel) -> Result<Vec<PromptReport>> {
    let wish = params.wish()?;
    let Some(file) = view.file(&params.uri) else { return Ok(Vec::new()) };
    let is_outdated = || view.is_outdated();
    let see = |previewed: Previewed<'_>| reported(view, previewed, params.provenance);
    match view.snapshot.preview(file.id, &wish, &is_outdated, cancel, see) {
        Ok(reports) => Ok(reports),
        Err(PreviewError::Unknown) => Ok(Vec::new()),
        Err(PreviewError::Outdated) => Err(Error::content_modified()),
        Err(PreviewError::Refused(why)) => Err(Error::invalid_params(why)),
    }
}

fn reported(view: &View, previewed: Previewed<'_>, proofs: bool) -> Vec<PromptReport> {
    let Previewed { program, preview, files, sessions } = previewed;
    let others: Vec<_> = files
        .texts()
        .map(|(file, path, text)| (file, relative(program.root(), path), Arc::clone(text)))
        .collect();
    let other = |file: FileId| others.iter().find(|(known, ..)| *known == file);
    let name = |file: FileId| match (other(file), view.snapshot.file(file)) {
        (Some((_, name, _)), _) => name.clone(),
        (None, Some(file)) => relative(program.root(), &file.path),
        (None, None) => view.name(file),
    };
    let text = |file: FileId| other(file).map(|(_, _, text)| &**text);
    let ids: Vec<_> = sessions.iter().map(|session| session.as_ref().map(|session| session.id)).collect();
    let line = |file: FileId, start: usize| {
        let known = view.snapshot.file(file).map(|file| file.text());
        let text = other(file).map(|(_, _, text)| text).or(known);
        let before = text.and_then(|text| text.get(..start)).unwrap_or_default();
        format!("{}:{}", name(file), before.matches('\n').count() + 1)
    };
    let found = findings(preview, &files.header, &ids, &files.findings, program.settings());
    let all = found.iter().flat_map(|(file, all)| all.iter().map(move |one| (*file, one)));
    let notes: Vec<_> = all.map(|(file, one)| note(one, line(file, one.range.start().into()))).collect();
    let (common, shown) = preview.parts();
    let of = |(shown, id): (&mut agent_prompt::PreviewedPrompt, &Option<FileId>)| {
        let session = id.and_then(other).map(|(_, name, text)| (name.as_str(), &**text));
        let names = PreviewNames { file: &name, text: &text, session, by_line: None };
        let mut made = report(common, shown, names, proofs);
        made.diagnostics.clone_from(&notes);
        made
    };
    shown.iter_mut().zip(&ids).map(of).collect()
}

/// Parses the arguments of a command.
pub(in crate::lsp) fn asked_by(params: &ExecuteCommandParams) -> Option<PreviewParams> {
    let argument = params.arguments.first().filter(|_| params.command == PREVIEW)?;
    PreviewParams::deserialize(argument).ok()
}

/// Returns the response, and a short message for clients that only show messages.
///
/// # Errors
///
/// As [`preview`].
pub(in crate::lsp) fn in_short(
    view: &View,
    params: &PreviewParams,
    cancel: &Cancel,
) -> Result<(Value, String)> {
    let all = reports(view, params, cancel)?;
    let mut lines: Vec<_> = all
        .iter()
        .map(|prompt| {
            let sections: Vec<_> = prompt
                .sections
                .iter()
                .map(|section| format!("{} {}", section.section, section.tokens))
                .collect();
            format!(
                "{} for {} ({}): {} tokens: {}.",
                prompt.name,
                prompt.shard,
                prompt.mode,
                prompt.totals.tokens,
                sections.join(", ")
            )
        })
        .collect();
    if lines.is_empty() {
        lines.push("This file has no comment for such a preview.".to_owned());
    }
    Ok((prompts_json(&all), lines.join("\n")))
}

/// Returns the lenses of preview comments.
pub(super) fn lenses(view: &View, uri: &Uri, file: &SnapshotFile) -> Vec<CodeLens> {
    let with = |name: &str, part: Option<&str>, title: &str| {
        let (name, part) = (Some(name.to_owned()), part.map(str::to_owned));
        let params =
            PreviewParams { uri: uri.clone(), name, shard: None, mode: None, part, provenance: false };
        let arguments = serde_json::to_value(params).ok().map(|params| vec![params]);
        Command { title: title.to_owned(), command: PREVIEW.into(), arguments }
    };
    let above = |lens: mangle_ide::preview_document::PreviewLens| {
        let range = view.range(file, lens.range);
        let prompt = with(&lens.name, None, "Preview prompt");
        let turn = with(&lens.name, Some("turn"), "Preview turn input");
        [prompt, turn].map(|command| CodeLens { range, command: Some(command), data: None })
    };
    let above = preview_lenses(file.text(), &preview_name(&file.path)).into_iter().flat_map(above);
    above.chain(of_shards(view, file)).collect()
}

/// Returns the lenses of facts about a shard or its template.
fn of_shards(view: &View, file: &SnapshotFile) -> Vec<CodeLens> {
    let programs = view.snapshot.kernels_reading(file.id).into_iter();
    let kernels: Vec<_> = programs.filter_map(|program| view.snapshot.file(program.previewed()?)).collect();
    let asked: Vec<_> =
        kernels.iter().map(|kernel| preview_lenses(kernel.text(), &preview_name(&kernel.path))).collect();
    let lens = |lens: mangle_ide::preview_document::ShardLens| {
        let uri = to_proto::uri(kernels.get(lens.kernel)?)?;
        let (name, shard) = (Some(lens.name), lens.shard);
        let params = PreviewParams { uri, name, shard, mode: None, part: None, provenance: false };
        let arguments = serde_json::to_value(params).ok().map(|params| vec![params]);
        let title = format!("Preview {}", lens.title);
        let command = Some(Command { title, command: PREVIEW.into(), arguments });
        Some(CodeLens { range: view.range(file, lens.range), command, data: None })
    };
    shard_lenses(file.summary(), &asked).into_iter().filter_map(lens).collect()
}
