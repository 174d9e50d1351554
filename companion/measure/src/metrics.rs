//! Measures ranked retrieval, with the uncertainty of means.

/// A page that answers a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Judged {
    /// Index of the page.
    pub page: u32,
    /// Grade of the answer, at least 1; 1 everywhere in sets without grades.
    pub grade: u32,
}

/// Measures of one question, or their means over many; each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Measures {
    /// Share of the gold pages at the first place.
    pub recall_1: f64,
    /// Share among the first 2.
    pub recall_2: f64,
    /// Share among the first 5.
    pub recall_5: f64,
    /// Share among the first 10.
    pub recall_10: f64,
    /// 1 if all gold pages are among the first 5.
    pub all_recall_5: f64,
    /// Normalised discounted cumulative gain at 10, with grades as gains (Järvelin and Kekäläinen, 2002).
    pub ndcg_10: f64,
    /// Reciprocal rank of the first gold page among the first 10, else 0.
    pub mrr_10: f64,
}

/// Number of measures.
pub const MEASURES: usize = 7;

/// Measures one ranking (best first, no page twice) against its gold pages (at least one, each once).
pub fn measure_ranking(ranking: &[u32], gold: &[Judged]) -> Measures {
    let grade = |page: &u32| gold.iter().find(|g| g.page == *page).map_or(0, |g| g.grade);
    let recall =
        |k: usize| ranking.iter().take(k).filter(|p| grade(p) > 0).count() as f64 / gold.len().max(1) as f64;
    let discounted = |grades: &mut dyn Iterator<Item = u32>| -> f64 {
        grades.take(10).enumerate().map(|(rank, grade)| f64::from(grade) / ((rank + 2) as f64).log2()).sum()
    };
    let mut best: Vec<u32> = gold.iter().map(|g| g.grade).collect();
    best.sort_unstable_by(|a, b| b.cmp(a));
    let (gained, ideal) = (discounted(&mut ranking.iter().map(grade)), discounted(&mut best.into_iter()));
    Measures {
        recall_1: recall(1),
        recall_2: recall(2),
        recall_5: recall(5),
        recall_10: recall(10),
        all_recall_5: if recall(5) >= 1.0 { 1.0 } else { 0.0 },
        ndcg_10: if ideal > 0.0 { gained / ideal } else { 0.0 },
        mrr_10: ranking.iter().take(10).position(|p| grade(p) > 0).map_or(0.0, |i| 1.0 / (i + 1) as f64),
    }
}

/// Returns the pages of ranked chunks, each at the place of its best chunk.
pub fn pages_of(documents: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::new();
    for page in documents {
        if !out.contains(&page) {
            out.push(page);
        }
    }
    out
}

impl Measures {
    /// Returns the measures by name, always in this order.
    pub fn named(&self) -> [(&'static str, f64); MEASURES] {
        [
            ("recall@1", self.recall_1),
            ("recall@2", self.recall_2),
            ("recall@5", self.recall_5),
            ("recall@10", self.recall_10),
            ("all-recall@5", self.all_recall_5),
            ("nDCG@10", self.ndcg_10),
            ("MRR@10", self.mrr_10),
        ]
    }

    /// Creates measures from values in the order of [`Measures::named`].
    fn of(values: [f64; MEASURES]) -> Measures {
        let [recall_1, recall_2, recall_5, recall_10, all_recall_5, ndcg_10, mrr_10] = values;
        Measures { recall_1, recall_2, recall_5, recall_10, all_recall_5, ndcg_10, mrr_10 }
    }

    /// Returns the means over questions; zero for none.
    pub fn mean(all: &[Measures]) -> Measures {
        Measures::of(columns_of(all).map(|values| mean(&values)))
    }
}

/// Returns the values of each measure, in the order of [`Measures::named`].
fn columns_of(all: &[Measures]) -> [Vec<f64>; MEASURES] {
    std::array::from_fn(|i| all.iter().map(|m| m.named()[i].1).collect())
}

/// 95 % bootstrap intervals of the means of all measures.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Intervals {
    /// The lower ends.
    pub low: Measures,
    /// The upper ends.
    pub high: Measures,
}

impl Intervals {
    /// Computes the intervals of measures.
    pub fn of(all: &[Measures]) -> Intervals {
        let ends = columns_of(all).map(|values| bootstrap_interval(&values));
        Intervals { low: Measures::of(ends.map(|e| e.0)), high: Measures::of(ends.map(|e| e.1)) }
    }

    /// Returns the intervals, as (low, high), in the order of [`Measures::named`].
    pub fn ends(&self) -> [(f64, f64); MEASURES] {
        let (low, high) = (self.low.named(), self.high.named());
        std::array::from_fn(|i| (low[i].1, high[i].1))
    }
}

/// A mean over questions with its 95 % bootstrap interval.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// Estimates the mean of values; zero for none.
    pub fn of(values: &[f64]) -> Estimate {
        let (low, high) = bootstrap_interval(values);
        Estimate { mean: mean(values), low, high }
    }

    /// Estimates the mean difference of paired values, such as two systems' figures for the same questions.
    pub fn of_difference(ours: &[f64], theirs: &[f64]) -> Estimate {
        Estimate::of(&ours.iter().zip(theirs).map(|(a, b)| a - b).collect::<Vec<_>>())
    }
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} ({:.3} to {:.3})", self.mean, self.low, self.high)
    }
}

/// Returns the mean; zero for none.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Returns the quantile `q` of values, by the nearest rank; zero for none.
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(((values.len().max(1) - 1) as f64 * q).round() as usize).copied().unwrap_or(0.0)
}

/// Returns the 95 % bootstrap interval of a mean: 2,000 resamples by a generator with a fixed seed.
pub fn bootstrap_interval(values: &[f64]) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        // xorshift64*, which is good enough for resampling.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize
    };
    let mut means: Vec<f64> = (0..2000)
        .map(|_| (0..values.len()).map(|_| values[next() % values.len()]).sum::<f64>() / values.len() as f64)
        .collect();
    means.sort_by(f64::total_cmp);
    (means[49], means[1949])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gold(pages: &[u32]) -> Vec<Judged> {
        pages.iter().map(|&page| Judged { page, grade: 1 }).collect()
    }

    #[test]
    fn a_page_is_where_its_best_chunk_is() {
        assert_eq!(pages_of([4, 4, 2, 4, 9, 2, 7].into_iter()), [4, 2, 9, 7]);
        assert!(pages_of(std::iter::empty()).is_empty());
    }

    #[test]
    fn a_perfect_ranking_measures_one_and_an_empty_one_zero() {
        let m = measure_ranking(&[3, 7, 1], &gold(&[3, 7]));
        assert_eq!((m.recall_1, m.recall_2, m.all_recall_5, m.ndcg_10, m.mrr_10), (0.5, 1.0, 1.0, 1.0, 1.0));
        assert_eq!(measure_ranking(&[], &gold(&[3])), Measures::default());
    }

    #[test]
    fn ndcg_counts_rank_by_hand() {
        // Gold at ranks 2 and 4: (1/log2 3 + 1/log2 5) / (1/log2 2 + 1/log2 3).
        let m = measure_ranking(&[9, 3, 8, 7], &gold(&[3, 7]));
        let expected = (1.0 / 3f64.log2() + 1.0 / 5f64.log2()) / (1.0 + 1.0 / 3f64.log2());
        assert!((m.ndcg_10 - expected).abs() < 1e-12);
        assert_eq!(m.mrr_10, 0.5);
    }

    #[test]
    fn a_higher_grade_gains_more_by_hand() {
        let judged = [Judged { page: 3, grade: 1 }, Judged { page: 7, grade: 3 }];
        // 1 at rank 1 and 3 at rank 2, where 3 and then 1 would have been best.
        let expected = (1.0 + 3.0 / 3f64.log2()) / (3.0 + 1.0 / 3f64.log2());
        assert!((measure_ranking(&[3, 7], &judged).ndcg_10 - expected).abs() < 1e-12);
        assert_eq!(measure_ranking(&[7, 3], &judged).ndcg_10, 1.0);
    }

    #[test]
    fn more_gold_pages_than_ten_can_still_be_ranked_perfectly() {
        let ranking: Vec<u32> = (0..10).collect();
        let m = measure_ranking(&ranking, &gold(&(0..40).collect::<Vec<_>>()));
        assert_eq!((m.ndcg_10, m.recall_10), (1.0, 0.25));
    }

    /// nDCG as its definition has it, for every ranking of ten.
    fn naive(ranking: &[u32], gold: &[Judged]) -> f64 {
        let mut dcg = 0.0;
        for i in 1..=10 {
            for g in gold {
                if ranking.get(i - 1) == Some(&g.page) {
                    dcg += f64::from(g.grade) / ((i + 1) as f64).log2();
                }
            }
        }
        let mut grades: Vec<u32> = gold.iter().map(|g| g.grade).collect();
        grades.sort_unstable();
        let mut ideal = 0.0;
        for (i, grade) in grades.iter().rev().enumerate().take(10) {
            ideal += f64::from(*grade) / ((i + 2) as f64).log2();
        }
        dcg / ideal
    }

    proptest! {
        #[test]
        fn the_measures_agree_with_their_definitions(
            ranking in proptest::sample::subsequence((0..14u32).collect::<Vec<_>>(), 0..14).prop_shuffle(),
            judged in proptest::collection::btree_map(0..20u32, 1..4u32, 1..14),
        ) {
            let gold: Vec<Judged> = judged.into_iter().map(|(page, grade)| Judged { page, grade }).collect();
            let m = measure_ranking(&ranking, &gold);
            prop_assert!((m.ndcg_10 - naive(&ranking, &gold)).abs() < 1e-12);
            let is_gold = |p: &u32| gold.iter().any(|g| g.page == *p);
            let found =
                |k: usize| gold.iter().filter(|g| ranking.iter().take(k).any(|p| *p == g.page)).count();
            prop_assert_eq!(m.recall_5, found(5) as f64 / gold.len() as f64);
            prop_assert_eq!(m.all_recall_5 == 1.0, found(5) == gold.len());
            let rank = ranking.iter().take(10).position(is_gold);
            prop_assert_eq!(m.mrr_10, rank.map_or(0.0, |r| 1.0 / (r as f64 + 1.0)));
            for (_, value) in m.named() {
                prop_assert!((0.0..=1.0).contains(&value));
            }
        }
    }

    #[test]
    fn the_interval_holds_the_mean_and_is_the_same_every_time() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        let (low, high) = bootstrap_interval(&values);
        assert!(low < 0.5 && 0.5 < high && high - low < 0.3);
        assert_eq!(bootstrap_interval(&values), (low, high));
        assert_eq!((bootstrap_interval(&[]), bootstrap_interval(&[0.25; 7])), ((0.0, 0.0), (0.25, 0.25)));
    }

    #[test]
    fn the_interval_is_near_that_of_the_normal_distribution() {
        // 400 values of deviation 1/2: the mean's standard error is 1/40, the interval 1.96 of it on either
        // side.
        let values: Vec<f64> = (0..400).map(|i| f64::from(i % 2)).collect();
        let (low, high) = bootstrap_interval(&values);
        assert!(
            (low - (0.5 - 1.96 / 40.0)).abs() < 0.006 && (high - (0.5 + 1.96 / 40.0)).abs() < 0.006,
            "{low} {high}"
        );
    }

    #[test]
    fn a_paired_difference_is_surer_than_its_two_means() {
        let theirs: Vec<f64> = (0..60).map(|i| f64::from(i % 2)).collect();
        let ours: Vec<f64> = theirs.iter().map(|v| v + 0.1).collect();
        let Estimate { mean, low, high } = Estimate::of_difference(&ours, &theirs);
        assert!((mean - 0.1).abs() < 1e-9 && (low - 0.1).abs() < 1e-9 && (high - 0.1).abs() < 1e-9);
    }

    #[test]
    fn means_of_measures_and_their_intervals_go_together() {
        let all = [measure_ranking(&[1], &gold(&[1])), measure_ranking(&[2], &gold(&[1]))];
        assert_eq!(Measures::mean(&all).recall_1, 0.5);
        for ((_, mean), (low, high)) in
            Measures::mean(&all).named().into_iter().zip(Intervals::of(&all).ends())
        {
            assert!(low <= mean && mean <= high);
        }
        assert_eq!((quantile(&[3.0, 1.0, 2.0], 0.5), quantile(&[], 0.5)), (2.0, 0.0));
    }
}
