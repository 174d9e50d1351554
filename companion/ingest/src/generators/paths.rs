//! Parts of paths that several generators read alike.

use crate::address::join_path;

/// `2024-05-06-name`: the date's parts and the name.
pub(super) fn split_date(name: &str) -> Option<([&str; 3], &str)> {
    let (date, rest) = (name.get(..10)?, name.get(10..)?.strip_prefix('-')?);
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return None };
    let digits = |s: &str, n: usize| s.len() == n && s.bytes().all(|b| b.is_ascii_digit());
    (digits(year, 4) && digits(month, 2) && digits(day, 2) && !rest.is_empty())
        .then_some(([year, month, day], rest))
}

/// A path in lower case with hyphens for spaces, and without the signs that are dropped by the id rule of
/// GitHub.
pub(super) fn slug(segment: &str) -> String {
    let kept =
        segment.chars().filter(|&c| c.is_alphanumeric() || matches!(c, '-' | '_') || c.is_whitespace());
    kept.flat_map(|c| if c.is_whitespace() { vec!['-'] } else { c.to_lowercase().collect() }).collect()
}

/// `a/../b` and `./b` as `b`; `None` for what leads out.
pub(super) fn resolve_dots(path: &str) -> Option<String> {
    join_path("", path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::without_ending;

    #[test]
    fn parts_of_paths_are_recognised() {
        assert_eq!((without_ending("a.b/c.d.md"), without_ending("a.b/c")), ("a.b/c.d", "a.b/c"));
        assert_eq!(split_date("2024-05-06-hello"), Some((["2024", "05", "06"], "hello")));
        assert!(
            split_date("2024-5-06-hello").is_none()
                && split_date("2024-05-06").is_none()
                && split_date("é").is_none()
        );
        assert_eq!(slug("Getting Started v1.2"), "getting-started-v12");
        assert_eq!((resolve_dots("a/../b/./c"), resolve_dots("../x")), (Some("b/c".into()), None));
    }
}
