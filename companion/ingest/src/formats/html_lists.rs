//! Ordered lists of HTML: how they count, and from where.

use super::html_tokens::{Attributes, Token, Tokens};
use super::list_numbers::{Lists, Numerals};
use super::stopwatch;
use std::collections::VecDeque;

/// Returns the numbers of items of the lists that count down to 1, in order.
pub(crate) fn lengths_of_reversed(source: &str) -> VecDeque<i64> {
    let mut lengths = VecDeque::new();
    if !source.contains("reversed") && !source.contains("REVERSED") {
        return lengths;
    }
    let mut open: Vec<Option<usize>> = Vec::new();
    for (_, token) in Tokens::new(source).take_while(|_| !stopwatch::is_over()) {
        match token {
            Token::Start { name, attributes, .. } if is_list(name) => {
                open.push(counts_down(name, &attributes).then_some(lengths.len()));
                if counts_down(name, &attributes) {
                    lengths.push_back(0);
                }
            }
            Token::End { name } if is_list(name) => {
                open.pop();
            }
            Token::Start { name, .. } if name.eq_ignore_ascii_case("li") => {
                if let Some(length) = open.last().copied().flatten().and_then(|at| lengths.get_mut(at)) {
                    *length += 1;
                }
            }
            _ => {}
        }
    }
    lengths
}

/// Returns `true` if an element is a list, with numbers or with bullets.
pub(crate) fn is_list(name: &str) -> bool {
    ["ol", "ul", "menu", "dir"].iter().any(|n| n.eq_ignore_ascii_case(name))
}

/// Returns `true` if a list counts down and does not say from where.
fn counts_down(name: &str, attributes: &Attributes<'_>) -> bool {
    name.eq_ignore_ascii_case("ol")
        && attributes.get("reversed").is_some()
        && attributes.get("start").is_none()
}

pub(crate) fn begin_list(
    lists: &mut Lists,
    name: &str,
    attributes: &Attributes<'_>,
    reversed: &mut VecDeque<i64>,
) {
    if !name.eq_ignore_ascii_case("ol") {
        return lists.begin_bullets();
    }
    let style = attributes.get("style").unwrap_or_default();
    let of_style = || {
        let value =
            style.split(';').find_map(|rule| rule.trim().strip_prefix("list-style"))?.split_once(':')?.1;
        value.split_whitespace().find_map(Numerals::named)
    };
    let of_class = || {
        attributes.get("class")?.split_ascii_whitespace().filter(|c| c.len() > 1).find_map(Numerals::named)
    };
    let numerals = attributes
        .get("type")
        .and_then(|t| Numerals::named(&t))
        .or_else(of_style)
        .or_else(of_class)
        .unwrap_or_default();
    let down = attributes.get("reversed").is_some();
    let length = if counts_down(name, attributes) { reversed.pop_front() } else { None };
    let first = attributes.get("start").and_then(|s| s.trim().parse().ok()).or(length).unwrap_or(1);
    lists.begin(numerals, first, if down { -1 } else { 1 });
}
