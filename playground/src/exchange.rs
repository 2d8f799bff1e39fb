//! The buffers through which texts go into the module and out of it.

use std::cell::RefCell;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for an input of so many bytes. Gives where it is to be written.
pub(crate) fn reserve(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// The input that was written.
pub(crate) fn input() -> Vec<u8> {
    INPUT.take()
}

/// Leaves an output for the caller.
pub(crate) fn put(output: Vec<u8>) {
    OUTPUT.set(output);
}

/// Where the output is.
pub(crate) fn pointer() -> *const u8 {
    OUTPUT.with_borrow(Vec::as_ptr)
}

/// How many bytes the output has.
pub(crate) fn length() -> usize {
    OUTPUT.with_borrow(Vec::len)
}
