//! The user's key for language models, and the decision which endpoint gets it.

use pocketgraph_llm::{Endpoint, LlmError};
use pocketgraph_native::hosts::is_this_machine;
use reqwest::Url;
use std::path::{Path, PathBuf};

/// Environment variable of the key: others could read an argument, and a file may be published.
pub const KEY_VARIABLE: &str = "POCKETGRAPH_API_KEY";

/// Reasons for which an endpoint does not get the key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Everybody on the way could read it.
    #[error("the key in {KEY_VARIABLE} would be sent unencrypted to another machine, {host}: use https")]
    Unencrypted {
        /// The other machine.
        host: String,
    },
    /// The author of the file would get it.
    #[error(
        "the key in {KEY_VARIABLE} is not sent to an address from a file, {}: give the address with \
         --llm-url or POCKETGRAPH_BASE_URL",
        file.display()
    )]
    NamedByFile {
        /// The file.
        file: PathBuf,
    },
    /// The address is not that of an endpoint.
    #[error(transparent)]
    Address(#[from] LlmError),
}

/// Returns the key of the environment, if there is one.
pub fn key_of_environment() -> Option<String> {
    std::env::var(KEY_VARIABLE).ok().map(|key| key.trim().to_owned()).filter(|key| !key.is_empty())
}

/// Checks that the endpoint at `address`, from `file` or else from the user, may get the key.
///
/// # Errors
/// [`KeyError`]; nothing is sent.
pub fn allow_key(address: &str, file: Option<&Path>) -> Result<(), KeyError> {
    if let Some(file) = file {
        return Err(KeyError::NamedByFile { file: file.to_owned() });
    }
    match unencrypted_host(address)? {
        Some(host) if !is_here(&host) => Err(KeyError::Unencrypted { host }),
        _ => Ok(()),
    }
}

/// Returns true if requests to `address` go unencrypted to this machine, so that no web proxy may see them.
pub fn stays_here(address: &str) -> bool {
    unencrypted_host(address).is_ok_and(|host| host.is_some_and(|host| is_here(&host)))
}

/// Returns true if a name means this machine on every network; names below `localhost` may not.
fn is_here(host: &str) -> bool {
    is_this_machine(host) && !host.ends_with(".localhost")
}

/// Returns the host of an address that is not encrypted.
fn unencrypted_host(address: &str) -> Result<Option<String>, LlmError> {
    let endpoint = Endpoint::new(address)?;
    // The parser is that of the sender: another might find another host.
    let url = Url::parse(endpoint.url()).map_err(|e| LlmError::Endpoint(e.to_string()))?;
    Ok(url.host_str().filter(|_| url.scheme() != "https").map(str::to_owned))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_encrypted_or_to_this_machine_and_nowhere_else() {
        for address in [
            "https://api.example.org/v1",
            "http://localhost:11434/v1",
            "http://127.0.0.1:8080",
            "http://[::1]:1/v1",
            "HTTPS://h",
        ] {
            assert!(allow_key(address, None).is_ok(), "{address}");
        }
        let others = [
            "http://api.example.org/v1",
            "http://10.0.0.7/v1",
            "http://localhost.example.org",
            "http://a.localhost",
            "HTTP://h/v1",
            "http://[::2]/v1",
        ];
        for address in others {
            assert!(matches!(allow_key(address, None), Err(KeyError::Unencrypted { .. })), "{address}");
        }
        assert!(matches!(allow_key("ftp://localhost/", None), Err(KeyError::Address(_))));
    }

    #[test]
    fn a_key_goes_to_no_address_that_a_file_names() {
        for address in ["https://api.example.org/v1", "http://localhost:11434/v1"] {
            let error = allow_key(address, Some(Path::new("some.toml"))).unwrap_err();
            assert!(error.to_string().contains("some.toml"), "{error}");
        }
    }

    #[test]
    fn only_what_is_asked_unencrypted_here_avoids_web_proxies() {
        assert!(stays_here("http://localhost:11434/v1"));
        assert!(
            !stays_here("http://example.org/v1")
                && !stays_here("https://localhost/v1")
                && !stays_here("nothing")
        );
    }
}
