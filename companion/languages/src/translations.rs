//! Groups documents whose addresses differ only in the language tag: sites in several languages name it in a
//! folder (`/de/install/`) or in the name of the page (`install.de.html`), and often not at all in the first
//! language.

use super::primary;
use pocketgraph_bundle::{Document, Translated, Translations};
use pocketgraph_search::retrieve::path_of;
use std::collections::{BTreeMap, BTreeSet};

/// Documents whose addresses differ in nothing but the language that they name, each naming its own or none,
/// and of which there are two languages or more. Documents are numbered by their places.
pub fn find_translations(documents: &[Document]) -> Translations {
    let mut by_address: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, document) in documents.iter().enumerate().filter(|(_, d)| !d.language.is_empty()) {
        by_address.entry(without_language(path_of(&document.url), &document.language)).or_default().push(at);
    }
    let language = |at: usize| documents.get(at).map_or("", |d| d.language.as_str());
    let several = |all: &&Vec<usize>| {
        all.iter().any(|&at| all.first().is_some_and(|&first| language(first) != language(at)))
    };
    let groups: Vec<&Vec<usize>> = by_address.values().filter(several).collect();
    let languages: BTreeSet<&str> =
        groups.iter().flat_map(|all| all.iter().map(|&at| language(at))).collect();
    let mut found: Vec<Translated> = Vec::new();
    for (original, all) in (0..).zip(groups) {
        found.extend(all.iter().map(|&at| Translated {
            document: at as u32,
            original,
            language: languages.iter().position(|known| *known == language(at)).unwrap_or_default() as u32,
        }));
    }
    found.sort_unstable_by_key(|d| d.document);
    Translations { languages: languages.into_iter().map(str::to_owned).collect(), documents: found }
}

/// An address without the first part of it that names the document's language: a folder, or the last words of
/// the page's name.
fn without_language(path: &str, language: &str) -> String {
    let names_it = |part: &str| primary(part).as_deref() == Some(language) && is_tag(part);
    let mut parts: Vec<&str> = path.split('/').collect();
    let page = parts.pop().unwrap_or_default();
    if let Some(at) = parts.iter().position(|folder| names_it(folder)) {
        parts.remove(at);
        parts.push(page);
        return parts.join("/");
    }
    let (name, ending) = page.rsplit_once('.').filter(|(name, _)| !name.is_empty()).unwrap_or((page, ""));
    // The longest ending of the name that is a tag, `zh-CN` before `CN`.
    let cuts = name.match_indices(['.', '_', '-']).filter(|(at, _)| *at > 0);
    let named = cuts
        .filter_map(|(at, _)| Some((name.get(..at)?, name.get(at + 1..)?)))
        .find(|(_, tag)| names_it(tag));
    let name = named.map_or(name, |(rest, _)| rest);
    parts.push(name);
    let whole = parts.join("/");
    if ending.is_empty() { whole } else { format!("{whole}.{ending}") }
}

/// Returns true if a part of an address is a language tag and nothing else: `de`, `pt-BR`, `zh_Hans_CN`.
fn is_tag(part: &str) -> bool {
    let mut of = part.split(['-', '_']);
    of.next().is_some_and(|first| (2..=3).contains(&first.len()))
        && of.clone().count() <= 2
        && of.all(|more| matches!(more.len(), 2..=4) && more.bytes().all(|b| b.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn documents(all: &[(&str, &str)]) -> Vec<Document> {
        let document = |(url, language): &(&str, &str)| Document {
            title: "t".into(),
            url: (*url).to_owned(),
            path: "p".into(),
            language: (*language).to_owned(),
        };
        all.iter().map(document).collect()
    }

    /// The groups, as addresses.
    fn groups(all: &[(&str, &str)]) -> Vec<Vec<String>> {
        let documents = documents(all);
        let mut out: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for d in find_translations(&documents).documents {
            out.entry(d.original).or_default().push(documents[d.document as usize].url.clone());
        }
        out.into_values().collect()
    }

    #[test]
    fn a_folder_or_the_end_of_a_pages_name_names_the_language() {
        let pages = [
            ("https://x.dev/install/", "en"),
            ("https://x.dev/de/install/", "de"),
            ("https://x.dev/zh-hans/install/", "zh"),
            ("docs/guide.md", "en"),
            ("docs/guide.de.md", "de"),
            ("docs/guide_pt-BR.md", "pt"),
            ("en/2.0/api.html#top", "en"),
            ("fr/2.0/api.html#top", "fr"),
        ];
        let found = groups(&pages);
        assert_eq!(
            found,
            [
                vec![pages[6].0, pages[7].0],
                vec![pages[3].0, pages[4].0, pages[5].0],
                vec![pages[0].0, pages[1].0, pages[2].0]
            ]
        );
    }

    #[test]
    fn what_only_looks_like_a_language_is_none() {
        for pages in [
            // A folder that names another language than the document is in.
            [("/install/", "en"), ("/de/install/", "en")],
            [("/install/", "en"), ("/it/install/", "de")],
            // Other pages.
            [("/de/install/", "de"), ("/en/setup/", "en")],
            [("/de/2.0/a", "de"), ("/en/1.0/a", "en")],
            // Nothing tells the language of one.
            [("/install/", ""), ("/de/install/", "de")],
            // Words that a tag begins.
            [("/de-installation/x", "de"), ("/x", "en")],
        ] {
            assert_eq!(groups(&pages), Vec::<Vec<String>>::new(), "{pages:?}");
        }
    }

    #[test]
    fn all_of_one_language_are_no_translations() {
        assert_eq!(
            find_translations(&documents(&[("a", "en"), ("b", "en"), ("en/a", "en")])),
            Translations::default()
        );
        assert_eq!(find_translations(&[]), Translations::default());
    }

    proptest! {
        #[test]
        fn any_addresses_give_a_section_that_reads_back(
            all in prop::collection::vec(("[a-z./_-]{0,12}", "(de|en|)"), 0..12),
        ) {
            let documents = documents(
                &all.iter().map(|(url, language)| (url.as_str(), language.as_str())).collect::<Vec<_>>(),
            );
            let found = find_translations(&documents);
            prop_assert_eq!(Translations::decode("t", &found.encode()).ok(), Some(found));
        }
    }
}
