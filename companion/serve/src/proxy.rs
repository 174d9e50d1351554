//! Forwards chat requests of the served page to one endpoint, and adds the key.
//!
//! The key belongs to the person who started the server, so only the page that this server served may spend
//! it. A request must have an `Origin` that is this server (browsers send one with every POST), must not be
//! marked as coming from another site, and, as for every request, its `Host` must be a name of this machine.
//! The key goes into one header of one request to the configured address and nowhere else. Redirects are not
//! followed, an endpoint's error that quotes the key is replaced, and other replies lose it.

use std::fmt;
use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use futures::{Stream, StreamExt, stream};
use miette::{IntoDiagnostic, WrapErr, miette};
use pocketgraph_llm::Endpoint;
use pocketgraph_llm::responses::{self, Translator, is_responses};
use pocketgraph_llm_client::key::{KEY_VARIABLE, allow_key, key_of_environment};
use pocketgraph_native::hosts::is_this_machine;
use reqwest::Url;

use super::connections::{TimeLimits, whole_body};
use super::names;
use super::respond;
use super::secret::{KeyFilter, KeyPatterns};

/// Path of the requests that are forwarded.
pub(super) const PATH: &str = "/llm/v1/chat/completions";

/// Maximum size of a forwarded request in bytes. A long prompt has some hundred kilobytes.
const LARGEST_REQUEST: usize = 1 << 20;

/// Maximum number of bytes of an endpoint's error that are passed on.
const LARGEST_ERROR: usize = 64 * 1024;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum pause of an endpoint before the answer counts as broken; large models think for a while.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(120);

/// An OpenAI-compatible endpoint and the key for it.
#[derive(Clone)]
pub struct LlmProxy {
    /// The base URL as for [`Endpoint::new`], such as `https://host/v1`. It must be `https:`, or `http:` to
    /// this machine, or any `http:` without a key; it may not have a user name or password.
    pub base_url: String,
    /// Sent as `Authorization: Bearer`, or as it is in [`LlmProxy::key_header`]; `None` if none is needed.
    pub api_key: Option<String>,
    /// Header for the unchanged key, for endpoints that do not read `Authorization`, such as `api-key`.
    pub key_header: Option<String>,
    /// Further headers of each request.
    pub headers: Vec<(String, String)>,
    /// Maximum pause before an answer counts as broken.
    pub silence: Duration,
}

impl LlmProxy {
    /// Returns the endpoint at `base_url`, with the key in `POCKETGRAPH_API_KEY` if that is not empty.
    pub fn from_env(base_url: impl Into<String>) -> LlmProxy {
        let api_key = key_of_environment();
        LlmProxy {
            base_url: base_url.into(),
            api_key,
            key_header: None,
            headers: Vec::new(),
            silence: SILENCE_TIMEOUT,
        }
    }
}

impl fmt::Debug for LlmProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.api_key.as_ref().map(|_| "(kept secret)");
        f.debug_struct("LlmProxy").field("base_url", &self.base_url).field("api_key", &key).finish()
    }
}

/// A checked [`LlmProxy`] that is ready to forward.
pub(super) struct Forwarder {
    client: reqwest::Client,
    url: Url,
    /// True if the address is of the Responses API; the page uses chat completions all the same.
    responses: bool,
    /// Headers of each request: the key, marked sensitive, and further ones.
    headers: HeaderMap,
    key: Option<KeyPatterns>,
    limits: TimeLimits,
}

impl fmt::Debug for Forwarder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forwarder").field("url", &self.url.as_str()).finish_non_exhaustive()
    }
}

impl Forwarder {
    /// Fails if the base URL may not receive a key (see [`LlmProxy::base_url`]), or the key is no valid
    /// header.
    pub(super) fn new(proxy: LlmProxy, limits: TimeLimits) -> miette::Result<Forwarder> {
        let wrong = || "--llm-proxy needs the base URL of an endpoint, such as https://host/v1";
        let url = Endpoint::new(&proxy.base_url).into_diagnostic().wrap_err_with(wrong)?;
        if proxy.api_key.is_some() {
            allow_key(&proxy.base_url, None).into_diagnostic().wrap_err_with(wrong)?;
        }
        let responses = is_responses(&proxy.base_url);
        let address = if responses { responses::translate_address(url.url()) } else { url.url().to_owned() };
        let url = Url::parse(&address).into_diagnostic().wrap_err_with(wrong)?;
        let key = proxy.api_key.as_deref().map(KeyPatterns::new);
        let headers = headers_of(&proxy)?;
        let mut client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(proxy.silence)
            .user_agent(concat!("pocketgraph/", env!("CARGO_PKG_VERSION")));
        if url.scheme() == "http" {
            // A web proxy from the environment would see an unencrypted key.
            client = client.no_proxy();
        }
        let client =
            client.build().into_diagnostic().wrap_err("cannot prepare the connection for --llm-proxy")?;
        Ok(Forwarder { client, url, responses, headers, key, limits })
    }

    /// Forwards one request and streams the answer. If the page closes the connection, the request ends too.
    pub(super) async fn answer(&self, request: Request) -> Response {
        if request.method() != Method::POST {
            return respond::method_not_allowed("POST");
        }
        if !is_same_origin(&request) {
            return respond::plain(StatusCode::FORBIDDEN, "only the page that this server served may ask");
        }
        let is_json = names::single_header(request.headers(), "content-type").is_some_and(|kind| {
            kind.split(';').next().is_some_and(|mime| mime.trim().eq_ignore_ascii_case("application/json"))
        });
        if !is_json {
            return respond::plain(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the request must be application/json",
            );
        }
        let body = match whole_body(request.into_body(), LARGEST_REQUEST, self.limits).await {
            Ok(body) => body,
            Err(refused) => return refused,
        };
        let body = match (self.responses, std::str::from_utf8(&body)) {
            (true, Ok(text)) => Bytes::from(responses::translate_body(text.to_owned())),
            _ => body,
        };
        let forwarded = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .header(reqwest::header::CONTENT_TYPE, "application/json")
            .header(reqwest::header::ACCEPT, "text/event-stream, application/json")
            .body(body);
        match forwarded.send().await {
            Ok(reply) => self.pass_on(reply).await,
            Err(error) if error.is_timeout() => respond::plain(
                StatusCode::GATEWAY_TIMEOUT,
                "the language model's endpoint did not answer in time",
            ),
            Err(_) => {
                respond::plain(StatusCode::BAD_GATEWAY, "the language model's endpoint cannot be reached")
            }
        }
    }
}

/// Returns the key and the further headers, as they are sent.
fn headers_of(proxy: &LlmProxy) -> miette::Result<HeaderMap> {
    let mut out = HeaderMap::new();
    for (name, value) in &proxy.headers {
        let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_str(value)) else {
            return Err(miette!("{name:?} cannot be sent as a header"));
        };
        out.insert(name, value);
    }
    if let Some(key) = &proxy.api_key {
        let (name, text) = match &proxy.key_header {
            Some(name) => (
                HeaderName::try_from(name).map_err(|_| miette!("{name:?} is not the name of a header"))?,
                key.clone(),
            ),
            None => (header::AUTHORIZATION, format!("Bearer {key}")),
        };
        // The error has no value in it, so that a mistyped key is not printed.
        let mut value = HeaderValue::from_str(&text)
            .map_err(|_| miette!("the key in {KEY_VARIABLE} holds characters that cannot be sent"))?;
        value.set_sensitive(true);
        out.insert(name, value);
    }
    Ok(out)
}

/// Returns true if a request comes from a page of this server.
fn is_same_origin(request: &Request) -> bool {
    let headers = request.headers();
    let (Some(host), Some(origin)) =
        (names::single_header(headers, "host"), names::single_header(headers, "origin"))
    else {
        return false;
    };
    let from_here = !headers.contains_key("sec-fetch-site")
        || names::single_header(headers, "sec-fetch-site").is_some_and(|site| site == "same-origin");
    from_here
        && origin.strip_prefix("http://").is_some_and(|o| o.eq_ignore_ascii_case(host))
        && is_this_machine(host)
}

/// Message in place of an endpoint's error that quotes the key.
const WITHHELD: &str = "what the language model's endpoint said is withheld: it quotes the key";

impl Forwarder {
    /// Reduces the endpoint's answer to status, type, retry time, and the bytes as they arrive, without the
    /// key.
    async fn pass_on(&self, reply: reqwest::Response) -> Response {
        let status = reply.status();
        if status == StatusCode::UNAUTHORIZED || status == StatusCode::FORBIDDEN {
            return respond::plain(status, "the language model's endpoint refused the key of this server");
        }
        if status.is_redirection() || status.is_informational() {
            return respond::plain(
                StatusCode::BAD_GATEWAY,
                "the language model's endpoint answered with a redirect",
            );
        }
        if reply
            .headers()
            .get(header::CONTENT_ENCODING)
            .is_some_and(|coding| coding.as_bytes() != b"identity")
        {
            // The request accepted no compression, and the key would not be recognised in it.
            return respond::plain(
                StatusCode::BAD_GATEWAY,
                "the language model's endpoint answered in a compressed form",
            );
        }
        let mut headers = vec![
            (header::CONTENT_TYPE, shown_as(&reply).to_owned()),
            (header::CACHE_CONTROL, "no-store".to_owned()),
        ];
        headers.extend(self.time_to_wait(&reply).map(|wait| (header::RETRY_AFTER, wait)));
        if !status.is_success() {
            return self.pass_on_failure(reply, &headers).await;
        }
        let pieces = match self.responses {
            true => translate_reply(reply.bytes_stream()).boxed(),
            false => reply.bytes_stream().map(|piece| piece.map_err(io::Error::other)).boxed(),
        };
        match self.key.as_ref().and_then(KeyPatterns::for_reply) {
            Some(filter) => {
                respond::with_headers(status, &headers, Body::from_stream(without_key(pieces, filter)))
            }
            None => respond::with_headers(status, &headers, Body::from_stream(pieces)),
        }
    }

    /// Returns an error in the endpoint's own words, unless they contain the key.
    async fn pass_on_failure(&self, reply: reqwest::Response, headers: &[(HeaderName, String)]) -> Response {
        let status = reply.status();
        let mut body = Vec::new();
        let mut pieces = reply.bytes_stream();
        // An error that breaks off is passed on up to there.
        while let Some(Ok(piece)) = pieces.next().await {
            body.extend_from_slice(&piece);
            if body.len() > LARGEST_ERROR {
                break;
            }
        }
        if self.key.as_ref().is_some_and(|key| key.are_in(&body)) {
            return respond::plain(status, WITHHELD);
        }
        if body.len() > LARGEST_ERROR {
            // The cut text is no JSON, and may end within the key.
            return respond::plain(
                status,
                "the language model's endpoint failed, and said too much about it",
            );
        }
        respond::with_headers(status, headers, Body::from(body))
    }

    /// Returns the endpoint's `Retry-After`: seconds, or a date.
    fn time_to_wait(&self, reply: &reqwest::Response) -> Option<String> {
        let wait = reply.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
        let quotes = self.key.as_ref().is_some_and(|key| key.are_in(wait.as_bytes()));
        (!quotes).then(|| wait.to_owned())
    }
}

/// Returns the type of a reply for the page: never one that browsers show as a page of this server.
fn shown_as(reply: &reqwest::Response) -> &'static str {
    let content_type =
        reply.headers().get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    match content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "text/event-stream" => "text/event-stream",
        "application/json" => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}

/// Translates a streamed reply of the Responses API to chat completions.
fn translate_reply<E>(
    pieces: impl Stream<Item = Result<Bytes, E>>,
) -> impl Stream<Item = Result<Bytes, io::Error>>
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    stream::unfold((Box::pin(pieces), Some(Translator::default())), |(mut pieces, words)| async move {
        let mut words = words?;
        match pieces.next().await {
            Some(Ok(piece)) => match words.push(&piece) {
                Ok(text) => Some((Ok(Bytes::from(text)), (pieces, Some(words)))),
                Err(why) => Some((Err(io::Error::other(why)), (pieces, None))),
            },
            Some(Err(error)) => Some((Err(io::Error::other(error)), (pieces, None))),
            None => Some((Ok(Bytes::from(words.end())), (pieces, None))),
        }
    })
}

/// Streams a reply's bytes, with a replacement for the key.
fn without_key<E>(
    pieces: impl Stream<Item = Result<Bytes, E>>,
    filter: KeyFilter,
) -> impl Stream<Item = Result<Bytes, E>> {
    stream::unfold((Box::pin(pieces), Some(filter)), |(mut pieces, filter)| async move {
        let mut filter = filter?;
        match pieces.next().await {
            Some(Ok(piece)) => {
                let passed = Bytes::from(filter.pass(&piece));
                Some((Ok(passed), (pieces, Some(filter))))
            }
            Some(Err(error)) => Some((Err(error), (pieces, None))),
            None => Some((Ok(Bytes::from(filter.end())), (pieces, None))),
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn checked(base_url: &str, key: Option<&str>) -> Result<String, String> {
        let proxy = LlmProxy { api_key: key.map(str::to_owned), ..LlmProxy::from_env(base_url) };
        Forwarder::new(proxy, TimeLimits::default())
            .map(|f| f.url.to_string())
            .map_err(|e| format!("{e:?} {e}"))
    }

    #[test]
    fn an_address_that_would_expose_the_key_is_refused() {
        assert_eq!(
            checked("https://example.com/v1/", Some("k")).unwrap(),
            "https://example.com/v1/chat/completions"
        );
        assert!(checked("http://localhost:11434/v1", Some("k")).is_ok());
        assert_eq!(
            checked("http://localhost:11434", None).unwrap(),
            "http://localhost:11434/v1/chat/completions"
        );
        let azure = "https://example.com/d/chat/completions?api-version=1";
        assert_eq!(checked(azure, Some("k")).unwrap(), azure);
        assert_eq!(
            checked("https://example.com/v1/responses", Some("k")).unwrap(),
            "https://example.com/v1/responses"
        );
        assert!(checked("http://192.168.1.5:11434/v1", None).is_ok());
        for url in ["http://example.com/v1", "https://user:pw@example.com/v1", "file:///etc", "not a url"] {
            assert!(checked(url, Some("k")).is_err(), "{url}");
        }
    }

    #[test]
    fn the_key_is_in_no_message() {
        let proxy = LlmProxy {
            api_key: Some("sk-secret".to_owned()),
            key_header: Some("api-key".to_owned()),
            ..LlmProxy::from_env("https://example.com")
        };
        assert!(!format!("{:?}", headers_of(&proxy).unwrap()).contains("sk-secret"));
        assert!(!format!("{proxy:?}").contains("sk-secret"));
        assert!(
            !format!("{:?}", Forwarder::new(proxy, TimeLimits::default()).unwrap()).contains("sk-secret")
        );
        assert!(!checked("https://example.com", Some("sk-secret\n")).unwrap_err().contains("sk-secret"));
    }
}
