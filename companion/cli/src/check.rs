//! `pocketgraph check`.

use super::open::{bundle, wait};
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph_export::{self as export, Field, What};
use pocketgraph_publish::check::check;
use std::path::PathBuf;

/// Maximum number of printed faults; all are counted.
const SHOWN: usize = 20;

/// Arguments of `pocketgraph check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the published site
    site: PathBuf,
    /// Bundle whose addresses are looked for
    #[arg(long)]
    bundle: PathBuf,
    /// Base of the bundle's addresses [default: the one it was built with]
    #[arg(long)]
    base_url: Option<String>,
}

pub fn run(args: &Args) -> Result<()> {
    if !args.site.is_dir() {
        return Err(miette!("{} is not a folder", args.site.display()));
    }
    let engine = bundle(&args.bundle)?;
    let manifest = engine.corpus().bundle().manifest();
    let built = manifest.options.iter().find(|(name, _)| name == "base-url").map(|(_, value)| value.clone());
    let base = args.base_url.clone().or(built).unwrap_or_default();
    let base = if base.is_empty() || base.ends_with('/') { base } else { base + "/" };
    let table = wait(export::collect(engine.corpus(), What::Chunks))?.into_diagnostic()?;
    let column = table.node_columns.iter().position(|(name, _)| *name == "Url").unwrap_or(usize::MAX);
    let addresses = table.nodes.iter().map(|(_, fields)| match fields.get(column) {
        Some(Field::Text(address)) => address.as_str(),
        // The site's first page, where addresses are relative.
        _ => "",
    });
    let verdict = check(&args.site, &base, addresses);
    for (what, faults) in [("no such page", &verdict.no_page), ("no such id", &verdict.no_id)] {
        for fault in faults.iter().take(SHOWN) {
            eprintln!("{what}: {fault}");
        }
        if faults.len() > SHOWN {
            eprintln!("{what}: {} more", faults.len() - SHOWN);
        }
    }
    println!(
        "{} addresses, {} of them with a fragment: {} pages are not there, {} fragments are not there, {} lead elsewhere",
        verdict.addresses,
        verdict.fragments,
        verdict.no_page.len(),
        verdict.no_id.len(),
        verdict.elsewhere
    );
    if verdict.no_page.is_empty() && verdict.no_id.is_empty() {
        Ok(())
    } else {
        Err(miette!(help = "see --generator and --url-style of `pocketgraph build`", "some addresses do not exist in the site"))
    }
}
