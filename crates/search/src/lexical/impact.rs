//! Impacts: what one occurrence of a term adds to a chunk's score, all that BM25 needs of a chunk, in about
//! three bits.
//!
//! BM25's share of a term is its rarity times tf (k1 + 1) / (tf + k1 (1 - b + b length / mean)). The second
//! factor depends on the chunk's length, so a search would have to know every chunk's length before it could
//! rank. It is worked out at build time instead and stored with the occurrence, as in Anh, de Kretser and
//! Moffat, "Vector-space ranking with effective early termination" (SIGIR 2001).

use super::{B, K1};

/// One unit of a stored impact, which never exceeds 127 units: it takes one byte before compression.
pub const UNIT: f32 = (K1 + 1.0) / 127.0;

/// Distance between levels of impacts in BM25's score: coarse for common terms, fine for rare ones, for equal
/// errors. Small steps cost bytes, large ones quality: by simulation on SciFact's train claims steps of 0.3,
/// 0.6 and 0.8 cost .001, .002 and .003 of nDCG@10.
const STEP: f32 = 0.3;

/// The second factor of BM25 for a term that stands `tf` times in a chunk of `length` terms; between 0 and k1
/// + 1.
pub fn saturation(tf: f32, length: u32, mean_length: f32) -> f32 {
    tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * length as f32 / mean_length.max(1.0)))
}

/// `saturation` in units, rounded to the levels of a term of rarity `idf`; at least 1.
pub fn quantise_impact(saturation: f32, idf: f32) -> u32 {
    let step = (STEP / idf.max(0.01) / UNIT).round().clamp(1.0, 40.0);
    (((saturation / UNIT / step).round() * step) as u32).clamp(1, 127)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_kept_impact_is_off_by_half_a_step_at_most_and_never_nothing(
            frequency in 1u32..200,
            length in 1u32..2000,
            mean in 1.0f32..300.0,
            idf in 0.3f32..12.0,
        ) {
            let exact = saturation(frequency as f32, length, mean);
            let units = quantise_impact(exact, idf);
            prop_assert!((1..=127).contains(&units));
            // Half a step, and half a unit where a step is not a whole number of them; at the ends a whole
            // unit.
            prop_assert!((units as f32 * UNIT - exact).abs() * idf <= STEP / 2.0 + 1.5 * UNIT * idf);
        }
    }

    #[test]
    fn odd_numbers_give_levels_too() {
        for (saturation, idf) in [(0.0, 0.0), (f32::NAN, 1.0), (9.0, f32::INFINITY), (-1.0, -5.0)] {
            assert!((1..=127).contains(&quantise_impact(saturation, idf)));
        }
    }
}
