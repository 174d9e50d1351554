//! Weights as the kernels take them.

/// Inputs whose weights to one output share a step, as the kernels have it.
const RUN: usize = 64;

/// A row in bytes, and its scale.
pub(super) fn in_bytes(row: &[f32]) -> (Vec<i8>, f32) {
    let scale = row.iter().fold(0f32, |m, x| m.max(x.abs())) / 127.0;
    let level = |x: &f32| if scale > 0.0 { (x / scale).round().clamp(-127.0, 127.0) as i8 } else { 0 };
    (row.iter().map(level).collect(), scale)
}

/// Rounds a row to four bits: levels of -8 to 7, times a step of 1 to 16 for each run, times the scale. Of
/// several scales and steps it takes those with the least error.
pub(super) fn in_four_bits(row: &[f32]) -> (Vec<i8>, f32) {
    let largest = row.iter().fold(0f32, |m, x| m.max(x.abs()));
    let mut best = (f32::INFINITY, Vec::new(), 0.0);
    for part in [0.8, 0.85, 0.9, 0.95, 1.0] {
        let scale = largest * part / (16.0 * 7.5);
        let (mut lost, mut levels) = (0.0, Vec::with_capacity(row.len()));
        for run in row.chunks(RUN) {
            let (loss, step) = best_step(run, scale);
            lost += loss;
            levels.extend(run.iter().map(|&x| (round_level(x, scale, step) * step) as i8));
        }
        if lost < best.0 {
            best = (lost, levels, scale);
        }
    }
    if best.1.is_empty() { (vec![0; row.len()], 0.0) } else { (best.1, best.2) }
}

fn round_level(x: f32, scale: f32, step: f32) -> f32 {
    if scale > 0.0 { (x / (scale * step)).round().clamp(-8.0, 7.0) } else { 0.0 }
}

/// The step that loses least of a run, and what it loses.
fn best_step(run: &[f32], scale: f32) -> (f32, f32) {
    let largest = run.iter().fold(0f32, |m, x| m.max(x.abs()));
    // Steps that clip or waste more than a third are never the best.
    let usual = if scale > 0.0 { largest / (scale * 7.5) } else { 1.0 };
    let steps = (1..=16u8).map(f32::from).filter(|s| (0.6 * usual..=1.1 * usual + 1.0).contains(s));
    let loss = |step: f32| {
        run.iter().map(|&x| (x - round_level(x, scale, step) * step * scale).powi(2)).sum::<f32>()
    };
    steps.map(|step| (loss(step), step)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f32::INFINITY, 16.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_are_within_half_a_level_and_four_bits_say_the_others(
            row in prop::collection::vec(-2.0f32..2.0, 64..200),
        ) {
            let (bytes, scale) = in_bytes(&row);
            for (b, x) in bytes.iter().zip(&row) {
                prop_assert!((f32::from(*b) * scale - x).abs() <= 0.501 * scale);
            }
            let (levels, scale) = in_four_bits(&row);
            prop_assert_eq!(levels.len(), row.len());
            for run in levels.chunks(RUN) {
                prop_assert!(
                    (1..=16i8)
                        .any(|step| run.iter().all(|w| w % step == 0 && (-8..=7).contains(&(w / step))))
                );
            }
            let lost: f32 = levels.iter().zip(&row).map(|(w, x)| (f32::from(*w) * scale - x).powi(2)).sum();
            let all: f32 = row.iter().map(|x| x * x).sum();
            prop_assert!(lost <= 0.02 * all + 1e-6, "{} of {}", lost, all);
        }
    }

    #[test]
    fn a_row_of_nothing_is_nothing() {
        assert_eq!(in_bytes(&[0.0; 64]), (vec![0; 64], 0.0));
        assert_eq!(in_four_bits(&[0.0; 64]).0, vec![0; 64]);
    }
}
