//! Reports of progress.

/// Receives the progress of a build, on any thread.
pub trait Progress: Sync {
    /// A stage begins: what it does, and how many units it has where that is known.
    fn stage(&self, name: &str, total: Option<u64>);
    /// The stage has come so far.
    fn at(&self, done: u64);
    /// Something the user should know.
    fn warn(&self, message: &str);
    /// Something the user may want to know.
    fn note(&self, _message: &str) {}
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn at(&self, _: u64) {}
    fn warn(&self, _: &str) {}
}
