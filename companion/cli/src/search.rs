//! `pocketgraph search`.

use super::endpoint::Endpoint;
use super::filter::FilterArgs;
use super::many::{HitOf, list_bundles, merge_results};
use super::open::{parse_retriever, run_future, with_model};
use miette::{IntoDiagnostic, Result};
use pocketgraph::bundle::format_place;
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph::kg::Direction;
use pocketgraph::retrieve::{Hit, NAMES, Reached, SearchResult};
use pocketgraph_native::single_line::one_line;
use pocketgraph_native::terminal::line;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Maximum number of the question's entities that are shown.
const MOST_ENTITIES: usize = 8;

/// Default number of hits of several bundles.
const HITS: u32 = 10;

/// Arguments of `pocketgraph search`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the bundle
    bundle: PathBuf,
    /// Question or words to look for
    #[arg(allow_hyphen_values = true)]
    question: String,
    /// Search this bundle too; repeatable
    #[arg(long, value_name = "BUNDLE")]
    also: Vec<PathBuf>,
    /// Maximum number of hits [default: 10; autokg: its own]
    #[arg(short)]
    k: Option<u32>,
    /// Retriever: auto, hybrid, lexical, dense, autokg, or one that the bundle is prepared for, with
    /// parameters after a colon (autokg:10/5/2/3/1)
    #[arg(long, value_name = "NAME", default_value = NAMES[0], value_parser = parse_retriever)]
    retriever: String,
    /// Maximum number of hits of a page before those of other pages, 0 for any number [default: 3 with auto,
    /// otherwise 0]
    #[arg(long, value_name = "N")]
    per_page: Option<u32>,
    #[command(flatten)]
    filter: FilterArgs,
    /// Let a language model choose among the facts that hippo found
    #[arg(long, requires = "base_url")]
    llm: bool,
    #[command(flatten)]
    endpoint: Endpoint,
    /// Print the whole result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run_search(args: &Args) -> Result<()> {
    if !args.also.is_empty() {
        return search_several(args);
    }
    let (engine, result) = search_bundle(args, &args.bundle)?;
    if args.json {
        pocketgraph_native::terminal::print_json(&result).into_diagnostic()?;
        return Ok(());
    }
    if result.hits.is_empty() {
        println!("Nothing found.");
    }
    for (i, hit) in result.hits.iter().enumerate() {
        println!("{:>3}. {}  ({:.3})", i + 1, line(&format_place(&hit.title, &hit.heading_path)), hit.score);
        println!("     {}", line(&hit.url));
        if !hit.translations.is_empty() {
            println!("     {}", in_languages(hit));
        }
        if !hit.elsewhere.is_empty() {
            let others: Vec<&str> = hit.elsewhere.iter().map(|e| e.title.as_str()).collect();
            println!("     the same in {}", line(&others.join(", ")));
        }
        for way in hit.reached.iter().filter(|way| **way != Reached::Query) {
            println!("     by {}", line(&way.to_words()));
        }
        println!("     {}\n", line(&cut_text(&hit.text, 240)));
    }
    if !result.keywords.is_empty() {
        let labels: Vec<&str> = result.keywords.iter().map(|k| k.label.as_str()).collect();
        println!("Keywords: {}", line(&labels.join(", ")));
    }
    print_entities(&engine, &args.question)?;
    for missing in &result.missing {
        eprintln!("warning: {}", line(missing));
    }
    Ok(())
}

/// Names the language of a hit and the other languages of its page: "in English; also in German, Chinese".
fn in_languages(hit: &Hit) -> String {
    let others: Vec<&str> =
        hit.translations.iter().map(|t| pocketgraph_languages::name(&t.language)).collect();
    format!("in {}; also in {}", pocketgraph_languages::name(&hit.language), others.join(", "))
}

fn search_bundle(args: &Args, bundle: &Path) -> Result<(Engine, SearchResult)> {
    let engine =
        if args.retriever == "lexical" { super::open::open_engine(bundle)? } else { with_model(bundle)? };
    if args.also.is_empty() {
        run_future(engine.check_filter(&args.filter.filter()))?.into_diagnostic()?;
    }
    let options = SearchOptions {
        k: args.k,
        retriever: Some(args.retriever.clone()),
        typing: false,
        per_page: args.per_page,
        filter: args.filter.filter(),
        reader_language: args.filter.reader_language.clone(),
    };
    let model = if args.llm { args.endpoint.open()? } else { None };
    let result = match model {
        Some(model) => run_future(engine.search_by(&args.question, &options, Rc::from(model)))?,
        None => run_future(engine.search(&args.question, &options))?,
    }
    .into_diagnostic()?;
    Ok((engine, result))
}

/// Searches several bundles as one.
fn search_several(args: &Args) -> Result<()> {
    let results = list_bundles(&args.bundle, &args.also)
        .map(|bundle| search_bundle(args, bundle).map(|(_, result)| result))
        .collect::<Result<Vec<_>>>()?;
    let many = merge_results(results, args.k.unwrap_or(HITS) as usize);
    if args.json {
        pocketgraph_native::terminal::print_json(&many.json()?).into_diagnostic()?;
        return Ok(());
    }
    if many.hits.is_empty() {
        println!("Nothing found.");
    }
    for (i, HitOf { bundle, hit }) in many.hits.iter().enumerate() {
        let of = list_bundles(&args.bundle, &args.also)
            .nth(*bundle)
            .map(|b| b.display().to_string())
            .unwrap_or_default();
        println!("{:>3}. {}  ({:.3})", i + 1, line(&format_place(&hit.title, &hit.heading_path)), hit.score);
        println!("     {}  in {}", line(&hit.url), line(&of));
        println!("     {}\n", line(&cut_text(&hit.text, 240)));
    }
    many.missing.iter().for_each(|missing| eprintln!("warning: {}", line(missing)));
    Ok(())
}

/// Returns the entities of the knowledge graph that the question names.
fn print_entities(engine: &Engine, question: &str) -> Result<()> {
    let Some(linker) = run_future(engine.knowledge())?.into_diagnostic()? else { return Ok(()) };
    let graph = linker.graph();
    let known: Vec<String> = linker
        .topics(question)
        .iter()
        .filter_map(|m| m.candidates.iter().find(|c| graph.is_entity(c.node)))
        .take(MOST_ENTITIES)
        .map(|c| {
            let types: Vec<&str> = graph
                .types(c.node)
                .iter()
                .filter_map(|t| graph.vocabulary().entity_type(*t))
                .map(|t| t.label.as_str())
                .collect();
            let triples =
                graph.degree(c.node, Direction::Forward) + graph.degree(c.node, Direction::Backward);
            let what = if types.is_empty() { String::new() } else { format!("{}, ", types.join(", ")) };
            format!("{} ({what}{triples} triples)", graph.label(c.node))
        })
        .collect();
    if !known.is_empty() {
        println!("Entities: {}", line(&known.join("; ")));
    }
    Ok(())
}

/// Returns the first `n` characters of a text on one line.
fn cut_text(text: &str, n: usize) -> String {
    let line = one_line(text);
    match line.char_indices().nth(n) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
