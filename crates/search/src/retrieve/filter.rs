//! Which documents are searched: those of a language, of a folder of the site, of a version, and those whose
//! own fields have certain values.

use super::{Corpus, Hit};
use crate::bundle::{BundleError, Document, Fields};
use crate::compact::sort_by;
use futures::future::{FutureExt, LocalBoxFuture};
use serde::{Deserialize, Serialize};
use std::mem::take;
use std::rc::Rc;

/// Properties of the documents that are searched. An absent property leaves all in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Filter {
    /// Their language, as `de`; empty for those whose language nothing tells.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub language: Option<String>,
    /// The folder of the site that they lie in, as `guides` or `guides/hosting`.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub folder: Option<String>,
    /// The version that their addresses name, as `2.0`, `v3` or `latest`; empty for those that name none.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub version: Option<String>,
    /// Conditions on the documents' own fields: `author=Ann`, `price=10..20`, `date=2024..`. Those on one
    /// field are alternatives.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub fields: Vec<String>,
    /// Conditions as in `fields`: hits of documents that meet them move up.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub boost: Vec<String>,
    /// By how much: with 3 the sixth hit comes second. Default: 2.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub boost_by: Option<u32>,
    /// Field by which the hits are sorted, `-date` for the latest first; by relevance without one.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub sort: Option<String>,
}

/// Default of `boost_by`.
const BOOST: u32 = 2;
/// More is no more: there are fewer hits.
const MOST_BOOST: u32 = 1000;

/// Words that stand for a version in an address.
const NAMED: &[&str] = &["latest", "stable", "next", "nightly"];

/// A document's address below its host.
pub fn path_of(url: &str) -> &str {
    let mut path = url;
    if let Some((_, rest)) = url.split_once(':')
        && let Some(of_host) = rest.strip_prefix("//")
    {
        path = of_host.split_once('/').map_or("", |(_, path)| path);
    }
    while let Some(rest) = path.strip_prefix('/').or_else(|| path.strip_prefix('.')) {
        path = rest;
    }
    path
}

/// Returns true for a version's folder: `2.0`, `3.x`, `v2`, `version-1.4`, `latest`. A bare number may be a
/// year.
fn is_version(folder: &str) -> bool {
    let number = folder.strip_prefix("version-").unwrap_or(folder);
    let number = number.strip_prefix('v').unwrap_or(number).as_bytes();
    let plain = number.len() == folder.len();
    number.first().is_some_and(u8::is_ascii_digit) && (!plain || number.contains(&b'.'))
        || NAMED.contains(&folder)
}

/// The first version among the folders of an address; empty where it names none.
pub fn version_of(path: &str) -> &str {
    let mut folder = "";
    for part in path.split('/') {
        if is_version(folder) {
            return folder;
        }
        // What stands behind the last sign is the page.
        folder = part;
    }
    ""
}

impl Filter {
    /// Returns the filter of conditions `NAME=VALUE`, where a name is `language`, `folder`, `version` or a
    /// field's.
    pub fn of_conditions(conditions: &[String]) -> Filter {
        let mut filter = Filter::default();
        for condition in conditions {
            match condition.split_once('=') {
                Some(("language", value)) => filter.language = Some(value.to_owned()),
                Some(("folder", value)) => filter.folder = Some(value.to_owned()),
                Some(("version", value)) => filter.version = Some(value.to_owned()),
                _ => filter.fields.push(condition.clone()),
            }
        }
        filter
    }

    /// Returns a field that the filter names and no document has, with those that there are.
    pub fn unknown_field(&self, fields: &Fields) -> Option<String> {
        let name = |condition: &'_ String| condition.split('=').next().unwrap_or_default().to_owned();
        let conditions = self.fields.iter().chain(&self.boost).map(name);
        let sort = self.sort.iter().map(|by| by.trim_start_matches('-').to_owned());
        let unknown = conditions.chain(sort).find(|name| !fields.names.contains(name))?;
        Some(match fields.names.as_slice() {
            [] => format!("there is no field {unknown:?}: the documents have no fields of their own"),
            names => format!("there is no field {unknown:?}: the documents have {}", names.join(", ")),
        })
    }

    /// Returns true if it leaves all documents in.
    pub fn is_empty(&self) -> bool {
        self.language.is_none() && self.folder.is_none() && self.version.is_none() && self.fields.is_empty()
    }

    /// Returns true if it leaves a document in.
    pub fn keeps(&self, document: &Document) -> bool {
        let path = path_of(&document.url);
        let lies_in = |folder: &str| {
            let folder = folder.strip_prefix('/').unwrap_or(folder);
            let folder = folder.strip_suffix('/').unwrap_or(folder);
            folder.is_empty()
                || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.language.as_ref().is_none_or(|language| *language == document.language)
            && self.version.as_ref().is_none_or(|version| version == version_of(path))
            && self.folder.as_deref().is_none_or(lies_in)
    }

    /// For each chunk whether its document is left in; `None` where all are. Fails if the documents cannot be
    /// loaded.
    pub fn chunks<'a>(
        &'a self,
        corpus: &'a Corpus,
    ) -> LocalBoxFuture<'a, Result<Option<Rc<Vec<bool>>>, BundleError>> {
        async move {
            if self.is_empty() {
                return Ok(None);
            }
            let mut kept: Vec<bool> =
                corpus.documents().await?.iter().map(|document| self.keeps(document)).collect();
            if !self.fields.is_empty() {
                let met = corpus.fields().await?.matching(&self.fields, kept.len());
                kept.iter_mut().zip(met).for_each(|(kept, met)| *kept &= met);
            }
            let documents = corpus.documents_of_chunks().await?;
            Ok(Some(Rc::new(documents.into_iter().map(|d| kept.get(d as usize) == Some(&true)).collect())))
        }
        .boxed_local()
    }

    /// Returns true if the hits are not in the order of their relevance.
    pub fn reorders(&self) -> bool {
        self.sort.is_some() || !self.boost.is_empty()
    }

    /// Moves the hits of boosted documents up, leaves `k`, and sorts them. Fails if the fields cannot be
    /// loaded.
    pub async fn reorder(&self, corpus: &Corpus, hits: &mut Vec<Hit>, k: usize) -> Result<(), BundleError> {
        let fields = corpus.fields().await?;
        let of = corpus.documents_of_chunks().await?;
        let document = |hit: &Hit| of.get(hit.chunk as usize).copied().unwrap_or(u32::MAX);
        let boosted = fields.matching(&self.boost, of.len());
        let mut placed: Vec<(u32, Hit)> = (1..).zip(take(hits)).collect();
        for (place, hit) in &mut placed {
            let is_boosted = boosted.get(document(hit) as usize) == Some(&true);
            // Of two at one place the boosted one is first.
            *place *= if is_boosted { 2 } else { 2 * self.boost_by.unwrap_or(BOOST).clamp(1, MOST_BOOST) };
            *place -= u32::from(is_boosted);
        }
        sort_by(&mut placed, |a, b| a.0.cmp(&b.0));
        placed.truncate(k);
        if let Some(by) = &self.sort {
            sort_by(&mut placed, |a, b| fields.compare(by, document(&a.1), document(&b.1)));
        }
        hits.extend(placed.into_iter().map(|(_, hit)| hit));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(url: &str, language: &str) -> Document {
        Document { title: "t".into(), url: url.into(), path: "p".into(), language: language.into() }
    }

    #[test]
    fn a_version_is_a_folder_of_the_address_that_reads_as_one() {
        let version = |url| version_of(path_of(url));
        assert_eq!(version("https://x.dev/docs/2.0/install/"), "2.0");
        assert_eq!(version("/en/v3/guide.html"), "v3");
        assert_eq!(version("version-1.4.x/a.md"), "version-1.4.x");
        assert_eq!(version("https://x.dev/latest/"), "latest");
        for none in [
            "https://2.0.dev/guide/",
            "/blog/2024/05/a.html",
            "/releases/2.0.html",
            "/vault/a",
            "/guide/1/",
            "2.0",
        ] {
            assert_eq!(version(none), "", "{none}");
        }
    }

    #[test]
    fn a_filter_keeps_what_agrees_with_all_that_it_says() {
        let german = document("https://x.dev/2.0/guides/install/", "de");
        let filter = |language: Option<&str>, folder: Option<&str>, version: Option<&str>| Filter {
            language: language.map(str::to_owned),
            folder: folder.map(str::to_owned),
            version: version.map(str::to_owned),
            ..Filter::default()
        };
        for kept in [
            filter(None, None, None),
            filter(Some("de"), Some("/2.0/guides/"), Some("2.0")),
            filter(None, Some("2.0"), None),
            filter(None, Some(""), None),
            // After a second slash there is nothing but the page itself: pkg/facets.js names pages so.
            filter(None, Some("2.0/guides/install//"), None),
        ] {
            assert!(kept.keeps(&german), "{kept:?}");
        }
        for dropped in [
            filter(Some("en"), None, None),
            filter(Some("de"), None, Some("")),
            filter(None, Some("2.0/guide"), None),
            filter(None, Some("guides"), None),
            filter(None, Some("2.0/guides//"), None),
        ] {
            assert!(!dropped.keeps(&german), "{dropped:?}");
        }
    }
}
