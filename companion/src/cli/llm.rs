//! The language model of a build: where it is, and where its replies are kept.

use crate::chat::NativeTransport;
use crate::kg::open::{FolderCache, OpenOptions};
use crate::pipeline::KgModel;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph::llm::{ChatConfig, OpenAiChat, Retry, Secret};
use std::path::{Path, PathBuf};

/// Where the key comes from: never from an argument, which others on the machine could read.
const KEY: &str = "POCKETGRAPH_API_KEY";

/// Options of builds that ask a language model.
#[derive(Debug, clap::Args)]
pub struct LlmArgs {
    /// Have a language model read every chunk for triples: what it names, then what it says of that (two requests a chunk). The key
    /// comes from the environment variable POCKETGRAPH_API_KEY
    #[arg(long, requires = "llm_url", requires = "llm_model")]
    kg_llm: bool,
    /// Address of the OpenAI-compatible endpoint, such as http://localhost:11434/v1
    #[arg(long, value_name = "URL", env = "POCKETGRAPH_BASE_URL")]
    llm_url: Option<String>,
    /// The model's name there
    #[arg(long, value_name = "NAME", env = "POCKETGRAPH_MODEL")]
    llm_model: Option<String>,
    /// Requests under way at once, at most
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    llm_concurrency: u32,
    /// Where replies are kept, so that none is paid for twice [default: BUNDLE.replies]
    #[arg(long, value_name = "DIR")]
    llm_cache: Option<PathBuf>,
}

impl LlmArgs {
    /// The model that reads for triples, where one is asked for.
    pub fn kg_model(&self, bundle: &Path) -> Result<Option<KgModel>> {
        if !self.kg_llm {
            return Ok(None);
        }
        let (Some(url), Some(model)) = (&self.llm_url, &self.llm_model) else {
            return Err(miette!("--kg-llm needs --llm-url and --llm-model"));
        };
        let mut config = ChatConfig::new(url, model);
        config.api_key = std::env::var(KEY).ok().filter(|k| !k.is_empty()).map(|k| Secret::new(&k));
        // Nobody waits at a screen: a build is more patient than a page.
        config.retry = Retry { times: 6, cap_ms: 60_000, longest_wish_ms: 300_000, ..config.retry };
        let chat = OpenAiChat::new(NativeTransport::new().into_diagnostic()?, config).into_diagnostic()?;
        let folder = self.llm_cache.clone().unwrap_or_else(|| {
            let mut name = bundle.file_name().unwrap_or_default().to_owned();
            name.push(".replies");
            bundle.with_file_name(name)
        });
        let cache =
            FolderCache::open(&folder).into_diagnostic().wrap_err_with(|| format!("cannot keep replies in {}", folder.display()))?;
        let options = OpenOptions { concurrency: self.llm_concurrency as usize, ..OpenOptions::new(model) };
        Ok(Some(KgModel { chat: Box::new(chat), options, cache: Box::new(cache) }))
    }
}
