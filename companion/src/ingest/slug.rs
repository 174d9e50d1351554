//! The ids that Markdown publishers give to headings.

use super::address;
use std::collections::HashMap;

/// Gives out heading ids of one page: lower case, white space as hyphens, letters, digits, `-` and `_` kept; repeats get `-1`, `-2` and so on.
/// GitHub, mdBook, Hugo and most others agree on this.
#[derive(Default)]
pub(crate) struct Slugs {
    used: HashMap<String, u32>,
}

impl Slugs {
    pub fn of_heading(&mut self, text: &str) -> Option<String> {
        let mut slug = String::with_capacity(text.len().min(256));
        for c in text.trim().chars().take(256) {
            match c {
                '-' | '_' => slug.push(c),
                c if c.is_alphanumeric() => slug.extend(c.to_lowercase()),
                c if c.is_whitespace() => slug.push('-'),
                _ => {}
            }
        }
        if slug.is_empty() {
            return None;
        }
        let mut n = self.used.get(&slug).copied().unwrap_or(0);
        let mut unique = if n == 0 { slug.clone() } else { format!("{slug}-{n}") };
        // A heading may be called "Notes-1" too.
        while n > 0 && self.used.contains_key(&unique) {
            n += 1;
            unique = format!("{slug}-{n}");
        }
        self.used.insert(slug, n + 1);
        self.used.entry(unique.clone()).or_insert(1);
        Some(unique)
    }

    /// An id that the author gave.
    pub fn explicit(&mut self, id: &str) -> Option<String> {
        let id = address::fragment(id)?;
        self.used.entry(id.clone()).or_insert(1);
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::Slugs;

    #[test]
    fn slugs_are_those_of_the_publishers_and_never_repeat() {
        let mut slugs = Slugs::default();
        let mut of = |t: &str| slugs.of_heading(t).unwrap_or_default();
        assert_eq!(of("The `match` Control Flow!"), "the-match-control-flow");
        assert_eq!(of("Größe & 東京"), "größe--東京");
        assert_eq!(of("Notes"), "notes");
        assert_eq!(of("Notes"), "notes-1");
        assert_eq!(of("Notes-1"), "notes-1-1");
        assert_eq!(of("Notes"), "notes-2");
        assert_eq!(of("?!"), "");
    }
}
