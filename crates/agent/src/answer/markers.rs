//! Finding citation marks in a growing text: `[1]`, `[1, 3]`, `[2-4]`, `[^1]`, and the brackets of other scripts, `【1】` and `［1］`.

use std::ops::Range;

/// A bracket of citations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// Its byte range in the text, brackets included.
    pub at: Range<usize>,
    /// The numbers it cites, in order; ranges are written out. A number beyond `u32` is the largest `u32`.
    pub numbers: Vec<u32>,
}

/// A bracket longer than this is no citation.
const MAX_INSIDE: usize = 64;
/// A range of more numbers than this stands for its two ends alone.
const MAX_RANGE: u32 = 32;

/// Reads a text piece by piece and gives each mark when its bracket closes. Any cutting of a text gives the same marks.
///
/// Marks inside code (between backticks, until the end of the line at most, or in fenced blocks) are left alone: `a[0]` there is an index.
#[derive(Debug, Clone, Default)]
pub struct MarkerScanner {
    /// Bytes read so far.
    length: usize,
    /// An open bracket: where it starts, and what stands inside so far.
    inside: Option<(usize, String)>,
    /// Backticks in a row just now, and whether they began the line.
    ticks: usize,
    ticks_at_line_start: bool,
    /// Only white space on this line so far.
    line_start: bool,
    started: bool,
    code: Code,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Code {
    #[default]
    None,
    /// Opened by so many backticks on this line.
    Inline(usize),
    /// Between fences of at least so many backticks.
    Fenced(usize),
}

impl MarkerScanner {
    /// A scanner at the beginning of a text.
    pub fn new() -> MarkerScanner {
        MarkerScanner::default()
    }

    /// Reads on, and gives the marks that this piece completes.
    pub fn push(&mut self, piece: &str) -> Vec<Marker> {
        let mut out = Vec::new();
        if !self.started {
            (self.started, self.line_start) = (true, true);
        }
        for c in piece.chars() {
            let at = self.length;
            self.length += c.len_utf8();
            if c == '`' {
                if self.ticks == 0 {
                    self.ticks_at_line_start = self.line_start;
                }
                (self.ticks, self.line_start, self.inside) = (self.ticks + 1, false, None);
                continue;
            }
            self.end_ticks();
            if c == '\n' {
                if matches!(self.code, Code::Inline(_)) {
                    self.code = Code::None;
                }
                (self.line_start, self.inside) = (true, None);
                continue;
            }
            self.line_start &= c.is_whitespace();
            if self.code != Code::None {
                continue;
            }
            match c {
                '[' | '【' | '［' => self.inside = Some((at, String::new())),
                ']' | '】' | '］' => {
                    if let Some((start, inside)) = self.inside.take()
                        && let Some(numbers) = numbers(&inside)
                    {
                        out.push(Marker { at: start..self.length, numbers });
                    }
                }
                c => {
                    if let Some((_, inside)) = &mut self.inside {
                        inside.push(c);
                        if inside.len() > MAX_INSIDE {
                            self.inside = None;
                        }
                    }
                }
            }
        }
        out
    }

    fn end_ticks(&mut self) {
        let ticks = std::mem::take(&mut self.ticks);
        if ticks == 0 {
            return;
        }
        self.code = match self.code {
            Code::None if ticks >= 3 && self.ticks_at_line_start => Code::Fenced(ticks),
            Code::None => Code::Inline(ticks),
            Code::Inline(open) if open == ticks => Code::None,
            Code::Fenced(open) if self.ticks_at_line_start && ticks >= open => Code::None,
            unchanged => unchanged,
        };
    }
}

/// All marks of a text.
pub fn markers(text: &str) -> Vec<Marker> {
    MarkerScanner::new().push(text)
}

/// The numbers inside a bracket; `None` when anything else stands there.
fn numbers(inside: &str) -> Option<Vec<u32>> {
    // "1†source" is how some hosted models write "1".
    let inside = match inside.find('†') {
        Some(at) => &inside[..at],
        None => inside,
    };
    let inside = inside.trim();
    let inside = inside.strip_prefix('^').unwrap_or(inside);
    let mut out = Vec::new();
    for item in inside.split([',', ';', '，', '、', '；']) {
        let item = item.trim();
        let item = item.strip_prefix('^').unwrap_or(item);
        let mut ends = item.split(['-', '–', '—', '‐', '‑', '~']);
        let first = number(ends.next()?)?;
        match ends.next() {
            None => out.push(first),
            Some(last) => {
                let last = number(last)?;
                if ends.next().is_some() {
                    return None;
                }
                if first <= last && last - first < MAX_RANGE {
                    out.extend(first..=last);
                } else {
                    out.extend([first, last]);
                }
            }
        }
    }
    Some(out)
}

fn number(text: &str) -> Option<u32> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    text.chars().try_fold(0_u32, |n, c| {
        let digit = match c {
            '0'..='9' => c as u32 - '0' as u32,
            '０'..='９' => c as u32 - '０' as u32,
            _ => return None,
        };
        Some(n.saturating_mul(10).saturating_add(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<Vec<u32>> {
        markers(text).into_iter().map(|m| m.numbers).collect()
    }

    #[test]
    fn every_usual_form_is_read() {
        assert_eq!(
            of("a [1]. b [1, 3] c [2-4] d [^5] e 【6】 f ［７］ g [1–2; 9] h [8†L1-L5] i[10][11]"),
            [vec![1], vec![1, 3], vec![2, 3, 4], vec![5], vec![6], vec![7], vec![1, 2, 9], vec![8], vec![10], vec![11]]
        );
    }

    #[test]
    fn what_is_not_numbers_is_no_mark() {
        assert_eq!(of("[a] [] [1a] [1 2] [x](y) [1-2-3] [-1] [1,] [ , ] [1.5] [^] [†] 1]"), Vec::<Vec<u32>>::new());
    }

    #[test]
    fn the_inner_of_nested_brackets_counts_and_an_unclosed_one_does_not() {
        assert_eq!(of("[[1]] [2 [3] [4"), [[1], [3]]);
    }

    #[test]
    fn an_index_in_code_is_no_mark() {
        assert_eq!(of("`a[0]` [1] ``b`[2]`` [3]\n```rust\nv[4]\n`\n```\n[5] it's `open [6]\n[7]"), [[1], [3], [5], [7]]);
    }

    #[test]
    fn giant_numbers_and_ranges_stay_small() {
        assert_eq!(of("[999999999999] [1-999999] [5-2]"), [vec![u32::MAX], vec![1, 999_999], vec![5, 2]]);
    }

    #[test]
    fn a_megabyte_of_brackets_takes_no_time() {
        for text in [
            "[".repeat(1 << 20),
            "[1".repeat(1 << 19),
            "[1]".repeat(1 << 18),
            "]".repeat(1 << 20),
            "`".repeat(1 << 20),
            "[1,".repeat(1 << 18),
        ] {
            assert!(markers(&text).len() <= 1 << 18);
        }
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_marks(pieces in prop::collection::vec("[\\[\\]1-3,^` \n-]{0,6}|【１】|```\n", 0..16)) {
            let mut scanner = MarkerScanner::new();
            let cut: Vec<Marker> = pieces.iter().flat_map(|p| scanner.push(p)).collect();
            prop_assert_eq!(cut, markers(&pieces.concat()));
        }

        #[test]
        fn marks_are_ascending_brackets_of_the_text(text in "[\\[\\]0-9,^` \n【】é-]{0,60}") {
            let found = markers(&text);
            prop_assert!(found.windows(2).all(|w| w[0].at.end <= w[1].at.start));
            for m in found {
                prop_assert!(text[m.at.clone()].starts_with(['[', '【']) && text[m.at].ends_with([']', '】']));
                prop_assert!(!m.numbers.is_empty());
            }
        }
    }
}
