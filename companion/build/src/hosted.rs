//! A bundle at a URL, read a file at a time as a page reads it.

use crate::assemble::{HeldFolder, WriteError, write_own_files};
use crate::folder::FolderSource;
use futures::future::FutureExt;
use pocketgraph::bundle::{Source, SourceBytes, SourceError, inflate_gzip};
use pocketgraph::embed::{MULTILINGUAL, QuestionEncoder, Vocabulary};
use pocketgraph::engine::{Engine, EngineError};
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_native::hosts::is_this_machine;
use reqwest::Url;
use reqwest::redirect::Policy;
use std::cell::OnceCell;
use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Number of attempts to fetch a file if the network fails or the host answers 5xx or 429.
const TRIES: u32 = 3;
/// Pause before the second attempt; the next is three times as long.
const PAUSE: Duration = Duration::from_millis(200);
/// A request of which nothing arrives for so long is given up.
const STALLED: Duration = Duration::from_secs(15);
/// Minimum of bytes a second in which a file comes, once `STALLED` has passed.
const SLOWEST: u64 = 1 << 10;
const MAX_REDIRECTS: usize = 3;

/// A bundle at a URL cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum HostedError {
    /// It is no address of a bundle.
    #[error("{0} is not the http or https address of a bundle")]
    Address(String),
    /// Nothing can be fetched.
    #[error("cannot prepare connections: {0}")]
    Connection(String),
    /// There is no bundle, or it cannot be read.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The program's own copies of the bundle's files cannot be kept.
    #[error(transparent)]
    Own(#[from] WriteError),
    /// The program's model is damaged.
    #[error("{0}")]
    Model(String),
    /// The system has no room for temporary files.
    #[error("cannot make a temporary folder: {0}")]
    Folder(std::io::Error),
}

/// Reads a bundle's files below a URL, but those that this program carries too from its own copies. Works
/// inside a tokio runtime with its I/O and timers.
pub struct HostedSource {
    client: reqwest::Client,
    base: Url,
    stalled: Duration,
    own: OnceCell<(FolderSource, TempDir)>,
}

impl HostedSource {
    /// The bundle at `address`, that of its folder or of its manifest.
    ///
    /// # Errors
    /// [`HostedError`] for an address that is none; nothing is fetched.
    pub fn new(address: &str) -> Result<HostedSource, HostedError> {
        let wrong = || HostedError::Address(address.to_owned());
        let mut base = Url::parse(address).map_err(|_| wrong())?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(wrong());
        }
        let folder =
            base.path().trim_end_matches(pocketgraph::bundle::MANIFEST).trim_end_matches('/').to_owned();
        base.set_path(&(folder + "/"));
        base.set_query(None);
        base.set_fragment(None);
        let is_here = base.host_str().is_some_and(is_this_machine);
        let policy = Policy::custom(|attempt| match attempt.previous() {
            [from, ..] if may_follow(from, attempt.url(), attempt.previous().len()) => attempt.follow(),
            _ => attempt.error("it is redirected too often, or to this machine or its network"),
        });
        let mut client = reqwest::Client::builder()
            .redirect(policy)
            // Whoever named an encrypted address is not led to another.
            .https_only(base.scheme() == "https")
            .referer(false)
            .connect_timeout(STALLED)
            .read_timeout(STALLED)
            .user_agent(concat!("pocketgraph/", env!("CARGO_PKG_VERSION")));
        if is_here {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|e| HostedError::Connection(cause(&e)))?;
        Ok(HostedSource { client, base, stalled: STALLED, own: OnceCell::new() })
    }

    async fn try_once(&self, file: &str, limit: u64) -> Result<Vec<u8>, SourceError> {
        let network = |e: reqwest::Error| SourceError::Network(cause(&e));
        let url = self.base.join(file).map_err(|e| SourceError::Other(e.to_string()))?;
        let mut response = self.client.get(url).send().await.map_err(network)?;
        match response.status().as_u16() {
            200..=299 => {}
            404 | 410 => return Err(SourceError::NotFound),
            status => return Err(SourceError::Status(status)),
        }
        let mut bytes = Vec::new();
        let began = Instant::now();
        while let Some(piece) = response.chunk().await.map_err(network)? {
            if (bytes.len() + piece.len()) as u64 > limit {
                return Err(SourceError::TooLong(limit));
            }
            bytes.extend_from_slice(&piece);
            if began.elapsed() > self.stalled + Duration::from_secs(bytes.len() as u64 / SLOWEST) {
                return Err(SourceError::Other(format!("the host sends less than {SLOWEST} bytes a second")));
            }
        }
        Ok(bytes)
    }
}

/// Returns true if a request is redirected on: no host leads to one that is nearer to this machine than
/// itself.
fn may_follow(from: &Url, target: &Url, redirects: usize) -> bool {
    rate_nearness(target) <= rate_nearness(from) && redirects <= MAX_REDIRECTS
}

/// Returns 2 for this machine, 1 for a network that is not public and 0 for all others, by every address of
/// the host.
fn rate_nearness(url: &Url) -> u8 {
    let rate = |address: SocketAddr| match address.ip().to_canonical() {
        ip if ip.is_loopback() || ip.is_unspecified() => 2,
        IpAddr::V4(ip) => u8::from(ip.is_private() || ip.is_link_local()),
        IpAddr::V6(ip) => u8::from(ip.is_unique_local() || ip.is_unicast_link_local()),
    };
    let named = url.host_str().filter(|host| is_this_machine(host)).map(|_| 2);
    url.socket_addrs(|| None).into_iter().flatten().map(rate).chain(named).max().unwrap_or(0)
}

/// Returns the innermost cause of an error, which has no URL in it.
fn cause(error: &dyn Error) -> String {
    error.source().map_or_else(|| error.to_string(), cause)
}

impl Source for HostedSource {
    fn read<'a>(&'a self, file: &'a str, limit: u64) -> SourceBytes<'a> {
        async move {
            if let Some((own, _)) = self.own.get()
                && let Ok(bytes) = own.read(file, limit).await
            {
                return Ok(bytes);
            }
            let mut pause = PAUSE;
            for _ in 1..TRIES {
                let tried = self.try_once(file, limit).await;
                if !matches!(tried, Err(SourceError::Network(_) | SourceError::Status(429 | 500..=599))) {
                    return tried;
                }
                tokio::time::sleep(pause).await;
                pause *= 3;
            }
            self.try_once(file, limit).await
        }
        .boxed_local()
    }

    fn inflate<'a>(&'a self, gzip: Vec<u8>, length: u64) -> SourceBytes<'a> {
        futures::future::ready(inflate_gzip(&gzip, length)).boxed_local()
    }
}

/// Opens the bundle of `source`. If it has this program's model, the model's files are not fetched: they are
/// written anew, and named by their content as those of the bundle are, so that only equal files stand in for
/// each other. Fails if there is no bundle, or it cannot be read.
pub async fn open_hosted(source: Rc<HostedSource>, memory_limit: u64) -> Result<Engine, HostedError> {
    let engine = Engine::open(Rc::clone(&source) as Rc<dyn Source>, memory_limit).await?;
    let bundle = engine.corpus().bundle();
    // The multilingual model is not in the program.
    if QuestionEncoder::is_in(bundle) && bundle.manifest().embedder.id != MULTILINGUAL {
        let embedder = NativeEmbedder::new().map_err(|e| HostedError::Model(e.to_string()))?;
        let vocabulary = Vocabulary::load(bundle).await.map_err(EngineError::from)?;
        let folder = tempfile::tempdir().map_err(HostedError::Folder)?;
        write_own_files(
            &HeldFolder::open(folder.path()).map_err(HostedError::Folder)?,
            &embedder,
            vocabulary.index(),
        )?;
        let _ = source.own.set((FolderSource::new(folder.path()), folder));
    }
    Ok(engine)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "hosted_tests.rs"]
mod tests;
