//! Fix that moves a premise after another one.

use super::subject::Subject;
use mangle_syntax::lint::Fix;
use mangle_syntax::text::{TextRange, TextSize, slice};

/// Moves the premise `index` after the premise `target`, which comes later. `None` if the edit
/// would delete a comment.
pub(super) fn behind(subject: &Subject<'_>, index: u32, target: u32) -> Option<Fix> {
    let text = subject.context.text;
    let moved = subject.premise(index)?.range();
    let next = subject.premise(index + 1)?.range();
    let target_range = subject.premise(target)?.range();
    let gap = slice(text, TextRange::new(moved.end(), next.start()));
    let removed = TextRange::new(moved.start(), removal_end(moved.end(), next.start(), gap)?);
    let separator = separator(text, gap, target_range);
    let moved_text = slice(text, moved).replace("\r\n", "\n");
    let close = closing(&moved_text, text, target_range.end());
    let fix = Fix::safe(title(subject, target)).replace(removed, "");
    Some(fix.insert(target_range.end(), format!("{separator}{moved_text}{close}")))
}

/// The title of the fix.
pub(super) fn title(subject: &Subject<'_>, target: u32) -> String {
    format!("move the premise after `{}`", subject.premise_excerpt(target))
}

/// The end of the removed text: the next premise, or the comma if a comment follows it, which is
/// kept.
fn removal_end(start: TextSize, next: TextSize, gap: &str) -> Option<TextSize> {
    let Some(comment) = gap.find('#') else { return Some(next) };
    let comma = gap.find(',').filter(|&comma| comma < comment)?;
    let between = gap.get(comma + 1..comment)?;
    // A comment after the premise on its line moves to the premise's position.
    let end = if between.contains('\n') { comma + 1 } else { comment };
    Some(start + TextSize::new(u32::try_from(end).ok()?))
}

/// The separator between the two premises: a line break if the body has one premise per line.
fn separator(text: &str, gap: &str, target: TextRange) -> String {
    let before = slice(text, TextRange::up_to(target.start()));
    let behind = text.get(usize::from(target.end())..).unwrap_or("");
    let commented = behind.lines().next().is_some_and(|line| line.contains('#'));
    let indent = before.rsplit_once('\n').map(|(_, indent)| indent).filter(|indent| indent.trim().is_empty());
    match indent {
        Some(indent) if gap.contains('\n') && !commented => format!(",\n{indent}"),
        _ => ", ".to_owned(),
    }
}

/// A space if `moved` ends with a name constant that would include the period at `at`.
pub(super) fn closing(moved: &str, text: &str, at: TextSize) -> &'static str {
    let dot = text.get(usize::from(at)..).is_some_and(|rest| rest.starts_with('.'));
    let part_of_name = |c: char| c.is_ascii_alphanumeric() || "._~%-/".contains(c);
    let tail = moved.rsplit(|c| !part_of_name(c)).next().unwrap_or("");
    if dot && tail.starts_with('/') { " " } else { "" }
}
