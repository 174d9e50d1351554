//! `pocketgraph train data`.

use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph_cli::cache::CacheArgs;
use pocketgraph_cli::endpoint::EndpointArgs;
use pocketgraph_cli::import::Tables;
use pocketgraph_cli::progress::Bars;
use pocketgraph_knowledge::everyday;
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_native::progress::Progress;
use pocketgraph_train::plan_data::{
    DataOptions, Near, Noise, generate_examples, rephrase_questions, write_card,
};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Arguments of `pocketgraph train data`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The knowledge graph: triples as for `import` [default: a made-up world with everyday relations and
    /// measures]
    #[arg(long, num_args = 1..)]
    kg: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// File for the examples; those for testing go to the same name with .test, the data card to that with
    /// .md
    #[arg(short, long, default_value = "plans.jsonl")]
    out: PathBuf,
    /// Number of examples, over all patterns alike
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    examples: usize,
    /// Percentage of relations to keep for testing
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=90))]
    held_relations: u32,
    /// Percentage of entities to keep for testing
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=90))]
    held_entities: u32,
    /// Files of test questions (JSON Lines with `question`): what is nearly one of these is left out
    #[arg(long, value_name = "FILE", num_args = 1..)]
    without: Vec<PathBuf>,
    /// Have a language model say so many of the questions for training anew; they come after the others in
    /// the same file
    #[arg(long, value_name = "N", default_value_t = 0)]
    rephrase: usize,
    #[command(flatten)]
    endpoint: EndpointArgs,
    #[command(flatten)]
    cache: CacheArgs,
    /// Fixes every random choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads that work at once; the result does not depend on it [default: one a core]
    #[arg(long)]
    jobs: Option<usize>,
}

/// Makes the examples. Fails if the graph or the test questions cannot be read, or the files not written.
pub fn run_data(args: &Args) -> Result<()> {
    let mut without = Near::default();
    for path in &args.without {
        add_questions(path, &mut without)?;
    }
    let jobs =
        args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let options = DataOptions {
        examples: args.examples,
        held_relations: args.held_relations,
        held_entities: args.held_entities,
        noise: Noise::default(),
        seed: args.seed,
        jobs,
    };
    let bars = Bars::new(false);
    // Before any work: without an endpoint there will be none who says them anew.
    let model = match args.rephrase {
        0 => None,
        _ => Some(
            args.endpoint.patient("--rephrase", args.cache.open(&bars, "replies are not kept").as_ref())?,
        ),
    };
    bars.stage("reading the knowledge graph", None);
    // Here, so that an error in its files is told whole.
    let own = if args.kg.is_empty() {
        everyday::build_world(args.seed).into_diagnostic()?
    } else {
        let (own, read) = args.tables.with_own_names().import(&args.kg)?;
        for problem in read.problems.iter().take(5) {
            bars.warn(&problem.to_string());
        }
        own
    };
    let graph = || match args.kg.is_empty() {
        true => everyday::build_world(args.seed).map_err(|e| e.to_string()),
        false => args.tables.with_own_names().import(&args.kg).map(|x| x.0).map_err(|e| e.to_string()),
    };
    let (test, about) = (path_beside(&args.out, "test.jsonl"), path_beside(&args.out, "md"));
    let writer = |path: &Path| {
        File::create(path).into_diagnostic().wrap_err_with(|| format!("{} cannot be written", path.display()))
    };
    let (mut train_file, mut test_file) =
        (BufWriter::new(writer(&args.out)?), BufWriter::new(writer(&test)?));
    bars.stage("making examples", Some(args.examples as u64));
    let mut report =
        generate_examples(&own, &graph, &options, &without, &mut train_file, &mut test_file, &|n| {
            bars.at(n as u64)
        })
        .into_diagnostic()?;
    if let Some(model) = &model {
        // The first examples are of all patterns alike.
        let examples = super::read_lines(&args.out, args.rephrase)?;
        let tokenizer = NativeEmbedder::new()?;
        let count = |text: &str| tokenizer.tokenizer().count(text);
        let (rephrased_value, tally) =
            rephrase_questions(&examples, &without, model, &bars, &count).into_diagnostic()?;
        rephrased_value
            .iter()
            .try_for_each(|e| writeln!(train_file, "{e}"))
            .and_then(|()| train_file.flush())
            .into_diagnostic()?;
        report.rephrased = (examples.len(), rephrased_value.len());
        bars.note(&format!("questions said anew: {} of {}; {tally}", rephrased_value.len(), examples.len()));
    }
    bars.finish();
    let mut sources: Vec<String> = args
        .kg
        .iter()
        .map(|p| p.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned()))
        .collect();
    if sources.is_empty() {
        sources.push("a made-up world with everyday relations".to_owned());
    }
    writer(&about)?
        .write_all(
            write_card(&super::command_line(std::env::args().skip(1)), &sources, &options, &report)
                .as_bytes(),
        )
        .into_diagnostic()?;
    let (train, tested) = report.patterns.values().fold((0, 0), |(a, b), x| (a + x.0, b + x.1));
    println!(
        "{}: {train} examples; {}: {tested}; {} repeated, {} near a test's question, {} that came to \
         nothing; {}",
        args.out.display(),
        test.display(),
        report.repeated,
        report.near,
        report.given_up,
        about.display()
    );
    Ok(())
}

fn path_beside(out: &Path, extension: &str) -> PathBuf {
    out.with_extension(extension)
}

/// Adds the questions of a file.
pub(super) fn add_questions(path: &Path, into: &mut Near) -> Result<()> {
    let text = std::fs::read_to_string(path)
        .into_diagnostic()
        .wrap_err_with(|| format!("{} cannot be read", path.display()))?;
    for (number, line) in text.lines().enumerate().filter(|l| !l.1.trim().is_empty()) {
        let value: serde_json::Value = serde_json::from_str(line)
            .map_err(|e| miette!("{}, line {}: this is no JSON object: {e}", path.display(), number + 1))?;
        match value["question"].as_str() {
            Some(question) => into.add(question),
            None => return Err(miette!("{}, line {}: there is no \"question\"", path.display(), number + 1)),
        }
    }
    Ok(())
}
