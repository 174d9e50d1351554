//! Names in questions without a graph to link them to.

use pocketgraph::compact::sort_by;
use pocketgraph::planner::find_quoted;
use pocketgraph::text::lexicon::{Language, SPOKEN};
use pocketgraph::text::{fold, words};
use std::ops::Range;

/// Characters of a question that are searched for names.
const LONGEST: usize = 4096;

/// The parts of a question that look like names: in quotes, or with capitals. For questions without a graph
/// to link them to; a name in plain lower case is not found.
pub fn names(question: &str) -> Vec<Range<usize>> {
    // What is longer is no question, and each word is compared with each quoted part.
    let end = question.char_indices().nth(LONGEST).map_or(question.len(), |(at, _)| at);
    let question = question.get(..end).unwrap_or_default();
    let mut found = find_quoted(question);
    let inside = |span: &Range<usize>, found: &[Range<usize>]| {
        found.iter().any(|f| span.start < f.end && f.start < span.end)
    };
    let all: Vec<_> = words(question).into_iter().filter(|w| !inside(&w.span, &found)).collect();
    let small = |w: &str| SPOKEN.name_particles().has(w, "pattern");
    let marked = |text: &str| text.starts_with(|c: char| c.is_uppercase() || c.is_numeric());
    // A full stop ends a name but for initials and abbreviations: "D. W. Griffith", "St. Louis", "F.C.
    // Nantes".
    let joined = |word: &str, gap: &str| {
        gap.chars().all(|c| c == ' ' || "-.:&’'".contains(c)) && (!gap.contains(". ") || word.len() <= 3)
    };
    let mut at = 1;
    while at < all.len() {
        if !marked(all[at].text) || matches!(all[at].text, "I" | "TV") {
            at += 1;
            continue;
        }
        let mut last = at;
        let mut next = at + 1;
        while next < all.len() && next - last <= 3 {
            let gap = question.get(all[next - 1].span.end..all[next].span.start).unwrap_or(",");
            if !joined(all[next - 1].text, gap) {
                break;
            }
            if marked(all[next].text) {
                last = next;
            } else if !small(all[next].text) {
                break;
            }
            next += 1;
        }
        let mut span = all[at].span.start..all[last].span.end;
        if fold(all[last].text).ends_with("'s") {
            let cut: usize = all[last].text.chars().rev().take(2).map(char::len_utf8).sum();
            span.end -= cut;
        }
        found.push(span);
        at = last + 1;
    }
    sort_by(&mut found, |a, b| a.start.cmp(&b.start));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_quotes_and_capitals() {
        let found = |q: &str| names(q).into_iter().map(|s| q[s].to_owned()).collect::<Vec<_>>();
        assert_eq!(
            found("Is D. W. Griffith in 'Boys Don't Cry' or \"Zodiac\"?"),
            ["D. W. Griffith", "'Boys Don't Cry'", "\"Zodiac\""]
        );
        assert_eq!(
            found("What borders Dane County and Allegheny County's neighbour?"),
            ["Dane County", "Allegheny County"]
        );
        assert_eq!(
            found("Where is St. Stephen's College, and who runs Chad's army?"),
            ["St. Stephen's College", "Chad"]
        );
        assert_eq!(found("Which TV show has Bryan Cranston?"), ["Bryan Cranston"]);
        assert_eq!(found("Is \",\" in \"C\"?"), ["\"", "\"C\""]);
        let long = names(&"who directed 'Heat' and Ali ".repeat(100_000));
        assert!(!long.is_empty() && long.len() < 1000, "as far as a question is looked at");
    }
}
