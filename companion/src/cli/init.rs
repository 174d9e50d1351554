//! `pocketgraph init`: three questions, a file of options, and the two lines for the page.

use clap::ValueEnum;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The file that is written, where `build` finds it.
const FILE: &str = "pocketgraph.toml";

/// Arguments of `pocketgraph init`.
#[derive(Debug, clap::Args)]
#[command(after_help = "What is not given here is asked. With --yes nothing is asked: what is found here, or the defaults, are taken.")]
pub struct Args {
    /// The folder of documents
    #[arg(long, value_name = "DIR")]
    docs: Option<PathBuf>,
    /// What makes the site of them
    #[arg(long, value_enum)]
    site: Option<Site>,
    /// Where the pages are published: a path such as /docs/, or a whole URL
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Ask nothing
    #[arg(short, long)]
    yes: bool,
}

/// What makes a site of the documents, as far as its addresses and its folder for files that are published as they are go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Site {
    Docusaurus,
    Vitepress,
    Mkdocs,
    Sphinx,
    Starlight,
    Hugo,
    Mdbook,
    Jekyll,
    Antora,
    Nextra,
    Eleventy,
    /// Nothing: the documents are the pages, or pocketgraph writes plain pages of them
    None,
}

impl Site {
    /// The configuration that tells it, and where its bundle goes.
    fn facts(self) -> (&'static [&'static str], &'static str) {
        match self {
            Site::Docusaurus => (&["docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs"], "static/kg"),
            Site::Vitepress => (&["docs/.vitepress", ".vitepress"], "public/kg"),
            Site::Mkdocs => (&["mkdocs.yml", "mkdocs.yaml", "zensical.toml"], "site/kg"),
            Site::Sphinx => (&["docs/conf.py", "conf.py", "docs/source/conf.py"], "docs/_build/html/kg"),
            Site::Starlight => (&["astro.config.mjs", "astro.config.ts", "astro.config.js"], "public/kg"),
            Site::Hugo => (&["hugo.toml", "hugo.yaml", "hugo.json"], "static/kg"),
            Site::Mdbook => (&["book.toml"], "book/kg"),
            Site::Jekyll => (&["_config.yml"], "_site/kg"),
            Site::Antora => (&["antora.yml", "antora-playbook.yml"], "build/site/kg"),
            Site::Nextra => (&["theme.config.tsx", "theme.config.jsx"], "public/kg"),
            Site::Eleventy => (&["eleventy.config.js", ".eleventy.js"], "_site/kg"),
            Site::None => (&[], "site/kg"),
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default()
    }

    /// The one whose configuration lies in `folder`.
    fn found(folder: &Path) -> Site {
        let all = Site::value_variants().iter().copied();
        all.into_iter().find(|s| s.facts().0.iter().any(|f| folder.join(f).exists())).unwrap_or(Site::None)
    }
}

pub fn run(args: &Args) -> Result<()> {
    let file = Path::new(FILE);
    if file.exists() {
        return Err(miette!(help = "change it by hand, or remove it first", "{FILE} is here already, and is not written over"));
    }
    let asks = !args.yes && std::io::stdin().is_terminal();
    let ask = |question: &str, default: String| if asks { answer(question, &default) } else { Ok(default) };
    let docs = match &args.docs {
        Some(docs) => docs.clone(),
        None => PathBuf::from(ask("Which folder holds the documents?", folder_here())?),
    };
    if !docs.exists() {
        return Err(miette!(help = "name it with --docs DIR", "there is no folder {}", docs.display()));
    }
    let site = match args.site {
        Some(site) => site,
        None => chosen(&ask(
            "What makes the site of them? (docusaurus, vitepress, mkdocs, sphinx, …, none)",
            Site::found(Path::new(".")).name(),
        )?)?,
    };
    let url = match &args.url {
        Some(url) => url.clone(),
        None => ask("Where are the pages published? (a path or a URL)", "/".to_owned())?,
    };
    let text = options(&docs, site, &url);
    std::fs::write(file, &text).into_diagnostic().wrap_err_with(|| format!("cannot write {FILE}"))?;
    println!("Wrote {FILE}:\n\n{text}");
    println!("Build with\n\n  pocketgraph build\n\nand put these two lines into the page:\n\n{}", lines(&url));
    Ok(())
}

/// A question on the terminal, with what an empty line means.
fn answer(question: &str, default: &str) -> Result<String> {
    print!("{question} [{default}] ");
    std::io::stdout().flush().into_diagnostic()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).into_diagnostic()?;
    let line = line.trim();
    Ok(if line.is_empty() { default.to_owned() } else { line.to_owned() })
}

fn chosen(name: &str) -> Result<Site> {
    Site::from_str(name, true).map_err(|_| {
        let all: Vec<String> = Site::value_variants().iter().map(|s| s.name()).collect();
        miette!("{name} is none of {}", all.join(", "))
    })
}

/// The likeliest folder of documents here.
fn folder_here() -> String {
    ["docs", "src/content/docs", "content", "src", "doc"].iter().find(|f| Path::new(f).is_dir()).unwrap_or(&".").to_string()
}

/// The file's text.
fn options(docs: &Path, site: Site, url: &str) -> String {
    // What JSON quotes, TOML reads.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let base = if url.ends_with('/') { url.to_owned() } else { format!("{url}/") };
    let mut out =
        format!("documents = {}\nout = {}\nbase-url = {}\n", quoted(&docs.to_string_lossy()), quoted(site.facts().1), quoted(&base));
    if site != Site::None {
        out.push_str(&format!("generator = {}\n", quoted(&site.name())));
    }
    out
}

/// What a page needs.
fn lines(url: &str) -> String {
    let path = url.find("://").map_or(url, |i| url[i + 3..].find('/').map_or("/", |j| &url[i + 3 + j..]));
    let kg = format!("{}/kg/", path.trim_end_matches('/'));
    format!("  <script type=\"module\" src=\"{kg}runtime/ask-element.js\"></script>\n  <pocketgraph-ask src=\"{kg}\"></pocketgraph-ask>")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_told_by_its_configuration() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Site::found(dir.path()), Site::None);
        for &site in Site::value_variants() {
            for name in site.facts().0 {
                let here = tempfile::tempdir().unwrap();
                let file = here.path().join(name);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file, "").unwrap();
                assert_eq!(Site::found(here.path()), site, "{name}");
            }
        }
    }

    #[test]
    fn the_file_is_toml_whatever_the_names_are() {
        let text = options(Path::new("my \"docs\"\\x"), Site::Hugo, "https://example.org/d");
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(table["documents"].as_str(), Some("my \"docs\"\\x"));
        assert_eq!(table["base-url"].as_str(), Some("https://example.org/d/"));
        assert_eq!(table["generator"].as_str(), Some("hugo"));
    }

    #[test]
    fn the_lines_for_the_page_name_the_published_bundle() {
        for (url, path) in
            [("/", "\"/kg/\""), ("/docs/", "\"/docs/kg/\""), ("https://example.org", "\"/kg/\""), ("https://example.org/d/", "\"/d/kg/\"")]
        {
            assert!(lines(url).contains(path), "{url}: {}", lines(url));
        }
    }
}
