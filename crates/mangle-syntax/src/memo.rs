//! Cache of the last output of a computation: [`Memo`].

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

/// Caches the last output of a computation together with its inputs.
///
/// The inputs include everything that the output depends on, as values, revisions or fingerprints:
/// equal inputs yield equal outputs. An incremental computation starts from the outdated output of
/// earlier inputs.
///
/// One thread computes at a time, and other threads that request the same output wait. Reading a
/// finished output never waits. Hits and computations are events of the target `memo` at level
/// `TRACE`, with the type of the inputs.
///
/// ```
/// use mangle_syntax::memo::Memo;
///
/// let words: Memo<&str, usize> = Memo::default();
/// let count = |text: &str| Some(text.split_whitespace().count());
/// assert_eq!(words.get("a b", |_| count("a b")), Some(2));
/// // Not computed again.
/// assert_eq!(words.get("a b", |_| None), Some(2));
/// // A canceled computation keeps the cached output.
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
    /// Returns the cached output for these inputs, or computes the output. `compute` gets the last
    /// output and its inputs, if available. `None` if `compute` was canceled; the cache stays
    /// unchanged.
    pub fn get(&self, inputs: I, compute: impl FnOnce(Option<(I, O)>) -> Option<O>) -> Option<O> {
        self.try_get(inputs, |last| compute(last).ok_or(())).ok()
    }

    /// [`Memo::get`] for computations that cannot be canceled.
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

    /// The cached output if it belongs to these inputs.
    #[must_use]
    pub fn current(&self, inputs: &I) -> Option<O> {
        let last = self.last.lock();
        last.as_ref().filter(|(known, _)| known == inputs).map(|(_, output)| output.clone())
    }

    /// The last output, for any inputs.
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

    /// Stores an output that was computed elsewhere.
    pub fn set(&self, inputs: I, output: O) {
        let before = self.last.lock().replace((inputs, output));
        // Dropped after the lock is released: an output can be large.
        drop(before);
    }

    /// Removes and returns the output.
    pub fn take(&self) -> Option<O> {
        self.last.lock().take().map(|(_, output)| output)
    }
}

fn trace<I>(hit: bool) {
    tracing::trace!(target: "memo", inputs = std::any::type_name::<I>(), hit);
}

/// An input that is only equal to itself: a value that is never changed, only replaced.
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
        let memo = Memo::default();
        assert_eq!(memo.get(1, |last| Some(last.map_or(0, |(_, sum)| sum) + 1)), Some(1));
        assert_eq!(memo.get(2, |last| Some(last.map_or(0, |(_, sum)| sum) + 2)), Some(3));
        assert_eq!((memo.current(&1), memo.current(&2)), (None, Some(3)));
        assert_eq!((memo.take(), memo.latest()), (Some(3), None));
    }

    #[test]
    fn equal_inputs_are_computed_once_by_many_threads() {
        let memo = Memo::default();
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
