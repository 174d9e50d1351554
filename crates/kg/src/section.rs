//! The graph's sections: `kg` (vocabulary), `kg-nodes`, `kg-triples` and `kg-sources`.
//!
//! The vocabulary is small and comes first, so that a planner can work before the rest arrives. Triples are
//! in the order of (head, relation, tail), so that a later format can cut them into pages of heads in the
//! same layout.

use super::graph::{KnowledgeGraph, Nodes, Sources, StoredLiteral, StoredProvenance, Triple, Triples};
use super::ids::{NodeId, RelationId, TypeId};
use super::literal::LiteralKind;
use super::strings::{Runs, Strings};
use super::vocabulary::{Class, EntityType, Relation, SchemaEdge, Vocabulary};
use crate::bundle::{
    Bundle, BundleError, Bytes, Kind, begin_section, decode_vectors, encode_vectors, open_section, put_text,
    put_texts, put_varint, take_text, take_texts,
};
use crate::vector::QuantizedMatrix;
use futures::future::{FutureExt, LocalBoxFuture};
use std::rc::Rc;

/// Names of the sections in a bundle, in the order of [`encode_graph`].
pub const SECTIONS: [&str; 4] = ["kg", "kg-nodes", "kg-triples", "kg-sources"];

/// Encodes the four sections, in the order of [`SECTIONS`].
pub fn encode_graph(graph: &KnowledgeGraph) -> [Vec<u8>; 4] {
    [
        put_vocabulary(&graph.vocabulary),
        put_nodes(&graph.nodes),
        put_triples(graph),
        put_sources(&graph.sources),
    ]
}

/// Decodes a graph from its four sections. Fails if a section does not decode or they do not belong together.
pub fn decode_graph(sections: [&[u8]; 4]) -> Result<KnowledgeGraph, BundleError> {
    let [v, n, t, s] = sections;
    let [fv, fn_, ft, fs] = SECTIONS;
    join_parts(
        Rc::new(take_vocabulary(fv, v)?),
        Rc::new(take_nodes(fn_, n)?),
        Rc::new(take_triples(ft, t)?),
        Rc::new(take_sources(fs, s)?),
    )
}

/// Loads the knowledge graph of a bundle. Fails if a section is absent, cannot be loaded, or does not decode.
pub fn load_graph<'a>(bundle: &'a Bundle) -> LocalBoxFuture<'a, Result<KnowledgeGraph, BundleError>> {
    async move {
        let [v, n, t, s] = SECTIONS;
        let (v, n, t, s) = futures::future::join4(
            bundle.section(v, take_vocabulary),
            bundle.section(n, take_nodes),
            bundle.section(t, take_triples),
            bundle.section(s, take_sources),
        )
        .await;
        join_parts(v?, n?, t?, s?)
    }
    .boxed_local()
}

/// Section of the labels' vectors: a row for each entity, in order. Small graphs have it. It is loaded only
/// if a mention agrees with no name.
pub const LABELS: &str = "kg-labels";

/// Section of the relation labels' vectors: a row for each relation, in order. It is loaded only if a plan
/// names a relation by words.
pub const RELATION_LABELS: &str = "kg-relation-labels";

/// Encodes the section of the labels' vectors.
pub fn encode_labels(vectors: &QuantizedMatrix) -> Vec<u8> {
    encode_vectors(Kind::KgLabels, vectors)
}

/// Encodes the section of the relation labels' vectors.
pub fn encode_relation_labels(vectors: &QuantizedMatrix) -> Vec<u8> {
    encode_vectors(Kind::KgRelationLabels, vectors)
}

/// Loads the vectors of the labels of a graph's `relations`; `None` if the bundle has none. Fails if they
/// cannot be loaded or do not match the graph.
pub fn load_relation_labels<'a>(
    bundle: &'a Bundle,
    relations: usize,
) -> LocalBoxFuture<'a, Result<Option<Rc<QuantizedMatrix>>, BundleError>> {
    async move {
        if !bundle.has(RELATION_LABELS) {
            return Ok(None);
        }
        let (rows, dim) = (relations as u32, bundle.manifest().embedder.dimension);
        let decode =
            move |file: &str, bytes: &[u8]| decode_vectors(file, bytes, Kind::KgRelationLabels, rows, dim);
        bundle.section(RELATION_LABELS, decode).await.map(Some)
    }
    .boxed_local()
}

/// Loads the labels' vectors of a graph of `entities`; `None` if the bundle has none. Fails if they cannot be
/// loaded or do not match the graph.
pub fn load_labels<'a>(
    bundle: &'a Bundle,
    entities: usize,
) -> LocalBoxFuture<'a, Result<Option<Rc<QuantizedMatrix>>, BundleError>> {
    async move {
        if !bundle.has(LABELS) {
            return Ok(None);
        }
        let (rows, dim) = (entities as u32, bundle.manifest().embedder.dimension);
        bundle
            .section(LABELS, move |file, bytes| decode_vectors(file, bytes, Kind::KgLabels, rows, dim))
            .await
            .map(Some)
    }
    .boxed_local()
}

/// Returns true if a bundle has a knowledge graph.
pub fn is_in(bundle: &Bundle) -> bool {
    bundle.has(SECTIONS[0])
}

/// Checks that parts name only what the other parts have.
fn join_parts(
    vocabulary: Rc<Vocabulary>,
    nodes: Rc<Nodes>,
    triples: Rc<Triples>,
    sources: Rc<Sources>,
) -> Result<KnowledgeGraph, BundleError> {
    let wrong = |file: usize, what: &str| Err(Bytes::new(SECTIONS[file], &[]).corrupt(what));
    if nodes.types.iter().any(|t| t.index() >= vocabulary.types.len()) {
        return wrong(1, "a node has a type that the graph does not have");
    }
    if triples.out.len() != nodes.names.len() {
        return wrong(2, "its nodes are others than those of kg-nodes");
    }
    let (entities, relations) = (nodes.ids.len(), vocabulary.relations.len());
    if triples.all.iter().any(|t| t.head.index() >= entities || t.relation.index() >= relations) {
        return wrong(2, "a triple names a relation or a head that the graph does not have");
    }
    if sources.runs.len() != triples.all.len() {
        return wrong(3, "it does not have one entry a triple");
    }
    Ok(KnowledgeGraph { vocabulary, nodes, triples, sources })
}

fn put_classes(out: &mut Vec<u8>, all: &[(Class, u32)]) {
    put_varint(out, all.len() as u32);
    for &(class, n) in all {
        put_varint(out, class.to_code());
        put_varint(out, n);
    }
}

fn take_class(b: &mut Bytes<'_>, types: usize) -> Result<Class, BundleError> {
    match Class::of_code(b.varint()?) {
        Class::Type(t) if t.index() >= types => {
            Err(b.corrupt("a class names a type that the graph does not have"))
        }
        class => Ok(class),
    }
}

fn take_classes(b: &mut Bytes<'_>, types: usize) -> Result<Vec<(Class, u32)>, BundleError> {
    let n = b.count(2)?;
    (0..n).map(|_| Ok((take_class(b, types)?, b.varint()?))).collect()
}

fn put_vocabulary(v: &Vocabulary) -> Vec<u8> {
    let mut out = begin_section(Kind::KgVocabulary);
    put_varint(&mut out, v.types.len() as u32);
    for t in &v.types {
        put_text(&mut out, &t.name);
        put_text(&mut out, &t.label);
        put_texts(&mut out, &t.aliases);
        put_varint(&mut out, t.entities);
    }
    put_varint(&mut out, v.relations.len() as u32);
    for r in &v.relations {
        put_text(&mut out, &r.name);
        put_text(&mut out, &r.label);
        put_texts(&mut out, &r.aliases);
        put_varint(&mut out, r.triples);
        put_classes(&mut out, &r.domain);
        put_classes(&mut out, &r.range);
    }
    put_varint(&mut out, v.schema.len() as u32);
    for s in &v.schema {
        for n in [s.relation.0, s.head.to_code(), s.tail.to_code(), s.triples] {
            put_varint(&mut out, n);
        }
    }
    out
}

fn take_vocabulary(file: &str, bytes: &[u8]) -> Result<Vocabulary, BundleError> {
    let mut b = open_section(file, bytes, Kind::KgVocabulary)?;
    let n = b.count(4)?;
    let mut types = Vec::with_capacity(n);
    for _ in 0..n {
        let (name, label, aliases) = (take_text(&mut b)?, take_text(&mut b)?, take_texts(&mut b)?);
        types.push(EntityType { name, label, aliases, entities: b.varint()? });
    }
    let n = b.count(6)?;
    let mut relations = Vec::with_capacity(n);
    for _ in 0..n {
        let (name, label, aliases) = (take_text(&mut b)?, take_text(&mut b)?, take_texts(&mut b)?);
        let triples = b.varint()?;
        let domain = take_classes(&mut b, types.len())?;
        let range = take_classes(&mut b, types.len())?;
        relations.push(Relation { name, label, aliases, triples, domain, range });
    }
    let n = b.count(4)?;
    let mut schema = Vec::with_capacity(n);
    for _ in 0..n {
        let relation = RelationId(b.varint()?);
        if relation.index() >= relations.len() {
            return Err(b.corrupt("the schema names a relation that the graph does not have"));
        }
        let (head, tail) = (take_class(&mut b, types.len())?, take_class(&mut b, types.len())?);
        schema.push(SchemaEdge { head, relation, tail, triples: b.varint()? });
    }
    b.end()?;
    Ok(Vocabulary { relations, types, schema })
}

const KINDS: [LiteralKind; 4] =
    [LiteralKind::Number, LiteralKind::Date, LiteralKind::Text, LiteralKind::Boolean];

fn put_nodes(n: &Nodes) -> Vec<u8> {
    let mut out = begin_section(Kind::KgNodes);
    for strings in [&n.names, &n.ids, &n.descriptions, &n.aliases, &n.terms] {
        strings.put(&mut out);
    }
    for i in 0..n.ids.len() {
        put_varint(&mut out, n.alias_runs.range(i).len() as u32);
        let types = &n.types[n.type_runs.range(i)];
        put_varint(&mut out, types.len() as u32);
        for t in types {
            put_varint(&mut out, t.0);
        }
    }
    for l in &n.literals {
        out.push(KINDS.iter().position(|k| *k == l.kind).unwrap_or(2) as u8);
        put_varint(&mut out, l.datatype);
        put_varint(&mut out, l.unit);
    }
    out
}

fn take_nodes(file: &str, bytes: &[u8]) -> Result<Nodes, BundleError> {
    let mut b = open_section(file, bytes, Kind::KgNodes)?;
    let names = Strings::take(&mut b)?;
    let ids = Strings::take(&mut b)?;
    let descriptions = Strings::take(&mut b)?;
    let aliases = Strings::take(&mut b)?;
    let terms = Strings::take(&mut b)?;
    let literal_count =
        names.len().checked_sub(ids.len()).ok_or_else(|| b.corrupt("there are more entities than nodes"))?;
    if descriptions.len() != ids.len() {
        return Err(b.corrupt("entities and descriptions differ in number"));
    }
    let (mut alias_runs, mut type_runs, mut types) = (Runs::default(), Runs::default(), Vec::new());
    let mut alias_end = 0usize;
    for _ in 0..ids.len() {
        alias_end += b.varint()? as usize;
        if alias_end > aliases.len() {
            return Err(b.corrupt("an entity has more aliases than there are"));
        }
        alias_runs.push(alias_end);
        for _ in 0..b.count(1)? {
            types.push(TypeId(b.varint()?));
        }
        type_runs.push(types.len());
    }
    if alias_end != aliases.len() {
        return Err(b.corrupt("an alias belongs to no entity"));
    }
    if literal_count > b.left() {
        return Err(b.corrupt("it ends early"));
    }
    let mut literals = Vec::with_capacity(literal_count);
    for _ in 0..literal_count {
        let kind = b
            .take(1)?
            .first()
            .and_then(|&k| KINDS.get(k as usize).copied())
            .ok_or_else(|| b.corrupt("a literal of no kind"))?;
        let (datatype, unit) = (b.varint()?, b.varint()?);
        if datatype.max(unit) as usize >= terms.len() {
            return Err(b.corrupt("a literal's datatype or unit is not in the file"));
        }
        literals.push(StoredLiteral { kind, datatype, unit });
    }
    b.end()?;
    Ok(Nodes { names, ids, descriptions, alias_runs, aliases, type_runs, types, literals, terms })
}

fn put_triples(graph: &KnowledgeGraph) -> Vec<u8> {
    let mut out = begin_section(Kind::KgTriples);
    let t = &graph.triples;
    put_varint(&mut out, graph.nodes() as u32);
    put_varint(&mut out, t.all.len() as u32);
    for node in 0..t.out.len() {
        let run = &t.all[t.out.range(node)];
        put_varint(&mut out, run.len() as u32);
        let (mut relation, mut tail) = (0, 0);
        for triple in run {
            if triple.relation.0 != relation {
                tail = 0;
            }
            put_varint(&mut out, triple.relation.0 - relation);
            put_varint(&mut out, triple.tail.0 - tail);
            (relation, tail) = (triple.relation.0, triple.tail.0);
        }
    }
    out
}

fn take_triples(file: &str, bytes: &[u8]) -> Result<Triples, BundleError> {
    let mut b = open_section(file, bytes, Kind::KgTriples)?;
    let nodes = b.count(1)?;
    let n = b.count(2)?;
    let mut all = Vec::with_capacity(n);
    for head in 0..nodes {
        let head = NodeId(head as u32);
        let (mut relation, mut tail) = (0u32, 0u32);
        for _ in 0..b.count(2)? {
            let step = b.varint()?;
            if step > 0 {
                tail = 0;
            }
            let overflow = || Bytes::new(file, &[]).corrupt("a triple leads nowhere");
            relation = relation.checked_add(step).ok_or_else(overflow)?;
            tail = tail.checked_add(b.varint()?).ok_or_else(overflow)?;
            all.push(Triple { head, relation: RelationId(relation), tail: NodeId(tail) });
        }
    }
    if all.len() != n {
        return Err(b.corrupt("it does not have as many triples as it says"));
    }
    b.end()?;
    Triples::new(nodes, all)
        .ok_or_else(|| b.corrupt("triples are not in order, or name nodes beyond the last"))
}

fn put_sources(s: &Sources) -> Vec<u8> {
    let mut out = begin_section(Kind::KgSources);
    s.names.put(&mut out);
    put_varint(&mut out, s.runs.len() as u32);
    let mut last = 0u32;
    for i in 0..s.runs.len() {
        let run = &s.all[s.runs.range(i)];
        put_varint(&mut out, run.len() as u32);
        for p in run {
            match *p {
                StoredProvenance::Line { source, line } => {
                    put_varint(&mut out, source.saturating_mul(3));
                    // Neighbouring triples come from neighbouring lines: the difference is short, with its
                    // sign in the lowest bit.
                    let step = i64::from(line) - i64::from(last);
                    let zigzag = ((step << 1) ^ (step >> 63)) as u64;
                    put_varint(&mut out, (zigzag & 0x7fff_ffff) as u32);
                    put_varint(&mut out, (zigzag >> 31) as u32);
                    last = line;
                }
                StoredProvenance::Passage { chunk, start, end } => {
                    put_varint(&mut out, 1);
                    for n in [chunk, start, end] {
                        put_varint(&mut out, n);
                    }
                }
                StoredProvenance::Cited { source } => {
                    put_varint(&mut out, source.saturating_mul(3).saturating_add(2))
                }
            }
        }
    }
    out
}

fn take_sources(file: &str, bytes: &[u8]) -> Result<Sources, BundleError> {
    let mut b = open_section(file, bytes, Kind::KgSources)?;
    let names = Strings::take(&mut b)?;
    let n = b.count(1)?;
    let (mut runs, mut all) = (Runs::default(), Vec::with_capacity(n));
    let mut last = 0u32;
    for _ in 0..n {
        for _ in 0..b.count(1)? {
            let tag = b.varint()?;
            let source = tag / 3;
            if tag % 3 != 1 && source as usize >= names.len() {
                return Err(b.corrupt("a triple's source is not in the file"));
            }
            all.push(match tag % 3 {
                0 => {
                    let (low, high) = (u64::from(b.varint()?), u64::from(b.varint()?));
                    if low > 0x7fff_ffff || high > 8 {
                        return Err(b.corrupt("a line is out of range"));
                    }
                    let zigzag = low | (high << 31);
                    let step = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
                    let line = u32::try_from(i64::from(last) + step)
                        .map_err(|_| b.corrupt("a line is out of range"))?;
                    last = line;
                    StoredProvenance::Line { source, line }
                }
                1 => {
                    let (chunk, start, end) = (b.varint()?, b.varint()?, b.varint()?);
                    if start > end {
                        return Err(b.corrupt("a passage ends before it starts"));
                    }
                    StoredProvenance::Passage { chunk, start, end }
                }
                _ => StoredProvenance::Cited { source },
            });
        }
        runs.push(all.len());
    }
    b.end()?;
    Ok(Sources { names, runs, all })
}

#[cfg(test)]
#[path = "section_tests.rs"]
mod tests;
