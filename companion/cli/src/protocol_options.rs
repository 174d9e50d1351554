//! Options of the protocols as people write them, in JSON or TOML.

use pocketgraph::agent::AgentOptions;
use pocketgraph::agent::options::{NO_PROTOCOL, OPTIONS};
use serde_json::{Map, Value};

/// Options all of which there are, since one that is misspelt would be passed over.
///
/// # Errors
/// The name that is none with the nearest that is, or with what it is an option of.
pub fn named_options(given: Map<String, Value>) -> Result<Map<String, Value>, String> {
    match given.keys().find(|name| !OPTIONS.iter().any(|o| o.is_in_json() && o.name == **name)) {
        Some(name) => Err(no_option(name)),
        None => Ok(given),
    }
}

/// Options that the ways of answering read, or one of them: what none reads would be passed over.
///
/// # Errors
/// The first that none reads, with the protocols that do.
pub fn check_protocols<'a>(
    given: impl IntoIterator<Item = &'a str>,
    protocols: &[&str],
) -> Result<(), String> {
    let unread =
        |name: &&str| OPTIONS.iter().find(|o| o.is_in_json() && o.name == *name && !o.is_read_by(protocols));
    let Some(option) = given.into_iter().find_map(|name| unread(&name)) else { return Ok(()) };
    let of = |names: &[&str]| {
        let names: Vec<&str> = names
            .iter()
            .map(|name| if *name == NO_PROTOCOL { "an answer without a protocol" } else { name })
            .collect();
        names.join(", ")
    };
    Err(format!("{} is an option of {}, and not of {}", option.name, of(&option.protocols), of(protocols)))
}

/// Explains why a name is not an option here.
fn no_option(name: &str) -> String {
    if let Some(other) = OPTIONS.iter().find(|o| o.name == name) {
        return match other.terminal {
            Some(argument) => {
                format!("there is no option {name:?} here: in the terminal it is the argument {argument}")
            }
            None => format!(
                "there is no option {name:?} here: it is one of {}, in JavaScript",
                other.group.calls()
            ),
        };
    }
    let names: Vec<&str> = OPTIONS.iter().filter(|o| o.is_in_json()).map(|o| o.name).collect();
    let distance = |known: &str| strsim::osa_distance(&name.to_lowercase(), &known.to_lowercase());
    match names
        .iter()
        .min_by_key(|known| distance(known))
        .filter(|known| distance(known) <= 2.max(name.chars().count() / 2))
    {
        Some(nearest) => format!("there is no option {name:?}; did you mean {nearest:?}?"),
        None => format!("there is no option {name:?}; there are {}", names.join(", ")),
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
    fn an_option_that_is_misspelt_is_reported_with_the_nearest_and_one_of_elsewhere_with_its_place() {
        assert!(named_options(map(r#"{"maxOutputTokens":9}"#)).is_ok());
        for (given, expected) in [
            (r#"{"maxOutputToken":9}"#, "did you mean \"maxOutputTokens\"?"),
            (r#"{"temprature":1}"#, "did you mean \"temperature\"?"),
            (r#"{"perPage":1}"#, "it is the argument --per-page"),
            (r#"{"protocol":"react"}"#, "it is the argument --protocol"),
            (r#"{"memoryLimit":1}"#, "it is one of `PocketGraph.open`"),
            (r#"{"zzzzzzzzzzzz":1}"#, "there are k, retriever"),
        ] {
            let error = named_options(map(given)).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn an_option_that_no_protocol_reads_is_reported_with_those_that_do() {
        let reported = |protocols: &[&str]| check_protocols(["votes", "turns"], protocols);
        assert_eq!((reported(&["lpkg"]), reported(&["react", "lpkg"])), (Ok(()), Ok(())));
        assert_eq!(reported(&["react"]).unwrap_err(), "votes is an option of lpkg, and not of react");
        assert_eq!(
            reported(&[NO_PROTOCOL]).unwrap_err(),
            "votes is an option of lpkg, and not of an answer without a protocol"
        );
        assert_eq!(check_protocols(["hideContacts"], &[NO_PROTOCOL]), Ok(()));
        assert!(
            check_protocols(["planner"], &["react"])
                .unwrap_err()
                .contains("an answer without a protocol, plan")
        );
    }

    #[test]
    fn what_is_given_wins_over_the_number_of_passages() {
        assert_eq!(measured_with(Some(3), None).unwrap().k, Some(3));
        assert_eq!(measured_with(Some(3), Some(&map(r#"{"k":7}"#))).unwrap().k, Some(7));
        assert!(measured_with(None, Some(&map(r#"{"k":"many"}"#))).is_err());
    }
}
