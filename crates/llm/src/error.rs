//! Errors between a question and a model's reply.

/// Value of [`LlmError::Timeout`]'s `what` if the time for the whole reply has passed.
pub const COMPLETE_REPLY: &str = "complete reply";

/// Reason why a model did not answer, or not completely. Messages of the endpoint never contain the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LlmError {
    /// The address or a setting cannot be used; nothing was sent.
    #[error("this endpoint cannot be used: {0}")]
    Endpoint(String),
    /// There is no connection, or the HTTP status is not a success.
    #[error("the endpoint failed{}: \
        {message}", status.map(|s| format!(" with status {s}")).unwrap_or_default())]
    Http {
        /// The status; `None` if there was no response at all.
        status: Option<u16>,
        /// The endpoint's message, shortened.
        message: String,
    },
    /// The endpoint refused the key or the model (401, 403).
    #[error("the endpoint refused the request with status {status}: {message}")]
    Refused {
        /// The status.
        status: u16,
        /// The endpoint's message, shortened.
        message: String,
    },
    /// The prompt is longer than the model's context window.
    #[error("the prompt does not fit the model's context window: {message}")]
    Context {
        /// The endpoint's message, shortened.
        message: String,
    },
    /// There were too many requests (429), also after the retries.
    #[error("the endpoint allows no more requests now{}: \
        {message}", retry_after_ms.map(|ms| format!(", and asks to wait {} s", ms.div_ceil(1000))).unwrap_or_default())]
    RateLimit {
        /// Milliseconds that the endpoint asked to wait.
        retry_after_ms: Option<u32>,
        /// The endpoint's message, shortened.
        message: String,
    },
    /// A time limit passed.
    #[error("the endpoint was too slow: no {what} within {milliseconds} ms")]
    Timeout {
        /// Part of the reply that was awaited.
        what: &'static str,
        /// The limit in milliseconds.
        milliseconds: u32,
    },
    /// The stream broke off, or reported an error.
    #[error("the reply broke off: {0}")]
    Stream(String),
    /// The reply does not follow the protocol.
    #[error("the reply is malformed: {0}")]
    Malformed(String),
    /// The caller aborted.
    #[error("aborted")]
    Aborted,
}

impl LlmError {
    /// Returns a stable name for programs: `llm-endpoint`, `llm-http`, `llm-refused`, `llm-context`,
    /// `llm-rate-limit`, `llm-timeout`, `llm-stream`, `llm-malformed` or `aborted`.
    pub fn code(&self) -> &'static str {
        match self {
            LlmError::Endpoint(_) => "llm-endpoint",
            LlmError::Http { .. } => "llm-http",
            LlmError::Refused { .. } => "llm-refused",
            LlmError::Context { .. } => "llm-context",
            LlmError::RateLimit { .. } => "llm-rate-limit",
            LlmError::Timeout { .. } => "llm-timeout",
            LlmError::Stream(_) => "llm-stream",
            LlmError::Malformed(_) => "llm-malformed",
            LlmError::Aborted => "aborted",
        }
    }

    /// Returns true if the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            LlmError::Http { status, .. } => {
                status.is_none_or(|s| s >= 500 || s == 408 || s == 409 || s == 425)
            }
            LlmError::RateLimit { .. } | LlmError::Timeout { .. } | LlmError::Stream(_) => true,
            LlmError::Endpoint(_)
            | LlmError::Refused { .. }
            | LlmError::Context { .. }
            | LlmError::Malformed(_)
            | LlmError::Aborted => false,
        }
    }
}

/// Returns true if an endpoint's message complains about a prompt that is too long for the model.
pub(super) fn is_too_long(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let mentions = |words: &[&str]| words.iter().all(|w| message.contains(w));
    mentions(&["context", "length"])
        || mentions(&["context", "window"])
        || mentions(&["context", "size"])
        || mentions(&["n_ctx"])
        || mentions(&["prompt", "too long"])
        || mentions(&["maximum", "context"])
}

/// Maximum number of characters kept of a server's own message.
const MESSAGE_CHARS: usize = 300;

/// Makes a server's message fit to be shown: removes the secrets, joins lines, shortens.
pub(super) fn make_presentable(message: &str, secrets: &[&str]) -> String {
    let mut out = message.to_owned();
    for secret in secrets.iter().filter(|s| s.len() >= 4) {
        out = out.replace(secret, "[key]");
    }
    let line = out
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    match line.char_indices().nth(MESSAGE_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_short_line_without_the_key() {
        let shown = make_presentable("Incorrect key:\n sk-secret-1\u{7} given", &["sk-secret-1"]);
        assert_eq!(shown, "Incorrect key: [key] given");
        assert_eq!(make_presentable(&"é".repeat(1000), &[]).chars().count(), MESSAGE_CHARS + 1);
    }

    #[test]
    fn a_prompt_too_long_is_known_in_the_words_of_many_servers() {
        for words in [
            "This model's maximum context length is 8192 tokens.",
            "the request exceeds the available context size, try increasing it",
            "prompt is too long: 201 tokens > 200 maximum",
            "input exceeds the context window",
        ] {
            assert!(is_too_long(words), "{words}");
        }
        assert!(!is_too_long("the content filter refused the prompt"));
    }

    #[test]
    fn what_cannot_change_is_not_transient() {
        assert!(LlmError::Http { status: Some(503), message: String::new() }.is_transient());
        assert!(LlmError::Http { status: None, message: String::new() }.is_transient());
        assert!(!LlmError::Http { status: Some(404), message: String::new() }.is_transient());
        assert!(!LlmError::Aborted.is_transient());
    }
}
