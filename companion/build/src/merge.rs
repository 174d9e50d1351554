//! Reading of bundles, so that one bundle of them all can be assembled.

use crate::fields::collect_fields;
use crate::folder::FolderSource;
use crate::prepare::Needs;
use futures::executor::block_on;
use pocketgraph::answer::guessed_layout;
use pocketgraph::bundle::{Bundle, BundleError, Chunk, Document, EmbedderInfo, Fields, Layout};
use pocketgraph::kg::{self, KnowledgeGraph};
use pocketgraph::retrieve::Corpus;
use pocketgraph_ingest::rank::RankRule;
use pocketgraph_languages::QuestionLanguage;
use pocketgraph_models::embed_bulk::QueryLayers;
use pocketgraph_native::single_line::first_few;
use pocketgraph_native::terminal::line;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Maximum number of bytes of a bundle in memory while it is read.
const MEMORY_LIMIT: u64 = 1 << 29;
/// Number of chunks that are read at a time.
const AT_A_TIME: usize = 4096;
/// Options of a build that all bundles must agree on: others make other chunks, or embed questions otherwise.
const AGREED: [&str; 3] = ["max-tokens", "query-layers", "query-encoder"];

/// Options that still hold of the merged bundle where all bundles have them.
const KEPT: [&str; 7] =
    ["max-tokens", "base-url", "rank", "kg-from-documents", "retrievers", "query-layers", "query-encoder"];

/// The option that names the languages of questions; a merged bundle has those of all its parts.
const QUESTION_LANGUAGES: &str = "question-languages";

/// Error of merging bundles.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A bundle, or a part of it, cannot be read.
    #[error("cannot read the bundle {}: {reason}", path.display())]
    Read {
        /// Its folder.
        path: PathBuf,
        /// Description of the fault.
        reason: BundleError,
    },
    /// A page of a bundle cannot be read.
    #[error("the bundle {} is not whole: {what}", path.display())]
    Incomplete {
        /// Its folder.
        path: PathBuf,
        /// Name of the missing part.
        what: String,
    },
    /// The bundles were built with different options.
    #[error(
        "the bundles have different values of --{option}: {} has {first} and {} {second}: build them \
         with the same",
        paths.0.display(),
        paths.1.display()
    )]
    Options {
        /// The bundles' folders.
        paths: (PathBuf, PathBuf),
        /// The option.
        option: &'static str,
        /// The first one's value.
        first: String,
        /// The other's.
        second: String,
    },
    /// Documents of two bundles have the same address.
    #[error(
        "{count} addresses are in more than one bundle, so that a hit's address would not say which document \
         it is of: {named}: build one of the \
         bundles with --base-url, or without these documents (--exclude)"
    )]
    Addresses {
        /// Number of them.
        count: usize,
        /// The first of them, each with the bundles.
        named: String,
    },
}

/// Content of all bundles together.
pub(crate) struct Merged {
    /// The documents, by their paths.
    pub documents: Vec<Document>,
    /// The chunks, in the order of the documents.
    pub chunks: Vec<Chunk>,
    /// Their layouts.
    pub layouts: Vec<Layout>,
    /// Their vectors; none of bundles that are searched by words alone.
    pub vectors: Vec<Vec<f32>>,
    /// Model that made the vectors.
    pub embedder: EmbedderInfo,
    /// The knowledge graphs, each with the numbers that its bundle's chunks have here.
    pub graphs: Vec<(KnowledgeGraph, Vec<u32>)>,
    /// The documents' own fields.
    pub fields: Fields,
    /// The options that all the bundles were built with.
    pub options: Vec<(String, String)>,
    /// Sections that retrievers other than the default read, which are not merged.
    pub prepared: Vec<String>,
}

/// One bundle as it is read.
#[derive(Default)]
struct Part {
    path: PathBuf,
    documents: Vec<Document>,
    chunks: Vec<Chunk>,
    layouts: Vec<Layout>,
    vectors: Vec<Vec<f32>>,
    graph: Option<KnowledgeGraph>,
    fields: Rc<Fields>,
    embedder: EmbedderInfo,
    options: Vec<(String, String)>,
    sections: Vec<String>,
}

pub(crate) fn read_bundles(paths: &[PathBuf]) -> Result<Merged, MergeError> {
    let mut parts: Vec<Part> = Vec::new();
    for path in paths {
        let part = block_on(read_part(path))?;
        if let Some(first) = parts.first() {
            check_alike(first, &part)?;
        }
        parts.push(part);
    }
    check_addresses(&parts)?;
    Ok(join_parts(parts))
}

async fn read_part(path: &Path) -> Result<Part, MergeError> {
    let fault = |reason| MergeError::Read { path: path.to_owned(), reason };
    let bundle = Bundle::open(Rc::new(FolderSource::new(path)), MEMORY_LIMIT).await.map_err(fault)?;
    let corpus = Corpus::new(bundle.clone());
    let manifest = bundle.manifest();
    let mut out = Part {
        path: path.to_owned(),
        documents: corpus.documents().await.map_err(fault)?.to_vec(),
        fields: corpus.fields().await.map_err(fault)?,
        embedder: manifest.embedder.clone(),
        options: manifest.options.clone(),
        sections: manifest.sections.iter().map(|s| s.name.clone()).collect(),
        ..Part::default()
    };
    let all: Vec<u32> = (0..u32::try_from(manifest.counts.chunks).unwrap_or(u32::MAX)).collect();
    for ids in all.chunks(AT_A_TIME) {
        let missing =
            |what: Vec<String>| MergeError::Incomplete { path: path.to_owned(), what: what.join(", ") };
        let (chunks, lost) = corpus.chunks(ids).await.map_err(fault)?;
        let layouts = corpus.layouts(ids).await;
        for id in ids {
            let chunk = chunks
                .get(id)
                .filter(|c| (c.document as usize) < out.documents.len())
                .ok_or_else(|| missing(lost.clone()))?;
            out.layouts.push(layouts.get(id).cloned().unwrap_or_else(|| guessed_layout(&chunk.text)));
            out.chunks.push(chunk.clone());
        }
        if bundle.has("vectors") {
            let (vectors, lost) = corpus.vectors_of(ids).await.map_err(fault)?;
            for id in ids {
                out.vectors.push(vectors.get(id).ok_or_else(|| missing(lost.clone()))?.to_f32());
            }
        }
    }
    if kg::is_in(&bundle) {
        out.graph = Some(kg::load_graph(&bundle).await.map_err(fault)?);
    }
    Ok(out)
}

/// Returns true if two bundles can be one.
fn check_alike(first: &Part, other: &Part) -> Result<(), MergeError> {
    let paths = || (first.path.clone(), other.path.clone());
    let same = EmbedderInfo { weight: None, ..first.embedder.clone() }
        == EmbedderInfo { weight: None, ..other.embedder.clone() };
    if !same || first.vectors.is_empty() != other.vectors.is_empty() {
        let text_of = |part: &Part| match part.vectors.is_empty() {
            true => "none".to_owned(),
            false => format!("{:?} of {} numbers", part.embedder.id, part.embedder.dimension),
        };
        return Err(MergeError::Options {
            paths: paths(),
            option: "embedder",
            first: text_of(first),
            second: text_of(other),
        });
    }
    for option in AGREED {
        let (a, b) = (first.option(option), other.option(option));
        if a != b {
            let text_of = |value: Option<&str>| value.unwrap_or("the default").to_owned();
            return Err(MergeError::Options {
                paths: paths(),
                option,
                first: text_of(a),
                second: text_of(b),
            });
        }
    }
    let (a, b) = (first.rules(), other.rules());
    if a != b {
        let text_of = |rules: Vec<&str>| if rules.is_empty() { "none".to_owned() } else { rules.join(" ") };
        return Err(MergeError::Options {
            paths: paths(),
            option: "rank",
            first: text_of(a),
            second: text_of(b),
        });
    }
    Ok(())
}

impl Merged {
    /// The rules by which all the bundles weigh documents.
    pub fn rules(&self) -> Vec<RankRule> {
        let rule = |text: &str| {
            let (pattern, percent) = text.strip_suffix('%')?.rsplit_once('=')?;
            format!("{pattern}={}", percent.parse::<f32>().ok()? / 100.0).parse().ok()
        };
        values(&self.options, "rank").filter_map(rule).collect()
    }

    /// The layers that embed questions in all the bundles.
    pub fn query_layers(&self) -> QueryLayers {
        let named = values(&self.options, "query-layers").next();
        [QueryLayers::Int4, QueryLayers::Int8]
            .into_iter()
            .find(|l| Some(l.name()) == named)
            .unwrap_or_default()
    }

    /// The languages in which any of the bundles is asked besides its documents'.
    pub fn question_languages(&self) -> Vec<QuestionLanguage> {
        languages_of(&self.options).filter_map(|tag| tag.parse().ok()).collect()
    }
}

/// The tags that options name as languages of questions.
fn languages_of(options: &[(String, String)]) -> impl Iterator<Item = &str> {
    values(options, QUESTION_LANGUAGES).flat_map(|tags| tags.split(',')).filter(|tag| !tag.is_empty())
}

impl Part {
    fn rules(&self) -> Vec<&str> {
        values(&self.options, "rank").collect()
    }

    fn option(&self, name: &str) -> Option<&str> {
        values(&self.options, name).next()
    }
}

fn values<'o>(options: &'o [(String, String)], name: &str) -> impl Iterator<Item = &'o str> {
    options.iter().filter(move |(n, _)| n == name).map(|(_, v)| v.as_str())
}

/// Checks that no address is in two bundles.
fn check_addresses(parts: &[Part]) -> Result<(), MergeError> {
    let mut of: HashMap<&str, usize> = HashMap::new();
    let mut twice: Vec<String> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        for document in part.documents.iter().filter(|d| !d.url.is_empty()) {
            match of.get(document.url.as_str()) {
                Some(&before) if before != number => {
                    let first = parts.get(before).map(|p| p.path.display().to_string()).unwrap_or_default();
                    twice.push(format!("{} ({first} and {})", line(&document.url), part.path.display()));
                }
                Some(_) => {}
                None => _ = of.insert(&document.url, number),
            }
        }
    }
    if twice.is_empty() {
        return Ok(());
    }
    Err(MergeError::Addresses { count: twice.len(), named: first_few(&twice) })
}

/// One corpus of several, ordered as a build of all their documents orders it: by paths, and in a document by
/// place.
fn join_parts(parts: Vec<Part>) -> Merged {
    let mut documents: Vec<(usize, usize)> = Vec::new();
    let mut chunks: Vec<(usize, usize)> = Vec::new();
    for (p, part) in parts.iter().enumerate() {
        documents.extend((0..part.documents.len()).map(|d| (p, d)));
        chunks.extend((0..part.chunks.len()).map(|c| (p, c)));
    }
    documents.sort_by(|&(p, d), &(q, e)| parts[p].documents[d].path.cmp(&parts[q].documents[e].path));
    let mut document_numbers: Vec<Vec<u32>> = parts.iter().map(|p| vec![0; p.documents.len()]).collect();
    documents.iter().enumerate().for_each(|(now, &(p, d))| document_numbers[p][d] = now as u32);
    let key = |&(p, c): &(usize, usize)| {
        let chunk = &parts[p].chunks[c];
        (document_numbers[p][chunk.document as usize], chunk.start, chunk.end, c)
    };
    chunks.sort_by_key(key);
    let mut chunk_numbers: Vec<Vec<u32>> = parts.iter().map(|p| vec![0; p.chunks.len()]).collect();
    chunks.iter().enumerate().for_each(|(now, &(p, c))| chunk_numbers[p][c] = now as u32);
    let is_prepared = |s: &&String| !Needs::default().prepares(s);
    let mut prepared: Vec<String> =
        parts.iter().flat_map(|p| p.sections.iter().filter(is_prepared).cloned()).collect();
    prepared.sort_unstable();
    prepared.dedup();
    let shared = |(name, value): &&(String, String)| {
        KEPT.contains(&name.as_str())
            && parts.iter().all(|p| p.options.iter().any(|(n, v)| (n, v) == (name, value)))
    };
    let mut options: Vec<(String, String)> =
        parts.first().map(|p| p.options.iter().filter(shared).cloned().collect()).unwrap_or_default();
    let asked: BTreeSet<&str> = parts.iter().flat_map(|p| languages_of(&p.options)).collect();
    if !asked.is_empty() {
        options.push((QUESTION_LANGUAGES.to_owned(), asked.into_iter().collect::<Vec<_>>().join(",")));
    }
    // Its share is told anew by all documents; of bundles without vectors there is nothing to tell.
    let weight = parts.first().filter(|p| p.vectors.is_empty()).and_then(|p| p.embedder.weight);
    let embedder = parts.first().map(|p| EmbedderInfo { weight, ..p.embedder.clone() }).unwrap_or_default();
    let all_fields: Vec<Rc<Fields>> = parts.iter().map(|part| Rc::clone(&part.fields)).collect();
    let cells = all_fields.iter().zip(&document_numbers).flat_map(|(fields, numbers)| {
        fields.cells().filter_map(|(d, name, _, value)| Some((*numbers.get(d as usize)?, name, value)))
    });
    let mut out = Merged {
        fields: collect_fields(cells),
        documents: documents.iter().map(|&(p, d)| parts[p].documents[d].clone()).collect(),
        chunks: Vec::with_capacity(chunks.len()),
        layouts: Vec::with_capacity(chunks.len()),
        vectors: Vec::new(),
        embedder,
        graphs: Vec::new(),
        options,
        prepared,
    };
    let mut parts = parts;
    for (p, c) in chunks {
        let part = &mut parts[p];
        let mut chunk = part.chunks[c].clone();
        chunk.document = document_numbers[p][chunk.document as usize];
        out.chunks.push(chunk);
        out.layouts.push(std::mem::take(&mut part.layouts[c]));
        if let Some(vector) = part.vectors.get_mut(c) {
            out.vectors.push(std::mem::take(vector));
        }
    }
    for (part, numbers) in parts.into_iter().zip(chunk_numbers) {
        out.graphs.extend(part.graph.map(|graph| (graph, numbers)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merged_bundle_is_asked_in_the_languages_of_all_its_parts() {
        let part = |tags: Option<&str>| Part {
            options: tags.map(|tags| (QUESTION_LANGUAGES.to_owned(), tags.to_owned())).into_iter().collect(),
            ..Part::default()
        };
        let merged = join_parts(vec![part(Some("zh,de")), part(None), part(Some("de,ar"))]);
        assert_eq!(merged.options, [(QUESTION_LANGUAGES.to_owned(), "ar,de,zh".to_owned())]);
        assert_eq!(
            merged.question_languages().iter().map(|l| l.tag.as_str()).collect::<Vec<_>>(),
            ["ar", "de", "zh"]
        );
        assert_eq!(join_parts(vec![part(None), part(None)]).options, []);
    }
}
