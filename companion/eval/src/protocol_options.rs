//! Options of the protocols as people write them, in JSON or TOML.

use pocketgraph::agent::AgentOptions;
use serde_json::{Map, Value};

/// Options all of which there are, since one that is misspelt would be passed over.
///
/// # Errors
/// The name that is none, and those that there are.
pub fn named_options(given: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let known = serde_json::to_value(AgentOptions::default()).map_err(|e| e.to_string())?;
    let names: Vec<&str> = known.as_object().map(|o| o.keys().map(String::as_str).collect()).unwrap_or_default();
    match given.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(format!("there is no option {name:?}; there are {}", names.join(", "))),
        None => Ok(given),
    }
}

/// The options of a measurement: so many passages, and over that what was given.
///
/// # Errors
/// What cannot be read.
pub fn measured_with(k: Option<u32>, given: Option<&Map<String, Value>>) -> Result<AgentOptions, String> {
    let own = AgentOptions { k, ..AgentOptions::default() };
    let mut all = serde_json::to_value(own).map_err(|e| e.to_string())?;
    if let (Some(all), Some(given)) = (all.as_object_mut(), given) {
        all.extend(given.clone());
    }
    serde_json::from_value(all).map_err(|e| e.to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn map(text: &str) -> Map<String, Value> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn an_option_that_is_misspelt_is_told_with_those_that_there_are() {
        assert!(named_options(map(r#"{"tokensOut":9}"#)).is_ok());
        let told = named_options(map(r#"{"tokenOut":9}"#)).unwrap_err();
        assert!(told.contains("tokenOut") && told.contains("tokensOut"), "{told}");
    }

    #[test]
    fn what_is_given_wins_over_the_number_of_passages() {
        assert_eq!(measured_with(Some(3), None).unwrap().k, Some(3));
        assert_eq!(measured_with(Some(3), Some(&map(r#"{"k":7}"#))).unwrap().k, Some(7));
        assert!(measured_with(None, Some(&map(r#"{"k":"many"}"#))).is_err());
    }
}
