//! Panic guard for the rendering of findings: a panic affects only its finding.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// True while a panic of this thread is caught here.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// The remark for a finding without its excerpt.
pub(super) const NO_EXCERPT: &str =
    "the excerpt of this finding cannot be shown; please report this as a bug";

/// Returns the result of `render`, or of `otherwise` after a panic.
///
/// The panic is logged without its message and without output to standard error, because the
/// message can quote the rendered text.
pub(super) fn rendered<T>(render: impl FnOnce() -> T, otherwise: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IS_CAUGHT.get() {
                tracing::error!(place = ?info.location().map(ToString::to_string), "a finding cannot be rendered");
            } else {
                before(info);
            }
        }));
    });
    let before = IS_CAUGHT.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(render));
    IS_CAUGHT.set(before);
    result.unwrap_or_else(|_| otherwise())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_at_the_finding() {
        let shown = |text: &'static str, at: usize| move || text.split_at(at).0.to_owned();
        assert_eq!(rendered(shown("é!", 2), || NO_EXCERPT.to_owned()), "é");
        assert_eq!(rendered(shown("é!", 1), || NO_EXCERPT.to_owned()), NO_EXCERPT);
        assert!(!IS_CAUGHT.get());
    }
}
