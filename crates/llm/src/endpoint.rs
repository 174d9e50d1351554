//! Turns a typed address into the URL of requests.

use super::LlmError;

/// Checked URL of an endpoint's chat completions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    url: String,
}

const PATH: &str = "/chat/completions";
/// Ending of an address that names the Responses API.
const BESIDE: &str = "/responses";

impl Endpoint {
    /// Completes a base URL: `http://host/v1`, with or without a closing slash, `/chat/completions` or
    /// `/responses`; adds `/v1` to a bare host. Keeps a query (it may have a version) and drops a fragment.
    ///
    /// # Errors
    /// [`LlmError::Endpoint`] for schemes other than http and https, for credentials in the URL (they would
    /// be stored and shown with it), and for white space, control characters and backslashes, which programs
    /// read in different ways.
    pub fn new(base: &str) -> Result<Endpoint, LlmError> {
        let refuse = |why: &str| Err(LlmError::Endpoint(why.to_owned()));
        let base = base.trim();
        if base.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
            return refuse("its URL holds white space, control characters or backslashes");
        }
        let Some((scheme, rest)) = base.split_once("://") else {
            return refuse("its URL must start with http:// or https://");
        };
        let scheme = scheme.to_ascii_lowercase();
        if scheme != "http" && scheme != "https" {
            return refuse("its URL must start with http:// or https://");
        }
        let rest = rest.split('#').next().unwrap_or("");
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query)),
            None => (rest, None),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if authority.contains('@') {
            return refuse("its URL holds a name or password; give the key apart");
        }
        if authority.is_empty() || authority.starts_with(':') {
            return refuse("its URL names no host");
        }
        let path = path.trim_end_matches('/');
        let path = path.strip_suffix(PATH).unwrap_or(path).trim_end_matches('/');
        let path = path.strip_suffix(BESIDE).unwrap_or(path).trim_end_matches('/');
        let path = if path.is_empty() { "/v1" } else { path };
        let query = query.map(|q| format!("?{q}")).unwrap_or_default();
        Ok(Endpoint { url: format!("{scheme}://{authority}{path}{PATH}{query}") })
    }

    /// Returns the URL of requests.
    pub fn url(&self) -> &str {
        &self.url
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn url(base: &str) -> String {
        Endpoint::new(base).unwrap().url
    }

    #[test]
    fn every_usual_spelling_leads_to_one_url() {
        let one = "http://localhost:11434/v1/chat/completions";
        for base in [
            "",
            "/",
            "/v1",
            "/v1/",
            "/v1//",
            "/v1/chat/completions",
            "/v1/chat/completions/",
            "/v1/responses",
        ] {
            assert_eq!(url(&format!(" http://localhost:11434{base} ")), one, "{base}");
        }
        assert_eq!(url("HTTPS://Host/openai#x"), "https://Host/openai/chat/completions");
        assert_eq!(
            url("https://h/d/chat/completions?api-version=1"),
            "https://h/d/chat/completions?api-version=1"
        );
    }

    #[test]
    fn credentials_and_other_schemes_are_refused() {
        for base in [
            "https://me:secret@host/v1",
            "https://key@host",
            "ftp://host/v1",
            "file:///etc/passwd",
            "javascript://host/%0a",
            "host/v1",
            "",
            "http://",
            "http://:80/v1",
            "http:///v1",
            "https://good\\@evil/v1",
            "https://ho st/",
            "https://host/\r\nX-Y: z",
            "//host/v1",
        ] {
            let refused = Endpoint::new(base).unwrap_err();
            assert_eq!(refused.code(), "llm-endpoint", "{base}");
            assert!(!refused.to_string().contains("secret"));
        }
    }

    proptest! {
        #[test]
        fn completing_twice_is_completing_once(base in "https?://[a-z]{1,8}(:[0-9]{1,4})?(/[a-z0-9]{0,5}){0,\
            4}(\\?[a-z=]{0,6})?") {
            let once = url(&base);
            prop_assert_eq!(url(&once), once);
        }

        #[test]
        fn no_text_makes_it_panic(base in ".{0,40}") {
            let _ = Endpoint::new(&base);
        }
    }
}
