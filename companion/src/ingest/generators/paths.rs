//! Parts of paths that several generators read alike.

use std::time::{SystemTime, UNIX_EPOCH};

/// A path without the ending of its file's name.
pub(super) fn without_ending(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |i| i + 1);
    match path.rfind('.') {
        Some(dot) if dot > name => path.get(..dot).unwrap_or(path),
        _ => path,
    }
}

/// A path's folders and its file's name, the first with a slash at its end.
pub(super) fn parted(path: &str) -> (&str, &str) {
    path.rfind('/').map_or(("", path), |i| path.split_at(i + 1))
}

/// `2024-05-06-name`: the date's parts and the name.
pub(super) fn dated(name: &str) -> Option<([&str; 3], &str)> {
    let (date, rest) = (name.get(..10)?, name.get(10..)?.strip_prefix('-')?);
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return None };
    let digits = |s: &str, n: usize| s.len() == n && s.bytes().all(|b| b.is_ascii_digit());
    (digits(year, 4) && digits(month, 2) && digits(day, 2) && !rest.is_empty()).then_some(([year, month, day], rest))
}

/// A path in lower case with hyphens for spaces, and without the signs that are dropped by the id rule of GitHub.
pub(super) fn slug(segment: &str) -> String {
    let kept = segment.chars().filter(|&c| c.is_alphanumeric() || matches!(c, '-' | '_') || c.is_whitespace());
    kept.flat_map(|c| if c.is_whitespace() { vec!['-'] } else { c.to_lowercase().collect() }).collect()
}

/// `a/../b` and `./b` as `b`; `None` for what leads out.
pub(super) fn resolved(path: &str) -> Option<String> {
    let mut out: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                out.pop()?;
            }
            part => out.push(part),
        }
    }
    Some(out.join("/"))
}

/// Today in UTC as `2024-05-06`, or the day that `SOURCE_DATE_EPOCH` names, so that a build can be made again.
pub(super) fn today() -> String {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|s| s.parse::<u64>().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let days = i64::try_from(fixed.unwrap_or_else(now) / 86_400).unwrap_or(0);
    // Days to a date by Howard Hinnant's algorithm.
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_paths_are_told() {
        assert_eq!((without_ending("a.b/c.d.md"), without_ending("a.b/c")), ("a.b/c.d", "a.b/c"));
        assert_eq!(dated("2024-05-06-hello"), Some((["2024", "05", "06"], "hello")));
        assert!(dated("2024-5-06-hello").is_none() && dated("2024-05-06").is_none() && dated("é").is_none());
        assert_eq!(slug("Getting Started v1.2"), "getting-started-v12");
        assert_eq!((resolved("a/../b/./c"), resolved("../x")), (Some("b/c".into()), None));
        let today = today();
        assert!(today.len() == 10 && today.as_str() > "2024-01-01", "{today}");
    }
}
