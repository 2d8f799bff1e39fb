//! Rules about preview settings and session files.

use super::header_rules::{HYBRID_DIRECTIVE, PREVIEW_INCOMPLETE, PREVIEW_OUTSIDE_KERNEL};
use super::subject::{PromptFinding, Subject};
use crate::hybrid::{DirectiveAtom, Directives};
use crate::jit::Category;
use crate::quoted::quoted;
use mangle_syntax::lint::Finding;

/// A finding about `# @preview` comments in a file that is not a sample kernel. Ranges count from
/// the start of the file.
#[must_use]
pub fn outside_kernel(text: &str) -> Option<Finding> {
    if !text.contains("@preview") {
        return None;
    }
    let header = crate::Header::read(text);
    let first = header.groups.first().map(|group| group.range);
    let range = first.or(header.findings.first().map(|finding| finding.range))?;
    let finding =
        Finding::new(&PREVIEW_OUTSIDE_KERNEL, range, "`# @preview` comment is ignored in this file");
    Some(finding.note("only files named `*.kernel.mg` have previews"))
}

/// Reports the findings of the header, of directives and of session files.
pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    if let Some(file) = subject.sample() {
        let findings = subject.header.findings.iter().cloned();
        found.extend(findings.map(|finding| PromptFinding { file, finding }));
    }
    let program = subject.program();
    for file in program.files.iter().filter(|file| program.embedding.is_hybrid(file.id)) {
        let directives = Directives::read(&file.text);
        let is_unknown =
            |atom: &&DirectiveAtom| !atom.category.is_empty() && Category::parse(&atom.category).is_none();
        let unknown = directives.atoms.iter().filter(is_unknown).map(|atom| {
            let message = format!("unknown category {} of a prompt atom", quoted(&atom.category));
            Finding::new(&HYBRID_DIRECTIVE, atom.range, message)
                .note("the first tag is the category; the runtime does not store prompt atoms of unknown categories")
        });
        let findings = unknown.chain(directives.findings.iter().cloned());
        found.extend(findings.map(|finding| PromptFinding { file: file.id, finding }));
    }
    for shown in subject.shown.iter().filter(|shown| !shown.request.context.is_complete()) {
        let context = &shown.request.context;
        let what = match (context.shard_id.is_empty(), context.shard_type.is_empty()) {
            (true, true) => "neither id nor type",
            (true, false) => "no id",
            _ => "no type",
        };
        let message = format!("shard of preview {} has {what}", quoted(&shown.request.name));
        let finding = Finding::new(&PREVIEW_INCOMPLETE, shown.request.range, message)
            .note("the runtime rejects such a shard, or uses the general base for it")
            .help("write id and type, as in `# @preview shard: coder-7 coder`");
        subject.at_header(found, finding);
    }
    for (shown, file) in subject.shown.iter().zip(subject.sessions) {
        let (Some(session), Some(file)) = (&shown.request.session, *file) else { continue };
        found.extend(session.findings.iter().cloned().map(|finding| PromptFinding { file, finding }));
    }
}
