//! A transcript, record by record, with the line and the column that each of them begins at.

use std::io::{self, Read as _};

use super::{Input, TranscriptFile};
use crate::report::LinePosition;
use mangle_settings::Container;
use mangle_syntax::text::Cancel;
use piggyback::transcript::{ReadSummary, Record, TranscriptOptions, TranscriptReader};

/// How much is read at once.
const PIECE: usize = 256 << 10;

/// Reads a transcript to its end, or until `stop` is raised. `see` gets all bytes, with the container once that is known;
/// `each` gets the records in order, and what tells where a record begins, which is only computed where somebody asks.
///
/// # Errors
/// When it cannot be read to its end. What was read until then was given.
pub fn read_transcript(
    found: &TranscriptFile,
    mut input: Input,
    stop: &Cancel,
    see: &mut dyn FnMut(&[u8], Option<Container>),
    each: &mut dyn FnMut(&Record<'_>, &mut dyn FnMut() -> LinePosition),
) -> io::Result<ReadSummary> {
    let name = super::plain_name(&found.path.to_string_lossy()).to_owned();
    let options =
        TranscriptOptions { is_named: found.named, ..TranscriptOptions::new(&found.settings, name) };
    let mut reader = TranscriptReader::new(options);
    let mut lines = Lines::default();
    let mut piece = vec![0; PIECE];
    let failure = loop {
        if stop.is_cancelled() {
            break None;
        }
        let read = match input.read(&mut piece) {
            Ok(0) => break None,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => break Some(error),
        };
        let chunk = piece.get(..read).unwrap_or(&[]);
        lines.add(chunk);
        see(chunk, reader.container());
        reader.feed(chunk, &mut |record| each(record, &mut || lines.spot(record.start)));
        lines.forget(reader.position());
    };
    let summary = reader.finish(&mut |record| each(record, &mut || lines.spot(record.start)));
    failure.map_or(Ok(summary), Err)
}

/// The bytes that wait for the rest of their record, and the line and column that they begin at.
#[derive(Debug, Default)]
struct Lines {
    waiting: Vec<u8>,
    start: u64,
    spot: LinePosition,
    /// A place in `waiting` that is known already.
    known: (usize, LinePosition),
}

impl Lines {
    fn add(&mut self, chunk: &[u8]) {
        self.waiting.extend_from_slice(chunk);
    }

    /// The line and column of a place among the bytes that wait.
    fn spot(&mut self, offset: u64) -> LinePosition {
        let at = usize::try_from(offset.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let at = at.min(self.waiting.len());
        if at < self.known.0 {
            self.known = (0, self.spot);
        }
        let (from, spot) = self.known;
        self.known = (at, spot.after(self.waiting.get(from..at).unwrap_or(&[])));
        self.known.1
    }

    /// Forgets what lies before a place.
    fn forget(&mut self, offset: u64) {
        self.spot = self.spot(offset);
        let gone = usize::try_from(offset.saturating_sub(self.start)).unwrap_or(usize::MAX);
        self.waiting.drain(..gone.min(self.waiting.len()));
        self.start = offset;
        self.known = (0, self.spot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_do_not_depend_on_pieces() {
        let text = "a\nbc\r\ndé\n\nx";
        let places = [0, 2, 6, 9, 10, 11];
        let whole: Vec<_> = places.map(|at| LinePosition::default().after(&text.as_bytes()[..at])).into();
        for size in 1..text.len() {
            let mut lines = Lines::default();
            let mut found = Vec::new();
            let mut end = 0;
            for chunk in text.as_bytes().chunks(size) {
                lines.add(chunk);
                let start = end;
                end += chunk.len();
                for (place, whole) in places.iter().zip(&whole).filter(|(at, _)| (start..end).contains(*at)) {
                    lines.forget(*place as u64);
                    found.push(lines.spot(*place as u64) == *whole);
                }
            }
            assert!(found.len() == places.len() && found.iter().all(|same| *same), "{size}: {found:?}");
        }
    }
}
