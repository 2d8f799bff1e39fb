//! Parallel reading of a long transcript. One thread splits the file into chunks and collects the
//! results in order, with the line and column of each record; helper threads parse.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;

use mangle_report::LinePosition;
use mangle_settings::Container;
use mangle_syntax::text::Cancel;
use piggyback::transcript::{Batch, ReadBatch, Record, TranscriptReader};

/// The maximum number of batches in progress, per helper thread.
const BATCHES_A_READER: usize = 2;

/// The number of active helper threads, for all files together.
static HELPERS: AtomicUsize = AtomicUsize::new(0);

/// A reserved number of helper threads.
#[derive(Debug)]
pub(super) struct Readers(usize);

impl Readers {
    /// Reserves the free helper threads. Returns `None` if none is free or the machine has one
    /// processor.
    pub(super) fn take() -> Option<Self> {
        let most = rayon::current_num_threads();
        let all = |taken: usize| (most > 1 && taken < most).then_some(most);
        let taken = HELPERS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, all);
        taken.ok().map(|taken| Self(most - taken))
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        HELPERS.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// State of a parallel read.
pub(super) struct ReadAhead<'a, F, W> {
    pub(super) helpers: &'a Readers,
    /// Creates the state of a helper thread.
    pub(super) worker: &'a F,
    /// The state of the current thread.
    pub(super) own: &'a mut W,
}

/// A parsed batch, or the panic of its thread.
type Outcome<T> = std::thread::Result<ReadBatch<T>>;

impl<F: Fn() -> W + Sync, W> ReadAhead<'_, F, W> {
    /// Reads to the end. Returns false if the system creates no thread; nothing was read then.
    ///
    /// # Errors
    ///
    /// If the input cannot be read. The callbacks have received the data before the error.
    pub(super) fn run<T: Send>(
        mut self,
        reader: &mut TranscriptReader,
        pieces: &mut Pieces<'_, impl io::Read>,
        see: &mut dyn FnMut(&[u8], Option<Container>),
        lines: &mut Lines,
        each: &mut EachRead<'_, T>,
    ) -> io::Result<bool>
    where
        W: FnMut(&Record<'_>) -> T,
    {
        let (jobs, waiting) = channel::<(u64, Batch)>();
        let waiting = Mutex::new(waiting);
        let (done, outcomes) = channel::<(u64, Outcome<T>)>();
        std::thread::scope(|scope| {
            let mut started = 0;
            for _ in 0..self.helpers.0 {
                let (done, waiting, worker) = (done.clone(), &waiting, self.worker);
                let helping = move || help(worker(), waiting, &done);
                let helper = std::thread::Builder::new().name("reader".into()).spawn_scoped(scope, helping);
                started += usize::from(helper.is_ok());
            }
            drop(done);
            if started == 0 {
                return Ok(false);
            }
            // The helper threads end when the sender is dropped.
            let jobs = jobs;
            let mut order = InOrder { outcomes, early: BTreeMap::new(), next: 0 };
            let (mut sent, mut end) = (0, None);
            loop {
                while end.is_none() && sent - order.next < (self.helpers.0 * BATCHES_A_READER) as u64 {
                    match pieces.next() {
                        Ok(Some(chunk)) => {
                            see(chunk, reader.container());
                            let batch = reader.cut(chunk);
                            if jobs.send((sent, batch)).is_ok() {
                                sent += 1;
                            }
                        }
                        Ok(None) => end = Some(Ok(())),
                        Err(error) => end = Some(Err(error)),
                    }
                }
                if sent == order.next {
                    return end.unwrap_or(Ok(())).map(|()| true);
                }
                if let Some(batch) = order.next() {
                    self.take(reader, batch, lines, each);
                }
            }
        })
    }

    /// Passes the records of the next batch to `each`.
    fn take<T>(
        &mut self,
        reader: &mut TranscriptReader,
        batch: ReadBatch<T>,
        lines: &mut Lines,
        each: &mut EachRead<'_, T>,
    ) where
        W: FnMut(&Record<'_>) -> T,
    {
        lines.begin();
        let bytes = reader.take(batch, &mut |record, before, more| {
            let more = more.unwrap_or_else(|| (self.own)(record));
            each(record, more, &mut || lines.spot(before));
        });
        lines.end(&bytes);
    }
}

/// Parses batches until the channel is closed.
fn help<T, W: FnMut(&Record<'_>) -> T>(
    mut work: W,
    waiting: &Mutex<Receiver<(u64, Batch)>>,
    done: &Sender<(u64, Outcome<T>)>,
) {
    loop {
        let job = waiting.lock().recv();
        let Ok((number, batch)) = job else { return };
        let outcome = catch_unwind(AssertUnwindSafe(|| batch.read(&mut work)));
        let has_failed = outcome.is_err();
        if done.send((number, outcome)).is_err() || has_failed {
            return;
        }
    }
}

/// Receiver that returns batches in file order.
struct InOrder<T> {
    outcomes: Receiver<(u64, Outcome<T>)>,
    /// Batches received out of order.
    early: BTreeMap<u64, Outcome<T>>,
    next: u64,
}

impl<T> InOrder<T> {
    /// Waits for the next batch.
    fn next(&mut self) -> Option<ReadBatch<T>> {
        while !self.early.contains_key(&self.next) {
            let (number, outcome) = self.outcomes.recv().ok()?;
            if let Err(panic) = outcome {
                resume_unwind(panic);
            }
            self.early.insert(number, outcome);
        }
        let outcome = self.early.remove(&self.next)?;
        self.next += 1;
        outcome.ok()
    }
}

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
