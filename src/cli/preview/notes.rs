//! Notes below the prompts about problems of previews and of their program.

use std::collections::BTreeSet;

use super::requests::Previewed;
use agent_prompt::Preview;
use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_ide::previews::{findings, note};
use mangle_report::Sources;
use mangle_report::prompts::Note;
use mangle_syntax::lint::{Diagnostic, Severity};
use mangle_syntax::text::FileId;

/// Maximum number of shown errors in the policies of a sample.
const MAX_NEIGHBORS: usize = 5;

/// The findings of the previews of a file, and the errors of their program.
pub(super) fn notes(of: &Previewed<'_>, preview: &mut Preview, sources: &Sources) -> Vec<Note> {
    let sessions: Vec<_> =
        of.sessions.iter().map(|session| session.as_ref().map(|session| session.id)).collect();
    let found = findings(preview, &of.files.header, &sessions, &of.files.findings, &of.joined.settings);
    let place = |file, diagnostic: &Diagnostic| {
        format!("{}:{}", sources.name(file), sources.place(file, diagnostic.range.start()).line)
    };
    let placed = |(file, diagnostic): &(FileId, Diagnostic)| note(diagnostic, place(*file, diagnostic));
    let found = found.into_iter().flat_map(|(file, all)| all.into_iter().map(move |one| (file, one)));
    let found: Vec<_> = found.collect();
    mistakes(of).shown.iter().chain(&found).map(placed).collect()
}

#[derive(Default)]
struct Mistakes {
    /// All errors of the sample, and the first of the other errors.
    shown: Vec<(FileId, Diagnostic)>,
    /// The number of errors that are not shown.
    more: usize,
    /// The file that the runtime fails to load.
    refused: Option<FileId>,
}

fn mistakes(of: &Previewed<'_>) -> Mistakes {
    let (program, rules) = (&of.joined.program, &of.joined.settings.rules);
    let mut mistakes = Mistakes::default();
    let mut around = 0;
    for (file, found) in diagnostics(program, rules, &FindingCache::new(mangle_ide::registry::all())) {
        for one in found.into_iter().filter(|one| one.severity == Severity::Error) {
            if one.rule.is_unreadable() || one.rule.name == "unstratified" {
                mistakes.refused = mistakes.refused.or(Some(file));
            }
            if file != of.file && around >= MAX_NEIGHBORS {
                mistakes.more += 1;
                continue;
            }
            around += usize::from(file != of.file);
            mistakes.shown.push((file, one));
        }
    }
    mistakes
}

/// Further notes about the program, one sentence each.
pub(super) fn remarks(of: &Previewed<'_>, sources: &Sources) -> BTreeSet<String> {
    let mistakes = mistakes(of);
    let mut remarks = BTreeSet::new();
    if let Some(file) = mistakes.refused {
        remarks.insert(format!(
            "the runtime loads no kernel with such mistakes as in {}, and makes the prompt of built-in texts; shown is what \
             the rest gives",
            sources.name(file)
        ));
    }
    if mistakes.more > 0 {
        let errors = if mistakes.more == 1 { "error" } else { "errors" };
        remarks.insert(format!("{} more {errors} in the policies; `check` shows them", mistakes.more));
    }
    remarks
}

/// Messages about statements with syntax errors, which have no effect.
pub(super) fn damaged(of: &Previewed<'_>, sources: &Sources) -> BTreeSet<String> {
    let files = of.joined.program.files.iter();
    let items = files.flat_map(|file| file.items.iter().map(move |item| (file.id, item)));
    let damaged = items.filter(|(_, item)| item.statement.damaged && !item.follows_damage);
    let said = damaged.map(|(file, item)| {
        let line = sources.place(file, item.start).line;
        format!(
            "{}:{line}: this statement cannot be read and gives nothing; `check` says why",
            sources.name(file)
        )
    });
    said.collect()
}
