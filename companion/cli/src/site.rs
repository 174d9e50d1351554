//! What `build` is told of the site that the documents are the source of.

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use miette::{Result, miette};
use pocketgraph_ingest::rank::RankRule;
use pocketgraph_ingest::{
    FormatRule, GeneratorChoice, IngestOptions, PdfReader, UrlStyle, generator_names, is_base_url,
};

/// Options for which files are pages and where they are published.
#[derive(Debug, clap::Args)]
pub(super) struct SiteArgs {
    /// Base of the documents' URLs: a web URL or a path
    #[arg(long, default_value = "", value_parser = base_url)]
    base_url: String,
    /// Style of URLs [default: the generator's, otherwise html]
    #[arg(long, value_enum)]
    url_style: Option<Style>,
    /// Generator of the site, which gives addresses, ids of headings and pages; auto finds it by its
    /// configuration in the folder or above
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = list_generators())]
    generator: String,
    /// Leave out files that match, as in a .gitignore; repeatable
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Read only files that match, even if they would be left out; repeatable
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Multiply the scores of documents that match, as in 'blog/**=0.5'; the last match decides; repeatable
    /// [default: 1; changelogs, release notes and archives 0.5]
    #[arg(long, value_name = "GLOB=WEIGHT")]
    rank: Vec<RankRule>,
    /// Read files with an ending as a format, as in txt=rst; repeatable
    #[arg(long, value_name = "ENDING=FORMAT")]
    format: Vec<FormatRule>,
}

/// Name for no generator.
pub(super) const NONE: &str = "none";

/// Reads what is put before addresses.
fn base_url(text: &str) -> std::result::Result<String, String> {
    if is_base_url(text) {
        Ok(text.to_owned())
    } else {
        Err("write a web URL or a path, such as https://example.org/docs/ or /docs/".to_owned())
    }
}

fn list_generators() -> PossibleValuesParser {
    PossibleValuesParser::new(["auto", NONE].into_iter().chain(generator_names()))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Style {
    /// guide/start.md is read at guide/start.html, guide/README.md at guide/
    Html,
    /// guide/start.md is read at guide/start/, as many site generators do
    Folder,
    /// guide/start.md is read at guide/start, without an ending
    Clean,
    /// guide/start.md is read at guide/start.md
    Source,
}

impl SiteArgs {
    /// Returns the weights of documents.
    pub fn rank(&self) -> &[RankRule] {
        &self.rank
    }

    /// Returns the options for reading documents. If HTML `pages` are written, no generator's rules apply.
    ///
    /// # Errors
    /// If a pattern is not valid.
    pub fn options(&self, pages: bool) -> Result<IngestOptions> {
        let mut options = IngestOptions {
            base_url: self.base_url.clone(),
            url_style: match self.url_style {
                None => UrlStyle::Auto,
                Some(Style::Html) => UrlStyle::Html,
                Some(Style::Folder) => UrlStyle::Directory,
                Some(Style::Clean) => UrlStyle::Clean,
                Some(Style::Source) => UrlStyle::Source,
            },
            generator: match self.generator.as_str() {
                NONE => GeneratorChoice::None,
                "auto" if pages => GeneratorChoice::None,
                "auto" => GeneratorChoice::Auto,
                name => generator_names()
                    .find(|known| *known == name)
                    .map_or(GeneratorChoice::Auto, GeneratorChoice::Named),
            },
            formats: self.format.clone(),
            pdf: std::env::current_exe().map_or(PdfReader::Here, PdfReader::Apart),
            ..IngestOptions::default()
        };
        options.choose(&self.include, &self.exclude).map_err(|reason| {
            miette!("--exclude and --include take patterns as in a .gitignore: {reason}")
        })?;
        Ok(options)
    }
}
