//! The ids that publishers of Markdown give to headings.

use super::address;
use std::collections::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Letters of a heading that its id is made of.
const LONGEST: usize = 256;

/// A publisher's rule for ids of headings that the author gave none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum HeadingIds {
    /// Lower case, white space as hyphens, letters, digits, `-` and `_` kept; repeats get `-1`, `-2`: GitHub.
    #[default]
    GitHub,
    /// As GitHub's, but headings of level 1 have no id, and ids that authors gave are not counted:
    /// Docusaurus, Nextra.
    Docusaurus,
    /// As GitHub's, of text with typographer's signs; each text is counted for itself, so that ids may come
    /// twice: kramdown, for Jekyll.
    Kramdown,
    /// As GitHub's, of text with typographer's signs: Starlight.
    Starlight,
    /// As GitHub's, but a heading without letters is called `heading`: Hugo.
    Hugo,
    /// As GitHub's, of text with typographer's signs and without images; ids that authors gave are not
    /// counted: mdBook from version 0.5 on.
    MdBook,
    /// Runs of punctuation and space as one hyphen, marks dropped, `_` before a digit at the beginning;
    /// repeats get `-1`: VitePress.
    VitePress,
    /// ASCII letters only, runs of space and hyphens as one hyphen; repeats get `_1`: Python-Markdown, for
    /// MkDocs.
    PythonMarkdown,
    /// As GitHub's, one hyphen a space; repeats get `_1`: the slugs of PyMdown Extensions, which MkDocs may
    /// be told to use.
    PyMdown,
    /// ASCII letters and digits, all else as one hyphen; repeats and headings without letters are `id1`,
    /// `id2`: docutils, for Sphinx.
    Docutils,
    /// Letters and digits, umlauts and ligatures spelt out, all else as one hyphen; repeats get `-2`,
    /// whatever else is called so: the id plug-in of Eleventy.
    Eleventy,
    /// Headings have no ids.
    None,
}

impl HeadingIds {
    /// Returns true if ids are made of text with a typographer's hyphens, quotes and dots.
    pub fn are_of_smart_text(self) -> bool {
        matches!(self, HeadingIds::Hugo | HeadingIds::Kramdown | HeadingIds::MdBook | HeadingIds::Starlight)
    }

    /// Returns true if the description of an image in a heading is part of its id.
    pub fn have_images(self) -> bool {
        !matches!(
            self,
            HeadingIds::MdBook | HeadingIds::PythonMarkdown | HeadingIds::PyMdown | HeadingIds::Docutils
        )
    }

    /// Returns true if the number of a footnote in a heading is part of its id.
    pub fn have_footnotes(self) -> bool {
        self == HeadingIds::MdBook
    }

    /// Returns true if a reference to a character stays as it is written.
    pub fn keep_references(self) -> bool {
        self == HeadingIds::VitePress
    }

    /// Returns true if `:name:` is a picture, which is no part of an id.
    pub fn drop_emoji(self) -> bool {
        self == HeadingIds::VitePress
    }

    /// Returns true if `{#id}` after a heading is an id and no text.
    pub fn can_be_given(self) -> bool {
        !matches!(self, HeadingIds::Starlight | HeadingIds::Docutils)
    }

    /// Returns true if headings that are written in HTML get ids, too.
    pub fn are_given_to_html(self) -> bool {
        matches!(self, HeadingIds::GitHub | HeadingIds::Starlight | HeadingIds::Eleventy)
    }

    /// Returns true if a heading of this level has an id.
    pub fn has_level(self, level: u8) -> bool {
        self != HeadingIds::Docusaurus || level > 1
    }

    /// Returns true if a heading has to begin at its box's or item's edge: Python-Markdown takes others for
    /// text.
    pub fn need_an_edge(self) -> bool {
        matches!(self, HeadingIds::PythonMarkdown | HeadingIds::PyMdown)
    }

    /// Returns true if made ids ignore those that authors gave, and may be equal to them.
    fn pass_over_given(self) -> bool {
        matches!(self, HeadingIds::Docusaurus | HeadingIds::Kramdown | HeadingIds::MdBook)
    }
}

/// Gives out the heading ids of one page.
#[derive(Default)]
pub struct Slugs {
    rule: HeadingIds,
    used: HashMap<String, u32>,
    /// The last numbers that [`Slugs::counted_up`] gave.
    counted: HashMap<String, u32>,
    /// Ids that the author gave, where others are made without heeding them.
    given: HashSet<String>,
    /// For docutils: the number of headings that got a number, and true if something else on the page may
    /// have one.
    numbers: u32,
    uncertain: bool,
}

impl Slugs {
    pub(crate) fn new(rule: HeadingIds) -> Self {
        Slugs { rule, ..Slugs::default() }
    }

    /// The id of the page's next heading, from its text; `None` where it has none, or none that can be told.
    pub fn of_heading(&mut self, text: &str) -> Option<String> {
        let text = text
            .trim()
            .get(..text.trim().char_indices().nth(LONGEST).map_or(text.trim().len(), |(i, _)| i))
            .unwrap_or("");
        let slug = match self.rule {
            HeadingIds::None => return None,
            HeadingIds::Hugo => {
                Some(github(text)).filter(|s| !s.is_empty()).unwrap_or_else(|| "heading".to_owned())
            }
            HeadingIds::GitHub
            | HeadingIds::PyMdown
            | HeadingIds::MdBook
            | HeadingIds::Docusaurus
            | HeadingIds::Kramdown
            | HeadingIds::Starlight => github(text),
            HeadingIds::VitePress => vitepress(text),
            HeadingIds::PythonMarkdown => python_markdown(text),
            HeadingIds::Docutils => docutils(text),
            HeadingIds::Eleventy => {
                let spelt = without_ligatures(text);
                hyphenated(spelt.nfkd().filter(|&c| !is_combining_mark(c)).map(|c| c.to_ascii_lowercase()))
            }
        };
        match self.rule {
            HeadingIds::PythonMarkdown | HeadingIds::PyMdown => Some(self.counted_up(slug)),
            HeadingIds::Docutils => self.id_of_docutils(slug),
            HeadingIds::Kramdown => self.counted_alone(slug, 0),
            // Letters of other scripts are spelt by tables of its own.
            HeadingIds::Eleventy
                if text.chars().any(|c| c.is_alphabetic() && ('\u{370}'..'\u{2e80}').contains(&c)) =>
            {
                None
            }
            HeadingIds::Eleventy => self.counted_alone(slug, 1),
            _ if slug.is_empty() => None,
            _ => Some(self.numbered(slug)).filter(|id| !self.given.contains(id)),
        }
    }

    /// Says that something else on the page may get the next of the numbers that headings get from docutils:
    /// footnotes do.
    pub fn numbers_are_uncertain(&mut self) {
        self.uncertain = true;
    }

    /// The id itself, else the next of `id1`, `id2` that is free.
    fn id_of_docutils(&mut self, slug: String) -> Option<String> {
        if !slug.is_empty() && !self.used.contains_key(&slug) {
            self.used.insert(slug.clone(), 1);
            return Some(slug);
        }
        loop {
            self.numbers += 1;
            let numbered = format!("id{}", self.numbers);
            if !self.used.contains_key(&numbered) {
                self.used.insert(numbered.clone(), 1);
                return Some(numbered).filter(|_| !self.uncertain);
            }
        }
    }

    /// `notes`, then with the number of those before it and `more`, whatever else is called so; `None` for an
    /// id that another heading has already.
    fn counted_alone(&mut self, slug: String, more: u32) -> Option<String> {
        let n = self.used.entry(slug.clone()).or_insert(0);
        let id = if *n == 0 || slug.is_empty() { slug } else { format!("{slug}-{}", *n + more) };
        *n += 1;
        Some(id).filter(|id| !id.is_empty() && self.given.insert(id.clone()))
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
            Some((stem, n)) if !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => {
                (stem.to_owned(), n.parse::<u32>().unwrap_or(0))
            }
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
        if self.rule.pass_over_given() {
            self.given.insert(id.clone());
        } else {
            self.used.entry(id.clone()).or_insert(1);
        }
        Some(id)
    }
}

fn github(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '-' | '_' => slug.push(c),
            c if c.is_alphanumeric() || is_combining_mark(c) => slug.extend(c.to_lowercase()),
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
    let kept: String = text
        .nfkd()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-') || c.is_ascii_whitespace())
        .collect();
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

/// A text with umlauts and ligatures spelt out, and without the apostrophe of `it's` and `can't`.
fn without_ligatures(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str(" and "),
            'ä' | 'æ' | 'Ä' | 'Æ' => out.push_str("ae"),
            'ö' | 'œ' | 'Ö' | 'Œ' => out.push_str("oe"),
            'ü' | 'Ü' => out.push_str("ue"),
            'ß' | 'ẞ' => out.push_str("ss"),
            'ø' | 'Ø' => out.push('o'),
            'đ' | 'Đ' => out.push('d'),
            'ł' | 'Ł' => out.push('l'),
            '\'' | '’' if matches!(chars.peek(), Some('s' | 't')) => {
                let mut ahead = chars.clone().skip(1);
                if ahead.next().is_some_and(|c| !c.is_whitespace()) {
                    out.push(c);
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// Small ASCII letters and digits, all else as one hyphen between them.
fn hyphenated(text: impl Iterator<Item = char>) -> String {
    let mut slug = String::new();
    for c in text {
        match c {
            'a'..='z' | '0'..='9' => slug.push(c),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// Returns docutils' id of a title: its ASCII letters and digits, other letters spelt out, and one hyphen for
/// a run of anything else. No id begins with a digit.
fn docutils(text: &str) -> String {
    let spelt: String = text
        .to_lowercase()
        .chars()
        .map(|c| spelt_out(c).map_or_else(|| c.to_string(), str::to_owned))
        .collect();
    hyphenated(spelt.nfkd().filter(char::is_ascii).skip_while(|c| !c.is_ascii_lowercase()))
}

/// Letters that do not come apart into one of ASCII and a mark, as docutils (`nodes.make_id`) spells them.
fn spelt_out(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "sz",
        'æ' => "ae",
        'œ' => "oe",
        'ȸ' => "db",
        'ȹ' => "qp",
        'ø' | 'ɵ' => "o",
        'đ' | 'ɖ' | 'ɗ' | 'ƌ' | 'ȡ' => "d",
        'ħ' => "h",
        'ı' | 'ɨ' => "i",
        'ł' | 'ƚ' | 'ȴ' => "l",
        'ŧ' | 'ƫ' | 'ƭ' | 'ȶ' => "t",
        'ƀ' | 'ƃ' => "b",
        'ƈ' | 'ȼ' => "c",
        'ƒ' => "f",
        'ƙ' => "k",
        'ƞ' | 'ȵ' => "n",
        'ƥ' => "p",
        'ƴ' | 'ɏ' => "y",
        'ƶ' | 'ȥ' => "z",
        'ǥ' => "g",
        'ȷ' | 'ɉ' => "j",
        'ȿ' => "s",
        'ɇ' => "e",
        'ɋ' => "q",
        'ɍ' => "r",
        _ => return None,
    })
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
        assert_eq!(ids(HeadingIds::MdBook, ["Über Alles"]), ["über-alles"]);
        assert_eq!(ids(HeadingIds::None, ["A"]), [""]);
    }

    #[test]
    fn vitepress_parts_words_at_every_sign_and_no_id_begins_with_a_digit() {
        assert_eq!(
            ids(
                HeadingIds::VitePress,
                [
                    "server.port",
                    "431 Header Too Large",
                    "What's new?",
                    "Café «x»",
                    "v1.0.3",
                    "server.port",
                    "(a) — b"
                ]
            ),
            [
                "server-port",
                "_431-header-too-large",
                "what-s-new",
                "cafe-«x»",
                "v1-0-3",
                "server-port-1",
                "a-—-b"
            ]
        );
    }

    #[test]
    fn python_markdown_counts_with_underscores() {
        assert_eq!(
            ids(
                HeadingIds::PythonMarkdown,
                ["Docs", "Breaking - changes & more", "Docs", "Docs", "東京", "x_1", "x_1", "Größe"]
            ),
            ["docs", "breaking-changes-more", "docs_1", "docs_2", "_1", "x_1", "x_2", "groe"]
        );
        assert_eq!(ids(HeadingIds::PyMdown, ["A & b", "Größe", "A & b"]), ["a--b", "größe", "a--b_1"]);
    }

    #[test]
    fn an_id_that_the_author_gave_is_not_another_headings() {
        for (rule, next) in [(HeadingIds::GitHub, Some("a-1")), (HeadingIds::Docusaurus, None)] {
            let mut slugs = Slugs::new(rule);
            assert_eq!(slugs.explicit("a").as_deref(), Some("a"));
            assert_eq!(slugs.of_heading("a").as_deref(), next);
        }
    }

    #[test]
    fn docutils_numbers_repeats_over_the_page_while_nothing_else_may_be_numbered() {
        assert_eq!(
            ids(
                HeadingIds::Docutils,
                ["1. Über x_y", "Notes", "Notes", "東京", "Straße Łódź", "id4", "Notes", "Notes"]
            ),
            ["uber-x-y", "notes", "id1", "id2", "strasze-lodz", "id4", "id3", "id5"]
        );
        let mut slugs = Slugs::new(HeadingIds::Docutils);
        slugs.numbers_are_uncertain();
        assert_eq!(["A", "A"].map(|h| slugs.of_heading(h)), [Some("a".to_owned()), None]);
        assert_eq!(ids(HeadingIds::Eleventy, ["1. Über x_y"]), ["1-ueber-x-y"]);
    }

    proptest! {
        #[test]
        fn no_id_is_given_twice(
            headings in prop::collection::vec("[aAb_1 .-]{0,4}", 0..12),
            which in 0usize..9,
        ) {
            use HeadingIds::*;
            let rule =
                [GitHub, Hugo, MdBook, VitePress, PythonMarkdown, PyMdown, Docutils, Docusaurus, Starlight]
                    [which];
            let mut slugs = Slugs::new(rule);
            let given: Vec<String> = headings.iter().filter_map(|h| slugs.of_heading(h)).collect();
            let mut distinct = given.clone();
            distinct.sort();
            distinct.dedup();
            prop_assert_eq!(distinct.len(), given.len(), "{:?}", given);
        }
    }
}
