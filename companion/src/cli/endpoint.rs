//! The language model that a build may use.

use miette::{Result, miette};
use pocketgraph::llm::{ChatConfig, Secret};

/// Where the key comes from: never from an argument, which others on the machine could read, nor from a file that is committed.
const KEY: &str = "POCKETGRAPH_API_KEY";

/// How a build reaches a language model. The names differ from those of `ask`, because a build's `--base-url` is that of the documents.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Language model (its key comes from the environment variable POCKETGRAPH_API_KEY)")]
pub struct EndpointArgs {
    /// Address of an OpenAI-compatible endpoint, such as http://localhost:11434/v1
    #[arg(long, value_name = "URL", env = "POCKETGRAPH_BASE_URL")]
    llm_url: Option<String>,
    /// The model's name there
    #[arg(long, value_name = "NAME", env = "POCKETGRAPH_MODEL")]
    llm_model: Option<String>,
    /// Requests under way at once, at most; clusters that are read together do not know of each other's keywords
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    llm_at_once: u32,
}

impl EndpointArgs {
    /// How to reach the model.
    ///
    /// # Errors
    /// When address or name is missing; `what` says for what they are needed.
    pub fn config(&self, what: &str) -> Result<ChatConfig> {
        let (Some(url), Some(model)) = (&self.llm_url, &self.llm_model) else {
            return Err(miette!(help = "name an endpoint with --llm-url and --llm-model", "{what} needs a language model"));
        };
        let mut config = ChatConfig::new(url, model);
        config.api_key = std::env::var(KEY).ok().filter(|k| !k.is_empty()).map(|k| Secret::new(&k));
        Ok(config)
    }

    /// Requests under way at once, at most.
    pub fn at_once(&self) -> usize {
        self.llm_at_once as usize
    }
}
