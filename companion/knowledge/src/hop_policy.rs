//! Decides from which documents following mentions pays: those that are about what their titles name. The
//! decision is made for each part of a site, because a site may have a glossary or an encyclopaedia beside
//! its documentation.

use pocketgraph_bundle::Document;
use std::collections::BTreeMap;

/// Minimum share of documents that open with what their title names, for the whole site.
const FROM: f32 = 0.6;
/// Minimum share for a part if the whole site has less: reference pages, too, often open with their titles.
const PART_FROM: f32 = 0.75;
/// Minimum number of documents of a part: the share of fewer would be chance.
const LEAST: usize = 16;

/// Returns for each document whether mentions are followed from it and to it. `opens` marks the documents
/// that open with what their titles name.
///
/// A part is what lies below one folder, counted from where the documents' paths begin to differ. Small
/// folders and loose documents form one part together. In a site that is an encyclopaedia as a whole, parts
/// that are not are left out; in another site, parts that clearly are one are included.
pub fn mark_hopped(documents: &[Document], opens: &[bool]) -> Vec<bool> {
    let share = |of: &[usize]| {
        of.iter().filter(|&&d| opens.get(d).copied().unwrap_or(false)).count() as f32 / of.len().max(1) as f32
    };
    let all: Vec<usize> = (0..documents.len()).collect();
    let whole = share(&all) >= FROM;
    let mut out = vec![whole; documents.len()];
    for part in group_by_folder(documents).iter().filter(|part| part.len() >= LEAST) {
        let hop = share(part) >= if whole { FROM } else { PART_FROM };
        part.iter().for_each(|&d| out[d] = hop);
    }
    out
}

/// Groups documents by folder; those of small folders form one group.
fn group_by_folder(documents: &[Document]) -> Vec<Vec<usize>> {
    let folders: Vec<Vec<&str>> = documents.iter().map(folders_of).collect();
    let mut shared = folders.first().map_or(0, Vec::len);
    for pair in folders.windows(2) {
        shared = shared.min(pair[0].iter().zip(&pair[1]).take_while(|(a, b)| a == b).count());
    }
    let mut below: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for (d, folders) in folders.iter().enumerate() {
        below.entry(folders.get(shared).copied()).or_default().push(d);
    }
    let (mut out, mut rest) = (Vec::new(), Vec::new());
    for (folder, part) in below {
        if folder.is_some() && part.len() >= LEAST { out.push(part) } else { rest.extend(part) }
    }
    out.push(rest);
    out
}

/// Returns the folders of a document, from its path or, if that has none, from its address.
fn folders_of(document: &Document) -> Vec<&str> {
    let address = document.url.split(['?', '#']).next().unwrap_or_default();
    let place = if document.path.contains('/') { document.path.as_str() } else { address };
    let place = place.split_once("://").map_or(place, |(_, rest)| rest);
    let mut out: Vec<&str> = place.split('/').filter(|folder| !folder.is_empty() && *folder != ".").collect();
    out.pop();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `count` documents below `folder`, of which the first `open` open with their titles.
    fn below(folder: &str, count: usize, open: usize) -> Vec<(Document, bool)> {
        let document = |i: usize| Document {
            title: format!("T{i}"),
            url: String::new(),
            path: format!("{folder}{i}.md"),
            language: String::new(),
        };
        (0..count).map(|i| (document(i), i < open)).collect()
    }

    /// Returns for each group of documents, in turn, whether the search hops from them.
    fn of(groups: &[Vec<(Document, bool)>]) -> Vec<bool> {
        let (documents, opens): (Vec<Document>, Vec<bool>) = groups.concat().into_iter().unzip();
        let all = mark_hopped(&documents, &opens);
        let mut at = 0;
        groups
            .iter()
            .map(|group| {
                let of = &all[at..at + group.len()];
                at += group.len();
                assert!(of.windows(2).all(|w| w[0] == w[1]));
                of[0]
            })
            .collect()
    }

    #[test]
    fn a_corpus_without_folders_is_decided_as_a_whole() {
        assert_eq!(of(&[below("", 100, 60)]), [true]);
        assert_eq!(of(&[below("", 100, 59)]), [false]);
        assert_eq!(of(&[below("site/content/", 100, 60)]), [true], "a folder that all lie in is none");
        assert!(mark_hopped(&[], &[]).is_empty());
    }

    #[test]
    fn a_glossary_beside_documentation_is_hopped_and_the_documentation_is_not() {
        assert_eq!(of(&[below("glossary/", 40, 38), below("guide/", 400, 30)]), [true, false]);
        assert_eq!(of(&[below("site/glossary/a/", 40, 38), below("site/guide/", 40, 3)]), [true, false]);
    }

    #[test]
    fn documentation_beside_an_encyclopaedia_is_not_hopped() {
        assert_eq!(of(&[below("people/", 300, 290), below("help/", 60, 20)]), [true, false]);
    }

    #[test]
    fn what_is_less_clear_follows_the_whole_site() {
        let reference = below("reference/", 100, 70);
        assert_eq!(
            of(&[reference.clone(), below("guide/", 400, 30)]),
            [false, false],
            "many reference pages open with their titles"
        );
        assert_eq!(of(&[reference, below("people/", 400, 390)]), [true, true]);
        assert_eq!(
            of(&[below("glossary/", 15, 15), below("guide/", 400, 30)]),
            [false, false],
            "fifteen pages are too few to tell"
        );
    }

    #[test]
    fn small_folders_and_what_lies_beside_them_are_one_part() {
        let groups = [below("a/", 6, 6), below("b/", 6, 6), below("", 8, 8), below("guide/", 100, 0)];
        assert_eq!(of(&groups), [true, true, true, false]);
    }

    #[test]
    fn chunks_of_ones_own_lie_where_their_addresses_say() {
        let at = |url: &str, path: &str| Document {
            title: "T".into(),
            url: url.into(),
            path: path.into(),
            language: String::new(),
        };
        assert_eq!(
            folders_of(&at("https://example.org/docs/guide/x.html?a=/b/", "17")),
            ["example.org", "docs", "guide"]
        );
        assert_eq!(folders_of(&at("https://example.org/x", "./docs/x.md")), ["docs"]);
        assert!(folders_of(&at("", "17")).is_empty());
    }

    proptest! {
        #[test]
        fn any_places_and_any_shares_decide_every_document(
            places in prop::collection::vec(("[ab/.:]{0,6}", "[ab/.:?#]{0,8}", any::<bool>()), 0..80),
        ) {
            let document = |(path, url, _): &(String, String, bool)| Document {
                title: String::new(),
                url: url.clone(),
                path: path.clone(),
                language: String::new(),
            };
            let documents: Vec<Document> = places.iter().map(document).collect();
            let opens: Vec<bool> = places.iter().map(|p| p.2).collect();
            prop_assert_eq!(mark_hopped(&documents, &opens).len(), documents.len());
            let mut all: Vec<usize> = group_by_folder(&documents).concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..documents.len()).collect::<Vec<_>>());
            let alike = mark_hopped(&documents, &vec![true; documents.len()]);
            prop_assert!(alike.iter().all(|h| *h));
        }
    }
}
