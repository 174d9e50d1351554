//! `pocketgraph import`, and the arguments that every command with a knowledge graph shares.

use miette::{IntoDiagnostic, Result};
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph_knowledge::kg::{
    Column, ImportOptions, ImportReport, KgFiles, LiteralRule, SiteWords, import, parse_columns,
};
use std::path::PathBuf;
use std::time::Instant;

/// Options for reading files of a knowledge graph.
#[derive(Debug, Clone, clap::Args)]
pub struct Tables {
    /// Tables of entities: id, label, aliases, types, description
    #[arg(long, num_args = 1..)]
    entities: Vec<PathBuf>,
    /// Tables of relations: id, label, aliases
    #[arg(long, num_args = 1..)]
    relations: Vec<PathBuf>,
    /// Tables of types: id, label, aliases
    #[arg(long, num_args = 1..)]
    types: Vec<PathBuf>,
    /// Columns of tables of triples, if the header does not say
    #[arg(long, value_name = "NAMES")]
    columns: Option<String>,
    /// Columns of tables of entities
    #[arg(long, value_name = "NAMES")]
    entity_columns: Option<String>,
    /// Columns of tables of relations and types
    #[arg(long, value_name = "NAMES")]
    term_columns: Option<String>,
    /// Tails of tables that are literals: `auto`, `none`, or relations separated by commas
    #[arg(long, default_value = "auto")]
    literals: String,
    /// Add no everyday names to relations, such as "born in" for "place of birth"
    #[arg(long)]
    own_names: bool,
    /// Folder of tables with your own words for relations and types; a line that begins with `-` removes a
    /// word
    #[arg(long, value_name = "DIR", conflicts_with = "own_names")]
    lexicon: Option<PathBuf>,
    /// Infer no types for things whose files declare none
    #[arg(long)]
    own_types: bool,
    /// Stop at the first malformed line
    #[arg(long)]
    strict: bool,
}

/// Arguments of `pocketgraph import`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Graphs: TSV, CSV, JSON, GraphML, GEXF, Parquet or RDF, also gzipped
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

fn read_columns(names: Option<&String>) -> Result<Option<Vec<Column>>> {
    names.map(|n| parse_columns(n)).transpose().into_diagnostic()
}

impl Tables {
    /// Returns the same options without everyday names and inferred types: training adds its own wordings.
    pub fn with_own_names(&self) -> Tables {
        Tables { own_names: true, own_types: true, lexicon: None, ..self.clone() }
    }

    /// Returns true if a folder of own words is named, which needs an imported graph.
    pub fn brings_words(&self) -> bool {
        self.lexicon.is_some()
    }

    /// Reads the graph.
    pub fn import(&self, triples: &[PathBuf]) -> Result<(KnowledgeGraph, ImportReport)> {
        let (files, options) = self.files(triples)?;
        import(&files, &options).into_diagnostic()
    }

    /// Returns the files with the options for reading them.
    pub fn files(&self, triples: &[PathBuf]) -> Result<(KgFiles, ImportOptions)> {
        let options = ImportOptions {
            strict: self.strict,
            columns: read_columns(self.columns.as_ref())?,
            entity_columns: read_columns(self.entity_columns.as_ref())?,
            term_columns: read_columns(self.term_columns.as_ref())?,
            literals: match self.literals.as_str() {
                "auto" => LiteralRule::Auto,
                "none" => LiteralRule::Nothing,
                named => LiteralRule::Relations(named.split(',').map(str::to_owned).collect()),
            },
            everyday_names: !self.own_names,
            words: self
                .lexicon
                .as_deref()
                .map(SiteWords::read)
                .transpose()
                .into_diagnostic()?
                .unwrap_or_default(),
            inferred_types: !self.own_types,
            ..ImportOptions::default()
        };
        let files = KgFiles {
            triples: triples.to_vec(),
            entities: self.entities.clone(),
            relations: self.relations.clone(),
            types: self.types.clone(),
        };
        Ok((files, options))
    }
}

/// Imports a knowledge graph and reports what is in it. Fails if a file cannot be read, or the files give no
/// graph.
pub fn run_import(args: &Args) -> Result<()> {
    let begun = Instant::now();
    let (_, report) = args.tables.import(&args.files)?;
    let seconds = begun.elapsed().as_secs_f64();
    if args.json {
        return pocketgraph_native::terminal::print_json(&report).into_diagnostic();
    }
    let r = &report;
    println!(
        "{} entities, {} literals, {} relations, {} types, {} triples",
        r.entities, r.literals, r.relations, r.types, r.triples
    );
    println!("{} duplicate triples; read in {seconds:.2} s", r.repeated);
    for f in &r.files {
        println!("{}: {} used, {} malformed", f.file, f.used, f.malformed);
        f.read_as.iter().for_each(|how| println!("  {how}"));
    }
    if !r.literal_relations.is_empty() {
        println!("literals: the tails of {}", r.literal_relations.join(", "));
    }
    if !r.inferred_types.is_empty() {
        println!("inferred types: {} (--own-types infers none)", r.inferred_types.join(", "));
    }
    if r.everyday_relations > 0 {
        println!("{} relations got everyday names (--own-names adds none)", r.everyday_relations);
    }
    if r.shared_names > 0 {
        println!(
            "{} names belong to several entities, such as: {}",
            r.shared_names,
            r.shared_examples.join(", ")
        );
    }
    if r.circular_names > 0 {
        let shown: Vec<String> = r.circular_examples.iter().map(|(a, b)| format!("{a} and {b}")).collect();
        println!(
            "{} pairs of entities have each other's labels as aliases, such as: {}",
            r.circular_names,
            shown.join(", ")
        );
    }
    if r.repeated_names > 0 {
        println!("{} duplicate names of entities", r.repeated_names);
    }
    if r.unknown_ends > 0 {
        let examples = r.unknown_examples.join(", ");
        eprintln!("warning: no file describes {} ids that edges join, such as: {examples}", r.unknown_ends);
    }
    for p in r.problems.iter().take(20) {
        eprintln!("warning: {p}");
    }
    if r.malformed > 20 {
        eprintln!("warning: {} more malformed lines", r.malformed - 20);
    }
    Ok(())
}
