//! `pocketgraph serve`.

use super::endpoint::HeaderArgs;
use super::open::run_future;
use miette::Result;
use pocketgraph_serve::{LlmProxy, ServeOptions, serve};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of `pocketgraph serve`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder to serve
    root: PathBuf,
    /// Port [default: 8080, or the next free one]
    #[arg(long)]
    port: Option<u16>,
    /// Address to listen on; others than this machine's own let others read the folder
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// Forward /llm/v1/chat/completions to this endpoint, with the key from the environment variable
    /// POCKETGRAPH_API_KEY
    #[arg(long, value_name = "URL")]
    llm_proxy: Option<String>,
    #[command(flatten)]
    headers: HeaderArgs,
    /// Seconds that the endpoint may be silent before its answer counts as broken
    #[arg(long, value_name = "SECONDS", default_value_t = 120, requires = "llm_proxy",
        value_parser = clap::value_parser!(u32).range(1..))]
    llm_timeout: u32,
}

pub fn run_serve(args: &Args) -> Result<()> {
    let mut options = ServeOptions::new(&args.root);
    options.host = args.host;
    options.port = args.port;
    let (key_header, headers) = args.headers.read()?;
    let silence = Duration::from_secs(u64::from(args.llm_timeout));
    options.llm_proxy = args.llm_proxy.as_deref().map(|url| LlmProxy {
        key_header,
        headers,
        silence,
        ..LlmProxy::from_env(url)
    });
    run_future(serve(options))?
}
