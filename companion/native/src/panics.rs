//! Runs work that may panic on foreign input: the panic becomes that input's error, and the program runs on.
//!
//! Our readers should not panic, but some crates assert properties that damaged files violate. The place in
//! the source is of no interest; the caller describes the failure.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Number of calls of [`catch_panic`] this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Returns the result of `work`, or the message of its panic on this thread, without the usual report. Do not
/// use state that the work left unfinished.
///
/// # Errors
/// The message of the panic.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic_info| {
            if !is_expected() {
                usual(panic_info);
            }
        }));
    });
    DEPTH.set(DEPTH.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    done.map_err(|message| {
        let text = message
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| message.downcast_ref::<&str>().copied());
        text.unwrap_or("no reason was given").to_owned()
    })
}

/// Returns true if a panic of this thread would be caught by [`catch_panic`].
fn is_expected() -> bool {
    DEPTH.get() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_its_message_and_the_next_work_goes_on() {
        let beyond = |at: usize| [1, 2, 3].get(at).copied().unwrap_or_else(|| panic!("there is no {at}"));
        assert_eq!(catch_panic(|| beyond(7)), Err("there is no 7".to_owned()));
        assert_eq!(catch_panic(|| beyond(2)), Ok(3));
        assert_eq!(catch_panic(|| catch_panic(|| beyond(8)).is_err()), Ok(true), "inside another");
    }

    #[test]
    fn a_panic_is_expected_inside_and_not_after_it() {
        assert!(!is_expected());
        assert!(matches!(catch_panic(is_expected), Ok(true)));
        let nested = catch_panic(|| {
            let inner = catch_panic(|| std::panic::resume_unwind(Box::new(1)));
            inner.is_err() && is_expected()
        });
        assert!(matches!(nested, Ok(true)) && !is_expected());
    }
}
