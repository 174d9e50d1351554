//! Default folder of the cache.

use std::ffi::OsString;
use std::path::PathBuf;

/// The user's folder for caches, as the platform has it, and `pocketgraph` in it; none where the environment names no home.
///
/// Not beside the output: that folder is published. One cache serves all bundles, since its entries are addressed by content.
pub fn default_folder() -> Option<PathBuf> {
    folder(|name| std::env::var_os(name), cfg!(target_os = "macos"), cfg!(windows))
}

fn folder(variable: impl Fn(&str) -> Option<OsString>, macos: bool, windows: bool) -> Option<PathBuf> {
    let path = |name: &str| variable(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = if windows {
        path("LOCALAPPDATA")
    } else if macos {
        path("HOME").map(|h| h.join("Library/Caches"))
    } else {
        path("XDG_CACHE_HOME").or_else(|| path("HOME").map(|h| h.join(".cache")))
    };
    base.map(|b| b.join("pocketgraph"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_platform_has_its_place_and_none_is_no_error() {
        let with = |variables: &'static [(&'static str, &'static str)]| {
            move |name: &str| variables.iter().find(|v| v.0 == name).map(|v| OsString::from(v.1))
        };
        let home = &[("HOME", "/home/a")];
        assert_eq!(folder(with(home), false, false), Some(PathBuf::from("/home/a/.cache/pocketgraph")));
        assert_eq!(folder(with(home), true, false), Some(PathBuf::from("/home/a/Library/Caches/pocketgraph")));
        assert_eq!(
            folder(with(&[("HOME", "/home/a"), ("XDG_CACHE_HOME", "/c")]), false, false),
            Some(PathBuf::from("/c/pocketgraph")),
            "the user's own choice wins"
        );
        assert_eq!(
            folder(with(&[("XDG_CACHE_HOME", "relative")]), false, false),
            None,
            "a relative place would be another one in every folder"
        );
    }
}
