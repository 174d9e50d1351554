//! The section `names`.

use super::table::{NameEntry, NameTable};
use crate::bundle::{BundleError, Kind, begin, open_section, put_varint};

/// The section's bytes.
pub fn encode_names(table: &NameTable) -> Vec<u8> {
    let mut out = begin(Kind::Names);
    out.push(u8::from(table.hop));
    put_varint(&mut out, table.document_of.len() as u32);
    table.document_of.iter().for_each(|&d| put_varint(&mut out, d));
    put_varint(&mut out, table.title_weight.len() as u32);
    for (&weight, &links) in table.title_weight.iter().zip(&table.links_in) {
        put_varint(&mut out, weight);
        put_varint(&mut out, links);
    }
    put_varint(&mut out, table.entries.len() as u32);
    let mut last = "";
    for e in &table.entries {
        // Sorted keys share their beginnings: only what differs is written.
        let shared = last.bytes().zip(e.key.bytes()).take_while(|(a, b)| a == b).count();
        let shared = (0..=shared).rev().find(|&n| e.key.is_char_boundary(n)).unwrap_or(0);
        put_varint(&mut out, shared as u32);
        put_varint(&mut out, (e.key.len() - shared) as u32);
        out.extend_from_slice(&e.key.as_bytes()[shared..]);
        put_varint(&mut out, e.chunks);
        put_varint(&mut out, e.of.len() as u32);
        for &(document, strength) in &e.of {
            put_varint(&mut out, document);
            out.push(strength);
        }
        last = &e.key;
    }
    out
}

/// Reads the section of a bundle with `chunks` chunks and `documents` documents.
///
/// # Errors
/// [`BundleError`] when the bytes are no such section.
pub fn decode_names(file: &str, bytes: &[u8], chunks: u64, documents: u64) -> Result<NameTable, BundleError> {
    let mut b = open_section(file, bytes, Kind::Names)?;
    let hop = match b.take(1)? {
        [0] => false,
        [1] => true,
        _ => return Err(b.corrupt("a flag is neither 0 nor 1")),
    };
    let n = b.count(1)?;
    let document_of = (0..n).map(|_| b.varint()).collect::<Result<Vec<_>, _>>()?;
    let known = |d: u32| u64::from(d) < documents;
    if n as u64 != chunks || !document_of.iter().all(|&d| known(d)) {
        return Err(b.corrupt("its chunks are not the bundle's"));
    }
    let n = b.count(2)?;
    if n as u64 != documents {
        return Err(b.corrupt("its documents are not the bundle's"));
    }
    let (mut title_weight, mut links_in) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for _ in 0..n {
        title_weight.push(b.varint()?);
        links_in.push(b.varint()?);
    }
    let n = b.count(4)?;
    let mut entries: Vec<NameEntry> = Vec::with_capacity(n);
    for _ in 0..n {
        let shared = b.varint()? as usize;
        let length = b.count(1)?;
        let rest = std::str::from_utf8(b.take(length)?).map_err(|_| b.corrupt("a name is not UTF-8"))?;
        let last = entries.last().map_or("", |e| e.key.as_str());
        let start = last.get(..shared).ok_or_else(|| b.corrupt("a name shares more than the last one has"))?;
        let key = format!("{start}{rest}");
        if !entries.is_empty() && key.as_str() <= last {
            return Err(b.corrupt("names are not in order"));
        }
        let in_chunks = b.varint()?;
        let m = b.count(2)?;
        let mut of = Vec::with_capacity(m);
        for _ in 0..m {
            let document = b.varint()?;
            let strength = b.take(1)?.first().copied().unwrap_or(0);
            if !known(document) || strength > 100 {
                return Err(b.corrupt("a name points outside its bundle"));
            }
            of.push((document, strength));
        }
        entries.push(NameEntry { key, chunks: in_chunks, of });
    }
    b.end()?;
    Ok(NameTable { entries, document_of, title_weight, links_in, hop })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn the_table_reads_back_and_hostile_bytes_are_errors(
            names in prop::collection::btree_map("[a-zé ]{1,8}", (0u32..9, prop::collection::vec((0u32..3, 0u8..=100), 0..3)), 0..12),
            hop in any::<bool>(),
            flip in 0usize..400,
        ) {
            let names: BTreeMap<String, _> = names;
            let entries = names.into_iter().map(|(key, (chunks, of))| NameEntry { key, chunks, of }).collect();
            let table = NameTable { entries, document_of: vec![0, 2, 1, 1], title_weight: vec![256, 0, 9], links_in: vec![0, 4, 1], hop };
            let mut bytes = encode_names(&table);
            prop_assert_eq!(decode_names("t", &bytes, 4, 3).unwrap(), table);
            let at = flip % bytes.len();
            bytes[at] = bytes[at].wrapping_add(17);
            let _ = decode_names("t", &bytes, 4, 3);
            bytes.truncate(at);
            prop_assert!(decode_names("t", &bytes, 4, 3).is_err());
        }
    }
}
