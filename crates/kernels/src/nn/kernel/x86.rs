//! The tile with x86-64's AVX2 and AVX-512 VNNI.

use super::{Kernel, Numbers, Tile, check_bounds};
use crate::nn::PANEL;
use core::arch::asm;
use core::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_storeu_si256, _mm512_cvtepi8_epi16,
    _mm512_loadu_si512, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
};

/// Kernel with AVX2. Use it only if the machine has it.
pub(in crate::nn) struct Avx2;

/// Kernel with AVX-512 F, BW, VL, DQ and VNNI. Use it only if the machine has them.
pub(in crate::nn) struct Avx512Vnni;

/// Evaluates `$call` with the run-time `$rows` as the constant `$r`.
macro_rules! with_rows {
    ($rows:expr, [$($n:literal)*], $r:ident => $call:expr) => {
        match $rows {
            $($n => { const $r: usize = $n; $call })*
            _ => {}
        }
    };
}

impl Kernel for Avx2 {
    const ROWS: usize = 6;
    const PANELS: usize = 1;

    #[inline(always)]
    fn tile(
        x: &[i16],
        stride: usize,
        rows: usize,
        pairs: usize,
        panels: Numbers<'_>,
        count: usize,
        tile: &mut Tile,
    ) {
        let (w, narrow) = check_bounds(x, stride, rows, pairs, panels, count);
        // SAFETY: a `Simd` that chose this kernel proves that the machine has AVX2; `check` keeps all
        // accesses inside their slices.
        unsafe { tile_avx2(x.as_ptr(), stride, rows, pairs, w, narrow, tile.as_mut_ptr()) }
    }
}

/// # Safety
/// As [`rows_avx2`], for `rows` in 1..=6.
#[target_feature(enable = "avx2")]
unsafe fn tile_avx2(
    x: *const i16,
    stride: usize,
    rows: usize,
    pairs: usize,
    w: *const u8,
    narrow: bool,
    tile: *mut [i32; PANEL],
) {
    // SAFETY: as the function's.
    unsafe {
        if narrow {
            with_rows!(rows, [1 2 3 4 5 6], R => rows_avx2::<R, true>(x, stride, pairs, w, tile));
        } else {
            with_rows!(rows, [1 2 3 4 5 6], R => rows_avx2::<R, false>(x, stride, pairs, w, tile));
        }
    }
}

/// # Safety
/// `x` has `R` rows of `2 * pairs` numbers `stride` apart, `w` one panel of `pairs` pairs (bytes if `NARROW`,
/// else 16-bit), `tile` R rows.
#[target_feature(enable = "avx2")]
unsafe fn rows_avx2<const R: usize, const NARROW: bool>(
    x: *const i16,
    stride: usize,
    pairs: usize,
    w: *const u8,
    tile: *mut [i32; PANEL],
) {
    let mut sums = [[_mm256_setzero_si256(); 2]; R];
    for p in 0..pairs {
        // Wrapping sums, because overflow checks would cost more than the products. They never wrap.
        let mut row = x.wrapping_add(p.wrapping_mul(2));
        // SAFETY: as the function's.
        unsafe {
            let weights: [__m256i; 2] = if NARROW {
                let at = w.wrapping_add(p.wrapping_mul(PANEL * 2)).cast::<__m128i>();
                [_mm256_cvtepi8_epi16(_mm_loadu_si128(at)), _mm256_cvtepi8_epi16(_mm_loadu_si128(at.add(1)))]
            } else {
                let at = w.wrapping_add(p.wrapping_mul(PANEL * 4)).cast::<__m256i>();
                [_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1))]
            };
            for s in &mut sums {
                let pair = _mm256_set1_epi32(row.cast::<i32>().read_unaligned());
                s[0] = _mm256_add_epi32(s[0], _mm256_madd_epi16(pair, weights[0]));
                s[1] = _mm256_add_epi32(s[1], _mm256_madd_epi16(pair, weights[1]));
                row = row.wrapping_add(stride);
            }
        }
    }
    for (r, s) in sums.iter().enumerate() {
        // SAFETY: as the function's; a row of the tile is sixteen numbers.
        unsafe {
            let out = tile.add(r).cast::<__m256i>();
            _mm256_storeu_si256(out, s[0]);
            _mm256_storeu_si256(out.add(1), s[1]);
        }
    }
}

impl Kernel for Avx512Vnni {
    const ROWS: usize = 12;
    const PANELS: usize = 2;

    #[inline(always)]
    fn tile(
        x: &[i16],
        stride: usize,
        rows: usize,
        pairs: usize,
        panels: Numbers<'_>,
        count: usize,
        tile: &mut Tile,
    ) {
        let (w, narrow) = check_bounds(x, stride, rows, pairs, panels, count);
        // SAFETY: a `Simd` that chose this kernel proves that the machine has these sets; `check` keeps all
        // accesses inside their slices.
        unsafe { tile_vnni(x.as_ptr(), stride, rows, pairs, w, (narrow, count == 2), tile.as_mut_ptr()) }
    }
}

/// # Safety
/// As [`rows_vnni`], for `rows` in 1..=12. `kind`: true if weights are narrow, true if there are two panels.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn tile_vnni(
    x: *const i16,
    stride: usize,
    rows: usize,
    pairs: usize,
    w: *const u8,
    kind: (bool, bool),
    tile: *mut [i32; PANEL],
) {
    // SAFETY: as the function's.
    unsafe {
        match kind {
            (true, true) => {
                with_rows!(rows, [1 2 3 4 5 6 7 8 9 10 11 12], R => rows_vnni::<R, 2, true>(x, stride, pairs, w, tile))
            }
            (true, false) => {
                with_rows!(rows, [1 2 3 4 5 6 7 8 9 10 11 12], R => rows_vnni::<R, 1, true>(x, stride, pairs, w, tile))
            }
            (false, true) => {
                with_rows!(rows, [1 2 3 4 5 6 7 8 9 10 11 12], R => rows_vnni::<R, 2, false>(x, stride, pairs, w, tile))
            }
            (false, false) => {
                with_rows!(rows, [1 2 3 4 5 6 7 8 9 10 11 12], R => rows_vnni::<R, 1, false>(x, stride, pairs, w, tile))
            }
        }
    }
}

/// Returns `sums + x * w` by pairs, without saturation.
///
/// In assembly: the compiler splits the instruction into a multiplication and an addition, at half the speed.
#[target_feature(enable = "avx512f,avx512vnni")]
#[inline]
fn dot_pairs(mut sums: __m512i, x: __m512i, w: __m512i) -> __m512i {
    // SAFETY: it reads and writes these three registers only.
    unsafe {
        asm!("vpdpwssd {0}, {1}, {2}", inout(zmm_reg) sums, in(zmm_reg) x, in(zmm_reg) w, options(pure, nomem, nostack, preserves_flags));
    }
    sums
}

/// # Safety
/// `x` has `R` rows of `2 * pairs` numbers `stride` apart, `w` `C` panels of `pairs` pairs (bytes if
/// `NARROW`, else 16-bit), `tile` C * R rows.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn rows_vnni<const R: usize, const C: usize, const NARROW: bool>(
    x: *const i16,
    stride: usize,
    pairs: usize,
    w: *const u8,
    tile: *mut [i32; PANEL],
) {
    let mut sums = [[_mm512_setzero_si512(); C]; R];
    let mut p = 0;
    while p + 2 <= pairs {
        // SAFETY: as the function's; p + 1 is below `pairs`.
        unsafe { step_vnni::<R, C, 2, NARROW>(x, stride, pairs, w, p, &mut sums) };
        p += 2;
    }
    if p < pairs {
        // SAFETY: the same for p.
        unsafe { step_vnni::<R, C, 1, NARROW>(x, stride, pairs, w, p, &mut sums) };
    }
    for (r, s) in sums.iter().enumerate() {
        for (c, &s) in s.iter().enumerate() {
            // SAFETY: as the function's; a row of the tile is sixteen numbers.
            unsafe { _mm512_storeu_si512(tile.add(c * R + r).cast::<__m512i>(), s) };
        }
    }
}

/// Adds the products of pairs `p` to `p + U`. Two at a time fit the registers and halve address computations.
///
/// # Safety
/// As [`rows_vnni`]; `p + U` is at most `pairs`.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
unsafe fn step_vnni<const R: usize, const C: usize, const U: usize, const NARROW: bool>(
    x: *const i16,
    stride: usize,
    pairs: usize,
    w: *const u8,
    p: usize,
    sums: &mut [[__m512i; C]; R],
) {
    let pair_bytes = if NARROW { PANEL * 2 } else { PANEL * 4 };
    let mut weights = [[_mm512_setzero_si512(); C]; U];
    for (u, row) in weights.iter_mut().enumerate() {
        for (c, v) in row.iter_mut().enumerate() {
            // Wrapping sums, because overflow checks would cost more than the products. They never wrap.
            let at = w
                .wrapping_add(c.wrapping_mul(pairs).wrapping_add(p).wrapping_add(u).wrapping_mul(pair_bytes));
            // SAFETY: as the function's.
            *v = unsafe {
                if NARROW {
                    _mm512_cvtepi8_epi16(_mm256_loadu_si256(at.cast()))
                } else {
                    _mm512_loadu_si512(at.cast())
                }
            };
        }
    }
    let mut row = x.wrapping_add(p.wrapping_mul(2));
    // Unrolled, because a loop that the compiler does not unroll keeps the sums in memory.
    macro_rules! rows {
        ($($r:literal)*) => {
            $(if $r < R {
                for (u, weights) in weights.iter().enumerate() {
                    // SAFETY: as the function's.
                    let pair = unsafe { _mm512_set1_epi32(row.wrapping_add(2 * u).cast::<i32>().read_unaligned()) };
                    for (s, &v) in sums[$r].iter_mut().zip(weights) {
                        *s = dot_pairs(*s, pair, v);
                    }
                }
                row = row.wrapping_add(stride);
            })*
        };
    }
    rows!(0 1 2 3 4 5 6 7 8 9 10 11);
    let _ = row;
}
