//! A search of the web by an endpoint that speaks SearXNG's JSON: `GET {base}/search?q=…&format=json`.
//!
//! Results are texts of strangers: they are cut to size here, and treated as untrusted like any document.

use super::environment::{EnvironmentError, Evidence, Looked, WebSearch};
use crate::answer::CitationTarget;
use crate::json::{self, Value};
use crate::llm::{HttpRequest, Transport, TransportError};
use crate::text::one_line;
use futures::StreamExt;
use futures::future::{Either, FutureExt, select};

/// Bytes of an answer that are read.
const MOST: usize = 1 << 20;
/// Milliseconds until an answer must be here.
const PATIENCE_MS: u32 = 15_000;
/// Bytes of a query.
const QUERY: usize = 512;
/// Characters of a result's text.
const TEXT: usize = 2_000;
/// Characters of a result's title.
const TITLE: usize = 200;
/// Bytes of a result's address.
const ADDRESS: usize = 2_000;

/// A SearXNG server, or another that answers like one.
pub struct SearXng<T> {
    transport: T,
    /// The URL up to and with `q=`.
    url: String,
}

impl<T: Transport> SearXng<T> {
    /// A search at a base address such as `https://search.example.org`, with or without `/search` behind it.
    /// A query in the address is kept, such as `?categories=general`.
    ///
    /// # Errors
    /// Reason why the address cannot be used: a scheme other than http and https, a name or password, or bad
    /// characters.
    pub fn new(transport: T, base: &str) -> Result<SearXng<T>, String> {
        Ok(SearXng { transport, url: parse_url(base)? })
    }

    async fn ask(&self, query: &str, k: usize) -> Result<Vec<Evidence>, EnvironmentError> {
        let failed = |why: String| EnvironmentError::Failed(format!("the web search {why}"));
        let end = query.floor_char_boundary(QUERY);
        let request = HttpRequest {
            url: format!("{}{}", self.url, encode_text(query[..end].trim())),
            headers: vec![("Accept".to_owned(), "application/json".to_owned())],
            body: String::new(),
        };
        let as_error = |e: TransportError| match e {
            TransportError::Aborted => EnvironmentError::Aborted,
            TransportError::Connection(why) => failed(format!("failed: {why}")),
        };
        let mut response = self.transport.get(request).await.map_err(as_error)?;
        if response.status != 200 {
            let hint = if response.status == 403 { "; the server must allow the format json" } else { "" };
            return Err(failed(format!("answered with status {}{hint}", response.status)));
        }
        let mut body = Vec::new();
        while let Some(piece) = response.body.next().await {
            body.extend_from_slice(&piece.map_err(as_error)?);
            if body.len() > MOST {
                return Err(failed(format!("answered with more than {MOST} bytes")));
            }
        }
        let answer = json::parse(&String::from_utf8_lossy(&body))
            .map_err(|_| failed("did not answer with JSON".to_owned()))?;
        let results = answer
            .get("results")
            .and_then(Value::as_array)
            .ok_or_else(|| failed("answered without a list of results".to_owned()))?;
        Ok(results.iter().filter_map(read_result).take(k).collect())
    }
}

impl<T: Transport> WebSearch for SearXng<T> {
    fn search<'a>(&'a self, query: &'a str, k: usize) -> Looked<'a, Evidence> {
        async move {
            let asked = self.ask(query, k).boxed_local();
            match select(asked, self.transport.sleep(PATIENCE_MS)).await {
                Either::Left((found, _)) => found,
                Either::Right(_) => Err(EnvironmentError::Failed(format!(
                    "the web search did not answer within {PATIENCE_MS} ms"
                ))),
            }
        }
        .boxed_local()
    }
}

/// A result; `None` for one without an address that can be opened, or without any words.
fn read_result(result: &Value) -> Option<Evidence> {
    let text = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default();
    let url = text("url").trim();
    let lower = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    let opened = lower.starts_with("https://") || lower.starts_with("http://");
    if !opened || url.len() > ADDRESS || url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return None;
    }
    let (title, content) = (cut_text(text("title"), TITLE), cut_text(text("content"), TEXT));
    if title.is_empty() && content.is_empty() {
        return None;
    }
    let score = result.get("score").and_then(Value::as_f64).filter(|s| s.is_finite()).unwrap_or(0.0) as f32;
    // A result that is a title alone is still worth reading.
    let text = if content.is_empty() { title.clone() } else { content };
    Some(Evidence { target: CitationTarget::Web, title, text, url: url.to_owned(), score, by_keyword: false })
}

/// A text on one line, without characters that are not seen, cut to size.
fn cut_text(text: &str, characters: usize) -> String {
    let seen: String =
        text.chars().take(characters * 4).map(|c| if c.is_control() { ' ' } else { c }).collect();
    one_line(&seen).chars().take(characters).collect()
}

/// The checked URL, up to the query that is asked.
fn parse_url(base: &str) -> Result<String, String> {
    let base = base.trim();
    if base.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
        return Err("its address holds white space, control characters or backslashes".to_owned());
    }
    let lower = base.get(..8).unwrap_or(base).to_ascii_lowercase();
    let rest = match () {
        () if lower.starts_with("https://") => base.get(8..),
        () if lower.starts_with("http://") => base.get(7..),
        () => None,
    };
    let rest = rest.ok_or("its address must start with http:// or https://")?;
    let rest = rest.split('#').next().unwrap_or_default();
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = place.split_at(place.find('/').unwrap_or(place.len()));
    if authority.contains('@') {
        return Err("its address holds a name or password".to_owned());
    }
    if authority.is_empty() || authority.starts_with(':') {
        return Err("its address names no host".to_owned());
    }
    let scheme = if lower.starts_with("https://") { "https" } else { "http" };
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix("/search").unwrap_or(path);
    let and = if query.is_empty() { "" } else { "&" };
    Ok(format!("{scheme}://{authority}{path}/search?{query}{and}format=json&q="))
}

/// Percent-encoding of everything but letters, digits and `-._~`.
fn encode_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::llm::HttpResponse;
    use futures::future::LocalBoxFuture;
    use futures::stream;
    use proptest::prelude::*;
    use std::cell::RefCell;

    struct FixedResponse {
        status: u16,
        body: Vec<u8>,
        /// True if it never answers.
        silent: bool,
        asked: RefCell<Vec<String>>,
    }

    fn response(status: u16, body: &str) -> FixedResponse {
        FixedResponse { status, body: body.as_bytes().to_vec(), silent: false, asked: RefCell::default() }
    }

    impl Transport for FixedResponse {
        fn post(&self, _: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>> {
            async { Err(TransportError::Connection("a search is no post".to_owned())) }.boxed_local()
        }

        fn get(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>> {
            self.asked.borrow_mut().push(request.url);
            async move {
                if self.silent {
                    std::future::pending::<()>().await;
                }
                let pieces: Vec<_> = self.body.chunks(1000).map(|c| Ok(c.to_vec())).collect();
                Ok(HttpResponse {
                    status: self.status,
                    headers: Vec::new(),
                    body: stream::iter(pieces).boxed_local(),
                })
            }
            .boxed_local()
        }

        fn sleep(&self, _: u32) -> LocalBoxFuture<'static, ()> {
            if self.silent {
                futures::future::ready(()).boxed_local()
            } else {
                std::future::pending().boxed_local()
            }
        }
    }

    fn search(
        transport: FixedResponse,
        query: &str,
        k: usize,
    ) -> (Result<Vec<Evidence>, EnvironmentError>, Vec<String>) {
        let web = SearXng::new(transport, "https://search.example.org/").unwrap();
        let found = web.search(query, k).now_or_never().unwrap();
        (found, web.transport.asked.into_inner())
    }

    #[test]
    fn results_become_passages_from_elsewhere() {
        let body = r#"{"query":"x","results":[
            {"url":"https://a.org/1","title":"One","content":"Hallwil lies\n in Aargau.","score":2.5,"engines":["x"]},
            {"url":"javascript:alert(1)","title":"Bad","content":"x"},
            {"title":"No address","content":"x"},
            {"url":"http://a.org/2","title":"Two","content":null},
            {"url":"https://a.org/3","title":"Three","content":"y"}]}"#;
        let (found, asked) = search(response(200, body), "Hallwil & Aargau?", 2);
        let found = found.unwrap();
        assert_eq!(asked, ["https://search.example.org/search?format=json&q=Hallwil%20%26%20Aargau%3F"]);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].target.chunk(), found[0].text.as_str(), found[0].score),
            (None, "Hallwil lies in Aargau.", 2.5)
        );
        assert_eq!((found[1].title.as_str(), found[1].text.as_str()), ("Two", "Two"));
    }

    #[test]
    fn what_is_no_answer_says_why() {
        let why = |transport: FixedResponse| search(transport, "x", 3).0.unwrap_err().to_string();
        assert!(why(response(403, "")).contains("status 403; the server must allow the format json"));
        assert!(why(response(302, "")).contains("status 302"));
        assert!(why(response(200, "<html>")).contains("did not answer with JSON"));
        assert!(why(response(200, "{\"results\":3}")).contains("without a list"));
        assert!(why(response(200, &"[".repeat(100_000))).contains("JSON"));
        assert!(why(response(200, &" ".repeat(MOST + 1))).contains("more than"));
        assert!(why(FixedResponse { silent: true, ..response(200, "") }).contains("within 15000 ms"));
        assert_eq!(search(response(200, "{\"results\":[]}"), "x", 3).0, Ok(Vec::new()));
    }

    #[test]
    fn hostile_results_are_cut_and_long_queries_too() {
        let long = "é".repeat(100_000);
        let body = format!(r#"{{"results":[{{"url":"https://a","title":"{long}","content":"{long}"}}]}}"#);
        let (found, asked) = search(response(200, &body), &long, 3);
        let found = found.unwrap();
        assert_eq!((found[0].title.chars().count(), found[0].text.chars().count()), (TITLE, TEXT));
        assert!(asked[0].len() < 2_000);
    }

    #[test]
    fn an_address_is_completed_or_refused() {
        assert_eq!(
            parse_url("http://h:8888/searx/search?language=de#x").unwrap(),
            "http://h:8888/searx/search?language=de&format=json&q="
        );
        for bad in
            ["", "h", "ftp://h", "https://me:pw@h", "https://", "https://:80", "https://h/\\x", "https://h /"]
        {
            assert!(parse_url(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(body in "(\\{|\\}|\\[|\\]|\"results\"|\"url\"|\"content\"|:|,|\"https://\
            a\"|null|.){0,30}", query in ".{0,600}") {
            let _ = search(response(200, &body), &query, 3);
        }
    }
}
