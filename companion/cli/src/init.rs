//! `pocketgraph init`: three questions, a file of options, and the two lines for the page.

use super::site::NONE;
use clap::builder::PossibleValuesParser;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph_ingest::{detected_generator, generator_names, published_folder};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Name of the file that `init` writes and `build` reads.
const FILE: &str = "pocketgraph.toml";

/// Arguments of `pocketgraph init`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Asks for each option that you leave out. With --yes it takes what it finds, or the default."
)]
pub struct Args {
    /// Folder of documents
    #[arg(long, value_name = "DIR")]
    docs: Option<PathBuf>,
    /// Generator of the site
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(site_names()))]
    site: Option<String>,
    /// Address of the published pages: a path such as /docs/, or a URL
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Ask nothing
    #[arg(short, long)]
    yes: bool,
}

/// Returns the folder for the bundle in a generator's project: in its static files, or in the built site.
fn published_in(site: &str) -> String {
    format!("{}/kg", published_folder(site).unwrap_or("site"))
}

/// Names of generators that the second question accepts.
fn site_names() -> impl Iterator<Item = &'static str> {
    generator_names().chain([NONE])
}

pub fn run_init(args: &Args) -> Result<()> {
    let file = Path::new(FILE);
    if file.exists() {
        return Err(miette!(
            help = "change it by hand, or remove it first",
            "{FILE} exists already and is not overwritten"
        ));
    }
    let asks = !args.yes && io::stdin().is_terminal();
    let ask =
        |question: &str, default: String| if asks { read_answer(question, &default) } else { Ok(default) };
    let docs = match &args.docs {
        Some(docs) => docs.clone(),
        None => PathBuf::from(ask("Which folder holds the documents?", folder_here())?),
    };
    if !docs.exists() {
        return Err(miette!(help = "name it with --docs DIR", "there is no folder {}", docs.display()));
    }
    let site = match &args.site {
        Some(site) => site.clone(),
        None => {
            let found = detected_generator(&docs).unwrap_or(NONE).to_owned();
            parse_site(&ask(
                "What makes the site of them? (docusaurus, vitepress, mkdocs, sphinx, …, none)",
                found,
            )?)?
        }
    };
    let url = match &args.url {
        Some(url) => url.clone(),
        None => ask("Where are the pages published? (a path or a URL)", "/".to_owned())?,
    };
    let text = write_options(&docs, &site, &url);
    std::fs::write(file, &text).into_diagnostic().wrap_err_with(|| format!("cannot write {FILE}"))?;
    println!("Wrote {FILE}:\n\n{text}");
    println!(
        "Build with\n\n  pocketgraph build --config {FILE}\n\nand put these two lines into the page:\n\n{}",
        write_lines(&url)
    );
    Ok(())
}

/// Asks a question on the terminal; an empty line gives the default.
fn read_answer(question: &str, default: &str) -> Result<String> {
    print!("{question} [{default}] ");
    io::stdout().flush().into_diagnostic()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).into_diagnostic()?;
    let line = line.trim();
    Ok(if line.is_empty() { default.to_owned() } else { line.to_owned() })
}

fn parse_site(name: &str) -> Result<String> {
    let known = site_names().find(|known| known.eq_ignore_ascii_case(name));
    known.map(str::to_owned).ok_or_else(|| {
        miette!("unknown generator {name}: choose one of {}", site_names().collect::<Vec<_>>().join(", "))
    })
}

/// Returns the likeliest folder of documents here.
fn folder_here() -> String {
    ["docs", "src/content/docs", "content", "src", "doc"]
        .iter()
        .find(|f| Path::new(f).is_dir())
        .unwrap_or(&".")
        .to_string()
}

/// Returns the text of the file.
fn write_options(docs: &Path, site: &str, url: &str) -> String {
    // What JSON quotes, TOML reads.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let base = if url.ends_with('/') { url.to_owned() } else { format!("{url}/") };
    let mut out = format!(
        "documents = {}\nout = {}\nbase-url = {}\n",
        quoted(&docs.to_string_lossy()),
        quoted(&published_in(site)),
        quoted(&base)
    );
    if site != NONE {
        out.push_str(&format!("generator = {}\n", quoted(site)));
    }
    out
}

/// Returns the lines that a page needs.
fn write_lines(url: &str) -> String {
    let path = url.find("://").map_or(url, |i| url[i + 3..].find('/').map_or("/", |j| &url[i + 3 + j..]));
    let kg = format!("{}/kg/", path.trim_end_matches('/'));
    format!(
        "  <script type=\"module\" src=\"{kg}runtime/ask-element.js\"></script>\n  <pocketgraph-ask \
         src=\"{kg}\"></pocketgraph-ask>"
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_toml_whatever_the_names_are() {
        let text = write_options(Path::new("my \"docs\"\\x"), "hugo", "https://example.org/d");
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(table["documents"].as_str(), Some("my \"docs\"\\x"));
        assert_eq!(table["base-url"].as_str(), Some("https://example.org/d/"));
        assert_eq!(table["generator"].as_str(), Some("hugo"));
    }

    #[test]
    fn the_lines_for_the_page_name_the_published_bundle() {
        for (url, path) in [
            ("/", "\"/kg/\""),
            ("/docs/", "\"/docs/kg/\""),
            ("https://example.org", "\"/kg/\""),
            ("https://example.org/d/", "\"/d/kg/\""),
        ] {
            assert!(write_lines(url).contains(path), "{url}: {}", write_lines(url));
        }
    }
}
