//! Rules about preview settings and session files, and about session values that no prompt shows.

use super::header_rules::{HYBRID_DIRECTIVE, PREVIEW_INCOMPLETE, PREVIEW_OUTSIDE_KERNEL, SESSION_KEY};
use super::{PromptFinding, Subject, within};
use crate::assembly::HISTORY;
use crate::hybrid::{DirectiveAtom, Directives};
use crate::jit::Category;
use crate::names::quoted;
use crate::origin::SourcedText;
use crate::preview::{PreviewedPrompt, PromptPart};
use crate::sections::Mode;
use crate::session::keys::SESSION;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::text::{FileId, nearest};

pub(super) static UNRENDERED_FIELD: Rule = rule!("unrendered-field.md");

pub(super) static SESSION_IN_JIT: Rule = rule!("session-in-jit.md");

pub(super) static HISTORY_DROPPED: Rule = rule!("history-dropped.md");

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
        let missing = match (context.shard_id.is_empty(), context.shard_type.is_empty()) {
            (true, true) => "neither id nor type",
            (true, false) => "no id",
            _ => "no type",
        };
        let message = format!("shard of preview {} has {missing}", quoted(&shown.request.name));
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

pub(super) fn check_sessions(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    subject.shown.iter().for_each(|shown| in_jit(subject, shown, found));
    for (shown, file) in subject.shown.iter().zip(subject.sessions) {
        file.iter().for_each(|file| scores(subject, shown, *file, found));
    }
    for (shown, file) in subject.shown.iter().zip(subject.sessions) {
        let (Some(session), Some(file), Mode::Legacy, PromptPart::System) =
            (&shown.request.session, *file, shown.prompt.mode, &shown.request.part)
        else {
            continue;
        };
        for given in session.session.given.iter().filter(|given| !given.is_empty) {
            let name = given.field.name;
            let is_of_session = SESSION.iter().any(|field| field.name == name);
            // The prompt compiler derives tags from `extra_context`.
            if given.field.shown.is_none() && is_of_session && name != "extra_context" {
                let message = format!("`{name}` is in no prompt");
                let finding = Finding::new(&UNRENDERED_FIELD, given.range, message)
                    .note(format!("{}, the runtime stores the value and does not show it", within(shown)));
                found.push(PromptFinding { file, finding });
            }
            let bytes = session.session.compressed_history.text.len();
            if name == "compressed_history" && bytes >= HISTORY {
                let message = format!("history of {bytes} bytes is left out of the prompt");
                let finding = Finding::new(&HISTORY_DROPPED, given.range, message).note(format!(
                    "{}, the runtime silently ignores a history of {HISTORY} bytes or more",
                    within(shown)
                ));
                found.push(PromptFinding { file, finding });
            }
        }
    }
}

/// Reports scores of a session file for unknown prompt atoms.
fn scores(subject: &Subject<'_>, shown: &PreviewedPrompt, file: FileId, found: &mut Vec<PromptFinding>) {
    let Some(session) = &shown.request.session else { return };
    let Some(compiler) = subject.common.compiler(&shown.request) else { return };
    let ids: Vec<&str> = compiler.corpus.atoms.iter().map(|atom| atom.id.text.as_str()).collect();
    // Ids of injected atoms are generated.
    let is_unknown = |said: &&SourcedText| !ids.contains(&said.as_str()) && !said.text.starts_with("kernel/");
    for said in session.scored.iter().filter(is_unknown) {
        let message = format!("unknown prompt atom {}", quoted(&said.text));
        let finding = Finding::new(&SESSION_KEY, said.range, message).note("its score is ignored");
        let finding = match nearest(&said.text, ids.iter().copied()) {
            Some(near) => finding
                .help(format!("did you mean `{near}`?"))
                .fix(Fix::guess(format!("write `{near}`")).replace(said.range, near)),
            None => finding,
        };
        found.push(PromptFinding { file, finding });
    }
}

/// Reports the session values that a compiled prompt does not show, in one finding.
fn in_jit(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
    let (wanted, prompt) = (&shown.request, &shown.prompt);
    if prompt.mode != Mode::Jit || prompt.fallback.is_some() || wanted.part != PromptPart::System {
        return;
    }
    let given = wanted.session.iter().flat_map(|file| &file.session.given);
    let given = given.filter(|given| !given.is_empty && given.field.shown.is_some());
    let mut names: Vec<String> = given.map(|given| format!("`{}`", given.field.name)).collect();
    if wanted.context.intent.is_some() {
        names.push("the intent".to_owned());
    }
    if names.is_empty() {
        return;
    }
    let message = match &names[..] {
        [one] => format!("compiled prompt does not show {one}"),
        _ => format!("compiled prompt does not show {} given values", names.len()),
    };
    let note = match &names[..] {
        [_] => format!("{}, only a prompt without the compiler shows it", within(shown)),
        _ => format!("{}, only a prompt without the compiler shows {}", within(shown), names.join(", ")),
    };
    let Some(file) = subject.sample() else { return };
    let mut groups = subject.header.groups.iter();
    let group = groups.find(|group| group.range == wanted.range);
    // A mode before the preview applies to all previews.
    let own = group.and_then(|group| group.mode).map(|(_, range)| range);
    let own = own.filter(|range| range.start() > wanted.range.start());
    let range = own.unwrap_or(wanted.range);
    let mut finding = Finding::new(&SESSION_IN_JIT, range, message).note(note);
    if !wanted.range.is_empty() {
        let fix = Fix::guess("assemble the prompt without the compiler");
        finding = finding.fix(match own {
            Some(range) => fix.replace(range, "legacy"),
            None => fix.insert(wanted.range.end(), "\n# @preview mode: legacy"),
        });
    }
    found.push(PromptFinding { file, finding });
}
