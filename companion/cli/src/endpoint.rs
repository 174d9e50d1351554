//! The arguments of commands that may ask a language model, or the web.

use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::agent::{PlannerChoice, SearXng};
use pocketgraph::llm::{ChatConfig, ChatModel, Retry, Secret};
use pocketgraph_cache::Cache;
use pocketgraph_llm_client::asker::{Asking, BuildModel, MemoryCache, ReplyCache};
use pocketgraph_llm_client::chat::{NativeTransport, identity, open_model};
use pocketgraph_llm_client::key::{allow_key, key_of_environment};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Address of a model, which `file` names, or the user, with the key from the environment.
fn read_config(url: &str, file: Option<&Path>, model: &str, headers: &HeaderArgs) -> Result<ChatConfig> {
    let mut config = ChatConfig::new(url, model);
    let key = key_of_environment();
    if key.is_some() {
        allow_key(url, file).into_diagnostic()?;
    }
    let (key_header, further) = headers.read()?;
    config.headers = further;
    match (key, key_header) {
        (Some(key), Some(name)) => config.headers.push((name, key)),
        (key, _) => config.api_key = key.map(|k| Secret::new(&k)),
    }
    Ok(config)
}

/// Headers: names and values.
pub type Headers = Vec<(String, String)>;

/// Options for headers that some endpoints want.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct HeaderArgs {
    /// Add this header to each request to the language model, such as "X-Title: Our handbook"; repeatable. Do
    /// not put keys here: other users of this machine can read arguments
    #[arg(long = "llm-header", value_name = "NAME: VALUE")]
    further: Vec<String>,
    /// Header for the key, if the endpoint does not read Authorization, such as api-key
    #[arg(long = "llm-key-header", value_name = "NAME")]
    key: Option<String>,
}

impl HeaderArgs {
    /// Returns the name of the key's header, and the further headers. Fails if a header has no colon.
    pub fn read(&self) -> Result<(Option<String>, Headers)> {
        let split = |text: &String| {
            let (name, value) = text.split_once(':')?;
            Some((name.trim().to_owned(), value.trim().to_owned()))
        };
        let wrong = || miette!(help = "write it as NAME: VALUE", "--llm-header needs a header");
        let further = self.further.iter().map(|text| split(text).ok_or_else(wrong)).collect::<Result<_>>()?;
        Ok((self.key.clone(), further))
    }
}

/// A language model behind an endpoint.
#[derive(Debug, clap::Args)]
pub struct Endpoint {
    /// Address of an OpenAI-compatible endpoint, such as http://localhost:11434/v1; one that ends with
    /// /responses is asked by the Responses API
    #[arg(long, env = "POCKETGRAPH_BASE_URL")]
    base_url: Option<String>,
    /// Name of the model at that address
    #[arg(long, env = "POCKETGRAPH_MODEL")]
    model: Option<String>,
    #[command(flatten)]
    headers: HeaderArgs,
}

impl Endpoint {
    /// Opens the model, if an endpoint is named.
    ///
    /// # Errors
    /// If only one of address and name is given, or one cannot be used.
    pub fn open(&self) -> Result<Option<Box<dyn ChatModel>>> {
        self.open_within(None)
    }

    /// Opens the model, as [`Endpoint::open`], for a run with a time limit in milliseconds.
    ///
    /// # Errors
    /// As [`Endpoint::open`].
    pub fn open_within(&self, milliseconds: Option<u32>) -> Result<Option<Box<dyn ChatModel>>> {
        let Some((url, model)) = self.named()? else { return Ok(None) };
        let mut config = read_config(url, None, model, &self.headers)?;
        if let Some(ms) = milliseconds {
            // Whoever gives it more time means that it is slow.
            let most = |own: Option<u32>| own.map(|own| own.max(ms));
            config.timeouts.first_ms = most(config.timeouts.first_ms);
            config.timeouts.overall_ms = most(config.timeouts.overall_ms);
        }
        open_model(config).into_diagnostic().map(Some)
    }

    /// Address and name.
    fn named(&self) -> Result<Option<(&str, &str)>> {
        match (self.base_url.as_deref(), self.model.as_deref()) {
            (None, None) => Ok(None),
            (Some(url), Some(model)) => Ok(Some((url, model))),
            (Some(_), None) => Err(miette!(
                help = "give its name with --model or POCKETGRAPH_MODEL",
                "there is an address of a language model, but no name of one"
            )),
            (None, Some(_)) => Err(miette!(
                help = "give it with --base-url or POCKETGRAPH_BASE_URL",
                "a language model is named, but no address of its endpoint"
            )),
        }
    }

    /// Returns what distinguishes its replies from other models', if an endpoint is named.
    pub fn identity(&self) -> Option<String> {
        Some(identity(&ChatConfig::new(self.base_url.as_ref()?, self.model.as_ref()?)))
    }
}

/// Options for the language model of a build, with other names than for `ask`, because `--base-url` is the
/// documents'.
#[derive(Debug, Clone, clap::Args)]
#[command(
    next_help_heading = "Language model (its key comes from the environment variable POCKETGRAPH_API_KEY)"
)]
pub struct EndpointArgs {
    /// Address of an OpenAI-compatible endpoint, such as http://localhost:11434/v1; one that ends with
    /// /responses is asked by the Responses API
    #[arg(long, value_name = "URL", env = "POCKETGRAPH_BASE_URL")]
    llm_url: Option<String>,
    /// File of options with the address, where one has it
    #[arg(skip)]
    pub(super) url_file: Option<PathBuf>,
    /// Name of the model at that address
    #[arg(long, value_name = "NAME", env = "POCKETGRAPH_MODEL")]
    llm_model: Option<String>,
    /// Maximum number of simultaneous requests; clusters read together do not avoid each other's keywords
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    llm_at_once: u32,
    #[command(flatten)]
    headers: HeaderArgs,
}

impl EndpointArgs {
    /// Returns the address and the key of the model.
    ///
    /// # Errors
    /// If address or name is missing; `what` names their use in the message.
    pub fn config(&self, what: &str) -> Result<ChatConfig> {
        let (Some(url), Some(model)) = (&self.llm_url, &self.llm_model) else {
            return Err(miette!(
                help = "name an endpoint with --llm-url and --llm-model",
                "{what} needs a language model"
            ));
        };
        read_config(url, self.url_file.as_deref(), model, &self.headers)
    }

    /// Opens a model for a build, which retries longer than a page does. Replies are kept in the cache.
    ///
    /// # Errors
    /// If address or name is missing; `what` names their use in the message.
    pub fn patient(&self, what: &str, cache: Option<&Arc<Cache>>) -> Result<BuildModel> {
        let (chat, asking) = self.patient_chat(what)?;
        let cache: Box<dyn ReplyCache> = match cache {
            Some(cache) => Box::new(Arc::clone(cache)),
            None => Box::new(MemoryCache::default()),
        };
        Ok(BuildModel { chat, asking, cache })
    }

    /// Opens the same model without a cache, and returns its settings too.
    ///
    /// # Errors
    /// As [`EndpointArgs::patient`].
    pub fn patient_chat(&self, what: &str) -> Result<(Box<dyn ChatModel>, Asking)> {
        let mut config = self.config(what)?;
        config.retry = Retry { times: 6, cap_ms: 60_000, longest_wish_ms: 300_000, ..config.retry };
        let asking =
            Asking { identity: identity(&config), concurrency: self.at_once(), ..Asking::new(&config.model) };
        Ok((open_model(config).into_diagnostic()?, asking))
    }

    /// Maximum number of simultaneous requests.
    pub fn at_once(&self) -> usize {
        self.llm_at_once as usize
    }
}

/// Options for planning and for searching beyond the bundle.
#[derive(Debug, clap::Args)]
pub struct Planning {
    /// Planner [default: auto, the most probable plan of the rules, the nearest relation and the trained
    /// planner; if none is sure, the model]
    #[arg(long, value_parser = ["auto", "rules", "trained", "llm"])]
    planner: Option<String>,
    /// Least probability, from 0 to 1, that a plan is right; less probable plans are not carried out
    /// [default: 0.44]
    #[arg(long, value_name = "FRACTION")]
    least_confidence: Option<f32>,
    /// Number of examples from the graph for a language model that plans, at most 4
    #[arg(long, value_name = "N")]
    demonstrations: Option<u32>,
    /// Search the web with this SearXNG server if graph and documents have nothing, such as
    /// http://localhost:8888
    #[arg(long, value_name = "URL")]
    web_search: Option<String>,
}

impl Planning {
    /// Returns the planner that the options name, if any.
    pub fn planner(&self) -> Option<PlannerChoice> {
        Some(match self.planner.as_deref()? {
            "rules" => PlannerChoice::Rules,
            "trained" => PlannerChoice::Trained,
            "llm" => PlannerChoice::Llm,
            _ => PlannerChoice::Auto,
        })
    }

    /// Returns the confidence below which there is no plan.
    pub fn least_confidence(&self) -> Option<f32> {
        self.least_confidence
    }

    /// Returns the number of examples for a model that plans; 0 by default.
    pub fn demonstrations(&self) -> u32 {
        self.demonstrations.unwrap_or_default()
    }

    /// Returns the web search, if one is named.
    pub fn web(&self) -> Result<Option<SearXng<NativeTransport>>> {
        let Some(url) = &self.web_search else { return Ok(None) };
        let transport = NativeTransport::new().into_diagnostic()?;
        let refused = |why: String| {
            miette!(help = "give the address of a SearXNG server", "--web-search cannot be used: {why}")
        };
        SearXng::new(transport, url).map(Some).map_err(refused)
    }

    /// Returns the names of the options that are set.
    pub fn option_names(&self) -> impl Iterator<Item = &str> {
        let given = [
            ("planner", self.planner.is_some()),
            ("leastConfidence", self.least_confidence.is_some()),
            ("demonstrations", self.demonstrations.is_some()),
        ];
        given.into_iter().filter_map(|(name, is_given)| is_given.then_some(name))
    }

    /// Returns true if any of these options is set.
    pub fn is_given(&self) -> bool {
        self.planner.is_some()
            || self.least_confidence.is_some()
            || self.demonstrations.is_some()
            || self.web_search.is_some()
    }
}
