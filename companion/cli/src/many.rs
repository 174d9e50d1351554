//! Several bundles searched as one, by the rules of the page's `open([a, b])`.

use miette::{IntoDiagnostic, Result};
use pocketgraph::retrieve::{Hit, SearchResult, Stage};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Bundles in the order in which they were named.
pub fn list_bundles<'a>(first: &'a PathBuf, further: &'a [PathBuf]) -> impl Iterator<Item = &'a PathBuf> {
    std::iter::once(first).chain(further)
}

/// Hit with the number of its bundle, from 0. Its chunk number is that in its own bundle.
#[derive(Debug)]
pub struct HitOf {
    /// Number of its bundle, in the order in which they were named.
    pub bundle: usize,
    /// The hit.
    pub hit: Hit,
}

/// Result of a search over several bundles.
#[derive(Debug)]
pub struct Many {
    /// The hits of all, best first.
    pub hits: Vec<HitOf>,
    /// Names of parts that could not be loaded.
    pub missing: Vec<String>,
}

impl Many {
    /// Converts to JSON: hits as of one bundle, each with `bundle`. Fails if a score is not finite.
    pub fn json(&self) -> Result<Value> {
        let mut hits = Vec::with_capacity(self.hits.len());
        for HitOf { bundle, hit } in &self.hits {
            let mut value = serde_json::to_value(hit).into_diagnostic()?;
            value["bundle"] = json!(bundle);
            hits.push(value);
        }
        Ok(json!({ "hits": hits, "missing": self.missing }))
    }
}

/// Rates how well the best passages of each bundle fit, from 0 to 1: by meaning if all bundles can, otherwise
/// by words. Scores of different lists cannot be compared.
pub fn rate_bundles(results: &[SearchResult]) -> Vec<f32> {
    let by_meaning = results.iter().all(|r| r.hits.is_empty() || r.stage == Stage::Model);
    let measure = |hit: &Hit| if by_meaning { hit.dense } else { hit.lexical }.unwrap_or(0.0);
    let best: Vec<f32> = results.iter().map(|r| r.hits.iter().map(measure).fold(0.0, f32::max)).collect();
    let most = best.iter().copied().fold(0.0, f32::max);
    best.into_iter().map(|b| if most > 0.0 { b / most } else { 1.0 }).collect()
}

/// Returns the positions of the results, best fit first.
pub fn by_strength(results: &[SearchResult]) -> Vec<usize> {
    let strengths = rate_bundles(results);
    let of = |i: &usize| strengths.get(*i).copied().unwrap_or(0.0);
    let mut order: Vec<usize> = (0..results.len()).collect();
    order.sort_by(|a, b| of(b).total_cmp(&of(a)));
    order
}

/// Merges the lists into at most `k` hits, by each hit's share of its list's best score times the fit of its
/// bundle.
pub fn merge_results(results: Vec<SearchResult>, k: usize) -> Many {
    let strengths = rate_bundles(&results);
    let mut all: Vec<(usize, HitOf)> = Vec::new();
    let mut missing = Vec::new();
    for ((bundle, result), strength) in results.into_iter().enumerate().zip(strengths) {
        let best = result.hits.iter().map(|h| h.score).fold(0.0, f32::max);
        missing.extend(result.missing);
        for (rank, mut hit) in result.hits.into_iter().enumerate() {
            hit.score = if best > 0.0 { hit.score / best * strength } else { 0.0 };
            all.push((rank, HitOf { bundle, hit }));
        }
    }
    // Of equal ones the earlier of its list is first, and then that of the earlier bundle.
    all.sort_by(|(r, a), (s, b)| {
        b.hit.score.total_cmp(&a.hit.score).then(r.cmp(s)).then(a.bundle.cmp(&b.bundle))
    });
    all.truncate(k);
    Many { hits: all.into_iter().map(|(_, hit)| hit).collect(), missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search_result(stage: Stage, hits: &[(&str, f32, f32, f32)]) -> SearchResult {
        let hit = |&(url, score, lexical, dense): &(&str, f32, f32, f32)| Hit {
            chunk: 0,
            score,
            lexical: Some(lexical),
            dense: Some(dense),
            title: String::new(),
            language: String::new(),
            heading_path: Vec::new(),
            url: url.to_owned(),
            text: String::new(),
            highlights: Vec::new(),
            reached: Vec::new(),
            translations: Vec::new(),
            elsewhere: Vec::new(),
        };
        SearchResult {
            question: String::new(),
            retriever: String::new(),
            stage,
            hits: hits.iter().map(hit).collect(),
            keywords: Vec::new(),
            missing: Vec::new(),
        }
    }

    #[test]
    fn scores_are_shares_of_a_lists_best_times_how_well_its_bundle_fits() {
        let results = || {
            vec![
                search_result(Stage::Model, &[("a", 4.0, 9.0, 0.4), ("b", 1.0, 9.0, 0.1)]),
                search_result(Stage::Model, &[("c", 1.0, 1.0, 0.8), ("d", 0.5, 1.0, 0.2)]),
            ]
        };
        let many = merge_results(results(), 3);
        let rows: Vec<(&str, usize, f32)> =
            many.hits.iter().map(|h| (h.hit.url.as_str(), h.bundle, h.hit.score)).collect();
        assert_eq!(rows, [("c", 1, 1.0), ("a", 0, 0.5), ("d", 1, 0.5)]);
        assert_eq!(by_strength(&results()), [1, 0]);
        let mut by_words = results();
        by_words[0].stage = Stage::Lexical;
        assert_eq!(by_strength(&by_words), [0, 1], "words decide where one bundle knows no meaning");
        assert_eq!(
            by_strength(&[search_result(Stage::Model, &[]), search_result(Stage::Model, &[])]),
            [0, 1]
        );
    }
}
