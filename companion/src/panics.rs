//! Panics of crates that assert where the input, and not the program, is at fault. They are caught and become errors, and then nobody needs to see
//! where in that crate it was: the program's panic hook asks [`is_expected`] and keeps silent.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::Result;

thread_local! {
    /// How many calls of [`caught`] this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Does some work; a panic of it on this thread is an error. What the work had under way must not be used after that.
///
/// # Errors
/// What the work panicked with.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T> {
    DEPTH.with(|depth| depth.set(depth.get() + 1));
    let done = catch_unwind(AssertUnwindSafe(work));
    DEPTH.with(|depth| depth.set(depth.get() - 1));
    done
}

/// Whether a panic of this thread would be caught by [`caught`].
pub fn is_expected() -> bool {
    DEPTH.with(|depth| depth.get() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_expected_inside_and_not_after_it() {
        assert!(!is_expected());
        assert!(matches!(caught(is_expected), Ok(true)));
        let nested = caught(|| {
            let inner = caught(|| std::panic::resume_unwind(Box::new(1)));
            inner.is_err() && is_expected()
        });
        assert!(matches!(nested, Ok(true)) && !is_expected());
    }
}
