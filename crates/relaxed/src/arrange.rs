//! How the loop takes its weights and its rows.

/// Outputs of a panel.
pub const PANEL: usize = 16;
/// Inputs of a run, whose weights to one output share a step.
pub const RUN: usize = 64;
/// Bytes of a run of a panel as the engine has it: half a byte for each output's step less one, and half a
/// byte a weight.
pub const PACKED: usize = PANEL / 2 + RUN * PANEL / 2;
/// Bytes of a run of a panel as the loop takes it: a byte for each output's step, and half a byte a weight.
pub const ARRANGED: usize = PANEL + RUN * PANEL / 2;

/// Arranges a run of a panel: the steps of its 16 outputs, a byte each; then for outputs 0 to 7 and again for
/// 8 to 15, for each four inputs, sixteen bytes: at `4 * o + i` the level plus eight of output `o` and input
/// `i` in the low bits, of output `o + 4` in the high ones.
///
/// Nothing here may panic in a way that leaves a message: it would be data, and the module has no place for
/// any.
pub fn arrange(run: &[u8; PACKED], out: &mut [u8; ARRANGED]) {
    let Some((steps, levels)) = run.split_first_chunk::<{ PANEL / 2 }>() else { return };
    let Some((to, rest)) = out.split_first_chunk_mut::<PANEL>() else { return };
    for (two, [a, b]) in steps.iter().zip(to.as_chunks_mut::<2>().0) {
        (*a, *b) = ((two & 15) + 1, (two >> 4) + 1);
    }
    // A byte of `pair` has two inputs of one output.
    let (pairs, _) = levels.as_chunks::<PANEL>();
    for (half, to) in rest.chunks_exact_mut(RUN * PANEL / 4).enumerate() {
        for (two, to) in pairs.as_chunks::<2>().0.iter().zip(to.as_chunks_mut::<PANEL>().0) {
            for (o, to) in to.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                for (pair, [a, b]) in two.iter().zip(to.as_chunks_mut::<2>().0) {
                    let (low, high) = (pair[(half * 8 + o) % PANEL], pair[(half * 8 + o + 4) % PANEL]);
                    (*a, *b) = (low & 15 | high << 4, low >> 4 | high & 240);
                }
            }
        }
    }
}

/// Rounded inputs as bytes, and what makes up for the eight that was added to each level: -8 times the sum of
/// the first two of every four inputs, in the low half, and of the last two. The loop begins its sums of 16
/// bits with these; 32 products of magnitude 8 * 127 fit, whatever the order.
pub fn prepare(run: &[i16; RUN], bytes: &mut [i8; RUN]) -> u32 {
    let mut sums = [0i16; 2];
    for (four, to) in run.as_chunks::<4>().0.iter().zip(bytes.as_chunks_mut::<4>().0) {
        *to = four.map(|v| v as i8);
        let [w, x, y, z] = *four;
        sums = [sums[0].wrapping_add(w).wrapping_add(x), sums[1].wrapping_add(y).wrapping_add(z)];
    }
    let [a, b] = sums.map(|s| u32::from(s.wrapping_mul(-8) as u16));
    a | b << 16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes one run and one output as the loop does, in its order and with its widths.
    fn sum(x: &[i16; RUN], packed: &[u8; PACKED], output: usize) -> i32 {
        let (mut run, mut bytes) = ([0; ARRANGED], [0; RUN]);
        arrange(packed, &mut run);
        let correction = prepare(x, &mut bytes);
        let (half, o) = (output / 8, output % 8);
        let level = |i: usize| {
            let byte = run[PANEL + half * RUN * 4 + i / 4 * 16 + (o % 4) * 4 + i % 4];
            i16::from(if o < 4 { byte & 15 } else { byte >> 4 })
        };
        let mut lanes = [correction as u16 as i16, (correction >> 16) as u16 as i16];
        for i in (0..RUN).step_by(2) {
            let pair = i16::from(bytes[i]) * level(i) + i16::from(bytes[i + 1]) * level(i + 1);
            lanes[i / 2 % 2] = lanes[i / 2 % 2].wrapping_add(pair);
        }
        (i32::from(lanes[0]) + i32::from(lanes[1])) * i32::from(run[output])
    }

    /// The definition, by the engine's format.
    fn naive(x: &[i16; RUN], packed: &[u8; PACKED], output: usize) -> i32 {
        let half = |byte: u8, i: usize| i32::from(byte >> (i % 2 * 4) & 15);
        let step = half(packed[output / 2], output) + 1;
        (0..RUN)
            .map(|i| i32::from(x[i]) * (half(packed[PANEL / 2 + i / 2 * PANEL + output], i) - 8) * step)
            .sum()
    }

    fn check(x: &[i16; RUN], packed: &[u8; PACKED]) {
        for output in 0..PANEL {
            assert_eq!(sum(x, packed, output), naive(x, packed, output), "output {output}");
        }
    }

    #[test]
    fn sums_by_lanes_of_16_bits_are_the_sums() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        for _ in 0..200 {
            let x = std::array::from_fn(|_| (next() % 255) as i16 - 127);
            let packed = std::array::from_fn(|_| next() as u8);
            check(&x, &packed);
        }
    }

    #[test]
    fn the_largest_sums_fit_their_16_bits() {
        for level in [0u8, 15] {
            for x in [[127; RUN], [-127; RUN], std::array::from_fn(|i| if i % 4 < 2 { 127 } else { -127 })] {
                // Steps of sixteen, levels of -8 or 7.
                check(&x, &std::array::from_fn(|i| if i < PANEL / 2 { 255 } else { level | level << 4 }));
            }
        }
    }
}
