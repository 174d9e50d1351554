//! Which documents start higher or lower in a ranking: those that the owner names, and those that only record
//! what was.

use crate::Globs;
use pocketgraph_bundle::{Chunk, Document};
use pocketgraph_text::terms;
use std::str::FromStr;

/// A rule of `--rank`, as in `blog/**=0.5`.
#[derive(Debug, Clone)]
pub struct RankRule {
    pattern: String,
    files: Globs,
    percent: u32,
}

/// The largest weight that can be asked for.
const MOST: f32 = 10.0;

impl FromStr for RankRule {
    type Err = String;

    fn from_str(text: &str) -> Result<RankRule, String> {
        let wrong = || {
            format!(
                "write it as GLOB=WEIGHT, such as 'blog/**=0.5', with a weight above 0 and at most {MOST}"
            )
        };
        let (pattern, weight) = text.rsplit_once('=').ok_or_else(wrong)?;
        let weight: f32 = weight.trim().parse().map_err(|_| wrong())?;
        let percent = (weight * 100.0).round();
        if !(1.0..=MOST * 100.0).contains(&percent) {
            return Err(wrong());
        }
        Ok(RankRule {
            pattern: pattern.trim().to_owned(),
            files: Globs::new(&[pattern.trim()])?,
            percent: percent as u32,
        })
    }
}

impl RankRule {
    /// As it was written, the weight in hundredths.
    pub fn describe(&self) -> String {
        format!("{}={}%", self.pattern, self.percent)
    }
}

/// Names of files and folders that hold records of changes, or what is kept for its own sake: letters alone,
/// lower case.
const RECORDS: &str = "archive archived archives changelog changelogs changes history news \
    releasenotes release releases upgradenotes versionhistory whatsnew";
/// A question with one of these words is about records.
const ASKED_BY: &str = "archive changelog change release version history news";
/// Their weight where no rule says another: half, as an owner would write it (`--rank 'changelog/**=0.5'`).
/// It is a choice, not a fit.
const RECORDS_PERCENT: u32 = 50;

/// Chunks of one weight, numbered as the build has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighed {
    /// Factor of their scores, in hundredths.
    pub percent: u32,
    /// Terms of a question that lift the weight.
    pub unless: Vec<String>,
    /// The chunks, ascending.
    pub chunks: Vec<usize>,
}

/// The weights of the documents' chunks: by the last rule that names a document, else by its kind. A
/// collection of nothing but records has no weights.
pub fn weights(documents: &[Document], chunks: &[Chunk], rules: &[RankRule]) -> Vec<Weighed> {
    let ruled = |d: &Document| rules.iter().rposition(|rule| rule.files.matches(&d.path));
    let of: Vec<Option<usize>> = documents.iter().map(ruled).collect();
    let records: Vec<bool> =
        documents.iter().zip(&of).map(|(d, rule)| rule.is_none() && is_record(&d.path)).collect();
    let of_chunks = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
        chunks.iter().enumerate().filter(|(_, c)| wanted(c.document as usize)).map(|(i, _)| i).collect()
    };
    let mut out: Vec<Weighed> = Vec::new();
    for (at, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.percent != 100) {
        let chunks = of_chunks(&|d| of.get(d).copied().flatten() == Some(at));
        out.push(Weighed { percent: rule.percent, unless: Vec::new(), chunks });
    }
    if !records.iter().all(|r| *r) {
        let unless = terms(ASKED_BY).into_iter().map(|(term, _)| term).collect();
        out.push(Weighed {
            percent: RECORDS_PERCENT,
            unless,
            chunks: of_chunks(&|d| records.get(d) == Some(&true)),
        });
    }
    out.retain(|w| !w.chunks.is_empty());
    out
}

/// Returns true if a path is of a file or folder of records.
fn is_record(path: &str) -> bool {
    path.split('/').any(|part| {
        let stem = part.split('.').next().unwrap_or(part);
        let letters: String =
            stem.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
        RECORDS.split(' ').any(|name| name == letters)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn documents(paths: &[&str]) -> (Vec<Document>, Vec<Chunk>) {
        let documents = paths
            .iter()
            .map(|p| Document {
                title: String::new(),
                url: String::new(),
                path: (*p).to_owned(),
                language: String::new(),
            })
            .collect();
        let chunks = (0..paths.len())
            .map(|n| Chunk {
                document: n as u32,
                heading_path: Vec::new(),
                fragment: String::new(),
                text: String::new(),
                start: 0,
                end: 0,
            })
            .collect();
        (documents, chunks)
    }

    #[test]
    fn the_last_rule_that_names_a_document_decides() {
        let (documents, chunks) = documents(&["blog/a.md", "blog/new.md", "guide.md", "CHANGELOG.md"]);
        let rules =
            ["blog/**=0.5", "blog/new.md=1", "guide.md=1.5", "CHANGELOG.md=0.1"].map(|r| r.parse().unwrap());
        let found: Vec<(u32, Vec<usize>)> =
            weights(&documents, &chunks, &rules).into_iter().map(|w| (w.percent, w.chunks)).collect();
        assert_eq!(found, [(50, vec![0]), (150, vec![2]), (10, vec![3])]);
    }

    #[test]
    fn records_start_lower_unless_a_question_asks_for_them_or_there_is_nothing_else() {
        let all = [
            "guide.md",
            "CHANGELOG.md",
            "docs/release-notes/2.0.md",
            "docs/whats-new.rst",
            "history-of-art.md",
        ];
        let (some, chunks) = documents(&all);
        let found = weights(&some, &chunks, &[]);
        assert_eq!(
            (found.len(), found[0].percent, found[0].chunks.as_slice()),
            (1, RECORDS_PERCENT, [1, 2, 3].as_slice())
        );
        for question in ["What changed in 2.0?", "the changelog of 1.4", "Which release added it?"] {
            assert!(terms(question).iter().any(|(t, _)| found[0].unless.contains(t)), "{question}");
        }
        let (only, chunks) = documents(&["news/1.md", "archive/2.md"]);
        assert_eq!(weights(&only, &chunks, &[]), []);
    }

    #[test]
    fn a_rule_without_a_weight_in_reason_is_refused() {
        for text in ["blog/**", "blog/**=", "blog/**=0", "blog/**=-1", "blog/**=11", "blog/**=NaN", "[z-a]=1"]
        {
            assert!(text.parse::<RankRule>().is_err(), "{text}");
        }
    }
}
