//! Chunks of a transcript, and the line and column of each record.

use std::io;

use mangle_report::LinePosition;
use mangle_syntax::text::Cancel;
use piggyback::transcript::Record;

/// Callback that receives the records in order, each with its computed value and a function that
/// returns its start position. The position is computed only on request.
pub type EachRead<'f, T> = dyn FnMut(&Record<'_>, T, &mut dyn FnMut() -> LinePosition) + 'f;

/// A reader that returns a file in chunks.
pub(super) struct Pieces<'s, R> {
    pub(super) input: R,
    pub(super) piece: Vec<u8>,
    pub(super) stop: &'s Cancel,
}

impl<R: io::Read> Pieces<'_, R> {
    /// Returns the next chunk, or `None` at the end or after cancellation.
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

/// Positions of records, in lines and columns.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The position of the start of the batch.
    start: LinePosition,
    /// A known position in the batch, with its byte offset.
    known: (usize, LinePosition),
}

impl Lines {
    /// Starts a batch.
    pub(super) fn begin(&mut self) {
        self.known = (0, self.start);
    }

    /// Returns the position after the given prefix of the batch.
    pub(super) fn spot(&mut self, before: &[u8]) -> LinePosition {
        if before.len() < self.known.0 {
            self.begin();
        }
        let (from, spot) = self.known;
        self.known = (before.len(), spot.after(before.get(from..).unwrap_or(&[])));
        self.known.1
    }

    /// Ends a batch with the given content.
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
