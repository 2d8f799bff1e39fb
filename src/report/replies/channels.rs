//! `split`: the two channels of a transcript, with the same numbers of turns.

use super::Answered;
use crate::envelope::secrets::redacted;
use crate::report::sink;

/// What a person was shown, line by line behind the number of the turn. Control characters are visible.
#[must_use]
pub fn surface_lines(answered: Answered<'_>, turn: u64) -> Vec<String> {
    let reading = answered.reply.reading.as_ref();
    let surface = String::from_utf8_lossy(reading.map_or(&[][..], |reading| &reading.surface));
    // A key may stand in several lines.
    redacted(&surface).lines().map(|line| format!("{turn}: {}", plain(line))).collect()
}

/// What the kernel got, or would get as far as that was judged: a line for each update that is kept.
#[must_use]
pub fn control_lines(answered: Answered<'_>, turn: u64) -> Vec<String> {
    let kept = answered.account.iter().filter(|entry| entry.fate.is_kept());
    kept.map(|entry| format!("{turn}: {}", plain(entry.text.trim()))).collect()
}

/// A line without what would steer a terminal.
fn plain(line: &str) -> String {
    sink::line(&redacted(line))
}
