#![doc = include_str!("../README.md")]

mod connections;
mod files;
mod names;
mod packed;
mod proxy;
mod respond;
mod secret;

use pocketgraph_native::hosts::is_this_machine;
use pocketgraph_native::{eprintln, println};
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use tokio::net::TcpListener;

pub use connections::{TimeLimits, answer_all, whole_body};
pub use proxy::LlmProxy;

/// Default Content-Security-Policy: scripts, workers, styles and wasm from this server only, nothing inline,
/// no `eval`. Requests may go to this server, to other ports of this machine and to any `https:` address, so
/// that pages can reach a language model's endpoint. [`ServeOptions::policy`] replaces it.
pub const STRICT_POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
     worker-src 'self'; img-src 'self' data:; connect-src 'self' http://localhost:* http://127.0.0.1:* \
     https:; \
     object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'";

/// Port that is tried first by default.
pub const DEFAULT_PORT: u16 = 8080;

/// Number of ports after [`DEFAULT_PORT`] that are tried before the system chooses one.
const PORTS_TRIED: u16 = 20;

/// Maximum number of bytes of compressed files in memory.
const MOST_PACKED: u64 = 64 << 20;

/// Options of the server.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The folder whose files are served.
    pub root: PathBuf,
    /// Address to listen on. Other machines can read the folder unless it is a loopback address; [`serve`]
    /// warns.
    pub host: IpAddr,
    /// The port. `None`: [`DEFAULT_PORT`] or the next free one. `Some(0)`: any free port. Any other: exactly
    /// that one.
    pub port: Option<u16>,
    /// The Content-Security-Policy of every answer; `None` sends none (for a site with inline scripts).
    pub policy: Option<String>,
    /// Target of `POST /llm/v1/chat/completions`; `None` answers such requests with "not found".
    pub llm_proxy: Option<LlmProxy>,
    /// Time limits of the other side of a connection.
    pub limits: TimeLimits,
}

impl ServeOptions {
    /// Serves `root` on 127.0.0.1, on the default port or the next free one, with [`STRICT_POLICY`] and no
    /// proxy.
    pub fn new(root: impl Into<PathBuf>) -> ServeOptions {
        ServeOptions {
            root: root.into(),
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: None,
            policy: Some(STRICT_POLICY.to_owned()),
            llm_proxy: None,
            limits: TimeLimits::default(),
        }
    }
}

/// A server that has its port and is ready to run.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    limits: TimeLimits,
    site: Arc<Site>,
}

impl Server {
    /// Checks the options and takes the port. Requests wait until [`Server::run`].
    ///
    /// # Errors
    /// If the folder does not exist, the port is taken or forbidden, the policy is no valid header, or the
    /// proxy's address is unsuitable (see [`LlmProxy`]). Also if a proxy would listen on an address that
    /// other machines reach, since they could spend the key.
    pub async fn bind(options: ServeOptions) -> Result<Server> {
        let root = options
            .root
            .canonicalize()
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot serve {}", options.root.display()))?;
        if !root.is_dir() {
            return Err(miette!("cannot serve {}: it is not a folder", options.root.display()));
        }
        if options.llm_proxy.is_some() && !options.host.is_loopback() {
            return Err(miette!(
                help =
                    "leave out --host, or let the page call the endpoint itself with a key of the reader's",
                "--llm-proxy is for this machine only: on {} every machine that reaches it could \
                 spend the key",
                options.host
            ));
        }
        let headers = respond::CommonHeaders::new(options.policy.as_deref())?;
        let limits = options.limits;
        let proxy = options.llm_proxy.map(|proxy| proxy::Forwarder::new(proxy, limits)).transpose()?;
        let listener = take_port(options.host, options.port).await?;
        let address = listener.local_addr().into_diagnostic()?;
        let packed = packed::Packed::new(MOST_PACKED);
        let site = Arc::new(Site { root, local_only: options.host.is_loopback(), headers, packed, proxy });
        Ok(Server { listener, address, limits, site })
    }

    /// Returns the address and port on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL to open on this machine.
    pub fn url(&self) -> String {
        let shown = if self.address.ip().is_unspecified() {
            SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), self.address.port())
        } else {
            self.address
        };
        format!("http://{shown}/")
    }

    /// Answers requests until `stop` is ready, then refuses new ones and gives those in progress two seconds.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) {
        let Server { listener, limits, site, .. } = self;
        let answer = move |request| {
            let site = site.clone();
            async move { handle_request(&site, request).await }
        };
        connections::answer_all(listener, limits, answer, stop).await;
    }
}

/// Prints the URL of a folder and serves it until Ctrl-C (or, on Unix, a request to terminate).
///
/// # Errors
/// As [`Server::bind`].
pub async fn serve(options: ServeOptions) -> Result<()> {
    let shown_root = options.root.display().to_string();
    let forwards_to = options.llm_proxy.as_ref().map(|proxy| proxy.base_url.clone());
    let local_only = options.host.is_loopback();
    let server = Server::bind(options).await?;
    if !local_only {
        eprintln!(
            "warning: listening on {}: every machine that reaches this one can read {shown_root}, \
             unencrypted",
            server.address()
        );
    }
    println!("{shown_root} is served at {}", server.url());
    if let Some(endpoint) = forwards_to {
        println!("questions to a language model at {}llm/v1 are forwarded to {endpoint}", server.url());
    }
    println!("Ctrl-C stops it.");
    server.run(asked_to_stop()).await;
    Ok(())
}

/// Returns on Ctrl-C and, on Unix, on a request to terminate.
async fn asked_to_stop() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            // Without a handler the system's default applies, which ends the program.
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending::<()>().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}

/// Takes the requested port, or the first free one from [`DEFAULT_PORT`] on.
async fn take_port(host: IpAddr, port: Option<u16>) -> Result<TcpListener> {
    if let Some(port) = port {
        return TcpListener::bind((host, port))
            .await
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot listen on {}", SocketAddr::new(host, port)));
    }
    for port in DEFAULT_PORT..=DEFAULT_PORT.saturating_add(PORTS_TRIED) {
        if let Ok(listener) = TcpListener::bind((host, port)).await {
            return Ok(listener);
        }
    }
    TcpListener::bind((host, 0)).await.into_diagnostic().wrap_err_with(|| format!("cannot listen on {host}"))
}

/// Context of every request.
#[derive(Debug)]
struct Site {
    /// Canonical path, for comparison with canonical file paths.
    root: PathBuf,
    /// True if only names of this machine are accepted as `Host`.
    local_only: bool,
    headers: respond::CommonHeaders,
    packed: packed::Packed,
    proxy: Option<proxy::Forwarder>,
}

async fn handle_request(site: &Site, request: Request) -> Response {
    let mut response = answer_request(site, request).await;
    site.headers.add_to(&mut response);
    response
}

async fn answer_request(site: &Site, request: Request) -> Response {
    let host = names::single_header(request.headers(), "host");
    if site.local_only && !host.is_some_and(is_this_machine) {
        return respond::plain(StatusCode::MISDIRECTED_REQUEST, "this server answers to localhost only");
    }
    if names::is_for_another_site(request.headers()) {
        return respond::plain(StatusCode::FORBIDDEN, "pages of other sites may not read this one");
    }
    if let Some(proxy) = &site.proxy
        && request.uri().path() == proxy::PATH
    {
        return proxy.answer(request).await;
    }
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return respond::method_not_allowed("GET, HEAD");
    }
    let (parts, _body) = request.into_parts();
    files::answer_request(&site.root, &site.packed, &parts).await
}
