//! Builds the knowledge graph: imported from files (tables, JSON, GraphML, GEXF, Parquet, RDF), from the
//! structure of documents, and from a language model's reading of them.
//!
//! A fault is reported with its file and line number; the line is then left out or, in a strict import, the
//! import ends. If files declare no types, they are inferred (`infer`), and can be written as tables that a
//! person corrects (`as_tables`). Everything keeps the order of the files, so that the same files give the
//! same graph.

mod as_tables;
mod both_ways;
mod columns;
mod documents;
mod everyday_names;
mod gather;
mod infer;
mod join;
mod json;
mod json_ld;
mod labels;
mod lines;
mod literals;
mod markup;
mod numbers;
pub mod open;
mod parquet;
mod read_triples;
mod record;
mod rdf;
mod report;
mod shape;
mod shared_passages;
mod site_words;
mod tables;
mod unnamed;
mod validity;
mod vocabularies;
mod entity_index;

pub use as_tables::{VocabularyTables, as_tables};
pub use columns::{Column, parse_columns};
pub use documents::DocumentTriples;
pub use gather::{Gathering, heads_of, names_of};
pub use infer::KindRules;
pub use labels::{LabelVectors, label_vectors, most_labels_of, phrase_pages};
pub use literals::LiteralRule;
pub use read_triples::{ReadTriplesError, all_heads, read_triples, shown_chunks};
pub use report::{FileReport, ImportReport, Problem};
pub use shape::{RelationShape, Values, list_shapes};
pub use site_words::{SiteWords, SiteWordsError};

use lines::Format;
use pocketgraph_kg::{KgBuilder, KgError, KnowledgeGraph};
use report::Reporter;
use std::path::{Path, PathBuf};

/// The files of a graph. Tables of relations and types only describe what triples mention; entities of an
/// entity table are in the graph even if no triple mentions them.
#[derive(Debug, Clone, Default)]
pub struct KgFiles {
    /// Graphs: tables, JSON, GraphML, GEXF, Parquet or RDF, each also gzipped.
    pub triples: Vec<PathBuf>,
    /// Tables of entities.
    pub entities: Vec<PathBuf>,
    /// Tables of relations.
    pub relations: Vec<PathBuf>,
    /// Tables of types.
    pub types: Vec<PathBuf>,
}

/// Options for reading files.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// True if the first malformed line ends the import.
    pub strict: bool,
    /// The columns of tables of triples; `None`: those of a header line, or head, relation, tail and
    /// provenance.
    pub columns: Option<Vec<Column>>,
    /// The columns of tables of entities; `None`: those of a header line, or id, label, aliases, types and
    /// description.
    pub entity_columns: Option<Vec<Column>>,
    /// The columns of tables of relations and types; `None`: those of a header line, or id, label, aliases,
    /// domain and range.
    pub term_columns: Option<Vec<Column>>,
    /// Rule for which tails of tables are literals.
    pub literals: LiteralRule,
    /// Language whose labels are preferred in RDF.
    pub language: String,
    /// True if relations and types get everyday names beside their own.
    pub everyday_names: bool,
    /// The site's own words, which extend the everyday names.
    pub words: SiteWords,
    /// True if things without a declared type get types inferred from the names and ends of relations.
    pub inferred_types: bool,
    /// Rules for inferring types.
    pub kind_rules: KindRules,
}

impl Default for ImportOptions {
    fn default() -> Self {
        ImportOptions {
            strict: false,
            columns: None,
            entity_columns: None,
            term_columns: None,
            literals: LiteralRule::Auto,
            language: "en".to_owned(),
            everyday_names: true,
            words: SiteWords::default(),
            inferred_types: true,
            kind_rules: KindRules::default(),
        }
    }
}

/// Reasons for which an import ends without a graph.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be opened or read.
    #[error("cannot read {path}: {reason}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        reason: std::io::Error,
    },
    /// A malformed line in a strict import.
    #[error("{0}")]
    Malformed(Problem),
    /// Columns that do not make a table.
    #[error("{0}")]
    Columns(String),
    /// A file of which nothing was read.
    #[error("nothing was imported from {file}: {why}")]
    Nothing {
        /// The file.
        file: String,
        /// Its first fault.
        why: String,
    },
    /// The graph is too large.
    #[error(transparent)]
    Graph(#[from] KgError),
}

/// Reads the files into a graph, and reports what was read and what was wrong.
///
/// # Errors
/// [`ImportError`] if a file cannot be read, columns are invalid, or, if strict, a line is malformed.
pub fn import(
    files: &KgFiles,
    options: &ImportOptions,
) -> Result<(KnowledgeGraph, ImportReport), ImportError> {
    let mut kg = KgBuilder::default();
    let report = read_into(&mut kg, files, options)?;
    let (given, repeated) = (kg.added_triples(), kg.repeated_names());
    let graph = kg.finish()?;
    Ok((graph.clone(), report.finish(&graph, given, repeated)))
}

/// Reads the files into a graph under construction.
fn read_into(kg: &mut KgBuilder, files: &KgFiles, options: &ImportOptions) -> Result<Reporter, ImportError> {
    let mut report = Reporter::new(options.strict);
    let mut rows = literals::Rows::default();
    let mut statements = rdf::Statements::default();
    for path in &files.entities {
        let columns = (options.entity_columns.as_deref(), &tables::ENTITY[..]);
        in_file(path, &mut report, |r| {
            tables::read_rows(path, tables::separator_of(path)?, columns, kg, &mut rows, r)
        })?;
    }
    for path in &files.relations {
        in_file(path, &mut report, |r| {
            tables::read_terms(path, options, r, &mut |term| {
                let relation = kg.relation(term.id)?;
                rows.ends(term.id, term.domain, term.range);
                term.names.iter().try_for_each(|name| kg.relation_label(relation, name))
            })
        })?;
    }
    for path in &files.types {
        in_file(path, &mut report, |r| {
            tables::read_terms(path, options, r, &mut |term| {
                let t = kg.entity_type(term.id)?;
                term.names.iter().try_for_each(|name| kg.type_label(t, name))
            })
        })?;
    }
    for path in &with_tables_of_nodes(&files.triples) {
        in_file(path, &mut report, |r| read_graph(path, options, kg, &mut rows, &mut statements, r))?;
        if let Some(error) = report.nothing() {
            return Err(error);
        }
    }
    rows.add_to(kg, options, &mut report)?;
    let declared = statements.add_to(kg, &options.language)?;
    both_ways::add_implied(kg, &declared)?;
    unnamed::name_unnamed(kg)?;
    if options.inferred_types {
        report.inferred_types = infer::infer_types(kg, &options.kind_rules)?;
    }
    if options.everyday_names {
        report.everyday_relations = everyday_names::add_everyday_names(kg, &options.words)?;
    }
    Ok(report)
}

fn read_graph(
    path: &Path,
    options: &ImportOptions,
    kg: &mut KgBuilder,
    rows: &mut literals::Rows,
    statements: &mut rdf::Statements,
    report: &mut Reporter,
) -> Result<(), ImportError> {
    let format = match lines::format_of(path)? {
        Format::Rdf(format) => return rdf::read_rdf(path, format, statements, report),
        Format::Table(separator) => {
            return tables::read_rows(
                path,
                separator,
                (options.columns.as_deref(), &tables::TRIPLE),
                kg,
                rows,
                report,
            );
        }
        format => format,
    };
    let file = rows.file(path);
    let scope = if format == Format::JsonLines { String::new() } else { path.display().to_string() };
    let mut records = record::Records { kg, rows, file, scope, numbers_are_ids: true, ends_are_ids: false };
    match format {
        Format::Json => json::read_document(path, &mut records, report),
        Format::Markup => markup::read_markup(path, &mut records, report),
        Format::Parquet => {
            (records.scope, records.numbers_are_ids) = (String::new(), false);
            parquet::read_parquet(path, &mut records, report)
        }
        _ => json::read_lines(path, &mut records, report),
    }
}

/// Returns the files, each table of edges followed by the table of nodes that our export writes beside it.
fn with_tables_of_nodes(files: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for path in files {
        all.push(path.clone());
        let nodes = path.with_extension("nodes.csv");
        if path.extension().is_some_and(|e| e == "csv") && nodes.is_file() && !files.contains(&nodes) {
            all.push(nodes);
        }
    }
    all
}

fn in_file(
    path: &Path,
    report: &mut Reporter,
    read: impl FnOnce(&mut Reporter) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    report.start(&path.display().to_string());
    read(report)
}

#[cfg(test)]
#[path = "import_tests.rs"]
mod tests;
