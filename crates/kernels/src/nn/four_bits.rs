//! Weights in four bits, as bundles and as kernels store them.

use super::layout::{PANEL, RUN};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::relaxed::{Levels, Relaxed};

/// Number of bytes of a run's steps.
const STEPS: usize = PANEL / 2;
/// Largest magnitude of inputs of such a layer. Finer rounding does not improve hits
/// (docs/benchmarks/first-seconds.md), and relaxed SIMD multiplies bytes.
pub(super) const LIMIT: i16 = 127;

/// Returns the steps of a run of a panel of bytes with which four bits represent all weights, if any.
fn steps_of(run: &[i8]) -> Option<[i8; PANEL]> {
    let mut steps = [1i8; PANEL];
    for (output, step) in steps.iter_mut().enumerate() {
        let weights = || run.chunks_exact(2 * PANEL).flat_map(|pairs| pairs.iter().skip(2 * output).take(2));
        let says_all = |step: &i8| weights().all(|w| w % step == 0 && (-8..=7).contains(&(w / step)));
        *step = (1..=16).find(says_all)?;
    }
    Some(steps)
}

/// Returns true if four bits can represent a layer's `panels`, of `inputs` inputs.
pub(super) fn fit_four_bits(inputs: usize, panels: &[i8]) -> bool {
    panels.chunks(inputs * PANEL).all(|panel| panel.chunks(RUN * PANEL).all(|run| steps_of(run).is_some()))
}

/// Returns a layer's `panels` in four bits; `None` if these cannot represent all weights.
pub(super) fn encode(inputs: usize, panels: &[i8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for run in panels.chunks(inputs * PANEL).flat_map(|panel| panel.chunks(RUN * PANEL)) {
        let steps = steps_of(run)?;
        let half = |v: i8| v as u8 & 15;
        out.extend(steps.as_chunks::<2>().0.iter().map(|[a, b]| half(a - 1) | half(b - 1) << 4));
        for pairs in run.chunks_exact(2 * PANEL) {
            let level = |w: i8, step: i8| half(w / step + 8);
            out.extend(
                pairs
                    .as_chunks::<2>()
                    .0
                    .iter()
                    .zip(&steps)
                    .map(|([a, b], &step)| level(*a, step) | level(*b, step) << 4),
            );
        }
    }
    Some(out)
}

/// Appends a panel in four bits as bytes: level times step.
fn expand_panel(panel: &[u8], out: &mut Vec<i8>) {
    for run in panel.chunks(STEPS + RUN * PANEL / 2) {
        let Some((steps, levels)) = run.split_first_chunk::<STEPS>() else { continue };
        let steps: [i8; PANEL] = std::array::from_fn(|i| (steps[i / 2] >> (i % 2 * 4) & 15) as i8 + 1);
        for pairs in levels.as_chunks::<PANEL>().0 {
            let level = |half: u8, step: i8| (half as i8 - 8) * step;
            let weights: [[i8; 2]; PANEL] =
                std::array::from_fn(|i| [level(pairs[i] & 15, steps[i]), level(pairs[i] >> 4, steps[i])]);
            out.extend_from_slice(weights.as_flattened());
        }
    }
}

/// A layer's weights in four bits, read panel by panel: a level of -8 to 7 times a step of 1 to 16, which 64
/// weights of one output share.
///
/// A panel in a bundle has for each run of 64 inputs (the last may be shorter) the steps less one of the
/// panel's 16 outputs, then the levels plus eight in the order of a panel ([`super::Linear`]), half a byte
/// each. The first of two is in the low bits.
///
/// In memory they are bytes, level times step, which every kernel reads; or the form that relaxed SIMD takes,
/// if the page has loaded that module.
pub struct FourBits {
    inputs: usize,
    panels: usize,
    pub(super) form: Form,
}

/// Form in which kernels read the weights.
pub(super) enum Form {
    Bytes(Vec<i8>),
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Levels(Levels),
}

impl FourBits {
    /// Returns an empty layer of `inputs` inputs with room for `panels` panels.
    pub fn new(inputs: usize, panels: usize) -> FourBits {
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if let Some(relaxed) = Relaxed::installed()
            && inputs.is_multiple_of(RUN)
        {
            return FourBits {
                inputs,
                panels: 0,
                form: Form::Levels(Levels::new(relaxed, inputs / RUN, panels)),
            };
        }
        FourBits { inputs, panels: 0, form: Form::Bytes(Vec::with_capacity(panels * inputs * PANEL)) }
    }

    /// Number of bytes of a panel of `inputs` inputs.
    pub fn bytes_a_panel(inputs: usize) -> usize {
        STEPS * inputs.div_ceil(RUN) + inputs * PANEL / 2
    }

    /// Adds the next panel, of [`FourBits::bytes_a_panel`] bytes. Any bytes are weights.
    pub fn push(&mut self, panel: &[u8]) {
        debug_assert_eq!(panel.len(), Self::bytes_a_panel(self.inputs));
        match &mut self.form {
            Form::Bytes(out) => expand_panel(panel, out),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Form::Levels(levels) => levels.push(panel),
        }
        self.panels += 1;
    }

    /// Number of panels so far.
    pub fn panels(&self) -> usize {
        self.panels
    }

    pub(super) fn inputs(&self) -> usize {
        self.inputs
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_four_bits_say_comes_back(runs in 1usize..4, short in 0usize..32, seed in any::<u32>()) {
            let inputs = runs * RUN - 2 * short;
            let mut state = seed;
            let mut next = |below: u32| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) % below
            };
            let bytes: Vec<u8> = (0..2 * FourBits::bytes_a_panel(inputs)).map(|_| next(256) as u8).collect();
            let mut read = FourBits::new(inputs, 2);
            bytes.chunks(FourBits::bytes_a_panel(inputs)).for_each(|panel| read.push(panel));
            let Form::Bytes(panels) = read.form;
            prop_assert_eq!(panels.len(), 2 * inputs * PANEL);
            prop_assert!(fit_four_bits(inputs, &panels));
            // Other steps may represent the same weights.
            let again = encode(inputs, &panels).unwrap();
            let mut read = FourBits::new(inputs, 2);
            again.chunks(FourBits::bytes_a_panel(inputs)).for_each(|panel| read.push(panel));
            let Form::Bytes(same) = read.form;
            prop_assert_eq!(same, panels);
        }
    }

    #[test]
    fn weights_between_the_levels_are_not_stated() {
        let mut panels = vec![0i8; 64 * PANEL];
        (panels[0], panels[2 * PANEL]) = (16, 17);
        assert!(!fit_four_bits(64, &panels) && encode(64, &panels).is_none());
        panels[2 * PANEL] = 32;
        assert!(fit_four_bits(64, &panels));
    }
}
