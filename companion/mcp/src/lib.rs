#![doc = include_str!("../README.md")]

mod desk;
mod tools;

pub use desk::{Desk, OpenEngine};

use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use futures::future::FutureExt;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use pocketgraph::bundle::Document;
use pocketgraph::kg;
use pocketgraph_serve::{TimeLimits, answer_all, whole_body};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    JsonObject, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Path at which the server answers over HTTP.
pub const HTTP_PATH: &str = "/mcp";
/// Resources told at once; a client asks on with the cursor.
const RESOURCES_AT_ONCE: usize = 200;
/// Prefix of a document's path in the address of its resource.
const SCHEME: &str = "pocketgraph:///";
/// A request of an agent is a question, not a book; and one is answered after the other.
const MOST_REQUEST: usize = 1 << 16;

const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}');

const INSTRUCTIONS: &str = "Documents with a search index, and where there is one a knowledge graph, on this \
                            machine. Call `search` with a question to find \
                            passages, `read_section` with an address from a hit to read on, and `ask` for an \
                            answer with citations. Cite addresses.";

/// One bundle, as agents are served it.
#[derive(Clone)]
pub struct Server {
    desk: Desk,
    has_graph: bool,
    name: String,
}

impl Server {
    /// Opens the bundle at `place`, a folder or an address, by `open`.
    ///
    /// # Errors
    /// When there is no bundle, or it cannot be read.
    pub async fn open(place: &Path, open: OpenEngine) -> Result<Server> {
        let desk = Desk::open(place, open)?;
        let is_in = |bundle: Rc<desk::Open>| kg::is_in(bundle.engine.corpus().bundle());
        let has_graph = desk.ask(move |bundle| async move { Ok(is_in(bundle)) }.boxed_local()).await?;
        let name =
            place.file_name().map_or_else(|| "documents".to_owned(), |n| n.to_string_lossy().into_owned());
        Ok(Server { desk, has_graph, name })
    }

    /// Serves over standard input and output until the input ends. Fails if the client does not speak the
    /// protocol.
    pub async fn over_stdio(self) -> Result<()> {
        let running = self
            .serve(rmcp::transport::io::stdio())
            .await
            .into_diagnostic()
            .wrap_err("the client did not open a session")?;
        running.waiting().await.into_diagnostic()?;
        Ok(())
    }

    /// Serves over HTTP at `address` until the program is stopped, and calls `ready` with the address.
    /// Refuses requests for host names other than this machine's and `hosts`, and requests of pages. There
    /// are no sessions to end.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn over_http(
        self,
        address: SocketAddr,
        hosts: &[String],
        ready: impl FnOnce(SocketAddr),
    ) -> Result<()> {
        let listener = TcpListener::bind(address)
            .await
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot listen on {address}"))?;
        ready(listener.local_addr().into_diagnostic()?);
        let mut allowed = StreamableHttpServerConfig::default().allowed_hosts;
        allowed.extend_from_slice(hosts);
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(allowed)
            .enforce_origin_validation()
            .with_legacy_session_mode(false)
            .with_json_response(true);
        let service = StreamableHttpService::new(
            move || Ok(self.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        let limits = TimeLimits::default();
        let answer = move |request: Request| {
            let service = service.clone();
            async move {
                if request.uri().path() != HTTP_PATH {
                    return StatusCode::NOT_FOUND.into_response();
                }
                let (parts, body) = request.into_parts();
                match whole_body(body, MOST_REQUEST, limits).await {
                    Ok(body) => {
                        service.handle(Request::from_parts(parts, Body::from(body))).await.map(Body::new)
                    }
                    Err(refused) => refused,
                }
            }
        };
        answer_all(listener, limits, answer, std::future::pending()).await;
        Ok(())
    }

    fn resource(document: &Document) -> Resource {
        let uri = format!("{SCHEME}{}", utf8_percent_encode(&document.path, ESCAPED));
        Resource::new(uri, document.path.clone())
            .with_title(document.title.clone())
            .with_description(document.url.clone())
            .with_mime_type("text/plain")
    }

    async fn tool(&self, name: String, arguments: JsonObject) -> Result<Value> {
        self.desk
            .ask(move |bundle| Box::pin(async move { tools::call_tool(&bundle, &name, arguments).await }))
            .await
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let own = Implementation::new("pocketgraph", env!("CARGO_PKG_VERSION"))
            .with_title(format!("PocketGraph: {}", self.name));
        let mut info = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        info.server_info = own;
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list_tools(self.has_graph)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list_tools(self.has_graph).into_iter().find(|t| t.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !tools::tool_exists(&request.name) {
            return Err(ErrorData::invalid_params(format!("there is no tool {}", request.name), None));
        }
        // What goes wrong with a call is told to the model, which can then do better.
        Ok(match self.tool(request.name.into_owned(), request.arguments.unwrap_or_default()).await {
            Ok(value) => CallToolResult::structured(value),
            Err(e) => CallToolResult::error(vec![ContentBlock::text(e.to_string())]),
        }
        .into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|r| r.cursor);
        let from: usize = match &cursor {
            None => 0,
            Some(given) => given
                .parse()
                .map_err(|_| ErrorData::invalid_params("the cursor is none that was given out", None))?,
        };
        let listed = self.desk.ask(move |bundle| {
            Box::pin(async move {
                let documents = bundle.documents().await?;
                let page = documents.iter().skip(from).take(RESOURCES_AT_ONCE);
                let page: Vec<Resource> = page.map(Server::resource).collect();
                let next = from.saturating_add(page.len());
                let mut out = ListResourcesResult::with_all_items(page);
                out.next_cursor = (next < documents.len()).then(|| next.to_string());
                Ok(out)
            })
        });
        listed.await.map_err(|e| ErrorData::internal_error(e.to_string(), None))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let missing = || ErrorData::resource_not_found(format!("there is no document {}", request.uri), None);
        let path = request.uri.strip_prefix(SCHEME).ok_or_else(missing)?;
        let path = percent_decode_str(path).decode_utf8().map_err(|_| missing())?.into_owned();
        let text =
            self.desk.ask(|bundle| Box::pin(async move { tools::document_text(&bundle, &path).await }));
        let text =
            text.await.map_err(|e| ErrorData::internal_error(e.to_string(), None))?.ok_or_else(missing)?;
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, request.uri.clone())]).into())
    }
}

/// The address that a port on this machine's own name has.
///
/// # Errors
/// When the text is neither a port nor an address with a port.
pub fn parse_address(text: &str) -> Result<SocketAddr> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    text.parse()
        .map_err(|_| miette!("{text} is neither a port nor an address with a port, such as 127.0.0.1:8091"))
}
