//! BERT encoder (Devlin et al. 2019): self-attention and feed-forward layers, each followed by normalisation.

use super::float::{LANES, layer_norm, multiply_into, normalise, quantise, round, softmax};
use super::kernel::{Finish, Kernel, Numbers};
use super::layout::PANEL;
use super::linear::{Buffer, Linear, Panels, ShapeError, multiply};
use crate::vector::{Set, Simd};

/// Maximum number of tokens in a sequence.
pub const MAX_SEQUENCE: usize = 512;

/// Weight and bias of a layer normalisation.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerNorm {
    /// Factors of the normalised vector.
    pub weight: Vec<f32>,
    /// Addends after multiplication.
    pub bias: Vec<f32>,
}

/// One layer of the encoder, for vectors of `hidden` numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// hidden to 3 * hidden: queries, keys and values of all heads, one after the other.
    pub qkv: Linear,
    /// hidden to hidden: the output of attention.
    pub attended: Linear,
    /// Normalisation after attention.
    pub attention_norm: LayerNorm,
    /// hidden to intermediate, then GELU.
    pub up: Linear,
    /// intermediate to hidden.
    pub down: Linear,
    /// Normalisation after the feed-forward part.
    pub output_norm: LayerNorm,
}

/// Layers that turn token vectors into token vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoder {
    hidden: usize,
    heads: usize,
    epsilon: f32,
    input_norm: LayerNorm,
    layers: Vec<Layer>,
}

/// Buffers of a forward pass. If they are kept between calls, a pass allocates only when they grow.
#[derive(Debug, Default)]
pub struct Scratch {
    rounded: Rounded,
    wide: Vec<f32>,
    context: Vec<f32>,
    queries: Vec<i16>,
    query_scales: Vec<f32>,
    keys: Vec<i16>,
    key_scales: Vec<f32>,
    values: Vec<i16>,
    scores: Vec<f32>,
    shares: Vec<i16>,
}

/// Rows of inputs of a linear layer, rounded.
#[derive(Debug, Default)]
struct Rounded {
    row: Vec<f32>,
    quantised: Vec<i16>,
    scales: Vec<f32>,
    buffer: Buffer,
}

/// Bias of products without one.
const NO_BIAS: [f32; MAX_SEQUENCE] = [0.0; MAX_SEQUENCE];

impl Encoder {
    /// Makes an encoder for vectors of `hidden` numbers in `heads` heads. `input_norm` precedes the first
    /// layer; all normalisations use `epsilon`.
    ///
    /// # Errors
    /// [`ShapeError`] if sizes disagree, `hidden` or a head's size is no multiple of 16, or a number is not
    /// finite.
    pub fn new(
        hidden: usize,
        heads: usize,
        epsilon: f32,
        input_norm: LayerNorm,
        layers: Vec<Layer>,
    ) -> Result<Encoder, ShapeError> {
        let head_sized = heads > 0
            && hidden.is_multiple_of(heads)
            && (hidden / heads).is_multiple_of(PANEL)
            && hidden / heads <= 256;
        if !head_sized || hidden == 0 || hidden > 4096 {
            return Err(ShapeError::Shape("encoder"));
        }
        if !(epsilon.is_finite() && epsilon > 0.0) {
            return Err(ShapeError::Number("encoder"));
        }
        let norms = layers.iter().flat_map(|l| [&l.attention_norm, &l.output_norm]).chain([&input_norm]);
        for n in norms {
            if n.weight.len() != hidden || n.bias.len() != hidden {
                return Err(ShapeError::Shape("layer normalisation"));
            }
            if n.weight.iter().chain(&n.bias).any(|v| !v.is_finite()) {
                return Err(ShapeError::Number("layer normalisation"));
            }
        }
        for l in &layers {
            let sizes = [
                (&l.qkv, hidden, 3 * hidden),
                (&l.attended, hidden, hidden),
                (&l.up, hidden, l.up.outputs()),
                (&l.down, l.up.outputs(), hidden),
            ];
            if sizes.iter().any(|(linear, i, o)| linear.inputs() != *i || linear.outputs() != *o) {
                return Err(ShapeError::Shape("encoder layer"));
            }
        }
        Ok(Encoder { hidden, heads, epsilon, input_norm, layers })
    }

    /// Length of a token's vector.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Number of attention heads.
    pub fn heads(&self) -> usize {
        self.heads
    }

    /// The layers, first to last.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The normalisation before the first layer.
    pub fn input_norm(&self) -> &LayerNorm {
        &self.input_norm
    }

    /// Addend to the variance in each normalisation.
    pub fn epsilon(&self) -> f32 {
        self.epsilon
    }

    /// Computes the mean of the last layer's vectors over each sequence, scaled to length 1.
    ///
    /// `x` has the token vectors (embedding sums before normalisation) of all sequences one after the other,
    /// and afterwards the last layer's. `lengths` are the sequences' numbers of tokens. The result of a
    /// sequence does not depend on the others. `out` gets `lengths.len() * hidden` numbers; NaN for a
    /// sequence whose mean cannot be normalised (hostile weights).
    ///
    /// # Errors
    /// [`ShapeError`] if lengths disagree, or a sequence is empty or longer than [`MAX_SEQUENCE`].
    pub fn mean_vectors(
        &self,
        simd: Simd,
        x: &mut [f32],
        lengths: &[usize],
        scratch: &mut Scratch,
        out: &mut Vec<f32>,
    ) -> Result<(), ShapeError> {
        // All tokens at once, so that the weights are read only once.
        let rows = x.len();
        for number in 0..self.steps(x.len() / self.hidden, rows) {
            self.step(simd, number, rows, x, lengths, scratch)?;
        }
        self.means(x, lengths, out)
    }

    /// Number of steps of a pass over `tokens`, each of which multiplies at most `rows` tokens by weights.
    /// For each layer: queries, keys and values, `rows` tokens a step; attention, a head a step; the rest,
    /// `rows` tokens a step.
    pub fn steps(&self, tokens: usize, rows: usize) -> usize {
        self.layers.len().max(1) * self.steps_of_layer(tokens.div_ceil(rows.max(1)))
    }

    fn steps_of_layer(&self, blocks: usize) -> usize {
        2 * blocks + self.heads
    }

    /// Runs step `number` of a pass over `x`; the first one normalises before. All of [`Encoder::steps`] in
    /// order, with the same `rows` and `scratch`, and then [`Encoder::means`], do what
    /// [`Encoder::mean_vectors`] does, for callers with other work in between. Fails as
    /// [`Encoder::mean_vectors`] does.
    pub fn step(
        &self,
        simd: Simd,
        number: usize,
        rows: usize,
        x: &mut [f32],
        lengths: &[usize],
        scratch: &mut Scratch,
    ) -> Result<(), ShapeError> {
        let longest = self.longest_sequence(x, lengths)?;
        scratch.reserve(self, x.len() / self.hidden, longest);
        match simd.0 {
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            Set::Scalar => self.run_step::<super::kernel::Scalar>(number, rows, x, lengths, scratch),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Set::Simd128 => self.run_step::<super::kernel::Simd128>(number, rows, x, lengths, scratch),
            #[cfg(target_arch = "aarch64")]
            Set::Neon => self.run_step::<super::kernel::Neon>(number, rows, x, lengths, scratch),
            // SAFETY: a `Simd` is only made after finding its features on this machine.
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => unsafe { self.run_step_avx2(number, rows, x, lengths, scratch) },
            // SAFETY: the same.
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vnni => unsafe { self.run_step_vnni(number, rows, x, lengths, scratch) },
        }
        Ok(())
    }

    /// Computes the mean of each sequence of `x` after the last step, as [`Encoder::mean_vectors`] does.
    /// Fails as [`Encoder::mean_vectors`] does.
    pub fn means(&self, x: &[f32], lengths: &[usize], out: &mut Vec<f32>) -> Result<(), ShapeError> {
        self.longest_sequence(x, lengths)?;
        out.clear();
        out.resize(lengths.len() * self.hidden, 0.0);
        let mut rest = x;
        for (&n, mean) in lengths.iter().zip(out.chunks_exact_mut(self.hidden)) {
            let (sequence, behind) = rest.split_at(n * self.hidden);
            for token in sequence.chunks_exact(self.hidden) {
                for (m, &v) in mean.iter_mut().zip(token) {
                    *m += v;
                }
            }
            if !normalise(mean) {
                mean.fill(f32::NAN);
            }
            rest = behind;
        }
        Ok(())
    }

    /// Returns the length of the longest sequence; checks that `lengths` fit `x`.
    fn longest_sequence(&self, x: &[f32], lengths: &[usize]) -> Result<usize, ShapeError> {
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let total = lengths.iter().fold(0usize, |t, &n| t.saturating_add(n));
        if lengths.contains(&0) || longest > MAX_SEQUENCE || total.checked_mul(self.hidden) != Some(x.len()) {
            return Err(ShapeError::Shape("token vectors"));
        }
        Ok(longest)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn run_step_avx2(&self, number: usize, rows: usize, x: &mut [f32], lengths: &[usize], s: &mut Scratch) {
        self.run_step::<super::kernel::Avx2>(number, rows, x, lengths, s);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
    fn run_step_vnni(&self, number: usize, rows: usize, x: &mut [f32], lengths: &[usize], s: &mut Scratch) {
        self.run_step::<super::kernel::Avx512Vnni>(number, rows, x, lengths, s);
    }

    /// Runs one step. Inlined into a function per instruction set, so that its float loops use that set.
    #[inline(always)]
    fn run_step<K: Kernel>(
        &self,
        number: usize,
        rows: usize,
        x: &mut [f32],
        lengths: &[usize],
        s: &mut Scratch,
    ) {
        let (hidden, tokens) = (self.hidden, x.len() / self.hidden);
        let rows = rows.clamp(1, tokens.max(1));
        let blocks = tokens.div_ceil(rows);
        if number == 0 {
            norm_rows(x, &self.input_norm, self.epsilon);
        }
        let steps = self.steps_of_layer(blocks);
        let Some(layer) = self.layers.get(number / steps) else { return };
        let part = number % steps;
        let block = |i: usize| i * rows..tokens.min((i + 1) * rows);
        if part < blocks {
            // Queries, keys and values.
            let block = block(part);
            let wide = &mut s.wide[block.start * 3 * hidden..block.end * 3 * hidden];
            let x = &x[block.start * hidden..block.end * hidden];
            apply_linear::<K>(&layer.qkv, x, wide, Finish::Store, &mut s.rounded);
        } else if part < blocks + self.heads {
            let mut start = 0;
            for &n in lengths {
                self.attend_head::<K>(part - blocks, start, n, s);
                start += n;
            }
        } else {
            let block = block(part - blocks - self.heads);
            let block = block.start * hidden..block.end * hidden;
            let x = &mut x[block.clone()];
            // x += attended(attention(x)).
            apply_linear::<K>(&layer.attended, &s.context[block], x, Finish::Add, &mut s.rounded);
            norm_rows(x, &layer.attention_norm, self.epsilon);
            // x += down(gelu(up(x))). The buffer of queries, keys and values is free now.
            let wide = &mut s.wide[..x.len() / hidden * layer.up.outputs()];
            apply_linear::<K>(&layer.up, x, wide, Finish::Gelu, &mut s.rounded);
            apply_linear::<K>(&layer.down, wide, x, Finish::Add, &mut s.rounded);
            norm_rows(x, &layer.output_norm, self.epsilon);
        }
    }

    /// Runs a head of scaled dot-product attention (Vaswani et al. 2017) over `n` tokens from `start`, in
    /// integers like the linear layers.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn attend_head<K: Kernel>(&self, head: usize, start: usize, n: usize, s: &mut Scratch) {
        let size = self.hidden / self.heads;
        let padded = n.next_multiple_of(PANEL);
        // size * limit^2 fits 31 bits.
        let limit = (i32::MAX as usize / size).isqrt().min(i16::MAX as usize) as i16;
        let root = 1.0 / (size as f32).sqrt();
        let keys = &mut s.keys[..padded * size];
        let values = &mut s.values[..padded * size];
        keys.fill(0);
        values.fill(0);
        s.key_scales[..padded].fill(0.0);
        let mut largest = [0.0f32; 256];
        let part = |t: usize, which: usize| {
            let at = (start + t) * 3 * self.hidden + which * self.hidden + head * size;
            at..at + size
        };
        let mut row = [0i16; 256];
        for t in 0..n {
            s.query_scales[t] =
                root * quantise(&s.wide[part(t, 0)], limit, &mut s.queries[t * size..(t + 1) * size]);
            s.key_scales[t] = quantise(&s.wide[part(t, 1)], limit, &mut row[..size]);
            // Keys are the outputs of this product, so they go into panels.
            let panel = &mut keys[(t / PANEL) * PANEL * size..(t / PANEL + 1) * PANEL * size];
            for (pair, to) in row[..size].chunks_exact(2).zip(panel.chunks_exact_mut(2 * PANEL)) {
                to[(t % PANEL) * 2] = pair[0];
                to[(t % PANEL) * 2 + 1] = pair[1];
            }
            for (l, v) in largest.iter_mut().zip(&s.wide[part(t, 2)]) {
                let v = v.abs();
                *l = if v > *l { v } else { *l };
            }
        }
        // Values are rounded per component, over all summed tokens. Shares sum to less than 2^15 + 2^8: 15
        // bits.
        let mut inverse = [0.0f32; 256];
        let mut value_scales = [0.0f32; 256];
        for (j, &l) in largest.iter().enumerate().take(size) {
            if (1e-30..=1e30).contains(&l) {
                inverse[j] = 32767.0 / l;
                // A share of 32767 is one.
                value_scales[j] = l / 32767.0 / 32767.0;
            }
        }
        for t in 0..n {
            let from = &s.wide[part(t, 2)];
            for (c, (from, inverse)) in from.chunks_exact(PANEL).zip(inverse.chunks_exact(PANEL)).enumerate()
            {
                let at = c * padded * PANEL + (t / 2) * 2 * PANEL;
                let to = &mut values[at..at + 2 * PANEL];
                for j in 0..PANEL {
                    to[2 * j + t % 2] = round(from[j] * inverse[j]);
                }
            }
        }
        let key_panels = Panels {
            data: Numbers::Wide(keys),
            inputs: size,
            scales: &s.key_scales[..padded],
            bias: &NO_BIAS[..padded],
        };
        let value_panels = Panels {
            data: Numbers::Wide(values),
            inputs: padded,
            scales: &value_scales[..size],
            bias: &NO_BIAS[..size],
        };
        let ones = [1.0f32; 32];
        let mut t = 0;
        while t < n {
            let left = n - t;
            let rows = left.div_ceil(left.div_ceil(K::ROWS));
            let scores = &mut s.scores[..rows * padded];
            multiply::<K>(
                &s.queries[t * size..],
                size,
                &s.query_scales[t..t + rows],
                &key_panels,
                scores,
                padded,
                Finish::Store,
            );
            for (scores, shares) in scores.chunks_exact_mut(padded).zip(s.shares.chunks_exact_mut(padded)) {
                softmax(scores, n, shares);
            }
            let context = &mut s.context[(start + t) * self.hidden + head * size..];
            multiply::<K>(
                &s.shares,
                padded,
                &ones[..rows],
                &value_panels,
                context,
                self.hidden,
                Finish::Store,
            );
            t += rows;
        }
    }
}

#[inline(always)]
fn norm_rows(x: &mut [f32], norm: &LayerNorm, epsilon: f32) {
    for row in x.chunks_exact_mut(norm.weight.len()) {
        layer_norm(row, &norm.weight, &norm.bias, epsilon);
    }
}

/// Computes `out[row] = finish(W x[row] + b)`; rounds each row of `x` times its inputs' factors first.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn apply_linear<K: Kernel>(layer: &Linear, x: &[f32], out: &mut [f32], finish: Finish, s: &mut Rounded) {
    let n = layer.inputs();
    let tokens = x.len() / n;
    let row = &mut s.row[..n];
    for ((x, out), scale) in x.chunks_exact(n).zip(s.quantised.chunks_exact_mut(n)).zip(&mut s.scales) {
        multiply_into(x, layer.columns(), row);
        *scale = quantise(row, layer.limit(), out);
    }
    layer.apply::<K>(&s.quantised, &s.scales[..tokens], out, finish, &mut s.buffer);
}

impl Scratch {
    /// Reserves room for `tokens` tokens in sequences of at most `longest`.
    fn reserve(&mut self, e: &Encoder, tokens: usize, longest: usize) {
        let widest = e.layers.iter().map(|l| l.up.outputs()).max().unwrap_or(0).max(3 * e.hidden);
        let padded = longest.next_multiple_of(PANEL.max(LANES));
        let head = e.hidden / e.heads;
        grow_to(&mut self.rounded.row, widest);
        grow_to(&mut self.rounded.quantised, tokens * widest);
        grow_to(&mut self.rounded.scales, tokens);
        grow_to(&mut self.wide, tokens * widest);
        grow_to(&mut self.context, tokens * e.hidden);
        grow_to(&mut self.queries, padded * head);
        grow_to(&mut self.query_scales, padded);
        grow_to(&mut self.keys, padded * head);
        grow_to(&mut self.key_scales, padded);
        grow_to(&mut self.values, padded * head);
        grow_to(&mut self.scores, 32 * padded);
        grow_to(&mut self.shares, 32 * padded);
    }
}

fn grow_to<T: Copy + Default>(v: &mut Vec<T>, n: usize) {
    if v.len() < n {
        v.resize(n, T::default());
    }
}
