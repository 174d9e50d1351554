//! Reads the file of a study.

use crate::answering::{ASK, protocol_of, wants_model};
use crate::set_bundle::EvalError;
use pocketgraph::agent::{AgentOptions, NAMES};
use pocketgraph::engine::EngineError;
use pocketgraph_build::prepare::{Needs, UnknownRetriever};
use pocketgraph_cli::protocol_options::{check_protocols, measured_with, named_options};
use pocketgraph_measure::QUOTE;
use pocketgraph_measure::records::{AnswersAre, DataError};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Reasons for which a study cannot run.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// A file of the study.
    #[error("{path}: {reason}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Error of the system.
        reason: std::io::Error,
    },
    /// The study's file is no TOML, has other members than a study's, or a setting that is not possible.
    #[error("{path}: {what}")]
    Content {
        /// The file.
        path: PathBuf,
        /// Description of the fault.
        what: String,
    },
    /// No such retriever.
    #[error(transparent)]
    Retriever(#[from] UnknownRetriever),
    /// A set cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// An index cannot be built.
    #[error(transparent)]
    Index(#[from] EvalError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A retriever has no index.
    #[error("the set {set} has no index for {retriever}")]
    NoIndex {
        /// The set.
        set: String,
        /// The retriever.
        retriever: String,
    },
    /// No request could be sent.
    #[error(transparent)]
    Asking(#[from] pocketgraph_llm_client::asker::AskError),
}

/// A study: every protocol with every retriever, over every set, with every seed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Retrievers of the passages.
    pub retrievers: Vec<String>,
    /// `quote`, `ask`, `plan` or protocols.
    pub protocols: Vec<String>,
    /// Seeds of the model's sampling, one run for each; a protocol without a model runs once.
    #[serde(default = "one_seed")]
    pub seeds: Vec<u64>,
    /// Number of passages of a search; `None` for each protocol's own.
    #[serde(default)]
    pub k: Option<u32>,
    /// True if the model reads and writes for the index, for retrievers whose originals do so.
    #[serde(default)]
    pub model_reads: bool,
    /// Further options of the protocols.
    #[serde(default)]
    options: toml::Table,
    /// The sets.
    pub sets: Vec<StudySet>,
}

/// A set of a study.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudySet {
    /// Its name in tables, and its folder.
    pub name: String,
    /// JSON Lines of passages.
    pub corpus: PathBuf,
    /// JSON Lines of questions with their answers.
    pub questions: PathBuf,
    /// Maximum number of questions, from the first on.
    #[serde(default)]
    pub first: Option<usize>,
    /// Meaning of a list of answers.
    #[serde(default)]
    pub answers_are: AnswersAre,
}

fn one_seed() -> Vec<u64> {
    vec![0]
}

impl Study {
    /// Reads a study. Its paths are relative to its folder.
    ///
    /// # Errors
    /// [`StudyError`] with the file and what is wrong in it.
    pub fn read(path: &Path) -> Result<Study, StudyError> {
        let text = std::fs::read_to_string(path)
            .map_err(|reason| StudyError::Io { path: path.to_owned(), reason })?;
        let faulty = |what: String| StudyError::Content { path: path.to_owned(), what };
        let mut study: Study = toml::from_str(&text).map_err(|e| faulty(e.to_string()))?;
        study.check().map_err(faulty)?;
        Needs::of(&study.retrievers)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for set in &mut study.sets {
            set.corpus = folder.join(&set.corpus);
            set.questions = folder.join(&set.questions);
        }
        Ok(study)
    }

    fn check(&self) -> Result<(), String> {
        let lists = [
            ("retrievers", self.retrievers.len()),
            ("protocols", self.protocols.len()),
            ("seeds", self.seeds.len()),
            ("sets", self.sets.len()),
        ];
        if let Some((name, _)) = lists.iter().find(|(_, n)| *n == 0) {
            return Err(format!("{name} names none"));
        }
        let known = |p: &str| p == QUOTE || p == ASK || NAMES.contains(&p);
        if let Some(unknown) = self.protocols.iter().find(|p| !known(p)) {
            return Err(format!(
                "there is no protocol {unknown}; there are quote, ask, {}",
                NAMES.join(", ")
            ));
        }
        let plain = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        };
        if let Some(set) = self.sets.iter().find(|s| !plain(&s.name)) {
            return Err(format!("the name {:?} of a set is not of letters, digits, - and _ alone", set.name));
        }
        let sets: Vec<&str> = self.sets.iter().map(|s| s.name.as_str()).collect();
        let seeds: Vec<String> = self.seeds.iter().map(u64::to_string).collect();
        let all: [Vec<&str>; 4] = [
            sets,
            self.retrievers.iter().map(String::as_str).collect(),
            self.protocols.iter().map(String::as_str).collect(),
            seeds.iter().map(String::as_str).collect(),
        ];
        if let Some(twice) = all.iter().find_map(|names| find_repeated(names)) {
            return Err(format!("{twice} is named twice"));
        }
        self.options().map(|_| ())
    }

    /// Returns the options of the protocols.
    ///
    /// # Errors
    /// An unknown option, or one that cannot be read.
    pub fn options(&self) -> Result<AgentOptions, String> {
        let given = serde_json::to_value(&self.options).map_err(|e| e.to_string())?;
        let given = named_options(given.as_object().cloned().unwrap_or_default())?;
        let protocols: Vec<&str> = self.protocols.iter().map(|p| protocol_of(p)).collect();
        check_protocols(given.keys().map(String::as_str), &protocols)?;
        measured_with(self.k, Some(&given))
    }

    /// Returns the seeds for a protocol.
    pub fn seeds_of(&self, protocol: &str) -> &[u64] {
        // Without a model there is no sampling.
        let most = if wants_model(protocol) { self.seeds.len() } else { 1 };
        self.seeds.get(..most).unwrap_or(&self.seeds)
    }
}

fn find_repeated<'a>(names: &[&'a str]) -> Option<&'a str> {
    let mut seen = BTreeSet::new();
    names.iter().find(|name| !seen.insert(**name)).copied()
}
