//! Reads front matter: tags, categories, authors and dates.

use super::vocabulary::Rel;
use pocketgraph_kg::date;
use pocketgraph_native::single_line::one_line;

/// A fact from one field of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FrontFacts {
    pub rel: Rel,
    /// A name or, for dates, the date as written.
    pub text: String,
}

/// Maximum number of values kept of one field.
const MOST: usize = 64;

fn relation_of(field: &str) -> Option<Rel> {
    Some(match field.to_ascii_lowercase().as_str() {
        "tags" | "tag" | "keywords" | "topics" | "topic" | "subjects" | "article:tag" | "taxonomies.tags" => {
            Rel::Tag
        }
        "categories" | "category" | "article:section" | "taxonomies.categories" => Rel::Category,
        "author" | "authors" | "by" | "writer" | "creator" | "dc.creator" | "article:author"
        | "author.name" | "authors.name" => Rel::Author,
        "date"
        | "published"
        | "publishdate"
        | "pubdate"
        | "published_at"
        | "created"
        | "dc.date"
        | "article:published_time" => Rel::Published,
        "lastmod"
        | "updated"
        | "modified"
        | "last_modified"
        | "lastupdated"
        | "updated_at"
        | "article:modified_time" => Rel::Modified,
        _ => return None,
    })
}

/// Reads the known fields, in their order.
pub(super) fn read_front_facts(fields: &[(String, String)]) -> Vec<FrontFacts> {
    let mut out: Vec<FrontFacts> = Vec::new();
    for (field, value) in fields {
        let Some(rel) = relation_of(field) else { continue };
        if matches!(rel, Rel::Published | Rel::Modified) {
            let text = value.trim();
            if date(text).is_some() {
                out.push(FrontFacts { rel, text: text.to_owned() });
            }
            continue;
        }
        // HTML has all keywords in one value; a comma in a person's name, before a title, is rare.
        for part in
            value.split([',', ';']).map(one_line).filter(|p| !p.is_empty() && !p.contains("://")).take(MOST)
        {
            let fact = FrontFacts { rel, text: part };
            if !out.contains(&fact) {
                out.push(fact);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_people_and_dates_are_read_and_other_fields_are_not() {
        let fields: Vec<(String, String)> = [
            ("title", "T"),
            ("tags", "trees"),
            ("Keywords", "trees, winter"),
            ("author", "Ada Lovelace; Charles Babbage"),
            ("date", "2024-02-03T10:00:00Z"),
            ("lastmod", "yesterday"),
            ("author", "https://example.org/me"),
            ("weight", "10"),
        ]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .into();
        let fact = read_front_facts(&fields);
        let triples: Vec<(Rel, &str)> = fact.iter().map(|s| (s.rel, s.text.as_str())).collect();
        assert_eq!(
            triples,
            [
                (Rel::Tag, "trees"),
                (Rel::Tag, "winter"),
                (Rel::Author, "Ada Lovelace"),
                (Rel::Author, "Charles Babbage"),
                (Rel::Published, "2024-02-03T10:00:00Z")
            ]
        );
    }
}
