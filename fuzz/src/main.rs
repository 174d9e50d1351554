//! Feeds every decoder with mutated bytes: see README.md beside it.
//!
//! Usage: pocketgraph-fuzz [TARGET...] [--seconds N] [--inputs N] [--seed N] [--list]
//!        pocketgraph-fuzz --write-bundles FOLDER --inputs N [--seed N]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod attempt;
mod bundles;
mod growth;
mod memory;
mod mutate;
mod runner;
mod targets;

use std::path::Path;
use std::time::Duration;

/// The targets that are measured at several sizes.
const GROWTH: &str = "growth";

#[global_allocator]
static ALLOCATOR: memory::Counted = memory::Counted;

fn main() {
    let (mut names, mut seconds, mut most, mut seed, mut list) = (Vec::new(), 5.0f64, u64::MAX, 1u64, false);
    let mut to_write = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--write-bundles" {
            to_write =
                Some(arguments.next().unwrap_or_else(|| exit_misused("--write-bundles wants a folder")));
            continue;
        }
        let mut number = |what: &str| {
            arguments
                .next()
                .and_then(|n| n.parse::<f64>().ok())
                .unwrap_or_else(|| exit_misused(&format!("{what} wants a number")))
        };
        match argument.as_str() {
            "--seconds" => seconds = number("--seconds"),
            "--inputs" => most = number("--inputs") as u64,
            "--seed" => seed = number("--seed") as u64,
            "--list" => list = true,
            name if name.starts_with('-') => exit_misused(&format!("there is no option {name}")),
            name => names.push(name.to_owned()),
        }
    }
    if let Some(folder) = to_write {
        return targets::write_bundles(Path::new(&folder), most, seed);
    }
    let all = targets::all();
    if list {
        all.iter().for_each(|t| println!("{}", t.name));
        println!("{GROWTH}");
        return;
    }
    // A name selects the targets that begin with it.
    let is_chosen = |name: &str| names.is_empty() || names.iter().any(|n| name.starts_with(n.as_str()));
    let chosen: Vec<_> = all.iter().filter(|t| is_chosen(&t.name)).collect();
    if chosen.is_empty() && !is_chosen(GROWTH) {
        exit_misused("there is no such target; --list names them");
    }
    runner::watch();
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    for kept in std::fs::read_dir(home.join("corpus")).into_iter().flatten().flatten() {
        let name = kept.file_name();
        if !all.iter().any(|target| name == *target.name) {
            exit_misused(&format!("corpus/{} is of no target, so that nothing reads it", name.display()));
        }
    }
    let (mut inputs, mut findings) = (0, 0);
    for target in chosen {
        eprintln!("{}", target.name);
        let kept = home.join("corpus").join(&target.name);
        let run =
            runner::run(target, &kept, seed, Duration::from_secs_f64(seconds), most, &home.join("findings"));
        println!(
            "{:<28} {:>10} inputs, {:>9} read, {:>3} findings, most {:>6.1} MB, longest {:>6.1} ms",
            target.name,
            run.inputs,
            run.taken,
            run.findings.len(),
            run.most_memory as f64 / 1e6,
            run.longest.as_secs_f64() * 1e3
        );
        inputs += run.inputs;
        findings += run.findings.len();
    }
    if is_chosen(GROWTH) {
        let (tried, found) = growth::run(Duration::from_secs_f64(seconds), seed as usize);
        println!("{GROWTH:<28} {tried:>10} inputs, {:>19} findings", found.len());
        inputs += tried as u64;
        findings += found.len();
    }
    println!("{inputs} inputs, {findings} findings");
    if findings > 0 {
        std::process::exit(1);
    }
}

fn exit_misused(what: &str) -> ! {
    eprintln!("pocketgraph-fuzz: {what}");
    std::process::exit(2)
}
