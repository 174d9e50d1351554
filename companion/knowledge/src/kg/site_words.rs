//! Reads a site's own words (`--lexicon DIR`). Files are named as the tables of
//! [`pocketgraph_text::lexicon`]. Their lines add to the names of an imported graph's relations and types or,
//! with a `-` in front, remove from them.
//!
//! They are stored as names of relations and types, which every part of the program reads: a bundle needs no
//! section for them.

use crate::everyday::EverydayRelation;
use pocketgraph_kg::{KgBuilder, KgError};
use pocketgraph_text::lexicon::{Language, SPOKEN, values};
use pocketgraph_text::{fold, stem, words};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The files that a site may have.
const FILES: [&str; 4] =
    ["answer_kinds.tsv", "everyday_relations.tsv", "everyday_types.tsv", "relation_cues.tsv"];
const MAXIMUM_BYTES: u64 = 1 << 20;

/// Reasons for which a folder of words cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SiteWordsError {
    /// The folder or a file cannot be read.
    #[error("cannot read {path}: {reason}")]
    Read {
        /// The folder or file.
        path: PathBuf,
        /// Error of the system.
        reason: std::io::Error,
    },
    /// A file with an unknown name.
    #[error("{path} is no table that a site may bring: these are {}", FILES.join(", "))]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// A file that is too large.
    #[error("{path} is larger than a megabyte")]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// An invalid line.
    #[error("{path}, line {line}: {reason}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The fault.
        reason: &'static str,
    },
}

/// A site's own words.
#[derive(Debug, Clone, Default)]
pub struct SiteWords {
    relations: Vec<Line>,
    types: Vec<Line>,
    /// Words that ask for relations known by other words: "command" for a skipper.
    cues: Vec<Line>,
    kinds: Vec<Line>,
}

/// A line: a word or several, and their values. `takes` marks a line that removes.
#[derive(Debug, Clone)]
struct Line {
    takes: bool,
    word: String,
    values: Vec<String>,
}

impl Line {
    fn is_for(&self, label: &str) -> bool {
        values(&self.word).any(|word| word.eq_ignore_ascii_case(label))
    }

    fn has(&self, name: &str) -> bool {
        self.values.iter().any(|value| value.eq_ignore_ascii_case(name))
    }

    /// Returns true if the line removes `name` from things with this label.
    fn takes_from(&self, label: &str, name: &str) -> bool {
        self.takes && self.is_for(label) && (self.values.is_empty() || self.has(name))
    }
}

impl SiteWords {
    /// Reads a folder of such files.
    ///
    /// # Errors
    /// [`SiteWordsError`] for what cannot be read, a file with an unknown name, and the first invalid line,
    /// by name and number.
    pub fn read(folder: &Path) -> Result<SiteWords, SiteWordsError> {
        let failed = |path: &Path, reason| SiteWordsError::Read { path: path.to_owned(), reason };
        let entries = fs::read_dir(folder)
            .and_then(Iterator::collect::<std::io::Result<Vec<_>>>)
            .map_err(|e| failed(folder, e))?;
        let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
        paths.sort();
        let mut out = SiteWords::default();
        for path in paths {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if !FILES.contains(&name) {
                return Err(SiteWordsError::Unknown { path });
            }
            if fs::metadata(&path).map_err(|e| failed(&path, e))?.len() > MAXIMUM_BYTES {
                return Err(SiteWordsError::TooLarge { path });
            }
            let text = fs::read_to_string(&path).map_err(|e| failed(&path, e))?;
            let malformed = |(line, reason)| SiteWordsError::Malformed { path: path.clone(), line, reason };
            out.add(name, &text).map_err(malformed)?;
        }
        Ok(out)
    }

    fn add(&mut self, name: &str, text: &str) -> Result<(), (usize, &'static str)> {
        for (at, line) in
            text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        {
            let line = parse_line(line).map_err(|reason| (at + 1, reason))?;
            let wrong = |reason| Err((at + 1, reason));
            match name {
                "everyday_relations.tsv" | "everyday_types.tsv" if !line.takes && line.values.is_empty() => {
                    return wrong("no name stands behind the tab");
                }
                "everyday_relations.tsv" => self.relations.push(line),
                "everyday_types.tsv" => self.types.push(line),
                _ if line.takes => return wrong("only everyday relations and types can be taken away"),
                _ if line.values.is_empty() => return wrong("nothing stands behind the tab"),
                "answer_kinds.tsv" if !line.values.iter().all(|kind| word_of_kind(kind).is_some()) => {
                    return wrong("a kind is person, time or place");
                }
                "answer_kinds.tsv" => self.kinds.push(line),
                _ => self.cues.push(line),
            }
        }
        Ok(())
    }

    /// Returns the everyday relations with the site's, and without what it removes.
    pub(super) fn relations<'a>(
        &'a self,
        built_in: impl Iterator<Item = EverydayRelation<'static>>,
    ) -> Vec<EverydayRelation<'a>> {
        let taken = |label: &str, name: &str| self.relations.iter().any(|line| line.takes_from(label, name));
        let kept = built_in.map(|relation| -> EverydayRelation<'a> {
            let mut relation = relation;
            relation.names.retain(|name| !taken(relation.label, name));
            relation
        });
        let own = self.relations.iter().filter(|line| !line.takes).flat_map(|line| {
            let names: Vec<&str> =
                line.values.iter().map(|name| name.strip_prefix("to ").unwrap_or(name)).collect();
            values(&line.word).map(move |label| EverydayRelation {
                label,
                names: names.clone(),
                joins: ["", ""],
            })
        });
        kept.chain(own).collect()
    }

    /// Returns the everyday names of a type with these names, the built-in ones first.
    pub(super) fn type_names<'a>(&'a self, own: &'a [String]) -> impl Iterator<Item = &'a str> {
        let is = |label: &str| own.iter().any(|name| name.eq_ignore_ascii_case(label));
        let rows = SPOKEN.everyday_types().rows().filter(move |row| values(row.word).any(is));
        let built_in = rows.flat_map(|row| values(row.word).chain(row.list(0)));
        let taken = move |name: &str| {
            self.types.iter().any(|line| own.iter().any(|label| line.takes_from(label, name)))
        };
        let brought =
            self.types.iter().filter(move |line| !line.takes && own.iter().any(|label| line.is_for(label)));
        let brought =
            brought.flat_map(|line| values(&line.word).chain(line.values.iter().map(String::as_str)));
        built_in.filter(move |name| !taken(name)).chain(brought)
    }

    /// Adds to relations the words that ask for them, and to types the words for their kinds. Both may be
    /// shared.
    pub(super) fn add_cues(&self, kg: &mut KgBuilder) -> Result<(), KgError> {
        let relations: Vec<_> = kg.relation_names().collect();
        for line in &self.cues {
            // Values are ordered by likelihood: the first that is known is meant alone.
            let known = |by: &String| {
                relations
                    .iter()
                    .filter(|(_, names)| has_word(names, by))
                    .map(|(id, _)| *id)
                    .collect::<Vec<_>>()
            };
            let Some(of) = line.values.iter().map(known).find(|of| !of.is_empty()) else { continue };
            of.into_iter().try_for_each(|id| kg.relation_alias(id, &line.word))?;
        }
        let types: Vec<_> = kg.type_names().collect();
        for line in &self.kinds {
            let of = types.iter().filter(|(_, names)| names.iter().any(|name| line.is_for(name)));
            for (id, _) in of {
                line.values
                    .iter()
                    .filter_map(|kind| word_of_kind(kind))
                    .try_for_each(|word| kg.type_alias(*id, word))?;
            }
        }
        Ok(())
    }
}

/// Returns the type name that marks things as this kind.
fn word_of_kind(kind: &str) -> Option<&'static str> {
    ["person", "time", "place"].into_iter().find(|word| *word == kind)
}

/// Returns true if one of these names has all words of `word`, in any form.
fn has_word(names: &[String], word: &str) -> bool {
    let stems = |text: &str| {
        words(&text.replace('_', " ")).iter().map(|w| stem(&fold(w.text))).collect::<BTreeSet<String>>()
    };
    let wanted = stems(word);
    !wanted.is_empty() && names.iter().any(|name| wanted.is_subset(&stems(name)))
}

fn parse_line(line: &str) -> Result<Line, &'static str> {
    let (word, rest) = line.split_once('\t').unwrap_or((line, ""));
    let takes = word.starts_with('-');
    let word = word.strip_prefix('-').unwrap_or(word).trim();
    if values(word).next().is_none() {
        return Err("no word stands before the tab");
    }
    if line.chars().any(|c| c.is_control() && c != '\t') {
        return Err("a control character");
    }
    // A site cannot set the further fields of the built-in tables.
    let (first, more) = rest.split_once('\t').unwrap_or((rest, ""));
    if !more.trim().is_empty() {
        return Err("two fields make a line: a word and, behind a tab, what it stands for");
    }
    Ok(Line { takes, word: word.to_owned(), values: values(first).map(str::to_owned).collect() })
}

#[cfg(test)]
#[path = "site_words_tests.rs"]
mod tests;
