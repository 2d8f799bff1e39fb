//! Rules for `impact_analysis`: consistency of the scope and file list with the rest of the packet.

use rustc_hash::FxHashSet;

use super::atom::Parts;
use crate::envelope::edits::quoted;
use crate::envelope::json::JsonKind;
use crate::envelope::shorten::shortened;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::view::View;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::text::size;

pub(super) static SCOPE_MISMATCH: Rule = rule!("scope-mismatch.md");

pub(super) static IMPACT_INCOMPLETE: Rule = rule!("impact-incomplete.md");

/// The maximum number of files of a trivial change.
const TRIVIAL: usize = 3;

/// Predicates whose first argument is a changed file.
const CHANGES: [&str; 3] = ["modified", "file_state", "modified_function"];

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let field = subject.control.table.field("impact_analysis");
    let impact = subject.control.object("impact_analysis");
    if impact.exists() && field.is_some_and(|field| field.is_in(subject.profile)) {
        scope(subject, &impact, sink);
        files(subject, &impact, sink);
    }
}

fn scope(subject: &Subject<'_>, impact: &View<'_>, sink: &mut Sink) {
    let (Some(scope), Some(range)) = (impact.text("estimated_scope"), impact.value_range("estimated_scope"))
    else {
        return;
    };
    let files = impact.list("files_affected").len();
    let approval = subject.control.object("safety_gates").flag("requires_user_approval");
    let trivial = "a trivial change affects at most three files and breaks no dependency";
    let (why, note) = match &*scope {
        "trivial" if files > TRIVIAL => (format!("{files} affected files"), trivial),
        "trivial" if !impact.list("dependencies_broken").is_empty() => {
            ("broken dependencies".to_owned(), trivial)
        }
        "critical" if approval != Some(true) && subject.is_whole() => {
            ("a change without approval".to_owned(), "a critical change requires the user's approval")
        }
        _ => return,
    };
    let message = format!("scope `{scope}` contradicts {why}");
    sink.push(Finding::new(&SCOPE_MISMATCH, range, message).note(note));
}

/// Reports the first changed file that is not listed.
fn files(subject: &Subject<'_>, impact: &View<'_>, sink: &mut Sink) {
    let Some(entry) = impact.get("files_affected").filter(|_| !subject.is_truncated) else { return };
    let json = subject.json;
    if json.kind(entry.value) != JsonKind::Array {
        return;
    }
    let elements: Vec<_> = json.elements(entry.value).collect();
    let listed: FxHashSet<_> = elements.iter().filter_map(|node| json.string(*node)).collect();
    let updates = subject.control.list("mangle_updates");
    let missing: Vec<_> = updates
        .iter()
        .filter_map(|node| changed(&json.string(*node)?))
        .filter(|file| !listed.contains(file.as_str()))
        .collect();
    let Some(file) = missing.first() else { return };
    let message = format!("`files_affected` lacks `{}`", shortened(file));
    let mut finding = Finding::new(&IMPACT_INCOMPLETE, json.range(entry.key), message)
        .note("an update marks the file as changed");
    if missing.len() > 1 {
        finding = finding.note(format!("{} more changed files are not listed", missing.len() - 1));
    }
    let fix = Fix::guess("add the file");
    let fix = match elements.last() {
        Some(last) => fix.insert(json.range(*last).end(), format!(", {}", quoted(file))),
        None => fix.insert(json.range(entry.value).start() + size(1), quoted(file)),
    };
    sink.push(finding.fix(fix));
}

/// Returns the file that an update marks as changed.
fn changed(update: &str) -> Option<String> {
    let parts = Parts::parse(update).filter(|parts| CHANGES.contains(&parts.predicate))?;
    let file = parts.arguments.first()?.strip_prefix('"')?.strip_suffix('"')?;
    (file.contains(['/', '.']) && !file.contains('\\')).then(|| file.to_owned())
}
