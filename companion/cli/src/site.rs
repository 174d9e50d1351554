//! What `build` is told of the site that the documents are the source of.

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use miette::{Result, miette};
use pocketgraph_ingest::rank::RankRule;
use pocketgraph_ingest::{FormatRule, GeneratorChoice, IngestOptions, PdfReader, UrlStyle, generator_names};

/// Options that say which files are pages, and where they are published.
#[derive(Debug, clap::Args)]
pub(super) struct SiteArgs {
    /// What is put before the documents' relative URLs
    #[arg(long, default_value = "")]
    base_url: String,
    /// How URLs follow from file names [default: as the site's generator publishes, else html]
    #[arg(long, value_enum)]
    url_style: Option<Style>,
    /// The generator of the site, whose rules for addresses, ids of headings and pages hold; auto finds it by its configuration in the folder or above it
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = names())]
    generator: String,
    /// Leave out files that match, as in a .gitignore; may be given again
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Read only files that match, also such as would be left out as no pages; may be given again
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Weigh documents that match more or less than others, as in 'blog/**=0.5'; the last pattern that names one decides. Changelogs, release notes and archives
    /// count half unless a question asks for them [default: 1]; may be given again
    #[arg(long, value_name = "GLOB=WEIGHT")]
    rank: Vec<RankRule>,
    /// What files with an ending are, as in txt=rst; may be given again
    #[arg(long, value_name = "ENDING=FORMAT")]
    format: Vec<FormatRule>,
}

/// The word for no generator.
pub(super) const NONE: &str = "none";

fn names() -> PossibleValuesParser {
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
    /// Which documents start higher or lower.
    pub fn rank(&self) -> &[RankRule] {
        &self.rank
    }

    /// How documents are read. `pages` says that pages of our own are made, which no generator publishes.
    ///
    /// # Errors
    /// A pattern that is none.
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
                name => generator_names().find(|known| *known == name).map_or(GeneratorChoice::Auto, GeneratorChoice::Named),
            },
            formats: self.format.clone(),
            pdf: std::env::current_exe().map_or(PdfReader::Here, PdfReader::Apart),
            ..IngestOptions::default()
        };
        options
            .choose(&self.include, &self.exclude)
            .map_err(|reason| miette!("--exclude and --include take patterns as in a .gitignore: {reason}"))?;
        Ok(options)
    }
}
