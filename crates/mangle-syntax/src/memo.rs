//! [`Memo`]: the last output of a computation, kept with the inputs that it was computed from.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

/// Keeps the last output of a computation, together with the inputs that it was computed from.
///
/// The inputs name everything that the output depends on, as values, revisions or fingerprints: two equal inputs have the
/// same output. A stale output, whose inputs are others by now, is what an incremental computation starts from.
///
/// One thread computes at a time; others that want the same wait for it. Reading a finished output never waits. A hit and a
/// computation are each an event of the target `memo`, at level `TRACE`, that names the type of the inputs.
///
/// ```
/// use mangle_syntax::memo::Memo;
///
/// let words: Memo<&str, usize> = Memo::default();
/// let count = |text: &str| Some(text.split_whitespace().count());
/// assert_eq!(words.get("a b", |_| count("a b")), Some(2));
/// // Not computed again.
/// assert_eq!(words.get("a b", |_| None), Some(2));
/// // A cancelled computation leaves what is there.
/// assert_eq!(words.get("a b c", |_| None), None);
/// assert_eq!((words.current(&"a b c"), words.latest()), (None, Some(2)));
/// ```
pub struct Memo<I, O> {
    last: Mutex<Option<(I, O)>>,
    computing: Mutex<()>,
}

impl<I, O> fmt::Debug for Memo<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(std::any::type_name::<Self>()).finish_non_exhaustive()
    }
}

impl<I, O> Default for Memo<I, O> {
    fn default() -> Self {
        Self { last: Mutex::new(None), computing: Mutex::new(()) }
    }
}

impl<I: PartialEq + Clone, O: Clone> Memo<I, O> {
    /// The output for these inputs: what is kept, else what `compute` makes of them. It is given the last output and its
    /// inputs, if there are any. `None` if `compute` was cancelled: then what is kept stays.
    pub fn get(&self, inputs: I, compute: impl FnOnce(Option<(I, O)>) -> Option<O>) -> Option<O> {
        self.try_get(inputs, |last| compute(last).ok_or(())).ok()
    }

    /// [`Memo::get`] for what cannot be cancelled.
    pub fn get_always(&self, inputs: I, compute: impl FnOnce(Option<(I, O)>) -> O) -> O {
        match self.try_get(inputs, |last| Ok::<_, Infallible>(compute(last))) {
            Ok(output) => output,
            Err(never) => match never {},
        }
    }

    fn try_get<E>(&self, inputs: I, compute: impl FnOnce(Option<(I, O)>) -> Result<O, E>) -> Result<O, E> {
        if let Some(known) = self.hit(&inputs) {
            return Ok(known);
        }
        let _one = self.computing.lock();
        if let Some(known) = self.hit(&inputs) {
            return Ok(known);
        }
        let last = self.last.lock().clone();
        let output = compute(last)?;
        trace::<I>(false);
        self.set(inputs, output.clone());
        Ok(output)
    }

    fn hit(&self, inputs: &I) -> Option<O> {
        let known = self.current(inputs)?;
        trace::<I>(true);
        Some(known)
    }

    /// The output for these inputs, if it is kept.
    #[must_use]
    pub fn current(&self, inputs: &I) -> Option<O> {
        let last = self.last.lock();
        last.as_ref().filter(|(known, _)| known == inputs).map(|(_, output)| output.clone())
    }

    /// The last output, whatever its inputs were.
    #[must_use]
    pub fn latest(&self) -> Option<O> {
        self.last.lock().as_ref().map(|(_, output)| output.clone())
    }

    /// The last output, if its inputs are acceptable.
    #[must_use]
    pub fn latest_if(&self, is_acceptable: impl FnOnce(&I) -> bool) -> Option<O> {
        let last = self.last.lock();
        last.as_ref().filter(|(inputs, _)| is_acceptable(inputs)).map(|(_, output)| output.clone())
    }

    /// Keeps an output that was computed elsewhere.
    pub fn set(&self, inputs: I, output: O) {
        let before = self.last.lock().replace((inputs, output));
        // Dropped when the lock is free: an output can be large.
        drop(before);
    }

    /// Forgets the output, and gives it.
    pub fn take(&self) -> Option<O> {
        self.last.lock().take().map(|(_, output)| output)
    }
}

fn trace<I>(hit: bool) {
    tracing::trace!(target: "memo", inputs = std::any::type_name::<I>(), hit);
}

/// An input that is equal to itself alone: a value that is never changed, only replaced.
#[derive(Debug)]
pub struct Identity<T: ?Sized>(pub Arc<T>);

impl<T: ?Sized> Clone for Identity<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> PartialEq for Identity<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Memo;

    #[test]
    fn last_output_is_the_start_of_the_next() {
        let memo: Memo<u8, u8> = Memo::default();
        assert_eq!(memo.get(1, |last| Some(last.map_or(0, |(_, sum)| sum) + 1)), Some(1));
        assert_eq!(memo.get(2, |last| Some(last.map_or(0, |(_, sum)| sum) + 2)), Some(3));
        assert_eq!((memo.current(&1), memo.current(&2)), (None, Some(3)));
        assert_eq!((memo.take(), memo.latest()), (Some(3), None));
    }

    #[test]
    fn equal_inputs_are_computed_once_by_many_threads() {
        let memo: Memo<u8, usize> = Memo::default();
        let computed = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    memo.get(1, |_| {
                        computed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        Some(7)
                    })
                });
            }
        });
        assert_eq!((memo.latest(), computed.into_inner()), (Some(7), 1));
    }
}
