//! How long a file may be read. Readers are linear, so that no document gets near the bound; one that does is
//! dropped instead of holding up the build.

use std::cell::Cell;
use std::time::Duration;

/// Processor time that any file may take.
const BESIDES: Duration = Duration::from_secs(10);

/// Processor time on top, for each byte.
const PER_BYTE: Duration = Duration::from_micros(10);

/// Questions whether the time is over that are answered without a look at the clock.
const BETWEEN_LOOKS: u32 = 256;

thread_local! {
    /// Time at which reading of this thread's file must end.
    static END: Cell<Option<Duration>> = const { Cell::new(None) };
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

/// Runs as long as one file is read on this thread.
#[derive(Debug)]
pub(super) struct Stopwatch(());

impl Stopwatch {
    /// Begins to read a file of so many bytes.
    pub fn start(bytes: usize) -> Stopwatch {
        let allowed =
            BESIDES.saturating_add(PER_BYTE.saturating_mul(u32::try_from(bytes).unwrap_or(u32::MAX)));
        END.set(processor_time().map(|now| now.saturating_add(allowed)));
        Stopwatch(())
    }

    /// Refuses a file that took too long.
    pub fn check(&self) -> Result<(), String> {
        if has_passed() {
            Err("takes more time to read than a document of its size does".to_owned())
        } else {
            Ok(())
        }
    }
}

impl Drop for Stopwatch {
    fn drop(&mut self) {
        END.set(None);
    }
}

/// Returns true if the file that this thread reads has had its time: its reader then stops, between two
/// blocks.
pub(super) fn is_over() -> bool {
    let asked = ASKED.get().wrapping_add(1);
    ASKED.set(asked);
    asked.is_multiple_of(BETWEEN_LOOKS) && has_passed()
}

fn has_passed() -> bool {
    END.get().zip(processor_time()).is_some_and(|(end, now)| now > end)
}

/// Returns this thread's processor time, which other work of a busy machine does not change.
#[cfg(unix)]
fn processor_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(not(unix))]
fn processor_time() -> Option<Duration> {
    static BEGAN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    Some(BEGAN.elapsed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_over_once_its_time_has_passed_and_the_next_has_its_own() {
        let first = Stopwatch::start(0);
        assert!(first.check().is_ok());
        END.set(Some(Duration::ZERO));
        assert!((0..=BETWEEN_LOOKS).any(|_| is_over()) && first.check().is_err());
        drop(first);
        assert!(!(0..=BETWEEN_LOOKS).any(|_| is_over()) && Stopwatch::start(0).check().is_ok());
    }
}
