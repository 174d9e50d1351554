//! Golden files: what something wrote, compared with what was read and approved.

use std::path::Path;

/// Compares a text with the golden file at `path`, relative to the folder `home` of a crate
/// (`env!("CARGO_MANIFEST_DIR")`). With `UPDATE_GOLDEN=1` in the environment the file is written anew
/// instead, to be read before it is committed.
///
/// # Panics
/// When they differ, or the file cannot be written.
#[allow(clippy::expect_used)]
pub fn golden(home: &str, path: &str, text: &str) {
    let file = Path::new(home).join(path);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, text).expect("a golden file that can be written");
        return;
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        text == kept,
        "{path} is not as it was; if that is meant, run the test with UPDATE_GOLDEN=1 and read the \
         change. Now:\n{text}"
    );
}

#[cfg(test)]
mod tests {
    use super::golden;

    #[test]
    fn another_text_and_a_missing_file_fail() {
        let home = env!("CARGO_MANIFEST_DIR");
        golden(home, "src/lib.rs", include_str!("lib.rs"));
        assert!(std::panic::catch_unwind(|| golden(home, "src/lib.rs", "another")).is_err());
        assert!(std::panic::catch_unwind(|| golden(home, "src/none.txt", "a text")).is_err());
    }
}
