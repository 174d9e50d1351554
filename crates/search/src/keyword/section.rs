//! The keyword graph's sections: `keywords` (labels and vectors) and `keyword-graph` (edges and ranked
//! chunks).

use super::KeywordGraph;
use crate::bundle::{
    Bundle, BundleError, Bytes, Kind, begin_section, open_section, put_matrix, put_text, put_varint,
    take_matrix, take_text,
};
use crate::sparse::Csr;

/// The bytes of the sections `keywords` and `keyword-graph`.
pub fn encode_keywords(graph: &KeywordGraph) -> (Vec<u8>, Vec<u8>) {
    let mut keywords = begin_section(Kind::Keywords);
    put_varint(&mut keywords, graph.labels.len() as u32);
    for (label, &n) in graph.labels.iter().zip(&graph.associated) {
        put_text(&mut keywords, label);
        put_varint(&mut keywords, n);
    }
    put_matrix(&mut keywords, &graph.vectors);

    let mut edges = begin_section(Kind::KeywordGraph);
    put_varint(&mut edges, graph.labels.len() as u32);
    for i in 0..graph.labels.len() {
        let (columns, weights) = graph.weights.row(i);
        put_varint(&mut edges, columns.len() as u32);
        let mut last = 0;
        for (&c, &w) in columns.iter().zip(weights) {
            put_varint(&mut edges, c - last);
            put_varint(&mut edges, w);
            last = c;
        }
        for list in [&graph.chunks_by_u, &graph.chunks_by_angle] {
            let chunks = list.get(i).map_or(&[][..], Vec::as_slice);
            put_varint(&mut edges, chunks.len() as u32);
            for &c in chunks {
                put_varint(&mut edges, c);
            }
        }
    }
    (keywords, edges)
}

struct Labels {
    labels: Vec<String>,
    associated: Vec<u32>,
    vectors: crate::vector::QuantizedMatrix,
}

fn decode_labels(file: &str, bytes: &[u8]) -> Result<Labels, BundleError> {
    let mut b = open_section(file, bytes, Kind::Keywords)?;
    let n = b.count(2)?;
    let (mut labels, mut associated) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for _ in 0..n {
        labels.push(take_text(&mut b)?);
        associated.push(b.varint()?);
    }
    let vectors = take_matrix(&mut b)?;
    if vectors.rows() != n {
        return Err(b.corrupt("keywords and vectors differ in number"));
    }
    b.end()?;
    Ok(Labels { labels, associated, vectors })
}

struct Edges {
    weights: Csr<u32>,
    by_u: Vec<Vec<u32>>,
    by_angle: Vec<Vec<u32>>,
}

fn chunk_list(b: &mut Bytes<'_>, chunks: u64) -> Result<Vec<u32>, BundleError> {
    let n = b.count(1)?;
    let list = (0..n).map(|_| b.varint()).collect::<Result<Vec<_>, _>>()?;
    if list.iter().any(|&c| u64::from(c) >= chunks) {
        return Err(b.corrupt("a keyword's chunk is not in the bundle"));
    }
    Ok(list)
}

fn decode_edges(file: &str, bytes: &[u8], chunks: u64) -> Result<Edges, BundleError> {
    let mut b = open_section(file, bytes, Kind::KeywordGraph)?;
    let n = b.count(3)?;
    let (mut offsets, mut columns, mut values) = (vec![0u32], Vec::new(), Vec::new());
    let (mut by_u, mut by_angle) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for _ in 0..n {
        let degree = b.count(2)?;
        let mut column = 0u32;
        for _ in 0..degree {
            column = column.checked_add(b.varint()?).ok_or_else(|| b.corrupt("an edge leads nowhere"))?;
            columns.push(column);
            values.push(b.varint()?);
        }
        offsets.push(columns.len() as u32);
        by_u.push(chunk_list(&mut b, chunks)?);
        by_angle.push(chunk_list(&mut b, chunks)?);
    }
    b.end()?;
    let weights = Csr::new(n, offsets, columns, values).map_err(|e| b.corrupt(&e.to_string()))?;
    Ok(Edges { weights, by_u, by_angle })
}

/// Reads the sections `keywords` and `keyword-graph` of a bundle of `chunks` chunks.
///
/// # Errors
/// [`BundleError`] when the bytes are no such sections.
pub fn decode_keywords(keywords: &[u8], graph: &[u8], chunks: u64) -> Result<KeywordGraph, BundleError> {
    join_graph(&decode_labels("keywords", keywords)?, &decode_edges("keyword-graph", graph, chunks)?)
}

/// Loads the keyword graph of a bundle. Fails if a section is absent, cannot be loaded, or does not decode.
pub async fn load_keywords(bundle: &Bundle) -> Result<KeywordGraph, BundleError> {
    let chunks = bundle.manifest().counts.chunks;
    let (labels, edges) = futures::future::join(
        bundle.section("keywords", decode_labels),
        bundle.section("keyword-graph", move |file, bytes| decode_edges(file, bytes, chunks)),
    )
    .await;
    join_graph(&*labels?, &*edges?)
}

fn join_graph(labels: &Labels, edges: &Edges) -> Result<KeywordGraph, BundleError> {
    if edges.weights.rows() != labels.labels.len() {
        return Err(BundleError::Corrupt {
            file: "keyword-graph".into(),
            what: "it has other keywords than the section keywords".into(),
        });
    }
    Ok(KeywordGraph {
        labels: labels.labels.clone(),
        vectors: labels.vectors.clone(),
        weights: edges.weights.clone(),
        associated: labels.associated.clone(),
        chunks_by_u: edges.by_u.clone(),
        chunks_by_angle: edges.by_angle.clone(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::vector::QuantizedMatrix;
    use proptest::prelude::*;

    fn example() -> KeywordGraph {
        KeywordGraph {
            labels: vec!["ownership".into(), "Größe".into(), "東京".into()],
            vectors: QuantizedMatrix::from_rows(
                2,
                [[1.0f32, 0.0], [0.0, 1.0], [0.6, -0.8]].iter().map(|r| &r[..]),
            ),
            weights: Csr::from_rows(3, vec![vec![(1, 4), (2, 1)], vec![(0, 4)], vec![(0, 1)]]),
            associated: vec![5, 4, 1],
            chunks_by_u: vec![vec![3, 1], vec![], vec![0]],
            chunks_by_angle: vec![vec![1, 3], vec![2], vec![0]],
        }
    }

    #[test]
    fn a_graph_reads_back() {
        let g = example();
        let (keywords, edges) = encode_keywords(&g);
        let l = decode_labels("k", &keywords).unwrap();
        let e = decode_edges("g", &edges, 4).unwrap();
        assert_eq!((l.labels, l.associated, l.vectors), (g.labels, g.associated, g.vectors));
        assert_eq!((e.weights, e.by_u, e.by_angle), (g.weights, g.chunks_by_u, g.chunks_by_angle));
    }

    #[test]
    fn a_chunk_beyond_the_bundle_is_refused() {
        assert_eq!(
            decode_edges("g", &encode_keywords(&example()).1, 3).err().map(|e| e.code()),
            Some("corrupt")
        );
    }

    proptest! {
        #[test]
        fn mutated_sections_never_panic(
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
            cut in any::<prop::sample::Index>(),
        ) {
            let (mut keywords, mut edges) = encode_keywords(&example());
            let i = at.index(keywords.len());
            keywords[i] = byte;
            let _ = decode_labels("k", &keywords);
            let i = at.index(edges.len());
            edges[i] = byte;
            let _ = decode_edges("g", &edges, 4);
            let _ = decode_edges("g", &edges[..cut.index(edges.len())], 4);
        }
    }
}
