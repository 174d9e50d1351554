//! The measures of ranked retrieval with binary judgements.

/// The measures of one question, or their means over many; each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Measures {
    /// Share of the gold passages among the first 1.
    pub recall_1: f64,
    /// Among the first 2.
    pub recall_2: f64,
    /// Among the first 5.
    pub recall_5: f64,
    /// Among the first 10.
    pub recall_10: f64,
    /// 1 when every gold passage is among the first 5.
    pub all_recall_5: f64,
    /// Normalised discounted cumulative gain at 10, gains of 0 and 1 (Järvelin and Kekäläinen, 2002).
    pub ndcg_10: f64,
    /// Reciprocal rank of the first gold passage among the first 10, else 0.
    pub mrr_10: f64,
}

/// Measures one ranking (best first, no passage twice) against its gold passages (at least one).
pub fn measure(ranking: &[u32], gold: &[u32]) -> Measures {
    let recall = |k: usize| ranking.iter().take(k).filter(|p| gold.contains(p)).count() as f64 / gold.len().max(1) as f64;
    let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
    let dcg: f64 = ranking.iter().take(10).enumerate().filter(|(_, p)| gold.contains(p)).map(|(i, _)| gain(i)).sum();
    let ideal: f64 = (0..gold.len().min(10)).map(gain).sum();
    Measures {
        recall_1: recall(1),
        recall_2: recall(2),
        recall_5: recall(5),
        recall_10: recall(10),
        all_recall_5: if recall(5) >= 1.0 { 1.0 } else { 0.0 },
        ndcg_10: if ideal > 0.0 { dcg / ideal } else { 0.0 },
        mrr_10: ranking.iter().take(10).position(|p| gold.contains(p)).map_or(0.0, |i| 1.0 / (i + 1) as f64),
    }
}

impl Measures {
    /// The measures by name.
    pub fn named(&self) -> [(&'static str, f64); 7] {
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

    /// The mean over questions; all zero for none.
    pub fn mean(all: &[Measures]) -> Measures {
        let n = all.len().max(1) as f64;
        let mean = |f: fn(&Measures) -> f64| all.iter().map(f).sum::<f64>() / n;
        Measures {
            recall_1: mean(|m| m.recall_1),
            recall_2: mean(|m| m.recall_2),
            recall_5: mean(|m| m.recall_5),
            recall_10: mean(|m| m.recall_10),
            all_recall_5: mean(|m| m.all_recall_5),
            ndcg_10: mean(|m| m.ndcg_10),
            mrr_10: mean(|m| m.mrr_10),
        }
    }
}

/// The 95 % bootstrap interval of a mean: 2,000 resamples with a fixed generator, so that the same values give the same interval.
pub fn interval(values: &[f64]) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        // xorshift64*: enough for resampling.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize
    };
    let mut means: Vec<f64> =
        (0..2000).map(|_| (0..values.len()).map(|_| values[next() % values.len()]).sum::<f64>() / values.len() as f64).collect();
    means.sort_by(f64::total_cmp);
    (means[49], means[1949])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_ranking_measures_one_and_an_empty_one_zero() {
        let m = measure(&[3, 7, 1], &[3, 7]);
        assert_eq!((m.recall_1, m.recall_2, m.all_recall_5, m.ndcg_10, m.mrr_10), (0.5, 1.0, 1.0, 1.0, 1.0));
        assert_eq!(measure(&[], &[3]), Measures::default());
    }

    #[test]
    fn ndcg_counts_rank_by_hand() {
        // Gold at ranks 2 and 4: (1/log2 3 + 1/log2 5) / (1/log2 2 + 1/log2 3).
        let m = measure(&[9, 3, 8, 7], &[3, 7]);
        let expected = (1.0 / 3f64.log2() + 1.0 / 5f64.log2()) / (1.0 + 1.0 / 3f64.log2());
        assert!((m.ndcg_10 - expected).abs() < 1e-12);
        assert_eq!(m.mrr_10, 0.5);
    }

    #[test]
    fn the_interval_holds_the_mean_and_is_the_same_every_time() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        let (low, high) = interval(&values);
        assert!(low < 0.5 && 0.5 < high && high - low < 0.3);
        assert_eq!(interval(&values), (low, high));
    }
}
