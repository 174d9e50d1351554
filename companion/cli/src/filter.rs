//! `--filter`, `--boost`, `--sort` and `--reader-language`: which documents are searched, in which of their
//! languages, and how their hits are ordered.

use pocketgraph::retrieve::Filter;
use std::sync::Arc;

/// The arguments that choose and order documents.
#[derive(Debug, Default, clap::Args)]
pub struct FilterArgs {
    /// Search only documents of a language, a folder or a version, or with a value of an own field: `--filter
    /// language=de`, `--filter folder=docs/guides`, `--filter author=Ann`, `--filter price=10..20`, `--filter
    /// date=2024..`. May be repeated; several values of one field are alternatives
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_condition)]
    filter: Vec<String>,
    /// Move up the hits of documents with a value of an own field: `--boost type=guide`. May be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_condition)]
    boost: Vec<String>,
    /// How far --boost moves them: with 3 the sixth hit comes second [default: 2]
    #[arg(long, value_name = "N", requires = "boost")]
    boost_by: Option<u32>,
    /// Sort the hits by an own field, `-date` for the latest first
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    sort: Option<String>,
    /// Language of the reader, as in `--reader-language de`: pages in several languages are found in it if
    /// the question does not show its own
    #[arg(long, value_name = "TAG")]
    pub reader_language: Option<String>,
}

fn parse_condition(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((name, _)) if !name.is_empty() => Ok(text.to_owned()),
        _ => Err("a condition is NAME=VALUE, as language=de or author=Ann".to_owned()),
    }
}

impl FilterArgs {
    /// Returns true if there is a filter.
    pub fn is_given(&self) -> bool {
        !self.filter.is_empty()
    }

    /// Returns the filter.
    pub fn filter(&self) -> Arc<Filter> {
        let chosen = Filter::of_conditions(&self.filter);
        Arc::new(Filter {
            boost: self.boost.clone(),
            boost_by: self.boost_by,
            sort: self.sort.clone(),
            ..chosen
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_read_condition_by_condition_and_what_is_none_is_refused() {
        let filter = ["language=de", "version=", "author=Ann", "author=Bob"].map(str::to_owned).to_vec();
        let args = FilterArgs { filter, ..FilterArgs::default() };
        let fields = vec!["author=Ann".to_owned(), "author=Bob".to_owned()];
        let version = Some(String::new());
        let expected = Filter { language: Some("de".into()), version, fields, ..Filter::default() };
        assert_eq!(*args.filter(), expected);
        assert!(["author", "=Ann"].into_iter().all(|none| parse_condition(none).is_err()));
    }
}
