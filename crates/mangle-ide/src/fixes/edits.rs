//! Text edits: application, and computation from two versions of a text.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use mangle_syntax::text::{TextRange, size};

pub(super) type Edit<'e> = (TextRange, &'e str);

/// Applies sorted edits to a text. `None` if a range is invalid.
pub(super) fn spliced(old: &[u8], edits: &[Edit<'_>]) -> Option<Vec<u8>> {
    let (mut new, mut at) = (Vec::with_capacity(old.len()), 0);
    for (range, text) in edits {
        new.extend_from_slice(old.get(at..usize::from(range.start()))?);
        new.extend_from_slice(text.as_bytes());
        at = usize::from(range.end());
    }
    new.extend_from_slice(old.get(at..)?);
    Some(new)
}

/// Returns the minimal line edits from `old` to `new`, each reduced to the differing characters.
/// Sorted and not adjacent.
#[must_use]
pub fn difference(old: &str, new: &str) -> Vec<(TextRange, String)> {
    let [old_lines, new_lines] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let mut at = [0, 0];
    let mut edits = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, &old_lines, &new_lines) {
        let before = old_lines.get(op.old_range()).unwrap_or_default();
        let after = new_lines.get(op.new_range()).unwrap_or_default();
        // Equal numbers of lines are compared line by line.
        let pieces = if before.len() == after.len() { before.len() } else { 1 };
        for piece in 0..pieces {
            let part = |lines: &[&str]| -> usize {
                let lines = if pieces == 1 { lines } else { lines.get(piece..=piece).unwrap_or_default() };
                lines.iter().map(|line| line.len()).sum()
            };
            let lens = [part(before), part(after)];
            if !matches!(op, DiffOp::Equal { .. }) {
                let before = old.get(at[0]..at[0] + lens[0]).unwrap_or("");
                let after = new.get(at[1]..at[1] + lens[1]).unwrap_or("");
                edits.push(trimmed(at[0], before, after));
            }
            at = [at[0] + lens[0], at[1] + lens[1]];
        }
    }
    edits
}

/// Returns the replacement of `before` at `start` by `after`, without their common prefix and
/// suffix.
fn trimmed(start: usize, before: &str, after: &str) -> (TextRange, String) {
    let same = |(a, b): &(char, char)| a == b;
    let prefix: usize = before.chars().zip(after.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    // An edit must not split a `\r\n` line ending.
    let splits = |text: &str, at: usize| {
        text.get(..at).is_some_and(|head| head.ends_with('\r'))
            && text.get(at..).is_some_and(|tail| tail.starts_with('\n'))
    };
    let prefix = prefix - usize::from(splits(before, prefix) || splits(after, prefix));
    let [before_rest, after_rest] = [before, after].map(|text| text.get(prefix..).unwrap_or(""));
    let tails = before_rest.chars().rev().zip(after_rest.chars().rev());
    let suffix: usize = tails.take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let suffix =
        suffix - usize::from([before_rest, after_rest].iter().any(|text| splits(text, text.len() - suffix)));
    let range = TextRange::new(size(start + prefix), size(start + before.len() - suffix));
    (range, after_rest.get(..after_rest.len() - suffix).unwrap_or("").to_owned())
}
