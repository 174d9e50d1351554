//! Collects tables from an open bundle.

use super::{Field, Sort, Table, connected_parts};
use pocketgraph_bundle::BundleError;
use pocketgraph_kg::{Class, KnowledgeGraph, LiteralKind, NodeId, Provenance, TripleId};
use pocketgraph_search::retrieve::Corpus;
use std::collections::BTreeMap;

/// Part of the bundle that is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The keyword graph: numbers of chunks that keywords share.
    Keywords,
    /// The knowledge graph, with the provenance of every triple.
    Kg,
    /// Documents and chunks.
    Chunks,
    /// Ranked chunks of keywords.
    Associations,
}

/// Reasons for which nothing is exported.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// The bundle cannot be read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The bundle lacks this part.
    #[error("the bundle has no {0}")]
    Absent(&'static str),
}

/// Number of chunks that are read at a time.
const AT_ONCE: u32 = 1000;

/// Collects a part of the bundle.
///
/// # Errors
/// [`CollectError`] if the bundle lacks it, or cannot be loaded completely: there are no partial exports.
pub async fn collect_table(corpus: &Corpus, what: What) -> Result<Table, CollectError> {
    match what {
        What::Keywords => collect_keywords(corpus).await,
        What::Associations => collect_associations(corpus).await,
        What::Chunks => collect_chunks(corpus).await,
        What::Kg if pocketgraph_kg::is_in(corpus.bundle()) => {
            Ok(collect_knowledge(&pocketgraph_kg::load_graph(corpus.bundle()).await?))
        }
        What::Kg => Err(CollectError::Absent("knowledge graph")),
    }
}

fn text(s: &str) -> Field {
    if s.is_empty() { Field::None } else { Field::Text(s.to_owned()) }
}

fn number_field(n: u32) -> Field {
    Field::Whole(i64::from(n))
}

async fn collect_keywords(corpus: &Corpus) -> Result<Table, CollectError> {
    if !corpus.bundle().has("keywords") {
        return Err(CollectError::Absent("keyword graph"));
    }
    let g = corpus.keywords().await?;
    let neighbours = |i: usize| g.weights.row(i).0.iter().map(move |&other| (i as u32, other));
    let mut part_of = vec![0; g.labels.len()];
    for (part, nodes) in (0..).zip(connected_parts(g.labels.len(), (0..g.labels.len()).flat_map(neighbours)))
    {
        nodes.into_iter().for_each(|i| part_of[i] = part);
    }
    let fields = |i: usize| {
        vec![
            text(&g.labels[i]),
            number_field(g.associated[i]),
            number_field(g.shared(i)),
            number_field(part_of[i]),
        ]
    };
    let nodes = (0..g.labels.len()).map(|i| (format!("k{i}"), fields(i))).collect();
    let mut edges = Vec::new();
    for i in 0..g.weights.rows() {
        let (columns, weights) = g.weights.row(i);
        // Both rows of an edge contain it.
        edges.extend(
            columns
                .iter()
                .zip(weights)
                .filter(|(c, _)| (**c as usize) > i)
                .map(|(&c, &w)| (i, c as usize, vec![number_field(w)])),
        );
    }
    Ok(Table {
        directed: false,
        node_columns: vec![
            ("Label", Sort::Text),
            ("Chunks", Sort::Whole),
            ("Shared", Sort::Whole),
            ("Part", Sort::Whole),
        ],
        nodes,
        edge_columns: vec![("Weight", Sort::Whole)],
        edges,
    })
}

async fn chunk_nodes(corpus: &Corpus) -> Result<Vec<(String, u32, Vec<Field>)>, CollectError> {
    let documents = corpus.documents().await?;
    let count = u32::try_from(corpus.len()).unwrap_or(u32::MAX);
    let mut out = Vec::new();
    for start in (0..count).step_by(AT_ONCE as usize) {
        let ids: Vec<u32> = (start..count.min(start.saturating_add(AT_ONCE))).collect();
        let (mut found, missing) = corpus.chunks(&ids).await?;
        for id in ids {
            let Some(c) = found.remove(&id) else {
                return Err(BundleError::Corrupt { file: "chunks".into(), what: missing.join("; ") }.into());
            };
            let d = documents.get(c.document as usize);
            let url = c.address_on(d.map_or("", |d| d.url.as_str()));
            let title = d.map_or("", |d| d.title.as_str());
            let label = c.heading_path.last().map_or(title, String::as_str);
            let fields = vec![
                text(label),
                text("chunk"),
                text(title),
                Field::Texts(c.heading_path.clone()),
                text(&url),
                text(&c.text),
            ];
            out.push((format!("c{id}"), c.document, fields));
        }
    }
    Ok(out)
}

const CHUNK_COLUMNS: [(&str, Sort); 6] = [
    ("Label", Sort::Text),
    ("Kind", Sort::Text),
    ("Title", Sort::Text),
    ("Headings", Sort::Text),
    ("Url", Sort::Text),
    ("Text", Sort::Text),
];

async fn collect_chunks(corpus: &Corpus) -> Result<Table, CollectError> {
    let documents = corpus.documents().await?;
    let mut nodes: Vec<(String, Vec<Field>)> = documents
        .iter()
        .enumerate()
        .map(|(i, d)| {
            (
                format!("d{i}"),
                vec![
                    text(&d.title),
                    text("document"),
                    text(&d.title),
                    Field::None,
                    text(&d.url),
                    Field::None,
                ],
            )
        })
        .collect();
    let mut edges = Vec::new();
    for (id, document, fields) in chunk_nodes(corpus).await? {
        edges.push((document as usize, nodes.len(), vec![text("contains")]));
        nodes.push((id, fields));
    }
    Ok(Table {
        directed: true,
        node_columns: CHUNK_COLUMNS.into(),
        nodes,
        edge_columns: vec![("Relation", Sort::Text)],
        edges,
    })
}

async fn collect_associations(corpus: &Corpus) -> Result<Table, CollectError> {
    if !corpus.bundle().has("keywords") {
        return Err(CollectError::Absent("keyword graph"));
    }
    let g = corpus.keywords().await?;
    let mut nodes: Vec<(String, Vec<Field>)> = g
        .labels
        .iter()
        .enumerate()
        .map(|(i, l)| {
            (
                format!("k{i}"),
                vec![text(l), text("keyword"), Field::None, Field::None, Field::None, Field::None],
            )
        })
        .collect();
    let first = nodes.len();
    nodes.extend(chunk_nodes(corpus).await?.into_iter().map(|(id, _, fields)| (id, fields)));
    let mut edges = Vec::new();
    for k in 0..g.labels.len() {
        let mut ranks: BTreeMap<u32, [Option<u32>; 2]> = BTreeMap::new();
        for (which, lists) in [&g.chunks_by_u, &g.chunks_by_angle].into_iter().enumerate() {
            for (rank, &c) in lists.get(k).into_iter().flatten().enumerate() {
                ranks.entry(c).or_default()[which] = Some(rank as u32 + 1);
            }
        }
        let field = |r: Option<u32>| r.map_or(Field::None, number_field);
        edges.extend(
            ranks.into_iter().map(|(c, [u, angle])| (k, first + c as usize, vec![field(u), field(angle)])),
        );
    }
    edges.retain(|e| e.1 < nodes.len());
    Ok(Table {
        directed: true,
        node_columns: CHUNK_COLUMNS.into(),
        nodes,
        edge_columns: vec![("RankByLearning", Sort::Whole), ("RankByAngle", Sort::Whole)],
        edges,
    })
}

fn collect_knowledge(graph: &KnowledgeGraph) -> Table {
    let v = graph.vocabulary();
    let type_names = |n: NodeId| {
        Field::Texts(
            graph.types(n).iter().filter_map(|t| v.entity_type(*t)).map(|t| t.label.clone()).collect(),
        )
    };
    let nodes = (0..graph.nodes() as u32)
        .map(NodeId)
        .map(|n| {
            let literal = graph.literal(n);
            let kind = match graph.classes(n).next() {
                Some(Class::Literal(LiteralKind::Number)) => "number",
                Some(Class::Literal(LiteralKind::Date)) => "date",
                Some(Class::Literal(LiteralKind::Boolean)) => "truth value",
                Some(Class::Literal(LiteralKind::Text)) => "text",
                _ => "entity",
            };
            let aliases = Field::Texts(graph.aliases(n).map(str::to_owned).collect());
            let imported = if literal.is_some() { Field::None } else { text(graph.id(n)) };
            let (datatype, unit) =
                literal.map_or((Field::None, Field::None), |l| (text(l.datatype), text(l.unit)));
            let fields = vec![
                text(graph.label(n)),
                text(kind),
                type_names(n),
                aliases,
                imported,
                text(graph.description(n)),
                datatype,
                unit,
            ];
            (format!("n{}", n.0), fields)
        })
        .collect();
    let edges = (0..graph.triples() as u32)
        .filter_map(|i| {
            let t = graph.triple(TripleId(i))?;
            let r = v.relation(t.relation)?;
            let places = graph.provenance(TripleId(i)).map(|p| match p {
                Provenance::Line { file, line } => format!("{file}:{line}"),
                Provenance::Passage { chunk, start, end } => format!("chunk {chunk}, bytes {start} to {end}"),
                Provenance::Cited(text) => text.to_owned(),
            });
            Some((
                t.head.index(),
                t.tail.index(),
                vec![text(&r.label), text(&r.name), Field::Texts(places.collect())],
            ))
        })
        .collect();
    Table {
        directed: true,
        node_columns: vec![
            ("Label", Sort::Text),
            ("Kind", Sort::Text),
            ("Types", Sort::Text),
            ("Aliases", Sort::Text),
            ("ImportedId", Sort::Text),
            ("Description", Sort::Text),
            ("Datatype", Sort::Text),
            ("Unit", Sort::Text),
        ],
        nodes,
        edge_columns: vec![("Label", Sort::Text), ("Relation", Sort::Text), ("Provenance", Sort::Text)],
        edges,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_knowledge_graph_keeps_its_types_units_and_places() {
        let mut b = pocketgraph_kg::KgBuilder::default();
        let built = (|| {
            let (peak, r) = (b.entity("Q1")?, b.relation("height")?);
            b.label(peak, "Denali")?;
            b.alias(peak, "Mount McKinley")?;
            let t = b.entity_type("mountain")?;
            b.entity_has_type(peak, t)?;
            let height = b.literal("6190", LiteralKind::Number, "xsd:integer", "m")?;
            b.triple(peak, r, height, Provenance::Line { file: "peaks.tsv", line: 7 })?;
            b.triple(peak, r, height, Provenance::Passage { chunk: 3, start: 1, end: 9 })?;
            b.finish()
        })();
        let Ok(graph) = built else { panic!("the graph is built") };
        let t = collect_knowledge(&graph);
        let texts = |all: &[&str]| Field::Texts(all.iter().map(|s| (*s).to_owned()).collect());
        assert_eq!(
            t.nodes[0].1[..5],
            [text("Denali"), text("entity"), texts(&["mountain"]), texts(&["Mount McKinley"]), text("Q1")]
        );
        assert_eq!(t.nodes[1].1[6..], [text("xsd:integer"), text("m")]);
        assert_eq!(t.edges[0].2[2], texts(&["peaks.tsv:7", "chunk 3, bytes 1 to 9"]));
    }
}
