//! Pages of one title: what their paths tell of each, which readers name to have one of them ("the limits in
//! 2.0", "install on linux").

use crate::address::without_ending;
use pocketgraph_bundle::Document;
use pocketgraph_native::single_line::one_line;
use pocketgraph_search::retrieve::title_terms;
use pocketgraph_text::terms;
use std::collections::{BTreeMap, BTreeSet};

/// The path tells at most so many words of a page, the innermost.
const MOST: usize = 4;

/// For each document the parts of its path that not all pages of its title have, to be read beside the title;
/// empty where its title is its own.
pub fn place_words(documents: &[Document]) -> Vec<String> {
    let mut of_title: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (d, document) in documents.iter().enumerate() {
        of_title.entry(one_line(&document.title).to_lowercase()).or_default().push(d);
    }
    let mut out = vec![String::new(); documents.len()];
    for namesakes in of_title.values().filter(|n| n.len() > 1) {
        let places: Vec<Vec<&str>> = namesakes.iter().map(|&d| split_folders(&documents[d].path)).collect();
        let mut held: BTreeMap<&str, usize> = BTreeMap::new();
        for part in places.iter().flat_map(|p| p.iter().collect::<BTreeSet<_>>()) {
            *held.entry(part).or_default() += 1;
        }
        for (&d, place) in namesakes.iter().zip(&places) {
            let own: Vec<&str> =
                place.iter().copied().filter(|part| held.get(part) != Some(&namesakes.len())).collect();
            out[d] = own[own.len().saturating_sub(MOST)..].join(" ");
        }
    }
    out
}

/// The documents' titles, each with what its path tells.
pub fn titles_with_places(documents: &[Document]) -> Vec<String> {
    let with = |(document, place): (&Document, String)| {
        if place.is_empty() { document.title.clone() } else { format!("{} ({place})", document.title) }
    };
    documents.iter().zip(place_words(documents)).map(with).collect()
}

/// The distinct terms of a title and of what the page's path tells beside it.
pub fn titled(title: &str, place: &str) -> Vec<String> {
    let mut out = title_terms(title);
    for (term, _) in terms(place) {
        if !out.contains(&term) {
            out.push(term);
        }
    }
    out
}

/// The folders and the name of a file, as far as they say something: not `index`, and no number that is not a
/// version.
fn split_folders(path: &str) -> Vec<&str> {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = without_ending(file);
    let is_distinctive = |part: &&str| {
        !part.is_empty()
            && (part.contains(char::is_alphabetic) || part.contains('.'))
            && !matches!(*part, "." | ".." | "index" | "_index" | "README")
    };
    folders
        .split('/')
        .filter(is_distinctive)
        .chain([stem].into_iter().filter(is_distinctive).filter(|s| s.contains(char::is_alphabetic)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pages: &[(&str, &str)]) -> Vec<String> {
        let page = |&(title, path): &(&str, &str)| Document {
            title: title.into(),
            url: String::new(),
            path: path.into(),
            language: String::new(),
        };
        place_words(&pages.iter().map(page).collect::<Vec<_>>())
    }

    #[test]
    fn pages_of_one_title_are_distinguished_by_what_their_paths_do_not_share() {
        assert_eq!(
            of(&[
                ("The loom", "docs/1.0/loom.md"),
                ("The  Loom", "docs/2.0/loom.md"),
                ("Warp", "docs/2.0/warp.md")
            ]),
            ["1.0", "2.0", ""]
        );
        assert_eq!(
            of(&[("Install", "install/linux.md"), ("Install", "install/windows/index.md")]),
            ["linux", "windows"]
        );
    }

    #[test]
    fn what_distinguishes_nothing_is_not_shown() {
        assert_eq!(of(&[("Day", "12.md"), ("Day", "13.md")]), ["", ""]);
        assert_eq!(of(&[("A", "a.md"), ("B", "b.md")]), ["", ""]);
        assert_eq!(of(&[("", "")]), [""]);
    }
}
