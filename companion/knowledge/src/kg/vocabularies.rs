//! Common vocabularies of RDF: short names of their terms, and contexts for JSON-LD that names one by its
//! address, so that it is read without the network.

use oxrdfio::{JsonLdProfileSet, LoadedDocument, RdfFormat};
use pocketgraph_text::table;
use std::error::Error;

/// Returns the prefixes of common vocabularies with their addresses.
fn list_vocabularies() -> impl Iterator<Item = (&'static str, &'static str)> {
    table!("vocabularies.tsv").rows().map(|row| (row.word, row.field(0)))
}

/// Names that catalogues of data take from Dublin Core.
const OF_CATALOGUES: &[&str] = &[
    "title",
    "description",
    "identifier",
    "issued",
    "modified",
    "language",
    "license",
    "publisher",
    "creator",
];

/// Returns a term's short name, such as `schema:name`, and its namespace as written; `None` for other
/// vocabularies.
pub(super) fn short_name(iri: &str) -> Option<(String, &str)> {
    let rest = iri.strip_prefix("https").or_else(|| iri.strip_prefix("http"))?;
    list_vocabularies().find_map(|(prefix, space)| {
        let local = rest.strip_prefix(space.strip_prefix("http")?)?;
        Some((format!("{prefix}:{local}"), &iri[..iri.len() - local.len()]))
    })
}

/// Returns the context of the vocabulary at an address: all prefixes, and the vocabulary for names without
/// one.
pub(super) fn load_context(address: &str) -> Result<LoadedDocument, Box<dyn Error + Send + Sync>> {
    let bare = |iri: &str| {
        iri.replacen("https", "http", 1).replace("//www.", "//").trim_end_matches(['/', '#']).to_owned()
    };
    let asked = bare(address);
    let is_asked = |(prefix, space): &(&str, &str)| {
        asked.starts_with(&bare(space)) || asked.ends_with(&format!("/{prefix}.jsonld"))
    };
    let Some((prefix, space)) = list_vocabularies().find(is_asked) else {
        return Err(format!("the context {address} is not known offline: write it into the file").into());
    };
    let mut context = serde_json::json!({ "@vocab": space, "id": "@id", "type": "@type" });
    for (prefix, space) in list_vocabularies() {
        context[prefix] = space.into();
    }
    for name in OF_CATALOGUES.iter().filter(|_| prefix == "dcat") {
        context[name] = format!("dcterms:{name}").into();
    }
    Ok(LoadedDocument {
        url: address.to_owned(),
        content: serde_json::to_vec(&serde_json::json!({ "@context": context }))?,
        format: RdfFormat::JsonLd { profile: JsonLdProfileSet::empty() },
    })
}
