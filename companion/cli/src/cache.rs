//! Where commands keep what was embedded and replied.

use crate::progress::Bars;
use pocketgraph_cache::Cache;
use pocketgraph_native::progress::Progress;
use pocketgraph_native::user_folders;
use std::path::PathBuf;
use std::sync::Arc;

/// The cache of a command. What was computed and what was paid for is kept there for the next time.
#[derive(Debug, clap::Args)]
pub struct CacheArgs {
    /// Keep vectors, and a language model's replies, in this folder [default: the user's cache folder]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Keep nothing: embed every text and ask the language model every time
    #[arg(long)]
    pub no_cache: bool,
}

impl CacheArgs {
    /// The cache, unless that is unwanted or impossible; a warning says why it is, and that `without` is what
    /// follows.
    pub fn open(&self, bars: &Bars, without: &str) -> Option<Arc<Cache>> {
        if self.no_cache {
            return None;
        }
        let Some(folder) = self.cache.clone().or_else(user_folders::cache) else {
            bars.warn(&format!("there is no folder for a cache here: name one with --cache; {without}"));
            return None;
        };
        Cache::open(&folder).map_err(|error| bars.warn(&format!("{error}; {without}"))).ok()
    }
}
