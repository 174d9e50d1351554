//! Average ranks over sets: which way is best on the whole where figures of one set cannot be added to those of another.

use serde::Serialize;

/// One way's average ranks; 1 is the best.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankRow {
    /// The way of answering, or the retriever.
    pub name: String,
    /// By containment.
    pub contain_em: f64,
    /// By exact match.
    pub em: f64,
    /// By the overlap of tokens.
    pub f1: f64,
    /// Over how many comparisons: sets, or sets and protocols.
    pub over: usize,
}

/// The ranks of values, the largest first; those that are equal share the mean of their ranks.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
    let better = |v: f64| values.iter().filter(|o| **o > v).count() as f64;
    let same = |v: f64| values.iter().filter(|o| **o == v).count() as f64;
    values.iter().map(|&v| better(v) + (same(v) + 1.0) / 2.0).collect()
}

/// The average ranks of names over comparisons; a comparison gives for each of its names Contain-EM, EM and F1.
pub(super) fn average(names: &[String], comparisons: &[Vec<(String, [f64; 3])>]) -> Vec<RankRow> {
    let mut sums: Vec<([f64; 3], usize)> = vec![([0.0; 3], 0); names.len()];
    for comparison in comparisons {
        let columns: [Vec<f64>; 3] = std::array::from_fn(|i| ranks(&comparison.iter().map(|(_, values)| values[i]).collect::<Vec<_>>()));
        for (at, (name, _)) in comparison.iter().enumerate() {
            if let Some((sum, n)) = names.iter().position(|known| known == name).and_then(|place| sums.get_mut(place)) {
                sum.iter_mut().zip(&columns).for_each(|(s, column)| *s += column.get(at).copied().unwrap_or_default());
                *n += 1;
            }
        }
    }
    let row = |(name, ([contain_em, em, f1], over)): (&String, ([f64; 3], usize))| {
        let of = over.max(1) as f64;
        RankRow { name: name.clone(), contain_em: contain_em / of, em: em / of, f1: f1 / of, over }
    };
    let rows = names.iter().zip(sums).filter(|(_, (_, over))| *over > 0);
    rows.map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_the_mean_of_their_ranks() {
        assert_eq!(ranks(&[0.5, 0.9, 0.5, 0.1]), [2.5, 1.0, 2.5, 4.0]);
        assert!(ranks(&[]).is_empty());
    }

    #[test]
    fn ranks_are_averaged_over_comparisons_by_hand() {
        let of = |values: &[(&str, f64)]| values.iter().map(|(name, v)| ((*name).to_owned(), [*v, *v, 1.0 - v])).collect::<Vec<_>>();
        let names: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
        let rows = average(&names, &[of(&[("a", 0.9), ("b", 0.5)]), of(&[("b", 0.4), ("a", 0.4)])]);
        let measured: Vec<(&str, f64, f64, usize)> = rows.iter().map(|r| (r.name.as_str(), r.contain_em, r.f1, r.over)).collect();
        // F1 is the other way round in the first comparison; both share the second.
        assert_eq!(measured, [("a", 1.25, 1.75, 2), ("b", 1.75, 1.25, 2)]);
    }
}
