//! The section `entities`.

use super::{EntityIndex, Titles};
use crate::bundle::{
    BundleError, Bytes, Kind, begin_section, open_section, put_matrix, put_varint, take_vectors,
};
use crate::sparse::Lists;
use crate::vector::QuantizedMatrix;

/// Encodes the section: the entities' vectors, then for each chunk its sentences with their mentions.
pub fn encode_entities(vectors: &QuantizedMatrix, chunks: &[&[Vec<u32>]]) -> Vec<u8> {
    let mut out = begin_section(Kind::Entities);
    put_index(&mut out, vectors, chunks);
    out
}

/// Appends the parts of an index.
pub(super) fn put_index(out: &mut Vec<u8>, vectors: &QuantizedMatrix, chunks: &[&[Vec<u32>]]) {
    put_matrix(out, vectors);
    put_varint(out, chunks.len() as u32);
    for sentences in chunks {
        put_varint(out, sentences.len() as u32);
        for mentions in *sentences {
            put_varint(out, mentions.len() as u32);
            mentions.iter().for_each(|&m| put_varint(out, m));
        }
    }
}

/// Reads the section of a bundle of `entities` names with vectors of dimension `dim`. `titles` has for each
/// chunk the entities that name its document. Fails if the bytes are not such a section.
pub fn decode_entities(
    file: &str,
    bytes: &[u8],
    entities: usize,
    titles: &Titles,
    dim: u64,
) -> Result<EntityIndex, BundleError> {
    let mut b = open_section(file, bytes, Kind::Entities)?;
    let index = take_index(&mut b, entities, titles.chunks() as u64, titles, dim)?;
    b.end()?;
    Ok(index)
}

/// Number of names of titles that is accepted for any number of sentences.
const NAMED_ANYHOW: u64 = 1 << 20;
/// Number of names of titles that is accepted in addition for each sentence and mention.
const NAMED_A_SENTENCE: u64 = 8;

/// Reads the output of [`put_index`], of `entities` entities and `chunks` chunks with their `titles`.
pub(super) fn take_index(
    b: &mut Bytes<'_>,
    entities: usize,
    chunks: u64,
    titles: &Titles,
    dim: u64,
) -> Result<EntityIndex, BundleError> {
    let vectors = take_vectors(b, entities, dim)?;
    let n = b.count(1)?;
    if n as u64 != chunks {
        return Err(b.corrupt("its chunks are not the bundle's"));
    }
    let (mut first, mut mentions) = (Vec::with_capacity(n + 1), Lists::default());
    first.push(0);
    let mut sentence = Vec::new();
    for _ in 0..n {
        for _ in 0..b.count(1)? {
            for _ in 0..b.count(1)? {
                sentence.push(b.varint()?);
            }
            if sentence.iter().any(|&m| m as usize >= entities) {
                return Err(b.corrupt("a sentence mentions an entity that does not exist"));
            }
            mentions.push(sentence.drain(..));
        }
        first.push(mentions.len() as u32);
    }
    // Names times chunks: a few bytes of each would become gigabytes.
    let backed = NAMED_A_SENTENCE * (mentions.len() + mentions.items()) as u64 + NAMED_ANYHOW;
    if titles.named() > backed {
        return Err(b.corrupt("its documents have more names than their sentences back"));
    }
    Ok(EntityIndex::from_parts(vectors, first, mentions, titles))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_section_reads_back_and_hostile_bytes_are_errors(
            chunks in prop::collection::vec(
                prop::collection::vec(prop::collection::vec(0u32..4, 0..4), 0..3),
                0..5,
            ),
            flip in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            let vectors = QuantizedMatrix::from_rows(
                2,
                [[1.0f32, 0.5], [0.0, 1.0], [0.3, 0.1], [1.0, -1.0]].iter().map(|r| &r[..]),
            );
            let lists: Vec<&[Vec<u32>]> = chunks.iter().map(Vec::as_slice).collect();
            let mut bytes = encode_entities(&vectors, &lists);
            let none = |chunks: usize| Titles::new(Lists::default(), vec![0; chunks]);
            let (titles, more) = (none(chunks.len()), none(chunks.len() + 1));
            let read = decode_entities("t", &bytes, 4, &titles, 2).unwrap();
            prop_assert_eq!(&read.vectors, &vectors);
            for (c, sentences) in chunks.iter().enumerate() {
                let got: Vec<Vec<u32>> =
                    read.sentences_in(c as u32).map(|s| read.mentioned(s).to_vec()).collect();
                prop_assert_eq!(&got, sentences);
            }
            prop_assert!(decode_entities("t", &bytes, 4, &more, 2).is_err());
            prop_assert!(decode_entities("t", &bytes, 4, &titles, 3).is_err());
            prop_assert!(decode_entities("t", &bytes, 5, &titles, 2).is_err());
            let at = flip.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let _ = decode_entities("t", &bytes, 4, &titles, 2);
            bytes.truncate(at);
            prop_assert!(decode_entities("t", &bytes, 4, &titles, 2).is_err());
        }
    }

    #[test]
    fn names_times_chunks_are_refused_before_they_take_memory() {
        const NAMES: usize = 3000;
        let rows = vec![[1.0f32]; NAMES];
        let vectors = QuantizedMatrix::from_rows(1, rows.iter().map(|r| &r[..]));
        let read = |chunks: usize| {
            let bytes = encode_entities(&vectors, &vec![&[][..]; chunks]);
            let names: Lists = [(0..NAMES as u32).collect::<Vec<u32>>()].into_iter().collect();
            decode_entities("t", &bytes, NAMES, &Titles::new(names, vec![0; chunks]), 1)
        };
        assert_eq!(read(300).unwrap().chunks_of(0).len(), 300);
        assert!(read(400).unwrap_err().to_string().contains("more names than their sentences back"));
    }
}
