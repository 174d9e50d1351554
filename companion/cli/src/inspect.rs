//! `pocketgraph inspect`.

use super::open::{open_engine, run_future};
use miette::{Context, IntoDiagnostic, Result};
use pocketgraph::bundle::{ENDED, Fields, Times, decode_times};
use pocketgraph::keyword::KeywordGraph;
use pocketgraph::kg::{self, Class, Direction, KnowledgeGraph, NodeId, Provenance, Relation, TripleId};
use pocketgraph_export::connected_parts;
use pocketgraph_knowledge::kg::{RelationShape, as_tables, list_shapes};
use pocketgraph_native::terminal::line;
use pocketgraph_question::{VERSIONS, write_moment};
use std::cmp;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `pocketgraph inspect`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the bundle
    bundle: PathBuf,
    /// Number of keywords and of relations to list
    #[arg(long, default_value_t = 30)]
    keywords: usize,
    /// Write the knowledge graph's relations and types to relations.tsv and types.tsv in this folder; correct
    /// them and pass them to `build --relations --types`
    #[arg(long, value_name = "FOLDER")]
    write_tables: Option<PathBuf>,
}

pub fn run_inspect(args: &Args) -> Result<()> {
    let engine = open_engine(&args.bundle)?;
    let manifest = engine.corpus().bundle().manifest();
    println!("{} (format {}), built by {}", args.bundle.display(), manifest.format, line(&manifest.built_by));
    let c = manifest.counts;
    println!("{} documents, {} chunks, {} keywords", c.documents, c.chunks, c.keywords);
    let e = &manifest.embedder;
    println!("vectors: {} ({} dimensions, {})", line(&e.id), e.dimension, line(&e.quantisation));
    if let Some(weight) = e.weight {
        println!("their share in the ranking: {weight} %");
    }
    for (name, value) in &manifest.options {
        println!("option {} = {}", line(name), line(value));
    }
    println!("\n{:<16} {:>8} {:>12}", "section", "files", "bytes");
    let mut total = 0u64;
    for s in &manifest.sections {
        let bytes = s.bytes.saturating_add(s.page_bytes);
        total = bytes.saturating_add(total);
        println!("{:<16} {:>8} {:>12}", line(&s.name), s.pages.saturating_add(1), bytes);
    }
    println!("{:<16} {:>8} {:>12}", "all", "", total);
    if c.keywords > 0 {
        let graph = run_future(engine.corpus().keywords())?.into_diagnostic()?;
        // The builder numbers keywords by importance, so the first are those that a reader would look for in
        // an index.
        println!("\ntop keywords (chunks): ");
        let top: Vec<String> = graph
            .labels
            .iter()
            .zip(&graph.associated)
            .take(args.keywords)
            .map(|(label, n)| format!("{label} ({n})"))
            .collect();
        println!("  {}", line(&top.join(", ")));
        let mut sizes = graph.associated.clone();
        sizes.sort_unstable();
        let share = |q: f64| {
            f64::from(sizes[((sizes.len() - 1) as f64 * q).round() as usize]) / (c.chunks.max(1)) as f64
        };
        println!(
            "\n|X_k|/N: min {:.4}, quarter {:.4}, median {:.4}, three quarters {:.4}, max {:.4}; {} edges",
            share(0.0),
            share(0.25),
            share(0.5),
            share(0.75),
            share(1.0),
            graph.weights.stored() / 2
        );
        print_middle(&graph);
    }
    let bundle = engine.corpus().bundle();
    let fields = run_future(engine.corpus().fields())?.into_diagnostic()?;
    print_fields(&fields, args.keywords);
    print_times(&run_future(bundle.section("times", decode_times))?.unwrap_or_default(), args.keywords);
    if kg::is_in(bundle) {
        let graph = run_future(kg::load_graph(bundle))?.into_diagnostic()?;
        print_knowledge(&graph, args.keywords);
        if let Some(folder) = &args.write_tables {
            write_tables(&graph, folder)?;
        }
    } else if args.write_tables.is_some() {
        return Err(miette::miette!("the bundle has no knowledge graph to write tables of"));
    }
    Ok(())
}

/// Prints the documents' own fields, each with its most frequent values and the number of documents that have
/// them.
fn print_fields(fields: &Fields, most: usize) {
    for (name, kind) in fields.names.iter().zip(&fields.kinds) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        fields
            .cells()
            .filter(|cell| cell.1 == name)
            .for_each(|(.., value)| *counts.entry(value).or_default() += 1);
        let mut values: Vec<(&str, usize)> = counts.into_iter().collect();
        values.sort_by_key(|&(_, documents)| cmp::Reverse(documents));
        println!("\nfield {} ({kind}), {} values (documents):", line(name), values.len());
        let shown: Vec<String> =
            values.iter().take(most).map(|(value, n)| format!("{value} ({n})")).collect();
        println!("  {}", line(&shown.join(", ")));
    }
}

/// Prints the keywords that share most passages with others, and the connected parts of the graph.
fn print_middle(graph: &KeywordGraph) {
    let mut central: Vec<usize> = (0..graph.labels.len()).collect();
    central.sort_by_key(|&k| cmp::Reverse(graph.shared(k)));
    central.truncate(10);
    let named: Vec<String> =
        central.iter().map(|&k| format!("{} ({})", graph.labels[k], graph.shared(k))).collect();
    println!("  most central (passages shared with others): {}", line(&named.join(", ")));
    let edges = |k: usize| graph.weights.row(k).0.iter().map(move |&other| (k as u32, other));
    print_parts(graph.labels.len(), (0..graph.labels.len()).flat_map(edges), "keywords");
}

/// Prints into how many parts a graph falls between which no way leads, and how much of it the largest is.
fn print_parts(nodes: usize, edges: impl Iterator<Item = (u32, u32)>, what: &str) {
    let parts = connected_parts(nodes, edges);
    let largest = parts.first().map_or(0, Vec::len);
    println!("  connected parts: {}; the largest has {largest} of {nodes} {what}", parts.len());
}

/// Writes the vocabulary as tables; existing files stay, since a person may have corrected them.
fn write_tables(graph: &KnowledgeGraph, folder: &Path) -> Result<()> {
    let tables = as_tables(graph);
    std::fs::create_dir_all(folder).into_diagnostic()?;
    for (name, text) in [("relations.tsv", tables.relations), ("types.tsv", tables.types)] {
        let path = folder.join(name);
        let mut file = std::fs::File::create_new(&path)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}, or it is there already", path.display()))?;
        file.write_all(text.as_bytes()).into_diagnostic()?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Prints how many statements hold for a time, from when to when, and the labels that most of them have.
fn print_times(times: &Times, shown: usize) {
    if times.labels.is_empty() {
        return;
    }
    let statements: &[[u32; 6]] = times.statements.as_chunks().0;
    let things: BTreeSet<u32> = statements.iter().map(|s| s[5]).filter(|thing| *thing > 0).collect();
    let moments: BTreeSet<u32> =
        statements.iter().flat_map(|s| [s[3], s[4]]).filter(|moment| *moment > ENDED).collect();
    println!("\ntimes: {} statements, {} things with several values", times.labels.len(), things.len());
    let dates: Vec<String> = moments.range(..VERSIONS).map(|moment| write_moment(*moment)).collect();
    if let [first, .., last] | [first @ last] = dates.as_slice() {
        println!("  dates: {first} to {last}");
    }
    let versions: Vec<String> = moments.range(VERSIONS..).map(|moment| write_moment(*moment)).collect();
    if !versions.is_empty() {
        println!("  versions: {}", versions.join(", "));
    }
    let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
    for label in &times.labels {
        *labels.entry(label).or_default() += 1;
    }
    let mut labels: Vec<(&str, usize)> = labels.into_iter().collect();
    labels.sort_by_key(|label| cmp::Reverse(label.1));
    for (label, statements) in labels.into_iter().take(shown) {
        println!("  {statements:>8}  {}", if label.is_empty() { "no time".into() } else { line(label) });
    }
}

/// Prints the knowledge graph's size and its most frequent relations.
fn print_knowledge(graph: &KnowledgeGraph, shown: usize) {
    let v = graph.vocabulary();
    println!(
        "\nknowledge graph: {} entities, {} literals, {} types, {} relations, {} triples",
        graph.entities(),
        graph.literals(),
        v.types().len(),
        v.relations().len(),
        graph.triples()
    );
    let mut types: Vec<_> = v.types().iter().filter(|t| t.entities > 0).collect();
    types.sort_by_key(|t| cmp::Reverse(t.entities));
    let named: Vec<String> = types
        .iter()
        .take(shown)
        .map(|t| format!("{} ({}{})", t.label, t.entities, if t.is_inferred() { ", inferred" } else { "" }))
        .collect();
    if !named.is_empty() {
        println!("  types: {}", line(&named.join(", ")));
    }
    let [mut passages, mut lines, mut cited] = [0usize; 3];
    for t in 0..graph.triples() as u32 {
        let sources: Vec<Provenance<'_>> = graph.provenance(TripleId(t)).collect();
        passages += usize::from(sources.iter().any(|p| matches!(p, Provenance::Passage { .. })));
        lines += usize::from(sources.iter().any(|p| matches!(p, Provenance::Line { .. })));
        cited += usize::from(sources.iter().any(|p| matches!(p, Provenance::Cited(_))));
    }
    println!(
        "  triples with a passage: {passages}; from imported lines: {lines}; with a citation of \
         their own: {cited}"
    );
    let mut busiest: Vec<(usize, NodeId)> = (0..graph.entities() as u32)
        .map(NodeId)
        .map(|n| (graph.degree(n, Direction::Forward) + graph.degree(n, Direction::Backward), n))
        .collect();
    busiest.sort_by_key(|&(degree, n)| (cmp::Reverse(degree), n));
    let named: Vec<String> =
        busiest.iter().take(10).map(|&(degree, n)| format!("{} ({degree})", graph.label(n))).collect();
    println!("  best connected: {}", line(&named.join(", ")));
    let triples = (0..graph.triples() as u32).filter_map(|t| graph.triple(TripleId(t)));
    let between = triples.filter(|t| graph.is_entity(t.tail)).map(|t| (t.head.0, t.tail.0));
    print_parts(graph.entities(), between, "entities");
    let class = |ends: &[(Class, u32)]| match ends.first() {
        Some((Class::Type(t), _)) => v.entity_type(*t).map_or_else(String::new, |t| t.label.clone()),
        Some((Class::Literal(kind), _)) => format!("{kind:?}").to_lowercase(),
        _ => "entity".to_owned(),
    };
    let mut order: Vec<(&Relation, RelationShape)> = v.relations().iter().zip(list_shapes(graph)).collect();
    order.sort_by_key(|(r, _)| cmp::Reverse(r.triples));
    for (r, shape) in order.into_iter().take(shown) {
        let text = describe_shape(graph, &shape);
        println!(
            "  {:>8}  {} ({} to {}){}",
            r.triples,
            line(&r.label),
            line(&class(&r.domain)),
            line(&class(&r.range)),
            line(&text)
        );
    }
}

/// Describes in words what the data show about a relation.
fn describe_shape(graph: &KnowledgeGraph, shape: &RelationShape) -> String {
    let inverse = shape.inverse.and_then(|other| match other == shape.relation {
        true => Some("both ways".to_owned()),
        false => graph.vocabulary().relation(other).map(|r| format!("inverse of {}", r.label)),
    });
    let all = [
        shape.functional.then(|| "one each".to_owned()),
        shape.inverse_functional.then(|| "one each the other way".to_owned()),
        inverse,
        shape.values.map(|v| v.to_string()),
    ];
    all.into_iter().flatten().map(|t| format!("; {t}")).collect()
}
