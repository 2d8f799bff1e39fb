//! The pieces that a transcript is read in, and the line and column that each of its records begins at.

use std::io;

use crate::report::LinePosition;
use mangle_syntax::text::Cancel;
use piggyback::transcript::Record;

/// Gets the records in order, with what was found out about each, and what tells where it begins, which is only computed
/// on request.
pub type EachRead<'f, T> = dyn FnMut(&Record<'_>, T, &mut dyn FnMut() -> LinePosition) + 'f;

/// A file, piece by piece.
pub(super) struct Pieces<'s, R> {
    pub(super) input: R,
    pub(super) piece: Vec<u8>,
    pub(super) stop: &'s Cancel,
}

impl<R: io::Read> Pieces<'_, R> {
    /// The next piece; `None` at the end, or when no more is to be read.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        while !self.stop.is_cancelled() {
            match self.input.read(&mut self.piece) {
                Ok(0) => break,
                Ok(read) => return Ok(self.piece.get(..read)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

/// The line and column of records.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Where the batch begins.
    start: LinePosition,
    /// A place in the batch that is known already: how many bytes are in front of it.
    known: (usize, LinePosition),
}

impl Lines {
    /// A batch begins.
    pub(super) fn begin(&mut self) {
        self.known = (0, self.start);
    }

    /// The line and column behind the bytes that the batch begins with.
    pub(super) fn spot(&mut self, before: &[u8]) -> LinePosition {
        if before.len() < self.known.0 {
            self.begin();
        }
        let (from, spot) = self.known;
        self.known = (before.len(), spot.after(before.get(from..).unwrap_or(&[])));
        self.known.1
    }

    /// The batch of these bytes ends.
    pub(super) fn end(&mut self, batch: &[u8]) {
        self.start = self.spot(batch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_do_not_depend_on_batches() {
        let text = "a\nbc\r\ndé\n\nx";
        let spot = |at: usize| LinePosition::default().after(text.get(..at).unwrap_or(text).as_bytes());
        let rows: Vec<&str> = text.split_inclusive('\n').collect();
        for size in 1..=rows.len() {
            let (mut lines, mut start) = (Lines::default(), 0);
            for batch in rows.chunks(size).map(|rows| rows.concat()) {
                lines.begin();
                for at in batch.char_indices().map(|(at, _)| at).rev() {
                    let before = batch.get(..at).unwrap_or_default().as_bytes();
                    assert_eq!(lines.spot(before), spot(start + at), "{size} {start} {at}");
                }
                lines.end(batch.as_bytes());
                start += batch.len();
            }
            assert_eq!(lines.start, spot(text.len()));
        }
    }
}
