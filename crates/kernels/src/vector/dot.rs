//! Dot products, most of integers: of two vectors, and of every row of a matrix with one vector.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::{Set, Simd};

/// Returns the dot product of two int8 vectors, over the shorter length. Exact up to 131,071 dimensions
/// (|result| <= 128 * 128 * len fits i32); wraps beyond.
pub fn dot_i8(a: &[i8], b: &[i8]) -> i32 {
    let n = a.len().min(b.len());
    let mut out = [0];
    dots(Simd::detect(), &a[..n], n, &b[..n], &mut out);
    out[0]
}

/// Returns the dot product of two vectors, summed in their order, over the shorter length.
// Compiled where it is used, for size in the module that searches.
#[inline]
pub fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Sets `out[i]` to the dot product of `q` with the first `q.len()` numbers of row `i`; row `i` of `rows`
/// starts at `i * dim`. Panics if `q` is longer than `dim`, or `rows` has not `out.len()` rows.
pub(crate) fn dots(simd: Simd, rows: &[i8], dim: usize, q: &[i8], out: &mut [i32]) {
    assert!(q.len() <= dim && out.len().checked_mul(dim) == Some(rows.len()));
    match simd.0 {
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        Set::Scalar => dots_scalar(rows, dim, q, out),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Set::Simd128 => in_groups(rows, dim, q, out, wasm::dot_group::<{ wasm::ROWS }>, wasm::dot_group::<1>),
        #[cfg(target_arch = "aarch64")]
        Set::Neon => in_groups(rows, dim, q, out, neon::dot_group::<{ neon::ROWS }>, neon::dot_group::<1>),
        // SAFETY: a `Simd` is proof of its features; the lengths are checked above.
        #[cfg(target_arch = "x86_64")]
        Set::Avx2 => unsafe { x86::dots_avx2(rows, dim, q, out) },
        // SAFETY: the same.
        #[cfg(target_arch = "x86_64")]
        Set::Avx512Vnni => unsafe { x86::dots_vnni(rows, dim, q, out) },
    }
}

/// The definition, and the fallback.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn dots_scalar(rows: &[i8], dim: usize, q: &[i8], out: &mut [i32]) {
    for (i, o) in out.iter_mut().enumerate() {
        *o = dot_plain(&rows[i.wrapping_mul(dim)..], q);
    }
}

/// Calls `group` for every `N` rows and `one` for each remaining row.
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
fn in_groups<const N: usize>(
    rows: &[i8],
    dim: usize,
    q: &[i8],
    out: &mut [i32],
    group: impl Fn(&[i8], usize, &[i8], &mut [i32; N]),
    one: impl Fn(&[i8], usize, &[i8], &mut [i32; 1]),
) {
    if dim == 0 {
        return out.fill(0);
    }
    let (groups, tail) = out.as_chunks_mut::<N>();
    let (head, last) = rows.split_at(groups.len() * N * dim);
    for (rows, out) in head.chunks_exact(N * dim).zip(groups) {
        group(rows, dim, q, out);
    }
    for (row, out) in last.chunks_exact(dim).zip(tail.as_chunks_mut::<1>().0) {
        one(row, dim, q, out);
    }
}

/// Returns the dot product of `q` and as many numbers of `row`, in plain code.
#[inline(always)]
fn dot_plain(row: &[i8], q: &[i8]) -> i32 {
    row.iter().zip(q).fold(0i32, |sum, (&x, &y)| sum.wrapping_add(i32::from(x) * i32::from(y)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_kernel_equals_the_naive_loop(
            dim in 1usize..300,
            rows in 0usize..11,
            data in prop::collection::vec(any::<i8>(), 3300),
            q in prop::collection::vec(any::<i8>(), 300),
            less in 0usize..3,
        ) {
            let (data, q) = (&data[..rows * dim], &q[..dim.saturating_sub(less)]);
            let naive: Vec<i32> = (0..rows)
                .map(|i| (0..q.len()).map(|j| i32::from(data[i * dim + j]) * i32::from(q[j])).sum())
                .collect();
            for simd in Simd::available() {
                let mut out = vec![-1; rows];
                dots(simd, data, dim, q, &mut out);
                prop_assert_eq!(&out, &naive, "{}", simd.name());
            }
            if let Some(first) = naive.first() {
                prop_assert_eq!(dot_i8(&data[..dim], q), *first);
            }
        }
    }

    #[test]
    fn the_largest_products_are_exact_on_every_kernel() {
        let a = vec![i8::MIN; 131_071];
        for simd in Simd::available() {
            let mut out = [0];
            dots(simd, &a, a.len(), &a, &mut out);
            assert_eq!(out, [128 * 128 * 131_071], "{}", simd.name());
        }
    }

    #[test]
    fn the_shorter_of_two_vectors_counts() {
        assert_eq!(dot_i8(&[1, 2, 3], &[4, 5]), 14);
        assert_eq!(dot_i8(&[], &[4, 5]), 0);
    }
}
