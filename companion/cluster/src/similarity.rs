//! Many dot products at once: blocks of rows against blocks of rows, fast and the same on every machine.

use super::lanes::{LANES, Lane, Lanes, dispatch};

/// Rows of a matrix, packed for blocked products: sixteen rows side by side in a panel, component by
/// component.
///
/// Each dot product is summed in component order, one multiplication and one addition at a time, never fused:
/// the width of vector registers changes the speed and no bit of the result.
#[derive(Debug, Clone)]
pub struct Panels {
    rows: usize,
    dim: usize,
    data: Vec<Lane>,
}

/// Rows a panel.
pub const PANEL: usize = LANES;

/// The dot products of the rows of two panels.
pub type Tile = [Lane; PANEL];

impl Panels {
    /// Packs `rows` vectors of dimension `dim`: further components are dropped, missing or infinite ones 0.
    pub fn pack<'a>(dim: usize, rows: impl ExactSizeIterator<Item = &'a [f32]>) -> Self {
        let count = rows.len();
        let mut data = vec![Lane::ZERO; count.div_ceil(PANEL) * dim];
        for (i, row) in rows.enumerate() {
            let panel = &mut data[(i / PANEL) * dim..][..dim];
            for (lane, &x) in panel.iter_mut().zip(row) {
                lane[i % PANEL] = if x.is_finite() { x } else { 0.0 };
            }
        }
        Panels { rows: count, dim, data }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of components a row.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of panels: a sixteenth of the rows, rounded up.
    pub fn panels(&self) -> usize {
        self.rows.div_ceil(PANEL)
    }

    /// Row `i`, unpacked.
    pub fn row(&self, i: usize) -> Vec<f32> {
        self.panel(i / PANEL).iter().map(|lane| lane[i % PANEL]).collect()
    }

    /// Panel `p`: for each component the values of sixteen rows; rows beyond the last are zero.
    pub fn panel(&self, p: usize) -> &[Lane] {
        &self.data[p * self.dim..(p + 1) * self.dim]
    }

    /// Dot products of panel `p` (rows of the tile) with panel `q` of `other` (its columns). Padding rows
    /// give zeros.
    pub fn tile(&self, p: usize, other: &Panels, q: usize, out: &mut Tile) {
        multiply(self.panel(p), other.panel(q), out);
    }
}

/// Adds the products of some rows' components with a lane to the rows' sums. Unrolled, since a compiler would
/// vectorise a loop over rows, and its sums would leave the registers.
macro_rules! add_products {
    ($sums:ident, $a:ident, $b:ident, $($row:literal)*) => {
        $($sums[$row] = L::add($sums[$row], L::mul(L::splat($a[$row]), $b));)*
    };
}

#[inline(always)]
fn multiply_panels<L: Lanes>(a: &[Lane], b: &[Lane], out: &mut Tile) {
    if L::MANY {
        let mut sums = [L::splat(0.0); PANEL];
        for (a, b) in a.iter().zip(b) {
            let b = L::load(b);
            add_products!(sums, a, b, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        }
        for (sum, out) in sums.into_iter().zip(out) {
            L::store(sum, out);
        }
        return;
    }
    for (quarter, out) in out.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let mut sums = [L::splat(0.0); 4];
        for (a, b) in a.iter().zip(b) {
            let (a, b) = (&a[4 * quarter..][..4], L::load(b));
            add_products!(sums, a, b, 0 1 2 3);
        }
        for (sum, out) in sums.into_iter().zip(out) {
            L::store(sum, out);
        }
    }
}

dispatch! {
    fn multiply(a: &[Lane], b: &[Lane], out: &mut Tile) = multiply_panels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn tiles_equal_dot_products_summed_one_by_one() {
        let mut random = Random::new(3, 3);
        let rows: Vec<Vec<f32>> =
            (0..37).map(|_| (0..19).map(|_| random.unit() as f32 - 0.5).collect()).collect();
        let packed = Panels::pack(19, rows.iter().map(Vec::as_slice));
        assert_eq!(packed.row(20), rows[20]);
        let mut tile = [Lane::ZERO; PANEL];
        for p in 0..packed.panels() {
            for q in 0..packed.panels() {
                packed.tile(p, &packed, q, &mut tile);
                for (r, sums) in tile.iter().enumerate() {
                    for (c, &sum) in sums.iter().enumerate() {
                        let (i, j) = (p * PANEL + r, q * PANEL + c);
                        let expected = match (rows.get(i), rows.get(j)) {
                            (Some(a), Some(b)) => a.iter().zip(b).fold(0.0f32, |s, (x, y)| s + x * y),
                            _ => 0.0,
                        };
                        assert_eq!(sum.to_bits(), expected.to_bits());
                    }
                }
            }
        }
    }

    #[test]
    fn components_that_are_not_numbers_count_as_zero() {
        let packed = Panels::pack(3, [&[f32::NAN, 2.0][..], &[1.0, f32::INFINITY, 3.0, 9.0][..]].into_iter());
        assert_eq!((packed.row(0), packed.row(1)), (vec![0.0, 2.0, 0.0], vec![1.0, 0.0, 3.0]));
    }
}
