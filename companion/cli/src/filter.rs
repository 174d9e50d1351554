//! `--filter` and `--reader-language`: which documents are searched, and in which of their languages.

use pocketgraph::retrieve::Filter;

/// The arguments `--filter` and `--reader-language`.
#[derive(Debug, clap::Args)]
pub struct FilterArgs {
    /// Search only documents of a language, a folder or a version: `--filter language=de`, `--filter
    /// folder=docs/guides`, `--filter version=2.0`; once for each
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_part)]
    filter: Vec<(Part, String)>,
    /// Language of the reader, as in `--reader-language de`: pages in several languages are found in it if the question does not show its own
    #[arg(long, value_name = "TAG")]
    pub reader_language: Option<String>,
}

/// Property that documents are filtered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Language,
    Folder,
    Version,
}

fn parse_part(text: &str) -> Result<(Part, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let part = match name {
        "language" => Part::Language,
        "folder" => Part::Folder,
        "version" => Part::Version,
        _ => return Err("a filter is language=…, folder=… or version=…".to_owned()),
    };
    Ok((part, value.to_owned()))
}

impl FilterArgs {
    /// Returns true if there is a filter.
    pub fn is_given(&self) -> bool {
        !self.filter.is_empty()
    }

    /// Returns the filter.
    pub fn filter(&self) -> Filter {
        let value = |part| self.filter.iter().rev().find(|given| given.0 == part).map(|given| given.1.clone());
        Filter { language: value(Part::Language), folder: value(Part::Folder), version: value(Part::Version) }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_read_part_by_part_and_one_that_there_is_not_is_refused() {
        let args = FilterArgs {
            filter: ["language=de", "version="].iter().map(|text| parse_part(text).unwrap()).collect(),
            reader_language: None,
        };
        let expected = Filter { language: Some("de".into()), folder: None, version: Some(String::new()) };
        assert_eq!(args.filter(), expected);
        assert!(parse_part("lang=de").is_err());
    }
}
