//! The input that is being tried.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Seed of the run.
pub static SEED: AtomicU64 = AtomicU64::new(0);
/// Number of the input; 0 between runs.
pub static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Ends the program in the middle of an input. It may be called by the allocator, so that it allocates
/// nothing.
pub fn end(why: &'static str) -> ! {
    use std::io::Write;
    let mut line = [0u8; 160];
    let mut cursor = std::io::Cursor::new(&mut line[..]);
    let _ = writeln!(
        cursor,
        "FINDING {why}: --seed {} input {} of the target named last",
        SEED.load(Relaxed),
        NUMBER.load(Relaxed)
    );
    let length = cursor.position() as usize;
    let _ = std::io::stderr().write_all(&line[..length]);
    std::process::abort()
}
