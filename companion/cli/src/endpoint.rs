//! The arguments of commands that may ask a language model, or the web.

use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::agent::{PlannerChoice, SearXng};
use pocketgraph::llm::{ChatConfig, ChatModel, Retry, Secret};
use pocketgraph_cache::Cache;
use pocketgraph_eval::Prices;
use pocketgraph_llm_client::asker::{Asking, BuildModel, MemoryCache, ReplyCache};
use pocketgraph_llm_client::chat::{NativeTransport, identity, open};
use std::sync::Arc;

/// Where the key comes from: never from an argument, which others on the machine could read, nor from a file that is committed.
const KEY: &str = "POCKETGRAPH_API_KEY";

/// How to reach a model, with the key of the environment.
fn keyed(url: &str, model: &str, headers: &HeaderArgs) -> Result<ChatConfig> {
    let mut config = ChatConfig::new(url, model);
    let key = std::env::var(KEY).ok().map(|k| k.trim().to_owned()).filter(|k| !k.is_empty());
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

/// Headers that some endpoints want.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct HeaderArgs {
    /// A further header of each request to the language model, such as "X-Title: Our handbook"; may be given several times. Keys do not belong here: others
    /// on this machine can read a command's arguments
    #[arg(long = "llm-header", value_name = "NAME: VALUE")]
    further: Vec<String>,
    /// The header that takes the key of the environment as it is, where the endpoint reads another than Authorization, such as api-key
    #[arg(long = "llm-key-header", value_name = "NAME")]
    key: Option<String>,
}

impl HeaderArgs {
    /// The name of the header of the key, and the further headers.
    ///
    /// # Errors
    /// For a header without a colon.
    pub fn read(&self) -> Result<(Option<String>, Headers)> {
        let split = |text: &String| {
            let (name, value) = text.split_once(':')?;
            Some((name.trim().to_owned(), value.trim().to_owned()))
        };
        let wrong = || miette!(help = "write it as NAME: VALUE", "--llm-header is given no header");
        let further = self.further.iter().map(|text| split(text).ok_or_else(wrong)).collect::<Result<_>>()?;
        Ok((self.key.clone(), further))
    }
}

/// A language model behind an endpoint.
#[derive(Debug, clap::Args)]
pub struct Endpoint {
    /// Address of an OpenAI-compatible endpoint, such as http://localhost:11434/v1; one that ends with /responses is asked by the Responses API
    #[arg(long, env = "POCKETGRAPH_BASE_URL")]
    base_url: Option<String>,
    /// The model's name there
    #[arg(long, env = "POCKETGRAPH_MODEL")]
    model: Option<String>,
    #[command(flatten)]
    headers: HeaderArgs,
}

impl Endpoint {
    /// The model, if an endpoint is named.
    ///
    /// # Errors
    /// When only one of address and name is given, or one of them cannot be used.
    pub fn open(&self) -> Result<Option<Box<dyn ChatModel>>> {
        self.open_within(None)
    }

    /// As [`Endpoint::open`], for a run that gives the model so many milliseconds.
    ///
    /// # Errors
    /// As [`Endpoint::open`].
    pub fn open_within(&self, milliseconds: Option<u32>) -> Result<Option<Box<dyn ChatModel>>> {
        let Some((url, model)) = self.named()? else { return Ok(None) };
        let mut config = keyed(url, model, &self.headers)?;
        if let Some(ms) = milliseconds {
            // Whoever gives it more time means that it is slow.
            let most = |own: Option<u32>| own.map(|own| own.max(ms));
            config.timeouts.first_ms = most(config.timeouts.first_ms);
            config.timeouts.overall_ms = most(config.timeouts.overall_ms);
        }
        open(config).into_diagnostic().map(Some)
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

    /// What tells its replies from those of other models, if an endpoint is named.
    pub fn identity(&self) -> Option<String> {
        Some(identity(&ChatConfig::new(self.base_url.as_ref()?, self.model.as_ref()?)))
    }
}

/// The language model that a build may use. The names differ from those of `ask`, because a build's `--base-url` is that of the documents.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Language model (its key comes from the environment variable POCKETGRAPH_API_KEY)")]
pub struct EndpointArgs {
    /// Address of an OpenAI-compatible endpoint, such as http://localhost:11434/v1; one that ends with /responses is asked by the Responses API
    #[arg(long, value_name = "URL", env = "POCKETGRAPH_BASE_URL")]
    llm_url: Option<String>,
    /// The model's name there
    #[arg(long, value_name = "NAME", env = "POCKETGRAPH_MODEL")]
    llm_model: Option<String>,
    /// Requests under way at once, at most; clusters that are read together do not know of each other's keywords
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    llm_at_once: u32,
    #[command(flatten)]
    headers: HeaderArgs,
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
        keyed(url, model, &self.headers)
    }

    /// A model that is asked many things while nobody waits at a screen: it is more patient than a page's. Replies are kept in the cache.
    ///
    /// # Errors
    /// When address or name is missing; `what` says for what they are needed.
    pub fn patient(&self, what: &str, cache: Option<&Arc<Cache>>) -> Result<BuildModel> {
        let (chat, asking) = self.patient_chat(what)?;
        let cache: Box<dyn ReplyCache> = match cache {
            Some(cache) => Box::new(Arc::clone(cache)),
            None => Box::new(MemoryCache::default()),
        };
        Ok(BuildModel { chat, asking, cache })
    }

    /// The same model without a cache, and how it is asked.
    ///
    /// # Errors
    /// As [`EndpointArgs::patient`].
    pub fn patient_chat(&self, what: &str) -> Result<(Box<dyn ChatModel>, Asking)> {
        let mut config = self.config(what)?;
        config.retry = Retry { times: 6, cap_ms: 60_000, longest_wish_ms: 300_000, ..config.retry };
        let asking = Asking { identity: identity(&config), concurrency: self.at_once(), ..Asking::new(&config.model) };
        Ok((open(config).into_diagnostic()?, asking))
    }

    /// Requests under way at once, at most.
    pub fn at_once(&self) -> usize {
        self.llm_at_once as usize
    }
}

/// Who plans, and where to look beyond the bundle.
#[derive(Debug, clap::Args)]
pub struct Planning {
    /// Who plans [default: auto: the rules; where they are not sure, also the relation nearest in meaning and the bundle's trained planner; where no plan is sure, the
    /// model, if there is one]
    #[arg(long, value_parser = ["auto", "rules", "trained", "llm"])]
    planner: Option<String>,
    /// The probability of being right, from 0 to 1, below which a plan is not carried out [default: 0.44]
    #[arg(long, value_name = "FRACTION")]
    least_confidence: Option<f32>,
    /// Demonstrations drawn from the bundle's own graph that a language model is shown that plans, four at most
    #[arg(long, value_name = "N")]
    demonstrations: Option<u32>,
    /// Search the web where graph and documents have nothing, by this SearXNG server, such as http://localhost:8888
    #[arg(long, value_name = "URL")]
    web_search: Option<String>,
}

impl Planning {
    /// The planner that is asked for, if one is.
    pub fn planner(&self) -> Option<PlannerChoice> {
        Some(match self.planner.as_deref()? {
            "rules" => PlannerChoice::Rules,
            "trained" => PlannerChoice::Trained,
            "llm" => PlannerChoice::Llm,
            _ => PlannerChoice::Auto,
        })
    }

    /// The confidence below which there is no plan.
    pub fn least_confidence(&self) -> Option<f32> {
        self.least_confidence
    }

    /// How many demonstrations a model that plans is shown; none where nothing was said.
    pub fn demonstrations(&self) -> u32 {
        self.demonstrations.unwrap_or_default()
    }

    /// The web, if a way to search it is named.
    pub fn web(&self) -> Result<Option<SearXng<NativeTransport>>> {
        let Some(url) = &self.web_search else { return Ok(None) };
        let transport = NativeTransport::new().into_diagnostic()?;
        let refused = |why: String| miette!(help = "give the address of a SearXNG server", "--web-search cannot be used: {why}");
        SearXng::new(transport, url).map(Some).map_err(refused)
    }

    /// The names of the options that were given.
    pub fn option_names(&self) -> impl Iterator<Item = &str> {
        let given = [
            ("planner", self.planner.is_some()),
            ("leastConfidence", self.least_confidence.is_some()),
            ("demonstrations", self.demonstrations.is_some()),
        ];
        given.into_iter().filter_map(|(name, is_given)| is_given.then_some(name))
    }

    /// Whether any of it was given.
    pub fn is_given(&self) -> bool {
        self.planner.is_some() || self.least_confidence.is_some() || self.demonstrations.is_some() || self.web_search.is_some()
    }
}

/// What a language model's tokens cost.
#[derive(Debug, Clone, clap::Args)]
pub struct PriceArgs {
    /// What a million tokens cost that the model reads
    #[arg(long, value_name = "PRICE", requires = "price_out")]
    price_in: Option<f64>,
    /// What a million tokens cost that it writes
    #[arg(long, value_name = "PRICE", requires = "price_in")]
    price_out: Option<f64>,
}

impl PriceArgs {
    /// The prices, where they were given.
    pub fn prices(&self) -> Option<Prices> {
        self.price_in.zip(self.price_out).map(|(prompt, completion)| Prices { prompt, completion })
    }
}
