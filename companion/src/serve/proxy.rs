//! The LLM proxy: chat requests from the served page, forwarded to one endpoint with the key added on the way.
//!
//! The key belongs to whoever started the server, so only the page that this server served may spend it: a request must carry
//! an `Origin` that is this server itself (browsers send one with every POST), must not be marked as coming from another site, and,
//! as for every request, its `Host` must be a name of this machine. The key goes into one header of one request to the configured
//! address and nowhere else: redirects are not followed, an answer that refuses the key is replaced (some quote it), and it
//! is kept out of `Debug`.

use std::fmt;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderName, Method, StatusCode, header};
use axum::response::Response;
use miette::{IntoDiagnostic, WrapErr, miette};
use reqwest::Url;

use super::names;
use super::respond;

/// The one address that is forwarded.
pub(super) const PATH: &str = "/llm/v1/chat/completions";

/// The environment variable that holds the key.
pub const KEY_VARIABLE: &str = "POCKETGRAPH_API_KEY";

/// The largest request that is forwarded. A long prompt is some hundred kilobytes.
const LARGEST_REQUEST: usize = 1 << 20;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest silence of an endpoint before the answer counts as broken; large models think for a while.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(120);

/// An OpenAI-compatible endpoint and the key for it.
#[derive(Clone)]
pub struct LlmProxy {
    /// The base URL, such as `https://host/v1`; `/chat/completions` is added. It must be `https:`, or `http:` to this machine, or
    /// `http:` anywhere when there is no key; no user name or password in it.
    pub base_url: String,
    /// Sent as `Authorization: Bearer`; `None` for endpoints that ask for none.
    pub api_key: Option<String>,
}

impl LlmProxy {
    /// The endpoint at `base_url`, with the key in `POCKETGRAPH_API_KEY` if that is set and not empty.
    pub fn from_env(base_url: impl Into<String>) -> LlmProxy {
        let api_key = std::env::var(KEY_VARIABLE).ok().map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        LlmProxy { base_url: base_url.into(), api_key }
    }
}

impl fmt::Debug for LlmProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.api_key.as_ref().map(|_| "(kept secret)");
        f.debug_struct("LlmProxy").field("base_url", &self.base_url).field("api_key", &key).finish()
    }
}

/// An [`LlmProxy`] that has been checked and can be asked.
pub(super) struct Forwarder {
    client: reqwest::Client,
    url: Url,
    /// The whole value of `Authorization`, marked sensitive.
    authorization: Option<reqwest::header::HeaderValue>,
}

impl fmt::Debug for Forwarder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forwarder").field("url", &self.url.as_str()).finish_non_exhaustive()
    }
}

impl Forwarder {
    /// # Errors
    /// When the base URL is not fit to carry a key (see [`LlmProxy::base_url`]) or the key cannot stand in a header.
    pub(super) fn new(proxy: LlmProxy) -> miette::Result<Forwarder> {
        let base = proxy.base_url.trim_end_matches('/');
        let url = Url::parse(&format!("{base}/chat/completions"))
            .into_diagnostic()
            .wrap_err("--llm-proxy needs the base URL of an endpoint, such as https://host/v1")?;
        let to_this_machine = url.host_str().is_some_and(names::is_this_machine);
        if !url.username().is_empty() || url.password().is_some() {
            return Err(miette!("--llm-proxy takes no user name or password in the URL: put the key in {KEY_VARIABLE}"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(miette!("--llm-proxy takes a base URL without ? and #"));
        }
        match url.scheme() {
            "https" => {}
            "http" if to_this_machine || proxy.api_key.is_none() => {}
            "http" => return Err(miette!("--llm-proxy would send the key unencrypted to another machine: use https")),
            other => return Err(miette!("--llm-proxy speaks https and http, not {other}")),
        }
        let authorization = proxy
            .api_key
            .map(|key| {
                // The error names no value, so that a mistyped key is not printed.
                let mut value = reqwest::header::HeaderValue::from_str(&format!("Bearer {key}"))
                    .map_err(|_| miette!("the key in {KEY_VARIABLE} holds characters that cannot be sent"))?;
                value.set_sensitive(true);
                Ok::<_, miette::Report>(value)
            })
            .transpose()?;
        let mut client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(SILENCE_TIMEOUT)
            .user_agent(concat!("pocketgraph/", env!("CARGO_PKG_VERSION")));
        if url.scheme() == "http" {
            // A web proxy of the environment would see an unencrypted key.
            client = client.no_proxy();
        }
        let client = client.build().into_diagnostic().wrap_err("cannot prepare the connection for --llm-proxy")?;
        Ok(Forwarder { client, url, authorization })
    }

    /// Forwards one request and streams the answer back as it comes. When the page goes away, so does the request.
    pub(super) async fn answer(&self, request: Request) -> Response {
        if request.method() != Method::POST {
            return respond::method_not_allowed("POST");
        }
        if !is_same_origin(&request) {
            return respond::plain(StatusCode::FORBIDDEN, "only the page that this server served may ask");
        }
        let is_json = names::single_header(request.headers(), "content-type")
            .is_some_and(|kind| kind.split(';').next().is_some_and(|mime| mime.trim().eq_ignore_ascii_case("application/json")));
        if !is_json {
            return respond::plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the request must be application/json");
        }
        let Ok(body) = to_bytes(request.into_body(), LARGEST_REQUEST).await else {
            return respond::plain(StatusCode::PAYLOAD_TOO_LARGE, "the request is larger than 1 MiB or was cut off");
        };
        let mut forwarded = self
            .client
            .post(self.url.clone())
            .header(reqwest::header::CONTENT_TYPE, "application/json")
            .header(reqwest::header::ACCEPT, "text/event-stream, application/json")
            .body(body);
        if let Some(value) = &self.authorization {
            forwarded = forwarded.header(reqwest::header::AUTHORIZATION, value.clone());
        }
        match forwarded.send().await {
            Ok(reply) => pass_on(reply),
            Err(error) if error.is_timeout() => {
                respond::plain(StatusCode::GATEWAY_TIMEOUT, "the language model's endpoint did not answer in time")
            }
            Err(_) => respond::plain(StatusCode::BAD_GATEWAY, "the language model's endpoint cannot be reached"),
        }
    }
}

/// Whether a request comes from a page of this very server.
fn is_same_origin(request: &Request) -> bool {
    let headers = request.headers();
    let (Some(host), Some(origin)) = (names::single_header(headers, "host"), names::single_header(headers, "origin")) else {
        return false;
    };
    let from_here = !headers.contains_key("sec-fetch-site")
        || names::single_header(headers, "sec-fetch-site").is_some_and(|site| site == "same-origin");
    from_here && origin.strip_prefix("http://").is_some_and(|o| o.eq_ignore_ascii_case(host)) && names::is_this_machine(host)
}

/// The endpoint's answer, reduced to what a page needs: status, type, when to come back, and the bytes as they arrive.
fn pass_on(reply: reqwest::Response) -> Response {
    let status = reply.status();
    if status == StatusCode::UNAUTHORIZED || status == StatusCode::FORBIDDEN {
        return respond::plain(status, "the language model's endpoint refused the key of this server");
    }
    if status.is_redirection() || status.is_informational() {
        return respond::plain(StatusCode::BAD_GATEWAY, "the language model's endpoint answered with a redirect");
    }
    let said = reply.headers().get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let mime = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    // Never a type that would be shown as a page of this server's.
    let kind = match mime.as_str() {
        "text/event-stream" => "text/event-stream",
        "application/json" => "application/json",
        _ => "text/plain; charset=utf-8",
    };
    let mut headers: Vec<(HeaderName, String)> =
        vec![(header::CONTENT_TYPE, kind.to_owned()), (header::CACHE_CONTROL, "no-store".to_owned())];
    if let Some(wait) = reply.headers().get(header::RETRY_AFTER).and_then(|v| v.to_str().ok()) {
        headers.push((header::RETRY_AFTER, wait.to_owned()));
    }
    respond::with_headers(status, &headers, Body::from_stream(reply.bytes_stream()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn checked(base_url: &str, key: Option<&str>) -> Result<String, String> {
        Forwarder::new(LlmProxy { base_url: base_url.to_owned(), api_key: key.map(str::to_owned) })
            .map(|f| f.url.to_string())
            .map_err(|e| format!("{e:?} {e}"))
    }

    #[test]
    fn an_address_that_would_expose_the_key_is_refused() {
        assert_eq!(checked("https://example.com/v1/", Some("k")).unwrap(), "https://example.com/v1/chat/completions");
        assert!(checked("http://localhost:11434/v1", Some("k")).is_ok());
        assert!(checked("http://192.168.1.5:11434/v1", None).is_ok());
        for url in ["http://example.com/v1", "https://user:pw@example.com/v1", "file:///etc", "not a url", "https://example.com/v1?x=1"] {
            assert!(checked(url, Some("k")).is_err(), "{url}");
        }
    }

    #[test]
    fn the_key_is_in_no_message() {
        let proxy = LlmProxy { base_url: "https://example.com".to_owned(), api_key: Some("sk-secret".to_owned()) };
        assert!(!format!("{proxy:?}").contains("sk-secret"));
        assert!(!format!("{:?}", Forwarder::new(proxy).unwrap()).contains("sk-secret"));
        assert!(!checked("https://example.com", Some("sk-secret\n")).unwrap_err().contains("sk-secret"));
    }
}
