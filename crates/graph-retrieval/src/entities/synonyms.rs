//! The section `synonyms`: for each entity those with nearly the same vector.

use crate::bundle::{BundleError, Bytes, Kind, begin_section, open_section, put_varint};
use crate::sparse::Csr;

/// Directed: row `e` has the entities nearest to `e`, with their cosines. Nearness need not be mutual.
pub type Synonyms = Csr<f32>;

/// Encodes the section.
pub fn encode_synonyms(synonyms: &Synonyms) -> Vec<u8> {
    let mut out = begin_section(Kind::Synonyms);
    put_rows(&mut out, synonyms);
    out
}

pub(super) fn put_rows(out: &mut Vec<u8>, synonyms: &Synonyms) {
    put_varint(out, synonyms.rows() as u32);
    for i in 0..synonyms.rows() {
        let (columns, values) = synonyms.row(i);
        put_varint(out, columns.len() as u32);
        let mut last = 0;
        for (&c, &v) in columns.iter().zip(values) {
            put_varint(out, c - last);
            out.extend_from_slice(&v.to_le_bytes());
            last = c;
        }
    }
}

/// Reads the section. Fails if the bytes are not such a section.
pub fn decode_synonyms(file: &str, bytes: &[u8]) -> Result<Synonyms, BundleError> {
    let mut b = open_section(file, bytes, Kind::Synonyms)?;
    let rows = take_rows(&mut b)?;
    b.end()?;
    Ok(rows)
}

pub(super) fn take_rows(b: &mut Bytes<'_>) -> Result<Synonyms, BundleError> {
    let n = b.count(1)?;
    let (mut offsets, mut columns, mut values) = (vec![0u32], Vec::new(), Vec::new());
    for _ in 0..n {
        let mut column = 0u32;
        for _ in 0..b.count(5)? {
            column = column.checked_add(b.varint()?).ok_or_else(|| b.corrupt("a synonym leads nowhere"))?;
            columns.push(column);
            values.push(b.f32()?);
        }
        offsets.push(columns.len() as u32);
    }
    Csr::new(n, offsets, columns, values).map_err(|e| b.corrupt(&e.to_string()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_section_reads_back_and_hostile_bytes_are_errors(
            rows in prop::collection::vec(prop::collection::vec((0u32..5, 0.0f32..1.0), 0..4), 5..6),
            flip in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            let synonyms = Csr::from_rows(5, rows);
            let mut bytes = encode_synonyms(&synonyms);
            prop_assert_eq!(&decode_synonyms("t", &bytes).unwrap(), &synonyms);
            let at = flip.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let _ = decode_synonyms("t", &bytes);
            bytes.truncate(at);
            prop_assert!(decode_synonyms("t", &bytes).is_err());
        }
    }
}
