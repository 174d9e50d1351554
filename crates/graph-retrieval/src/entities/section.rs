//! The section `entities`.

use super::EntityIndex;
use crate::bundle::{BundleError, Bytes, Kind, begin, open_section, put_matrix, put_varint, take_matrix};
use crate::vector::QuantizedMatrix;

/// The section's bytes: the entities' vectors, then for each chunk its sentences with their mentions.
pub fn encode_entities(vectors: &QuantizedMatrix, chunks: &[&[Vec<u32>]]) -> Vec<u8> {
    let mut out = begin(Kind::Entities);
    put_index(&mut out, vectors, chunks);
    out
}

/// Appends what an index is made of.
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

/// Reads the section of a bundle with vectors of dimension `dim`; `titles` holds for each of its chunks the entities that name its document.
///
/// # Errors
/// [`BundleError`] when the bytes are no such section.
pub fn decode_entities(file: &str, bytes: &[u8], titles: &[Vec<u32>], dim: u64) -> Result<EntityIndex, BundleError> {
    let mut b = open_section(file, bytes, Kind::Entities)?;
    let index = take_index(&mut b, titles.len() as u64, titles, dim)?;
    b.end()?;
    Ok(index)
}

/// Reads what [`put_index`] wrote, of `chunks` chunks, whose documents `titles` name, where they are given.
pub(super) fn take_index(b: &mut Bytes<'_>, chunks: u64, titles: &[Vec<u32>], dim: u64) -> Result<EntityIndex, BundleError> {
    let vectors = take_matrix(b)?;
    if vectors.rows() > 0 && vectors.dim() as u64 != dim {
        return Err(b.corrupt("its vectors have another dimension than the bundle's"));
    }
    let n = b.count(1)?;
    if n as u64 != chunks {
        return Err(b.corrupt("its chunks are not the bundle's"));
    }
    let mut all = Vec::with_capacity(n);
    for _ in 0..n {
        let count = b.count(1)?;
        let mut sentences = Vec::with_capacity(count);
        for _ in 0..count {
            let m = b.count(1)?;
            let mentions = (0..m).map(|_| b.varint()).collect::<Result<Vec<u32>, _>>()?;
            if mentions.iter().any(|&m| m as usize >= vectors.rows()) {
                return Err(b.corrupt("a sentence mentions an entity that does not exist"));
            }
            sentences.push(mentions);
        }
        all.push(sentences);
    }
    Ok(EntityIndex::new(vectors, &all, titles))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_section_reads_back_and_hostile_bytes_are_errors(
            chunks in prop::collection::vec(prop::collection::vec(prop::collection::vec(0u32..4, 0..4), 0..3), 0..5),
            flip in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            let vectors = QuantizedMatrix::from_rows(2, [[1.0f32, 0.5], [0.0, 1.0], [0.3, 0.1], [1.0, -1.0]].iter().map(|r| &r[..]));
            let lists: Vec<&[Vec<u32>]> = chunks.iter().map(Vec::as_slice).collect();
            let mut bytes = encode_entities(&vectors, &lists);
            let titles = vec![Vec::new(); chunks.len()];
            let more = vec![Vec::new(); chunks.len() + 1];
            let read = decode_entities("t", &bytes, &titles, 2).unwrap();
            prop_assert_eq!(&read.vectors, &vectors);
            for (c, sentences) in chunks.iter().enumerate() {
                let got: Vec<Vec<u32>> = read.sentences_in(c as u32).map(|s| read.mentioned(s).to_vec()).collect();
                prop_assert_eq!(&got, sentences);
            }
            prop_assert!(decode_entities("t", &bytes, &more, 2).is_err());
            prop_assert!(decode_entities("t", &bytes, &titles, 3).is_err());
            let at = flip.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let _ = decode_entities("t", &bytes, &titles, 2);
            bytes.truncate(at);
            prop_assert!(decode_entities("t", &bytes, &titles, 2).is_err());
        }
    }
}
