//! The ids that publishers of Markdown give to headings.

use super::address;
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Letters of a heading that its id is made of.
const LONGEST: usize = 256;

/// A publisher's rule for ids of headings that the author gave none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum HeadingIds {
    /// Lower case, white space as hyphens, letters, digits, `-` and `_` kept; repeats get `-1`, `-2`: GitHub, Docusaurus, Hugo, mdBook, Starlight, Nextra.
    #[default]
    GitHub,
    /// As GitHub's, but a heading without letters is called `heading`: Hugo.
    Hugo,
    /// As GitHub's, but only ASCII letters are made small: mdBook.
    MdBook,
    /// Runs of punctuation and space as one hyphen, marks dropped, `_` before a digit at the beginning; repeats get `-1`: VitePress.
    VitePress,
    /// Of ASCII letters alone, runs of space and hyphens as one hyphen; repeats get `_1`: Python-Markdown, for MkDocs.
    PythonMarkdown,
    /// As GitHub's, one hyphen a space; repeats get `_1`: the slugs of PyMdown Extensions, which MkDocs may be told to use.
    PyMdown,
    /// ASCII letters and digits, all else as one hyphen; of repeats nobody can tell: docutils, for Markdown in Sphinx.
    Docutils,
    /// Letters and digits, all else as one hyphen: the id plug-in of Eleventy.
    Eleventy,
    /// Headings have no ids.
    None,
}

/// Gives out the heading ids of one page.
#[derive(Default)]
pub(crate) struct Slugs {
    rule: HeadingIds,
    used: HashMap<String, u32>,
    /// The last numbers that [`Slugs::counted_up`] gave.
    counted: HashMap<String, u32>,
}

impl Slugs {
    /// By this rule.
    pub fn new(rule: HeadingIds) -> Self {
        Slugs { rule, ..Slugs::default() }
    }

    /// The id of the page's next heading, from its text; `None` where it has none, or none that can be told.
    pub fn of_heading(&mut self, text: &str) -> Option<String> {
        let text = text.trim().get(..text.trim().char_indices().nth(LONGEST).map_or(text.trim().len(), |(i, _)| i)).unwrap_or("");
        let slug = match self.rule {
            HeadingIds::None => return None,
            HeadingIds::GitHub | HeadingIds::PyMdown => github(text, char::to_lowercase),
            HeadingIds::Hugo => Some(github(text, char::to_lowercase)).filter(|s| !s.is_empty()).unwrap_or_else(|| "heading".to_owned()),
            HeadingIds::MdBook => github(text, |c| c.to_ascii_lowercase().to_string().chars().collect::<Vec<_>>().into_iter()),
            HeadingIds::VitePress => vitepress(text),
            HeadingIds::PythonMarkdown => python_markdown(text),
            HeadingIds::Docutils => parted(text, false),
            HeadingIds::Eleventy => parted(text, true),
        };
        match self.rule {
            HeadingIds::PythonMarkdown | HeadingIds::PyMdown => Some(self.counted_up(slug)),
            HeadingIds::Docutils if slug.is_empty() || self.used.contains_key(&slug) => None,
            _ if slug.is_empty() => None,
            _ => Some(self.numbered(slug)),
        }
    }

    /// `notes`, `notes-1`, `notes-2`.
    fn numbered(&mut self, slug: String) -> String {
        let mut n = self.used.get(&slug).copied().unwrap_or(0);
        let mut unique = if n == 0 { slug.clone() } else { format!("{slug}-{n}") };
        // A heading may be called "Notes-1" too.
        while n > 0 && self.used.contains_key(&unique) {
            n += 1;
            unique = format!("{slug}-{n}");
        }
        self.used.insert(slug, n + 1);
        self.used.entry(unique.clone()).or_insert(1);
        unique
    }

    /// `notes`, `notes_1`, `notes_2`; `x_1` is followed by `x_2`, and a heading without letters is `_1`.
    fn counted_up(&mut self, slug: String) -> String {
        let (stem, mut n) = match slug.rsplit_once('_') {
            Some((stem, n)) if !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => (stem.to_owned(), n.parse::<u32>().unwrap_or(0)),
            _ => (slug.clone(), 0),
        };
        let mut unique = slug;
        if unique.is_empty() || self.used.contains_key(&unique) {
            // Where the last number is known, those before it are not tried again.
            n = n.max(self.counted.get(&stem).copied().unwrap_or(0));
            loop {
                n = n.saturating_add(1);
                unique = format!("{stem}_{n}");
                if !self.used.contains_key(&unique) {
                    break;
                }
            }
            self.counted.insert(stem, n);
        }
        self.used.insert(unique.clone(), 1);
        unique
    }

    /// An id that the author gave.
    pub fn explicit(&mut self, id: &str) -> Option<String> {
        let id = address::fragment(id)?;
        self.used.entry(id.clone()).or_insert(1);
        Some(id)
    }
}

fn github<L: Iterator<Item = char>>(text: &str, lower: impl Fn(char) -> L) -> String {
    let mut slug = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '-' | '_' => slug.push(c),
            c if c.is_alphanumeric() || is_combining_mark(c) => slug.extend(lower(c)),
            c if c.is_whitespace() => slug.push('-'),
            _ => {}
        }
    }
    slug
}

fn vitepress(text: &str) -> String {
    let mut slug = String::with_capacity(text.len() + 1);
    for c in text.nfkd().filter(|c| !('\u{300}'..='\u{36f}').contains(c) && !('\0'..='\u{1f}').contains(c)) {
        let parts = c.is_whitespace() || c.is_ascii_punctuation() || "“”‘’".contains(c);
        match parts {
            true if slug.is_empty() || slug.ends_with('-') => {}
            true => slug.push('-'),
            false => {
                if slug.is_empty() && c.is_ascii_digit() {
                    slug.push('_');
                }
                slug.extend(c.to_lowercase());
            }
        }
    }
    slug.trim_end_matches('-').to_owned()
}

fn python_markdown(text: &str) -> String {
    let kept: String = text.nfkd().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-') || c.is_ascii_whitespace()).collect();
    let mut slug = String::with_capacity(kept.len());
    for c in kept.trim().chars() {
        match c {
            '-' | ' ' | '\t' | '\n' | '\r' if slug.ends_with('-') => {}
            '-' | ' ' | '\t' | '\n' | '\r' => slug.push('-'),
            c => slug.push(c.to_ascii_lowercase()),
        }
    }
    slug
}

/// Letters and digits in lower case, all else as one hyphen; an id of docutils does not begin with a digit.
fn parted(text: &str, digits_first: bool) -> String {
    let mut slug = String::with_capacity(text.len());
    for c in text.nfkd().filter(|&c| !is_combining_mark(c)) {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_lowercase() || c.is_ascii_digit() && (digits_first || !slug.is_empty()) => slug.push(c),
            c if !c.is_ascii() && !digits_first => {}
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{HeadingIds, Slugs};
    use proptest::prelude::*;

    fn ids<const N: usize>(rule: HeadingIds, headings: [&str; N]) -> [String; N] {
        let mut slugs = Slugs::new(rule);
        headings.map(|h| slugs.of_heading(h).unwrap_or_default())
    }

    #[test]
    fn slugs_are_those_of_the_publishers_and_never_repeat() {
        let given = ["The `match` Control Flow!", "Größe & 東京", "Notes", "Notes", "Notes-1", "Notes", "?!"];
        assert_eq!(
            ids(HeadingIds::GitHub, given),
            ["the-match-control-flow", "größe--東京", "notes", "notes-1", "notes-1-1", "notes-2", ""]
        );
        assert_eq!(ids(HeadingIds::Hugo, ["?!", "!"]), ["heading", "heading-1"]);
        assert_eq!(ids(HeadingIds::MdBook, ["Über Alles"]), ["Über-alles"]);
        assert_eq!(ids(HeadingIds::None, ["A"]), [""]);
    }

    #[test]
    fn vitepress_parts_words_at_every_sign_and_no_id_begins_with_a_digit() {
        assert_eq!(
            ids(
                HeadingIds::VitePress,
                ["server.port", "431 Header Too Large", "What's new?", "Café «x»", "v1.0.3", "server.port", "(a) — b"]
            ),
            ["server-port", "_431-header-too-large", "what-s-new", "cafe-«x»", "v1-0-3", "server-port-1", "a-—-b"]
        );
    }

    #[test]
    fn python_markdown_counts_with_underscores() {
        assert_eq!(
            ids(HeadingIds::PythonMarkdown, ["Docs", "Breaking - changes & more", "Docs", "Docs", "東京", "x_1", "x_1", "Größe"]),
            ["docs", "breaking-changes-more", "docs_1", "docs_2", "_1", "x_1", "x_2", "groe"]
        );
        assert_eq!(ids(HeadingIds::PyMdown, ["A & b", "Größe", "A & b"]), ["a--b", "größe", "a--b_1"]);
    }

    #[test]
    fn docutils_gives_no_id_that_cannot_be_told() {
        assert_eq!(ids(HeadingIds::Docutils, ["1. Über x_y", "Notes", "Notes"]), ["uber-x-y", "notes", ""]);
        assert_eq!(ids(HeadingIds::Eleventy, ["1. Über x_y"]), ["1-uber-x-y"]);
    }

    proptest! {
        #[test]
        fn no_id_is_given_twice(headings in prop::collection::vec("[aAb_1 .-]{0,4}", 0..12), which in 0usize..7) {
            use HeadingIds::*;
            let rule = [GitHub, Hugo, MdBook, VitePress, PythonMarkdown, PyMdown, Docutils][which];
            let mut slugs = Slugs::new(rule);
            let given: Vec<String> = headings.iter().filter_map(|h| slugs.of_heading(h)).collect();
            let mut distinct = given.clone();
            distinct.sort();
            distinct.dedup();
            prop_assert_eq!(distinct.len(), given.len(), "{:?}", given);
        }
    }
}
