//! Report of an import.

use super::ImportError;
use super::columns::Layout;
use pocketgraph_kg::{KnowledgeGraph, NodeId};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

/// Problems beyond these are only counted.
const KEPT: usize = 1000;

/// Different layouts of one file beyond these are not reported.
const LAYOUTS: usize = 3;

/// A line that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 where the format has no lines.
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
    /// Lines (or RDF statements) that were used.
    pub used: u64,
    /// Lines that could not be used.
    pub malformed: u64,
    /// Meaning of its columns or fields, as understood.
    pub read_as: Vec<String>,
}

/// Report of an import.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportReport {
    /// Each file in the order of reading.
    pub files: Vec<FileReport>,
    /// The first thousand malformed lines.
    pub problems: Vec<Problem>,
    /// Malformed lines in all.
    pub malformed: u64,
    /// Entities of the graph.
    pub entities: usize,
    /// Literals of the graph.
    pub literals: usize,
    /// Relations of the graph.
    pub relations: usize,
    /// Types of the graph.
    pub types: usize,
    /// Distinct triples of the graph.
    pub triples: usize,
    /// Triples that repeated another; both places are kept as provenance.
    pub repeated: usize,
    /// Relations of tables whose tails were taken for literals by themselves.
    pub literal_relations: Vec<String>,
    /// Ids that edges join and no file describes.
    pub unknown_ends: usize,
    /// Some of these ids.
    pub unknown_examples: Vec<String>,
    /// Names (labels and aliases, letter by letter) that several entities bear; all of them keep the name.
    pub shared_names: usize,
    /// Some of these names.
    pub shared_examples: Vec<String>,
    /// Pairs of entities each of which bears the other's label as an alias; both keep both names.
    pub circular_names: usize,
    /// Some of these pairs.
    pub circular_examples: Vec<(String, String)>,
    /// Number of names that an entity already had; they are kept once.
    pub repeated_names: usize,
    /// Relations that got everyday names beside their own.
    pub everyday_relations: usize,
    /// The kinds that things without a declared type got.
    pub inferred_types: Vec<String>,
}

/// Collects the report while files are read.
#[derive(Default)]
pub(super) struct Reporter {
    strict: bool,
    files: Vec<FileReport>,
    problems: Vec<Problem>,
    malformed: u64,
    /// The layouts of the file that is read.
    layouts: Vec<Layout>,
    unknown_ends: BTreeSet<String>,
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

    /// Columns or fields were understood so.
    pub fn understood(&mut self, layout: &Layout) {
        if self.layouts.len() < LAYOUTS && !self.layouts.contains(layout) {
            self.layouts.push(layout.clone());
            let how = layout.describe();
            if let Some(f) = self.files.last_mut().filter(|f| !f.read_as.contains(&how)) {
                f.read_as.push(how);
            }
        }
    }

    /// An edge joins something that no file describes.
    pub fn unknown_end(&mut self, id: &str) {
        self.unknown_ends.insert(id.to_owned());
    }

    /// Returns the error of a file that has given nothing.
    pub fn nothing(&self) -> Option<ImportError> {
        let file = self.files.last().filter(|f| f.used == 0)?;
        let why = self
            .problems
            .iter()
            .find(|p| p.file == file.file)
            .map_or("it has no records".to_owned(), |p| format!("line {}: {}", p.line, p.what));
        Some(ImportError::Nothing { file: file.file.clone(), why })
    }

    /// A line was used.
    pub fn used(&mut self) {
        if let Some(f) = self.files.last_mut() {
            f.used += 1;
        }
    }

    /// A line was malformed.
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

    /// The report; `given` triples and `repeated_names` are what the builder counted.
    pub fn finish(self, graph: &KnowledgeGraph, given: usize, repeated_names: usize) -> ImportReport {
        let mut names: Vec<(&str, u32)> = Vec::new();
        for i in 0..graph.entities() as u32 {
            names.push((graph.label(NodeId(i)), i));
            names.extend(graph.aliases(NodeId(i)).map(|a| (a, i)));
        }
        names.sort_unstable();
        let circular = circular(graph, &names);
        let shared: Vec<&str> = names.chunk_by(|a, b| a.0 == b.0).filter(|c| c.len() > 1).map(|c| c[0].0).collect();
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
            circular_examples: circular.iter().take(10).map(|&(a, b)| (graph.label(a).to_owned(), graph.label(b).to_owned())).collect(),
            repeated_names,
            everyday_relations: self.everyday_relations,
            inferred_types: self.inferred_types,
        }
    }
}

/// The pairs of entities that call each other by their labels. `names` is sorted.
fn circular(graph: &KnowledgeGraph, names: &[(&str, u32)]) -> Vec<(NodeId, NodeId)> {
    let mut out = Vec::new();
    for a in (0..graph.entities() as u32).map(NodeId) {
        for alias in graph.aliases(a) {
            let from = names.partition_point(|n| n.0 < alias);
            let bearers = names.iter().skip(from).take_while(|n| n.0 == alias).map(|n| NodeId(n.1));
            let back = |b: &NodeId| *b > a && graph.label(*b) == alias && graph.aliases(*b).any(|x| x == graph.label(a));
            // A name of very many is a flood, not a cycle.
            out.extend(bearers.take(64).filter(back).map(|b| (a, b)));
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}
