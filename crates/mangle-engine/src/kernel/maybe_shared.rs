//! Copy-on-write value.
//!
//! Like `Arc::make_mut`, but changing a value with a single known owner costs no atomic operation.
//! This matters for relations, which grow one tuple at a time.

use std::ops::Deref;
use std::sync::Arc;

/// A value with one or several owners.
#[derive(Debug)]
pub(super) enum MaybeShared<T> {
    /// The value has one owner.
    Own(Box<T>),
    /// The value may have several owners.
    Common(Arc<T>),
}

impl<T> MaybeShared<T> {
    pub(super) fn new(value: T) -> Self {
        Self::Own(Box::new(value))
    }
}

impl<T: Clone + Default> MaybeShared<T> {
    /// A mutable reference. Copies the value if it is shared.
    pub(super) fn make_mut(&mut self) -> &mut T {
        if let Self::Common(common) = self {
            let own = Arc::get_mut(common).map(std::mem::take);
            *self = Self::new(own.unwrap_or_else(|| T::clone(common)));
        }
        match self {
            Self::Own(own) => own,
            // Unreachable: the value was made exclusive above.
            Self::Common(common) => Arc::make_mut(common),
        }
    }

    /// Returns a shared copy.
    pub(super) fn share(&mut self) -> Self {
        if let Self::Own(own) = self {
            *self = Self::Common(Arc::new(std::mem::take(&mut **own)));
        }
        match self {
            Self::Common(common) => Self::Common(Arc::clone(common)),
            Self::Own(own) => Self::Own(own.clone()),
        }
    }
}

impl<T: Default> Default for MaybeShared<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Deref for MaybeShared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Own(own) => own,
            Self::Common(common) => common,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_by_nobody_else() {
        let mut one = MaybeShared::new(vec![1]);
        let mut other = one.share();
        other.make_mut().push(2);
        let third = one.share();
        one.make_mut().push(3);
        assert_eq!((&*one, &*other, &*third), (&vec![1, 3], &vec![1, 2], &vec![1]));
    }

    #[test]
    fn what_nobody_else_has_is_not_copied() {
        let mut one = MaybeShared::new(vec![1]);
        drop(one.share());
        let place = one.as_ptr();
        one.make_mut();
        assert_eq!(one.as_ptr(), place);
    }
}
