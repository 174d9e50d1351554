//! Weights of chunks' scores, set by the owner of the documents or by their kind.

use super::codec::{Bytes, Kind, begin_section, open_section, put_texts, put_varint, take_texts};
use super::error::BundleError;

/// Chunks of one weight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightGroup {
    /// Factor of their scores in percent: 50 is half. Never 0.
    pub percent: u32,
    /// Terms of a question that ask for these chunks; their weight then does not apply.
    pub unless: Vec<String>,
    /// Ascending runs of chunks: the first, and the one after the last.
    pub runs: Vec<(u32, u32)>,
}

impl WeightGroup {
    /// Makes a group of ascending chunks.
    pub fn new(percent: u32, unless: Vec<String>, chunks: &[u32]) -> WeightGroup {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for &chunk in chunks {
            match runs.last_mut().filter(|(_, end)| *end == chunk) {
                Some((_, end)) => *end += 1,
                None => runs.push((chunk, chunk + 1)),
            }
        }
        WeightGroup { percent, unless, runs }
    }

    /// Returns true if a chunk is in the group.
    pub fn holds(&self, chunk: u32) -> bool {
        let after = self.runs.partition_point(|(first, _)| *first <= chunk);
        after.checked_sub(1).is_some_and(|at| chunk < self.runs[at].1)
    }
}

/// Encodes the section `weights`. A chunk in several groups has the weight of the first.
pub fn encode_weights(groups: &[WeightGroup]) -> Vec<u8> {
    let mut out = begin_section(Kind::Weights);
    put_varint(&mut out, groups.len() as u32);
    for group in groups {
        put_varint(&mut out, group.percent);
        put_texts(&mut out, &group.unless);
        put_varint(&mut out, group.runs.len() as u32);
        let mut last = 0;
        for &(first, end) in &group.runs {
            put_varint(&mut out, first - last);
            put_varint(&mut out, end - first);
            last = end;
        }
    }
    out
}

/// Reads the output of [`encode_weights`]. Fails if the bytes are not such a section.
pub fn decode_weights(file: &str, bytes: &[u8]) -> Result<Vec<WeightGroup>, BundleError> {
    let mut b = open_section(file, bytes, Kind::Weights)?;
    let groups = b.count(3)?;
    let groups = (0..groups).map(|_| take_group(&mut b)).collect::<Result<_, _>>()?;
    b.end().map(|()| groups)
}

fn take_group(b: &mut Bytes<'_>) -> Result<WeightGroup, BundleError> {
    let percent = b.varint()?;
    let unless = take_texts(b)?;
    let count = b.count(2)?;
    let mut runs = Vec::with_capacity(count);
    let mut last = 0_u32;
    for _ in 0..count {
        let first = last.checked_add(b.varint()?);
        let end = first.and_then(|first| Some((first, first.checked_add(b.varint().ok()?)?)));
        let Some(run) = end else { return Err(b.corrupt("a run of chunks is no run")) };
        runs.push(run);
        last = run.1;
    }
    if percent == 0 {
        return Err(b.corrupt("a weight is nothing"));
    }
    Ok(WeightGroup { percent, unless, runs })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn weights_read_back_and_hostile_bytes_are_refused(
            groups in prop::collection::vec(
                (
                    1u32..1000,
                    prop::collection::vec("[a-z]{1,6}", 0..3),
                    prop::collection::btree_set(0u32..60, 0..30),
                ),
                0..4,
            ),
            hostile in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let made: Vec<WeightGroup> = groups
                .iter()
                .map(|(percent, unless, chunks)| {
                    WeightGroup::new(*percent, unless.clone(), &chunks.iter().copied().collect::<Vec<_>>())
                })
                .collect();
            let mut bytes = encode_weights(&made);
            prop_assert_eq!(&decode_weights("t", &bytes).unwrap(), &made);
            for ((_, _, chunks), group) in groups.iter().zip(&made) {
                prop_assert!((0..62).all(|c| group.holds(c) == chunks.contains(&c)));
            }
            bytes.push(0);
            prop_assert!(decode_weights("t", &bytes).is_err());
            for group in decode_weights("t", &[begin_section(Kind::Weights), hostile].concat()).unwrap_or_default() {
                let _ = group.holds(7);
                prop_assert!(group.percent > 0);
            }
        }
    }
}
