//! Work on a stranger's file that must not end the program: a panic in it is that file's error.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What `work` comes to, or what it said when it panicked. The usual report with places in the program's source is not printed: what is said of the
/// failure is the caller's to say.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |told| {
            if !QUIET.get() {
                usual(told);
            }
        }));
    });
    let before = QUIET.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    done.map_err(|said| {
        let text = said.downcast_ref::<String>().map(String::as_str).or_else(|| said.downcast_ref::<&str>().copied());
        text.unwrap_or("no reason was given").to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_what_it_said_and_the_next_work_goes_on() {
        let beyond = |at: usize| [1, 2, 3].get(at).copied().unwrap_or_else(|| panic!("there is no {at}"));
        assert_eq!(caught(|| beyond(7)), Err("there is no 7".to_owned()));
        assert_eq!(caught(|| beyond(2)), Ok(3));
        assert_eq!(caught(|| caught(|| beyond(8)).is_err()), Ok(true), "inside another");
    }
}
