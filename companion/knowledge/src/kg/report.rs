//! Report of an import.

use super::ImportError;
use super::columns::Layout;
use pocketgraph_kg::{KnowledgeGraph, NodeId};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

/// Maximum number of problems kept; more are only counted.
const KEPT: usize = 1000;

/// Maximum number of layouts reported for one file.
const LAYOUTS: usize = 3;

/// A line that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 if the format has no lines.
    pub line: u64,
    /// Description of the fault.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}: {}", self.file, self.line, self.what)
    }
}

/// Report of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileReport {
    /// The file.
    pub file: String,
    /// Number of lines (or RDF statements) that were used.
    pub used: u64,
    /// Number of lines that could not be used.
    pub malformed: u64,
    /// Meaning of its columns or fields, as understood.
    pub read_as: Vec<String>,
}

/// Report of an import.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportReport {
    /// Each file, in reading order.
    pub files: Vec<FileReport>,
    /// The first thousand malformed lines.
    pub problems: Vec<Problem>,
    /// Number of malformed lines.
    pub malformed: u64,
    /// Number of entities of the graph.
    pub entities: usize,
    /// Number of literals of the graph.
    pub literals: usize,
    /// Number of relations of the graph.
    pub relations: usize,
    /// Number of types of the graph.
    pub types: usize,
    /// Number of distinct triples of the graph.
    pub triples: usize,
    /// Number of triples that repeated another; both places are kept as provenance.
    pub repeated: usize,
    /// Relations of tables whose tails were recognised as literals.
    pub literal_relations: Vec<String>,
    /// Number of ids that edges join and no file describes.
    pub unknown_ends: usize,
    /// Some of these ids.
    pub unknown_examples: Vec<String>,
    /// Number of names (labels and aliases, compared exactly) that several entities share; all keep the name.
    pub shared_names: usize,
    /// Some of these names.
    pub shared_examples: Vec<String>,
    /// Number of pairs of entities each of which has the other's label as an alias; both keep both names.
    pub circular_names: usize,
    /// Some of these pairs.
    pub circular_examples: Vec<(String, String)>,
    /// Number of names that an entity already had; they are kept once.
    pub repeated_names: usize,
    /// Number of relations that got everyday names beside their own.
    pub everyday_relations: usize,
    /// Types inferred for things without a declared one.
    pub inferred_types: Vec<String>,
}

/// Collects the report while files are read.
#[derive(Default)]
pub(super) struct Reporter {
    strict: bool,
    files: Vec<FileReport>,
    problems: Vec<Problem>,
    malformed: u64,
    layouts: Vec<Layout>,
    /// Ids that edges join and no file describes.
    pub unknown_ends: BTreeSet<String>,
    pub literal_relations: Vec<String>,
    pub everyday_relations: usize,
    pub inferred_types: Vec<String>,
}

impl Reporter {
    pub fn new(strict: bool) -> Self {
        Reporter { strict, ..Reporter::default() }
    }

    pub fn start(&mut self, file: &str) {
        self.layouts.clear();
        self.files.push(FileReport { file: file.to_owned(), used: 0, malformed: 0, read_as: Vec::new() });
    }

    /// Records how columns or fields were understood, if they have names.
    pub fn understood(&mut self, layout: &Layout) {
        let is_named = layout.names.iter().any(|name| !name.is_empty());
        if is_named && self.layouts.len() < LAYOUTS && !self.layouts.contains(layout) {
            self.layouts.push(layout.clone());
            let how = layout.describe();
            if let Some(f) = self.files.last_mut().filter(|f| !f.read_as.contains(&how)) {
                f.read_as.push(how);
            }
        }
    }

    /// Returns the error of a file that gave nothing.
    pub fn nothing(&self) -> Option<ImportError> {
        let file = self.files.last().filter(|f| f.used == 0)?;
        let why = self
            .problems
            .iter()
            .find(|p| p.file == file.file)
            .map_or("it has no records".to_owned(), |p| format!("line {}: {}", p.line, p.what));
        Some(ImportError::Nothing { file: file.file.clone(), why })
    }

    /// Counts a used line.
    pub fn used(&mut self) {
        if let Some(f) = self.files.last_mut() {
            f.used += 1;
        }
    }

    /// Records a malformed line; returns it as the error if the import is strict.
    pub fn malformed(&mut self, line: u64, what: impl Into<String>) -> Result<(), ImportError> {
        let file = self.files.last_mut().map_or(String::new(), |f| {
            f.malformed += 1;
            f.file.clone()
        });
        self.malformed += 1;
        let problem = Problem { file, line, what: what.into() };
        if self.strict {
            return Err(ImportError::Malformed(problem));
        }
        if self.problems.len() < KEPT {
            self.problems.push(problem);
        }
        Ok(())
    }

    /// Finishes the report; the builder counted `given` triples and `repeated_names`.
    pub fn finish(self, graph: &KnowledgeGraph, given: usize, repeated_names: usize) -> ImportReport {
        let mut names: Vec<(&str, u32)> = Vec::new();
        for i in 0..graph.entities() as u32 {
            names.push((graph.label(NodeId(i)), i));
            names.extend(graph.aliases(NodeId(i)).map(|a| (a, i)));
        }
        names.sort_unstable();
        let circular = find_circular(graph, &names);
        let shared: Vec<&str> =
            names.chunk_by(|a, b| a.0 == b.0).filter(|c| c.len() > 1).map(|c| c[0].0).collect();
        ImportReport {
            files: self.files,
            problems: self.problems,
            malformed: self.malformed,
            entities: graph.entities(),
            literals: graph.literals(),
            relations: graph.vocabulary().relations().len(),
            types: graph.vocabulary().types().len(),
            triples: graph.triples(),
            repeated: given.saturating_sub(graph.triples()),
            literal_relations: self.literal_relations,
            unknown_ends: self.unknown_ends.len(),
            unknown_examples: self.unknown_ends.into_iter().take(3).collect(),
            shared_names: shared.len(),
            shared_examples: shared.iter().take(10).map(|s| (*s).to_owned()).collect(),
            circular_names: circular.len(),
            circular_examples: circular
                .iter()
                .take(10)
                .map(|&(a, b)| (graph.label(a).to_owned(), graph.label(b).to_owned()))
                .collect(),
            repeated_names,
            everyday_relations: self.everyday_relations,
            inferred_types: self.inferred_types,
        }
    }
}

/// Finds the pairs of entities that each have the other's label as an alias. `names` is sorted.
fn find_circular(graph: &KnowledgeGraph, names: &[(&str, u32)]) -> Vec<(NodeId, NodeId)> {
    let mut out = Vec::new();
    for a in (0..graph.entities() as u32).map(NodeId) {
        for alias in graph.aliases(a) {
            let from = names.partition_point(|n| n.0 < alias);
            let bearers = names.iter().skip(from).take_while(|n| n.0 == alias).map(|n| NodeId(n.1));
            let back = |b: &NodeId| {
                *b > a && graph.label(*b) == alias && graph.aliases(*b).any(|x| x == graph.label(a))
            };
            // A name of very many entities is noise rather than a cycle.
            out.extend(bearers.take(64).filter(back).map(|b| (a, b)));
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}
