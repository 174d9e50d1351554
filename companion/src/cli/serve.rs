//! `pocketgraph serve`.

use super::open::wait;
use crate::serve::{LlmProxy, ServeOptions, serve};
use miette::Result;
use std::net::IpAddr;
use std::path::PathBuf;

/// Arguments of `pocketgraph serve`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder to serve
    root: PathBuf,
    /// The port [default: 8080, or the next free one]
    #[arg(long)]
    port: Option<u16>,
    /// The address to listen on; anything but this machine's own lets others read the folder
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// Forward /llm/v1/chat/completions to this endpoint, with the key from the environment variable POCKETGRAPH_API_KEY
    #[arg(long, value_name = "URL")]
    llm_proxy: Option<String>,
}

pub fn run(args: &Args) -> Result<()> {
    let mut options = ServeOptions::new(&args.root);
    options.host = args.host;
    options.port = args.port;
    options.llm_proxy = args.llm_proxy.as_deref().map(LlmProxy::from_env);
    wait(serve(options))?
}
