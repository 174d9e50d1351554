//! Loads the graph of questions: imported from files, a set's own, or made of the questions' evidence.

use super::execution::PlansError;
use super::gold::QuestionSet;
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph_knowledge::kg::{ImportOptions, KgFiles, import};
use pocketgraph_measure::records::read_lines;
use pocketgraph_native::eprintln;
use std::path::PathBuf;

/// Returns the graph for these questions: that of the first form with one, else an import of the files.
///
/// # Errors
/// [`PlansError`] for files that cannot be read or make no graph, and where there is no graph at all.
pub fn graph_for(
    questions: &[PathBuf],
    sets: &[&dyn QuestionSet],
    files: &KgFiles,
    options: &ImportOptions,
) -> Result<KnowledgeGraph, PlansError> {
    let as_error = |e: pocketgraph_knowledge::kg::ImportError| PlansError::Graph(e.to_string());
    let mut all = Vec::new();
    for path in questions {
        all.extend(read_lines(path)?.into_iter().map(|(_, v)| v));
    }
    let Some(tables) = sets.iter().find_map(|set| set.tables(&all, &files.triples)) else {
        if files.triples.is_empty() {
            return Err(PlansError::Graph("name the knowledge graph with --kg".to_owned()));
        }
        let (graph, report) = import(files, options).map_err(as_error)?;
        if report.malformed > 0 {
            eprintln!("warning: {} malformed lines, the first: {}", report.malformed, report.problems[0]);
        }
        return Ok(graph);
    };
    let tables = tables.map_err(PlansError::Graph)?;
    let io =
        |reason: std::io::Error| PlansError::Graph(format!("cannot keep the tables of the graph: {reason}"));
    let dir = tempfile::tempdir().map_err(io)?;
    let (triples, entities) = (dir.path().join("triples.tsv"), dir.path().join("entities.tsv"));
    std::fs::write(&triples, tables.triples).map_err(io)?;
    std::fs::write(&entities, tables.entities).map_err(io)?;
    let entities = [vec![entities], files.entities.clone()].concat();
    let files = KgFiles { triples: vec![triples], entities, ..files.clone() };
    Ok(import(&files, options).map_err(as_error)?.0)
}
