//! Finding citation marks in a text: `[1]`, `[1, 3]`, `[2-4]`, `[^1]`, and the brackets of other scripts,
//! `【1】` and `［1］`.

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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Code {
    #[default]
    None,
    /// Opened by so many backticks on this line.
    Inline(usize),
    /// Between fences of at least so many backticks.
    Fenced(usize),
}

/// All marks of a text. Those inside code (between backticks, until the end of the line at most, or in fenced
/// blocks) are left alone: `a[0]` there is an index.
pub fn markers(text: &str) -> Vec<Marker> {
    let (mut out, mut code, mut open) = (Vec::new(), Code::None, None);
    // Backticks in a row just now, whether they began the line, and whether it has only white space so far.
    let (mut ticks, mut is_first, mut line_start) = (0, false, true);
    for (at, c) in text.char_indices() {
        if c == '`' {
            is_first = if ticks == 0 { line_start } else { is_first };
            (ticks, line_start, open) = (ticks + 1, false, None);
            continue;
        }
        code = match code {
            unchanged if ticks == 0 => unchanged,
            Code::None if ticks >= 3 && is_first => Code::Fenced(ticks),
            Code::None => Code::Inline(ticks),
            Code::Inline(open) if open == ticks => Code::None,
            Code::Fenced(open) if is_first && ticks >= open => Code::None,
            unchanged => unchanged,
        };
        ticks = 0;
        line_start &= c.is_whitespace();
        match c {
            '\n' => {
                code = if matches!(code, Code::Inline(_)) { Code::None } else { code };
                (line_start, open) = (true, None);
            }
            _ if code != Code::None => {}
            '[' | '【' | '［' => open = Some((at, at + c.len_utf8())),
            ']' | '】' | '］' => {
                let inside = open.take().filter(|&(_, inside)| at - inside <= MAX_INSIDE);
                let marker = |(start, inside)| {
                    Some(Marker { at: start..at + c.len_utf8(), numbers: numbers(&text[inside..at])? })
                };
                out.extend(inside.and_then(marker));
            }
            _ => {}
        }
    }
    out
}

/// The numbers inside a bracket; `None` when anything else stands there.
fn numbers(inside: &str) -> Option<Vec<u32>> {
    // "1†source" is how some hosted models write "1".
    let inside = inside.split('†').next()?.trim();
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
            [
                vec![1],
                vec![1, 3],
                vec![2, 3, 4],
                vec![5],
                vec![6],
                vec![7],
                vec![1, 2, 9],
                vec![8],
                vec![10],
                vec![11]
            ]
        );
    }

    #[test]
    fn what_is_not_numbers_is_no_mark() {
        assert_eq!(
            of("[a] [] [1a] [1 2] [x](y) [1-2-3] [-1] [1,] [ , ] [1.5] [^] [†] 1]"),
            Vec::<Vec<u32>>::new()
        );
    }

    #[test]
    fn the_inner_of_nested_brackets_counts_and_an_unclosed_one_does_not() {
        assert_eq!(of("[[1]] [2 [3] [4"), [[1], [3]]);
    }

    #[test]
    fn an_index_in_code_is_no_mark() {
        assert_eq!(
            of("`a[0]` [1] ``b`[2]`` [3]\n```rust\nv[4]\n`\n```\n[5] it's `open [6]\n[7]"),
            [[1], [3], [5], [7]]
        );
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
