//! Derives a question's pattern from its SPARQL query, for sets without their graph (ComplexWebQuestions).
//!
//! A query's triples are a tree around the target variable, with entities at the leaves. The number of
//! entities and the depth give the pattern. Freebase's mediator nodes are no steps, but are unknown here, so
//! that chains are not counted and patterns are coarse.

use std::collections::BTreeSet;

/// The coarse pattern of a query and the number of its entities; `None` where it has no triples that can be read.
pub fn pattern(query: &str) -> Option<(String, usize)> {
    let body = query.split_once("WHERE").map(|(_, b)| b)?;
    let ordered = query.contains("ORDER BY");
    // Only the first block: conditions on dates are nested in FILTERs.
    let plain: String = body.split("FILTER").enumerate().map(|(i, part)| if i == 0 { part } else { after_parentheses(part) }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let mut triples: Vec<[&str; 3]> = Vec::new();
    for w in words.windows(3) {
        let [head, relation, tail] = [w[0], w[1], w[2].trim_end_matches('.')];
        let node = |t: &str| t.starts_with('?') || is_entity(t) || t.starts_with('"');
        if node(head) && relation.starts_with("ns:") && relation.matches('.').count() >= 2 && !is_entity(relation) && node(tail) {
            triples.push([head, relation, tail]);
        }
    }
    // A triple that only states a type has no entity that the question names.
    let telling = |t: &&[&str; 3]| !t[1].ends_with("notable_types") && !t[1].ends_with("basic_title") && !t[1].ends_with("gender");
    let entities: BTreeSet<&str> = triples.iter().filter(telling).flat_map(|t| [t[0], t[2]]).filter(|t| is_entity(t)).collect();
    if triples.is_empty() {
        return None;
    }
    let compares = body.contains("?num") && body.contains("FILTER (?num");
    let kind = match entities.len() {
        _ if ordered => "superlative",
        _ if compares => "condition",
        0 | 1 => "chain",
        _ => "intersection",
    };
    Some((kind.to_owned(), entities.len()))
}

/// The text behind the parentheses that open a FILTER.
fn after_parentheses(part: &str) -> &str {
    let mut depth = 0_i32;
    for (at, c) in part.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth <= 0 {
                    return &part[at + 1..];
                }
            }
            _ => {}
        }
    }
    ""
}

fn is_entity(term: &str) -> bool {
    term.starts_with("ns:m.") || term.starts_with("ns:g.")
}

/// The coarse pattern that a pattern of questions belongs to.
pub fn coarse(wording: &str) -> &'static str {
    match wording {
        "1p" | "2p" | "3p" => "chain",
        "compare" => "condition",
        "2u" | "3u" | "up" => "union",
        "negation" => "negation",
        _ => "intersection",
    }
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn entities_and_order_decide() {
        let describe = |q: &str| pattern(q).map(|(kind, n)| format!("{kind} {n}")).unwrap_or_default();
        assert_eq!(describe("SELECT ?x WHERE { FILTER (?x != ?c) ?c ns:a.b.c ns:m.1 . ?c ns:d.e.f ?x . }"), "chain 1");
        assert_eq!(
            describe("SELECT ?x WHERE { ns:m.1 ns:a.b.c ?x . ?x ns:a.b.notable_types ns:m.9 . ?x ns:d.e.f ns:m.2 . }"),
            "intersection 2"
        );
        assert_eq!(describe("SELECT ?x WHERE { ns:m.1 ns:a.b.c ?x . ?x ns:d.e.f ?n . } ORDER BY ?n LIMIT 1"), "superlative 1");
        assert_eq!(describe("SELECT ?x WHERE { ns:m.1 ns:a.b.c ?x . ?x ns:d.e.f ?num . FILTER (?num < 3) }"), "condition 1");
        assert_eq!(describe("no query"), "");
    }
}
