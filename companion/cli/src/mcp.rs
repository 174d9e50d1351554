//! `pocketgraph mcp`.

use super::open::{open_with_model, run_future};
use futures::future::FutureExt;
use miette::Result;
use pocketgraph_mcp::{HTTP_PATH, Server, parse_address};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Arguments of `pocketgraph mcp`.
#[derive(Debug, clap::Args)]
#[command(after_help = "The agent starts the server. Put this into its configuration:\n\n  \
    { \"mcpServers\": { \"docs\": { \"command\": \"pocketgraph\", \"args\": [\"mcp\", \"/path/to/bundle\"] } \
    } }\n\n\
Tools: search, read_section, ask and, if the bundle has a knowledge graph, plan and entity. The documents \
are resources.")]
pub struct Args {
    /// Folder of the bundle, or its address: https://host/bundle/
    bundle: PathBuf,
    /// Serve over HTTP at this port, or at ADDRESS:PORT, instead of standard input and output
    #[arg(long, value_name = "PORT", value_parser = parse_http)]
    http: Option<SocketAddr>,
    /// With --http: accept requests for this host name too, not only for this machine
    #[arg(long, value_name = "NAME", requires = "http")]
    allow_host: Vec<String>,
}

fn parse_http(text: &str) -> std::result::Result<SocketAddr, String> {
    parse_address(text).map_err(|e| e.to_string())
}

pub fn run_mcp(args: &Args) -> Result<()> {
    run_future(async {
        let open = |place: PathBuf| async move { open_with_model(&place).await }.boxed_local();
        let server = Server::open(&args.bundle, open).await?;
        match args.http {
            None => server.over_stdio().await,
            Some(at) => {
                let ready = |at: SocketAddr| {
                    if !at.ip().is_loopback() {
                        eprintln!(
                            "warning: listening on {at}: every machine that reaches this one can \
                             read the documents, unencrypted"
                        );
                    }
                    eprintln!("serving http://{at}{HTTP_PATH} (Ctrl-C ends it)");
                };
                server.over_http(at, &args.allow_host, ready).await
            }
        }
    })?
}
