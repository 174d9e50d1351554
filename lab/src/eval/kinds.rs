//! Infers the kinds of things without a type with other parameters, for `tuning/kinds.py`.

use miette::{IntoDiagnostic, Result};
use pocketgraph::kg::{Class, KnowledgeGraph};
use pocketgraph_cli::import::Tables;
use pocketgraph_knowledge::kg::{ImportOptions, KindRules, import};
use serde::Serialize;
use std::io::BufRead;
use std::path::PathBuf;

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The knowledge graph's triples: TSV, CSV, `|`, JSON Lines or RDF, also gzipped
    #[arg(long = "kg", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
}

/// A relation, and how many of its triples lead from and to things of which kind, the most first.
#[derive(Serialize)]
struct Sides<'a> {
    relation: &'a str,
    triples: u32,
    domain: Vec<(&'a str, u32)>,
    range: Vec<(&'a str, u32)>,
}

/// Prints the values; then, for each line of changed values on the standard input, the types of relations.
///
/// # Errors
/// When files cannot be read, or a line is no trial.
pub fn run_kinds(args: &Args) -> Result<()> {
    let (files, options) = args.tables.files(&args.files)?;
    println!("{}", serde_json::to_string(&KindRules::default()).into_diagnostic()?);
    for line in std::io::stdin().lock().lines() {
        let kind_rules = serde_json::from_str(&line.into_diagnostic()?).into_diagnostic()?;
        let options = ImportOptions { kind_rules, ..options.clone() };
        let (graph, _) = import(&files, &options).into_diagnostic()?;
        println!("{}", serde_json::to_string(&list_sides(&graph)).into_diagnostic()?);
    }
    Ok(())
}

fn list_sides(graph: &KnowledgeGraph) -> Vec<Sides<'_>> {
    let v = graph.vocabulary();
    let end = |classes: &[(Class, u32)]| {
        let named = classes.iter().map(|(class, n)| match class {
            Class::Type(t) => (v.entity_type(*t).map_or("", |t| t.label.as_str()), *n),
            Class::Untyped => ("", *n),
            Class::Literal(_) => ("value", *n),
        });
        named.collect::<Vec<_>>()
    };
    let sides = v.relations().iter().map(|r| Sides {
        relation: &r.label,
        triples: r.triples,
        domain: end(&r.domain),
        range: end(&r.range),
    });
    sides.collect()
}
