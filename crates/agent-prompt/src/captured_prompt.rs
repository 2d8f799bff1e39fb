//! Captured system prompts: location, and similarity to a preview.

use rustc_hash::FxHashMap;

use mangle_syntax::text::{FileId, TextRange, TextSize, size};
use piggyback::transcript::{Record, TextKind, TranscriptOptions, TranscriptReader, TurnRole};

/// A captured system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedPrompt {
    /// The file with the captured prompt.
    pub file: FileId,
    /// The location of the first line.
    pub range: TextRange,
    /// The text of the prompt.
    pub text: String,
}

impl CapturedPrompt {
    /// Reads the last system prompt for a type of shard from a transcript. If the file is not JSON,
    /// the whole file is the prompt. `None` if no prompt is found.
    #[must_use]
    pub fn read(file: FileId, name: &str, text: &str, kind: &str) -> Option<Self> {
        let folded = name.to_ascii_lowercase();
        if ![".json", ".jsonl", ".ndjson"].iter().any(|end| folded.ends_with(end)) {
            let first = text.lines().next().unwrap_or_default();
            let range = TextRange::up_to(size(first.len()));
            return (!text.trim().is_empty()).then(|| Self { file, range, text: text.to_owned() });
        }
        let mut last = None;
        let mut each = |record: &Record<'_>| last = of_record(file, record, kind).or(last.take());
        let mut reader = TranscriptReader::new(TranscriptOptions {
            name: name.to_owned(),
            ..TranscriptOptions::default()
        });
        reader.feed(text.as_bytes(), &mut each);
        reader.finish(&mut each);
        last
    }

    /// The text with exactly one line end at its end.
    #[must_use]
    pub fn comparable(text: &str) -> String {
        format!("{}\n", text.trim_end_matches(['\n', '\r']))
    }

    /// The similarity to a text in percent: the share of common lines. Blanks around lines are
    /// ignored.
    #[must_use]
    pub fn similarity(&self, text: &str) -> u32 {
        fn lines(text: &str) -> impl Iterator<Item = &str> {
            text.lines().map(str::trim).filter(|line| !line.is_empty())
        }
        let mut counts: FxHashMap<&str, (u64, u64)> = FxHashMap::default();
        lines(&self.text).for_each(|line| counts.entry(line).or_default().0 += 1);
        lines(text).for_each(|line| counts.entry(line).or_default().1 += 1);
        let both: u64 = counts.values().map(|(one, other)| one.min(other)).sum();
        let all: u64 = counts.values().map(|(one, other)| one + other).sum();
        u32::try_from((200 * both).checked_div(all).unwrap_or(100)).unwrap_or(100)
    }
}

/// The last system prompt of a record. `None` if the record names another type of shard.
fn of_record(file: FileId, record: &Record<'_>, kind: &str) -> Option<CapturedPrompt> {
    let said = record.turns.iter().filter_map(|turn| turn.details.as_ref()?.shard.as_deref());
    let bare = |kind: &str| kind.trim_start_matches('/').to_owned();
    if said.into_iter().any(|shard| bare(shard) != bare(kind)) {
        return None;
    }
    let is_prompt =
        |turn: &&piggyback::transcript::Turn| turn.role == TurnRole::System && turn.kind == TextKind::Prompt;
    let turn = record.turns.iter().rfind(is_prompt)?;
    let text = String::from_utf8_lossy(turn.text(record.bytes)).into_owned();
    let first = TextRange::up_to(size(text.lines().next().unwrap_or_default().len()));
    let place = turn.places(first).first().copied().unwrap_or_default();
    let start = TextSize::new(u32::try_from(record.start).ok()?);
    Some(CapturedPrompt { file, range: place + start, text })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const ROWS: &str = "{\"shard_type\":\"coder\",\"system_prompt\":\"You code.\\nBriefly.\",\"user_prompt\":\"u\",\"response\":\"r\"}\n\
        {\"shard_type\":\"tester\",\"system_prompt\":\"You test.\",\"user_prompt\":\"u\",\"response\":\"r\"}\n";

    #[test]
    fn the_last_prompt_of_the_type_counts() {
        let read = |kind: &str| CapturedPrompt::read(FileId(3), "rows.jsonl", ROWS, kind);
        let found = read("coder").unwrap();
        assert_eq!((found.file, found.text.as_str()), (FileId(3), "You code.\nBriefly."));
        assert_eq!(mangle_syntax::text::slice(ROWS, found.range), "You code.");
        let found = read("tester").unwrap();
        assert_eq!((mangle_syntax::text::slice(ROWS, found.range), read("reviewer")), ("You test.", None));
    }

    #[test]
    fn a_text_is_a_prompt() {
        let found = CapturedPrompt::read(FileId(0), "prompt.txt", "One.\nTwo.\n", "coder").unwrap();
        assert_eq!((found.range, found.text.as_str()), (TextRange::up_to(4.into()), "One.\nTwo.\n"));
        assert_eq!(CapturedPrompt::read(FileId(0), "prompt.txt", " \n", "coder"), None);
    }

    #[test]
    fn likeness_is_in_lines() {
        let captured = |text: &str| CapturedPrompt {
            file: FileId(0),
            range: TextRange::default(),
            text: text.to_owned(),
        };
        assert_eq!(captured("a\n\n  b\nc\nd\n").similarity("a\nb\n\nc\nd"), 100);
        assert_eq!(captured("a\na\n").similarity("a\nb\n"), 50);
        assert_eq!(captured("").similarity(""), 100);
        assert_eq!(captured("a").similarity(""), 0);
    }
}
