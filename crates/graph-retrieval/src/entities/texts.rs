//! Texts that a model wrote: the sections `reports` (for each community) and `summaries` (for each tree
//! node).

use crate::bundle::{BundleError, Kind, begin_section, open_section, put_texts, take_texts};

/// Encodes the section.
pub fn encode_texts(texts: &[String]) -> Vec<u8> {
    let mut out = begin_section(Kind::Texts);
    put_texts(&mut out, texts);
    out
}

/// Reads the section, which must have `count` texts. Fails if the bytes are not such a section.
pub fn decode_texts(file: &str, bytes: &[u8], count: usize) -> Result<Vec<String>, BundleError> {
    let mut b = open_section(file, bytes, Kind::Texts)?;
    let texts = take_texts(&mut b)?;
    b.end()?;
    if texts.len() == count { Ok(texts) } else { Err(b.corrupt("it does not have one text for each")) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_section_reads_back_and_hostile_bytes_are_errors(
            texts in prop::collection::vec("[a-zé日]{0,6}", 0..6),
            flip in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            let mut bytes = encode_texts(&texts);
            prop_assert_eq!(&decode_texts("t", &bytes, texts.len()).unwrap(), &texts);
            prop_assert!(decode_texts("t", &bytes, texts.len() + 1).is_err());
            let at = flip.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let _ = decode_texts("t", &bytes, texts.len());
            bytes.truncate(at);
            prop_assert!(decode_texts("t", &bytes, texts.len()).is_err());
        }
    }
}
