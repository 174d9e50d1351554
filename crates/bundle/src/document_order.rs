//! Numbers of documents in the order of chunks.

use super::codec::{Kind, begin_section, open_section, put_varints, take_varints};
use super::error::BundleError;

/// Encodes the section `document-order`: the number in `documents` of each document, as chunks number them.
/// The identity is written as an empty list.
pub fn encode_document_order(order: &[u32]) -> Vec<u8> {
    let order = if order.iter().zip(0..).all(|(&d, at)| d == at) { &[] } else { order };
    let mut out = begin_section(Kind::DocumentOrder);
    put_varints(&mut out, order);
    out
}

/// Reads the output of [`encode_document_order`]; empty for the identity. Fails on other bytes.
pub fn decode_document_order(file: &str, bytes: &[u8]) -> Result<Vec<u32>, BundleError> {
    let mut b = open_section(file, bytes, Kind::DocumentOrder)?;
    let out = take_varints(&mut b)?;
    b.end().map(|()| out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_order_reads_back_and_a_cut_section_is_refused() {
        for (order, read) in [(vec![2, 0, 1], vec![2, 0, 1]), (vec![0, 1, 2], vec![]), (vec![], vec![])] {
            let bytes = encode_document_order(&order);
            assert_eq!(decode_document_order("t", &bytes).unwrap(), read);
            assert!((0..bytes.len()).all(|end| decode_document_order("t", &bytes[..end]).is_err()));
        }
    }
}
