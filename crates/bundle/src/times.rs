//! Statements that differ in a value, with the time from which each holds.

use super::codec::{Kind, begin_section, open_section, put_texts, put_varints, take_texts, take_varints};
use super::error::BundleError;

/// The first moment after that of what ended before all others, such as a page that is archived.
pub const ENDED: u32 = 1;

/// The section `times`: statements with the time in which they hold. First sentences that state a value which
/// another passage states otherwise, by the thing that they are about, the earliest first; last whole passages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Times {
    /// For each statement the words for the time in which it holds; empty if nothing tells.
    pub labels: Vec<String>,
    /// For each statement its chunk, its start and end in the chunk's text, the first moment at which it
    /// holds and the first at which it holds no longer, as `20250301` or a version, 0 if nothing tells, and
    /// the number of the thing, 0 if no other statement is compared with it.
    pub statements: Vec<u32>,
}

/// Encodes the section.
pub fn encode_times(times: &Times) -> Vec<u8> {
    let mut out = begin_section(Kind::Times);
    put_texts(&mut out, &times.labels);
    put_varints(&mut out, &times.statements);
    out
}

/// Reads what [`encode_times`] wrote. Fails if the bytes are no such section.
pub fn decode_times(file: &str, bytes: &[u8]) -> Result<Times, BundleError> {
    let mut b = open_section(file, bytes, Kind::Times)?;
    let times = Times { labels: take_texts(&mut b)?, statements: take_varints(&mut b)? };
    if times.statements.len() != 6 * times.labels.len() {
        return Err(b.corrupt("a statement is cut"));
    }
    b.end().map(|()| times)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn times_read_back_and_a_cut_section_is_refused() {
        let labels = vec![String::new(), "From 2025-03-01".to_owned()];
        let all = Times { labels, statements: vec![7, 3, 9, 0, 0, 1, 2, 3, 9, 20_250_301, 0, 1] };
        let bytes = encode_times(&all);
        assert_eq!(decode_times("t", &bytes).unwrap(), all);
        assert!((0..bytes.len()).all(|end| decode_times("t", &bytes[..end]).is_err()));
        let uneven = Times { labels: Vec::new(), ..all };
        assert!(decode_times("t", &encode_times(&uneven)).is_err());
    }
}
