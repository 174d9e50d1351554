//! Names within a few edits of a mention: trigrams select them, a banded edit distance decides.

use super::names::{HashIndex, KeyHash};
use crate::compact::{sort_by, sort_unique};

/// Number of edits allowed for a key of this length: none below 4 characters, one below 8, otherwise two.
pub(super) fn allowed_edits(chars: usize) -> usize {
    match chars {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Maximum length of a compared key: nobody mistypes a thousand characters, and the table would be hostile.
const LONGEST: usize = 96;

/// Maximum number of names, by shared trigrams, that are compared letter by letter.
const COMPARED: usize = 128;

/// Trigrams of keys. A key of n characters has n + 1 of them, with a space at each end.
#[derive(Debug, Clone, Default)]
pub(super) struct TrigramIndex {
    /// Keys that have each trigram.
    keys: HashIndex,
    /// Number of characters of each key; 0 for keys that are too short or too long, which have no trigrams.
    lengths: Vec<u8>,
}

/// Returns the hashes of a key's trigrams, each once.
fn hash_trigrams(key: &str) -> Vec<u64> {
    let chars: Vec<char> = std::iter::once(' ').chain(key.chars()).chain(std::iter::once(' ')).collect();
    let mut out: Vec<u64> = chars
        .windows(3)
        .map(|w| {
            let mut buffer = [0u8; 4];
            let hash = w.iter().fold(KeyHash::EMPTY, |h, c| h.text(c.encode_utf8(&mut buffer)));
            // Mixes the last character into the upper bits, by which the index finds the hash.
            hash.0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
        .collect();
    sort_unique(&mut out);
    out
}

impl TrigramIndex {
    /// Indexes keys by their place in the iteration.
    pub fn new<'a>(keys: impl Iterator<Item = &'a str>) -> Self {
        let mut grams: Vec<(u64, u32)> = Vec::new();
        let mut lengths = Vec::new();
        for (i, key) in keys.enumerate() {
            let n = key.chars().count();
            if allowed_edits(n) == 0 || n > LONGEST {
                lengths.push(0);
                continue;
            }
            lengths.push(n as u8);
            grams.extend(hash_trigrams(key).into_iter().map(|gram| (gram, i as u32)));
        }
        TrigramIndex { keys: HashIndex::new(&grams), lengths }
    }

    /// Returns the keys within the allowed edits of `key`, as (edits, place), best first, by their `text`.
    pub fn near(&self, key: &str, text: &dyn Fn(u32) -> String) -> Vec<(usize, u32)> {
        let n = key.chars().count();
        let most = allowed_edits(n);
        if most == 0 || n > LONGEST {
            return Vec::new();
        }
        let mut counts = vec![0u8; self.lengths.len()];
        let mut touched = Vec::new();
        let grams = hash_trigrams(key);
        for gram in &grams {
            for k in self.keys.names(KeyHash(*gram)) {
                if usize::from(self.lengths[k as usize]).abs_diff(n) > most {
                    continue;
                }
                if counts[k as usize] == 0 {
                    touched.push(k);
                }
                counts[k as usize] = counts[k as usize].saturating_add(1);
            }
        }
        // An edit spoils at most three trigrams (a swap of neighbours four): near keys share at least these.
        let least = grams.len().saturating_sub(4 * most).max(1);
        touched.retain(|&k| usize::from(counts[k as usize]) >= least);
        touched.sort_unstable_by_key(|&k| (std::cmp::Reverse(counts[k as usize]), k));
        touched.truncate(COMPARED);
        let mut out: Vec<(usize, u32)> =
            touched.into_iter().filter_map(|k| edit_distance(key, &text(k), most).map(|d| (d, k))).collect();
        sort_by(&mut out, Ord::cmp);
        out
    }
}

/// Returns the Damerau-Levenshtein distance (insert, delete, replace, swap neighbours; no part edited twice),
/// if it is at most `most`.
pub(super) fn edit_distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > most || a.len().max(b.len()) > 2 * LONGEST {
        return None;
    }
    let width = b.len() + 1;
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (vec![0; width], (0..width).collect());
    for i in 1..=a.len() {
        let mut row = vec![most + 1; width];
        row[0] = i;
        let (low, high) = (i.saturating_sub(most).max(1), (i + most).min(b.len()));
        let mut best = row[0];
        for j in low..=high {
            let same = a[i - 1] == b[j - 1];
            let mut d = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + usize::from(!same));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                d = d.min(before[j - 2] + 1);
            }
            row[j] = d;
            best = best.min(d);
        }
        if best > most {
            return None;
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|&d| d <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Computes the same distance by its definition, without the band.
    fn naive(a: &[char], b: &[char]) -> usize {
        let mut d = vec![vec![0usize; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                d[i][j] = if i == 0 || j == 0 {
                    i.max(j)
                } else {
                    let mut x = (d[i - 1][j] + 1)
                        .min(d[i][j - 1] + 1)
                        .min(d[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]));
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        x = x.min(d[i - 2][j - 2] + 1);
                    }
                    x
                };
            }
        }
        d[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn the_banded_distance_is_the_distance(a in "[abc]{0,9}", b in "[abc]{0,9}", most in 0usize..4) {
            let d = naive(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
            prop_assert_eq!(edit_distance(&a, &b, most), (d <= most).then_some(d));
        }

        #[test]
        fn the_index_finds_the_near_keys_among_those_that_share_trigrams(
            keys in prop::collection::vec("[ab ]{3,12}", 0..60),
            asked in "[ab ]{3,12}",
        ) {
            let index = TrigramIndex::new(keys.iter().map(String::as_str));
            let chars = |key: &str| key.chars().count();
            let (most, grams) = (allowed_edits(chars(&asked)), hash_trigrams(&asked));
            let shares = |key: &str| {
                hash_trigrams(key).iter().filter(|g| grams.contains(g)).count()
                    >= grams.len().saturating_sub(4 * most).max(1)
            };
            let fits = |key: &str| most > 0 && allowed_edits(chars(key)) > 0 && shares(key);
            let places = (0..).zip(&keys).filter(|(_, key)| fits(key));
            let mut all: Vec<(usize, u32)> =
                places.filter_map(|(place, key)| Some((edit_distance(&asked, key, most)?, place))).collect();
            all.sort_unstable();
            prop_assert_eq!(index.near(&asked, &|k| keys[k as usize].clone()), all);
        }
    }

    #[test]
    fn mistyped_names_are_found_nearest_first() {
        let keys = ["john travolta", "jon voight", "john travolti", "up", "olivia newton"];
        let index = TrigramIndex::new(keys.iter().copied());
        let of = |q: &str| index.near(q, &|k| keys[k as usize].to_owned());
        assert_eq!(of("jonh travolta"), [(1, 0), (2, 2)]);
        assert_eq!(of("olivia newtom"), [(1, 4)]);
        assert_eq!((of("ip"), of("somebody else")), (vec![], vec![]));
    }
}
