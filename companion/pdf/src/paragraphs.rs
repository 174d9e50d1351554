//! Lines to paragraphs, headings, items and code, over all pages of a document.

use super::lines::Sizes;
use super::order::Placed;
use super::{Kind, Part};
use std::collections::{HashMap, HashSet};

/// Longest heading, in characters.
const LONGEST_HEADING: usize = 200;

/// Number of distinct sizes of headings.
const MOST_LEVELS: usize = 4;

/// Signs before the items of a list.
const BULLETS: [char; 10] = ['•', '◦', '▪', '‣', '●', '○', '■', '–', '·', '∙'];

/// A paragraph that is being put together.
struct Open {
    lines: Vec<Placed>,
    page: usize,
}

/// Builds the text of a document's pages.
pub(super) fn build_parts(mut pages: Vec<Vec<Placed>>) -> Vec<Part> {
    leave_out_repeated(&mut pages);
    pages.iter_mut().for_each(leave_out_contents);
    let style = Style::of(&pages);
    let mut parts = Vec::new();
    let mut open: Option<Open> = None;
    for (page, lines) in pages.into_iter().enumerate() {
        for line in lines {
            let goes_on = open
                .as_ref()
                .and_then(|o| o.lines.last())
                .is_some_and(|last| style.goes_on(last, &line, open.as_ref()));
            match &mut open {
                Some(paragraph) if goes_on => paragraph.lines.push(line),
                _ => {
                    parts.extend(
                        open.replace(Open { lines: vec![line], page: page + 1 }).and_then(|o| style.part(o)),
                    );
                }
            }
        }
    }
    parts.extend(open.and_then(|o| style.part(o)));
    parts
}

/// Leaves out page numbers and repeated lines at the top or bottom that are apart from the text.
fn leave_out_repeated(pages: &mut [Vec<Placed>]) {
    let mut seen: HashMap<(String, bool), usize> = HashMap::new();
    for lines in pages.iter() {
        for (at, top) in edge_lines(lines) {
            if let Some(line) = lines.get(at) {
                *seen.entry((without_numbers(&line.line.text), top)).or_default() += 1;
            }
        }
    }
    let several = pages.len() > 1;
    for lines in pages.iter_mut() {
        // Twice, since a number may be below a repeated line.
        for _ in 0..2 {
            let gone: Vec<usize> = edge_lines(lines)
                .into_iter()
                .filter(|&(at, top)| {
                    let text = lines.get(at).map_or("", |l| l.line.text.as_str());
                    let again = seen.get(&(without_numbers(text), top)).is_some_and(|&n| n >= 3);
                    several && (again || is_number(text))
                })
                .map(|(at, _)| at)
                .collect();
            let mut at = 0;
            lines.retain(|_| {
                at += 1;
                !gone.contains(&(at - 1))
            });
        }
    }
}

/// Leaves out the lines of a table of contents: titles that occur again at their targets.
fn leave_out_contents(lines: &mut Vec<Placed>) {
    const FEWEST: usize = 3;
    let dotted = lines.iter().filter(|l| has_leader(&l.line.text)).count();
    if dotted >= FEWEST {
        let numbered = |text: &str| text.rsplit_once("  ").is_some_and(|(_, last)| is_number(last));
        lines.retain(|l| !has_leader(&l.line.text) && !numbered(&l.line.text));
    }
}

/// Returns true if a line has a row of dots before its end.
fn has_leader(text: &str) -> bool {
    const FEWEST: usize = 4;
    let body = text.trim_end_matches(|c: char| c.is_alphanumeric() || c.is_whitespace());
    let dots = body
        .chars()
        .rev()
        .filter(|c| !c.is_whitespace())
        .take_while(|c| matches!(c, '.' | '·' | '…' | '_'))
        .count();
    dots >= FEWEST && text.len() - body.len() < 12
}

/// Returns the indexes of a page's highest and lowest line if they are apart, with true for the highest.
fn edge_lines(lines: &[Placed]) -> Vec<(usize, bool)> {
    let by_height = |a: &(usize, &Placed), b: &(usize, &Placed)| a.1.line.y.total_cmp(&b.1.line.y);
    let top = lines.iter().enumerate().max_by(by_height).map(|(i, _)| (i, true));
    let bottom = lines.iter().enumerate().min_by(by_height).map(|(i, _)| (i, false));
    let both = top.into_iter().chain(bottom.filter(|b| top.is_none_or(|t| t.0 != b.0)));
    let apart = |&(at, _): &(usize, bool)| {
        let Some(own) = lines.get(at).map(|l| &l.line) else { return false };
        let others =
            lines.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, l)| (l.line.y - own.y).abs());
        others.fold(f64::MAX, f64::min) > 1.6 * own.size
    };
    both.filter(apart).collect()
}

/// A text in which all numbers are the same.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            c if c.is_ascii_digit() && out.ends_with('#') => {}
            c if c.is_ascii_digit() => out.push('#'),
            c => out.push(c),
        }
    }
    out
}

/// Returns true if a line is nothing but the number of a page.
fn is_number(text: &str) -> bool {
    let inner = text.trim_matches(|c: char| !c.is_alphanumeric());
    let inner = inner.strip_prefix("Page ").unwrap_or(inner);
    !inner.is_empty()
        && inner.len() < 8
        && (inner.chars().all(|c| c.is_ascii_digit())
            || inner.chars().all(|c| "ivxlc".contains(c.to_ascii_lowercase())))
}

struct Style {
    /// The size of its running text.
    body: f64,
    /// The sizes of its headings, the largest first.
    headings: Vec<f64>,
    /// True if so little is bold that bold lines are headings.
    bold_is_distinct: bool,
    /// The usual distance of lines, in sizes.
    leading: f64,
    /// Words with a hyphen inside a line.
    hyphenated: HashSet<String>,
}

impl Style {
    fn of(pages: &[Vec<Placed>]) -> Style {
        let lines = || pages.iter().flatten();
        let (mut sizes, mut bold, mut all) = (Sizes::default(), 0, 0);
        for placed in lines() {
            let letters = placed.line.letters();
            sizes.add_all(placed.line.size, letters);
            all += letters;
            bold += if placed.line.look.bold { letters } else { 0 };
        }
        let body = sizes.most();
        let mut large: Vec<f64> = Vec::new();
        for placed in
            lines().filter(|p| p.line.size > 1.12 * body && !p.line.look.fixed && p.line.letters() > 2)
        {
            if !large.iter().any(|s| (s - placed.line.size).abs() < 0.06 * placed.line.size) {
                large.push(placed.line.size);
            }
        }
        large.sort_by(|a, b| b.total_cmp(a));
        let mut gaps: Vec<f64> = pages
            .iter()
            .flat_map(|page| page.windows(2))
            .filter_map(|pair| {
                let [a, b] = pair else { return None };
                let near = a.column == b.column
                    && (a.line.size - body).abs() < 0.5
                    && (b.line.size - body).abs() < 0.5;
                near.then(|| (a.line.y - b.line.y) / body).filter(|g| (0.8..2.5).contains(g))
            })
            .collect();
        gaps.sort_by(f64::total_cmp);
        let leading = gaps.get(gaps.len() / 3).copied().unwrap_or(1.2);
        let words = lines().flat_map(|p| p.line.text.split_whitespace());
        let hyphenated =
            words.filter_map(inner_word).filter(|w| w.contains('-')).map(str::to_lowercase).collect();
        Style { body, headings: large, bold_is_distinct: bold * 5 < all, leading, hyphenated }
    }

    /// The level of a heading, if a line is set as one.
    fn level(&self, placed: &Placed) -> Option<u8> {
        let line = &placed.line;
        if line.look.fixed {
            return None;
        }
        if line.size > 1.12 * self.body {
            let rank = self.headings.iter().position(|s| (s - line.size).abs() < 0.06 * line.size)?;
            return Some(rank.min(MOST_LEVELS - 1) as u8 + 1);
        }
        let bold = self.bold_is_distinct && line.look.bold && line.size > 0.95 * self.body;
        bold.then(|| self.headings.len().min(MOST_LEVELS) as u8 + 1)
    }

    /// Returns true if a line belongs to the paragraph of the line before it.
    fn goes_on(&self, last: &Placed, next: &Placed, open: Option<&Open>) -> bool {
        let (a, b) = (&last.line, &next.line);
        if (a.size - b.size).abs() > 0.12 * a.size.max(b.size)
            || a.look.fixed != b.look.fixed
            || self.level(last) != self.level(next)
        {
            return false;
        }
        if starts_item(&b.text) {
            return false;
        }
        let ended = a.text.ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '：']);
        if last.column != next.column || b.y >= a.y {
            // Another column or page.
            let lower = b
                .text
                .chars()
                .next()
                .is_some_and(|c| c.is_lowercase() || c.is_alphabetic() && !c.is_uppercase());
            return !a.look.fixed && self.level(last).is_none() && !ended && lower;
        }
        let size = a.size.max(b.size);
        let gap = (a.y - b.y) / size;
        if a.look.fixed {
            return gap < 2.6;
        }
        if gap > self.leading * 1.28 + 0.05 {
            return false;
        }
        if self.level(last).is_some() {
            return true;
        }
        let listed = open.and_then(|o| o.lines.first()).is_some_and(|l| starts_item(&l.line.text));
        let first = open.is_some_and(|o| o.lines.len() == 1);
        let indent = b.left - a.left;
        // The lines of an item are below its text, those of a paragraph below each other except the first.
        let moved_in = indent > 0.9 * size && !(first && listed);
        let moved_out = indent < -0.9 * size && (listed || !first);
        let short = a.right < last.right - 0.18 * (last.right - last.left);
        !(moved_in
            || moved_out && (ended || short)
            || short && ended && !listed && (indent.abs() > 0.5 * size || first || starts_upper(&b.text)))
    }

    fn part(&self, open: Open) -> Option<Part> {
        let first = open.lines.first()?;
        let page = open.page;
        if open.lines.iter().all(|l| l.line.look.fixed) {
            let text = join_code(&open.lines);
            // A word alone in such letters is one of the text.
            let kind = if open.lines.len() > 1 || text.contains(' ') { Kind::Code } else { Kind::Paragraph };
            return Some(Part { kind, page, text });
        }
        let text = self.joined(&open.lines);
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        let level = self
            .level(first)
            .filter(|_| letters > 1 && text.chars().count() <= LONGEST_HEADING && open.lines.len() < 5);
        let bold = first.line.size <= 1.12 * self.body;
        let level = level.filter(|_| {
            !bold
                || open.lines.len() < 3
                    && text.len() < 120
                    && !text.ends_with(['.', ',', ';', ':'])
                    && !starts_item(&text)
        });
        let kind = match level {
            Some(level) => Kind::Heading(level),
            None if starts_item(&text) => Kind::Item,
            None => Kind::Paragraph,
        };
        let text =
            if kind == Kind::Item { text.trim_start_matches(BULLETS).trim_start().to_owned() } else { text };
        (!text.is_empty()).then_some(Part { kind, page, text })
    }

    /// The lines of a paragraph as running text.
    fn joined(&self, lines: &[Placed]) -> String {
        let mut out = String::new();
        for placed in lines {
            let next = placed.line.text.as_str();
            let before = out.strip_suffix(['-', '\u{ad}', '‐']).unwrap_or("");
            let upper = before.ends_with(char::is_uppercase);
            let broken = before.ends_with(char::is_alphabetic)
                && next.starts_with(if upper { char::is_uppercase } else { char::is_lowercase });
            if broken {
                let head = out.rsplit(char::is_whitespace).next().and_then(inner_word).unwrap_or("");
                let tail = next.split_whitespace().next().and_then(inner_word).unwrap_or("");
                let whole = format!("{}-{tail}", head.trim_end_matches('-')).to_lowercase();
                if !self.hyphenated.contains(&whole) || out.ends_with('\u{ad}') {
                    out.pop();
                }
            } else if !out.is_empty() && !joins_up(&out, next) {
                out.push(' ');
            }
            out.push_str(next);
        }
        out.replace('\u{ad}', "")
    }
}

/// Returns true if no space is due between two lines, in a script without spaces.
fn joins_up(before: &str, next: &str) -> bool {
    let wide =
        |c: char| matches!(c, '\u{3000}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}');
    before.chars().next_back().is_some_and(wide) && next.chars().next().is_some_and(wide)
}

fn inner_word(word: &str) -> Option<&str> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
    (!word.is_empty()).then_some(word)
}

fn starts_item(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| BULLETS.contains(&c)) && chars.next().is_some_and(char::is_whitespace)
}

fn starts_upper(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_uppercase() || c.is_numeric())
}

/// Lines of code, each as far from the left as it is shown.
fn join_code(lines: &[Placed]) -> String {
    let left = lines.iter().map(|l| l.line.left).fold(f64::MAX, f64::min);
    let mut out = String::new();
    let mut above: Option<&Placed> = None;
    for placed in lines {
        let line = &placed.line;
        let width = (line.right - line.left) / line.text.chars().count().max(1) as f64;
        let indent =
            if width > 0.0 { ((line.left - left) / width).round().clamp(0.0, 120.0) as usize } else { 0 };
        if let Some(above) = above {
            out.push('\n');
            if above.line.y - line.y > 1.7 * line.size {
                out.push('\n');
            }
        }
        out.extend(std::iter::repeat_n(' ', indent));
        out.push_str(&line.text);
        above = Some(placed);
    }
    out
}
