//! The user's folders on each platform, with `pocketgraph` in them; none if the environment has no home.

use std::ffi::OsString;
use std::path::PathBuf;

/// Names and places of a kind of folder: of the variable and below the home, on Windows, macOS and elsewhere.
struct Kind {
    windows: &'static str,
    macos: &'static str,
    variable: &'static str,
    elsewhere: &'static str,
}

const CACHE: Kind = Kind {
    windows: "LOCALAPPDATA",
    macos: "Library/Caches",
    variable: "XDG_CACHE_HOME",
    elsewhere: ".cache",
};

const CONFIGURATION: Kind = Kind {
    windows: "APPDATA",
    macos: "Library/Application Support",
    variable: "XDG_CONFIG_HOME",
    elsewhere: ".config",
};

/// Returns the folder of caches. It is not beside an output, which is published, and one cache serves all
/// bundles.
pub fn cache() -> Option<PathBuf> {
    CACHE.folder(|name| std::env::var_os(name), cfg!(target_os = "macos"), cfg!(windows))
}

/// Returns the folder of configuration files.
pub fn configuration() -> Option<PathBuf> {
    CONFIGURATION.folder(|name| std::env::var_os(name), cfg!(target_os = "macos"), cfg!(windows))
}

impl Kind {
    fn folder(
        &self,
        variable: impl Fn(&str) -> Option<OsString>,
        macos: bool,
        windows: bool,
    ) -> Option<PathBuf> {
        let path = |name: &str| variable(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let base = if windows {
            path(self.windows)
        } else if macos {
            path("HOME").map(|h| h.join(self.macos))
        } else {
            path(self.variable).or_else(|| path("HOME").map(|h| h.join(self.elsewhere)))
        };
        base.map(|b| b.join("pocketgraph"))
    }
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
        assert_eq!(CACHE.folder(with(home), false, false), Some(PathBuf::from("/home/a/.cache/pocketgraph")));
        assert_eq!(
            CACHE.folder(with(home), true, false),
            Some(PathBuf::from("/home/a/Library/Caches/pocketgraph"))
        );
        assert_eq!(
            CONFIGURATION.folder(with(home), false, false),
            Some(PathBuf::from("/home/a/.config/pocketgraph"))
        );
        assert_eq!(
            CACHE.folder(with(&[("HOME", "/home/a"), ("XDG_CACHE_HOME", "/c")]), false, false),
            Some(PathBuf::from("/c/pocketgraph")),
            "the user's own choice wins"
        );
        assert_eq!(
            CACHE.folder(with(&[("XDG_CACHE_HOME", "relative")]), false, false),
            None,
            "a relative place would be another one in every folder"
        );
    }
}
