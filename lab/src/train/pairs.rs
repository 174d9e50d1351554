//! `pocketgraph train pairs`.

use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph::vector::dot_f32;
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_train::plan_data::{
    LPKG, PATTERNS, PairOptions, Pattern, WrittenPlan, make_pairs, write_plan,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Arguments of `pocketgraph train pairs`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Examples of `train data`, JSON Lines
    examples: PathBuf,
    /// File for the pairs, JSON Lines
    #[arg(short, long, default_value = "pairs.jsonl")]
    out: PathBuf,
    /// Number of pairs of each pattern, as in 1p=1000,2p=1000 [default: all there are of LPKG's nine]
    #[arg(long, value_name = "PATTERN=N", value_delimiter = ',', value_parser = read_share)]
    of: Vec<(String, usize)>,
    /// Demonstrations in each instruction, each of another pattern
    #[arg(long, value_name = "N", default_value_t = 3)]
    demonstrations: usize,
    /// Write messages of a chat instead of instruction, input and output
    #[arg(long)]
    chat: bool,
    /// Files of test questions (JSON Lines with `question`): what is near one of these in meaning is left out
    #[arg(long, value_name = "FILE", num_args = 1..)]
    without: Vec<PathBuf>,
    /// From this cosine of their vectors on, two questions are near
    #[arg(long, value_name = "COSINE", default_value_t = 0.8, requires = "without")]
    nearest: f32,
    /// Fixes every draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn read_share(text: &str) -> std::result::Result<(String, usize), String> {
    let (pattern, n) = text.split_once('=').ok_or("write it as PATTERN=N")?;
    if !PATTERNS.iter().any(|known| known.name() == pattern.trim()) {
        return Err(format!("the patterns are {}", PATTERNS.map(Pattern::name).join(", ")));
    }
    Ok((pattern.trim().to_owned(), n.trim().parse().map_err(|_| format!("{n:?} is no number"))?))
}

/// Makes the pairs. Fails if a file cannot be read or written, or holds no examples.
pub fn run_pairs(args: &Args) -> Result<()> {
    let lines = super::read_lines(&args.examples, usize::MAX)?;
    let mut examples: Vec<WrittenPlan> = lines.iter().filter_map(write_plan).collect();
    if examples.is_empty() {
        return Err(miette!(
            help = "make them with pocketgraph train data",
            "{} holds no examples of plans",
            args.examples.display()
        ));
    }
    let before = examples.len();
    if !args.without.is_empty() {
        let mut tests = Vec::new();
        for path in &args.without {
            tests.extend(
                super::read_lines(path, usize::MAX)?
                    .iter()
                    .filter_map(|v| v.get("question")?.as_str().map(str::to_owned)),
            );
        }
        far_from(&mut examples, &tests, args.nearest)?;
    }
    let near = before - examples.len();
    let of: BTreeMap<String, usize> = match args.of.is_empty() {
        true => LPKG.iter().map(|p| ((*p).to_owned(), usize::MAX)).collect(),
        false => args.of.iter().cloned().collect(),
    };
    let options = PairOptions { of, demonstrations: args.demonstrations, chat: args.chat, seed: args.seed };
    let pairs = make_pairs(&examples, &options);
    let file = File::create(&args.out)
        .into_diagnostic()
        .wrap_err_with(|| format!("{} cannot be written", args.out.display()))?;
    let mut out = BufWriter::new(file);
    pairs.iter().try_for_each(|pair| writeln!(out, "{pair}")).and_then(|()| out.flush()).into_diagnostic()?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    pairs.iter().filter_map(|p| p.get("pattern")?.as_str()).for_each(|p| *counts.entry(p).or_default() += 1);
    for (pattern, wanted) in &args.of {
        let there = counts.get(pattern.as_str()).copied().unwrap_or_default();
        if there < *wanted {
            let of = args.examples.display();
            eprintln!("{pattern}: {there} of {wanted}: {of} has no more that are far from the tests");
        }
    }
    let names: Vec<String> = counts.iter().map(|(pattern, n)| format!("{pattern} {n}")).collect();
    println!(
        "{}: {} pairs ({}); {near} near a test's question",
        args.out.display(),
        pairs.len(),
        names.join(", ")
    );
    Ok(())
}

/// Leaves only those that are near no test's question in meaning.
fn far_from(examples: &mut Vec<WrittenPlan>, tests: &[String], nearest: f32) -> Result<()> {
    let embedder = NativeEmbedder::new()?;
    let own: Vec<String> = examples.iter().map(|e| e.question.clone()).collect();
    let (own, tests) = (embedder.embed_all(&own, &|_| {}), embedder.embed_all(tests, &|_| {}));
    let mut far = own.iter().map(|o| tests.iter().all(|t| dot_f32(o, t) < nearest));
    examples.retain(|_| far.next().unwrap_or(true));
    Ok(())
}
