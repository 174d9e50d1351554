//! Sixteen single-precision numbers at a time, in whatever vector registers the machine has.
//!
//! Every implementation multiplies, adds and subtracts component by component with ordinary rounding and
//! never fuses a product with a sum, so all give the same bits. Compilers find this form only sometimes.

use std::array;

/// Sixteen numbers, one cache line.
pub const LANES: usize = 16;

/// Sixteen numbers in memory, on a cache line of their own: reading one at random touches one line and not
/// two.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Lane(pub [f32; LANES]);

impl Lane {
    /// Sixteen zeros.
    pub const ZERO: Lane = Lane([0.0; LANES]);
}

impl std::ops::Deref for Lane {
    type Target = [f32; LANES];
    #[inline(always)]
    fn deref(&self) -> &[f32; LANES] {
        &self.0
    }
}

impl std::ops::DerefMut for Lane {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32; LANES] {
        &mut self.0
    }
}

/// Arithmetic on sixteen numbers held in registers.
///
/// # Safety
/// Methods may only run on a processor that has the registers they are for; [`dispatch!`] sees to that.
pub unsafe trait Lanes {
    /// Sixteen numbers in registers.
    type Register: Copy;
    /// True if sixteen sums and their operands fit the registers at once.
    const MANY: bool;
    /// The same number sixteen times.
    fn splat(x: f32) -> Self::Register;
    /// From memory.
    fn load(from: &Lane) -> Self::Register;
    /// To memory.
    fn store(register: Self::Register, to: &mut Lane);
    fn add(a: Self::Register, b: Self::Register) -> Self::Register;
    fn sub(a: Self::Register, b: Self::Register) -> Self::Register;
    fn mul(a: Self::Register, b: Self::Register) -> Self::Register;
}

/// For any machine.
pub struct Portable;

// SAFETY: no special registers are used.
unsafe impl Lanes for Portable {
    type Register = Lane;
    const MANY: bool = false;
    #[inline(always)]
    fn splat(x: f32) -> Lane {
        Lane([x; LANES])
    }
    #[inline(always)]
    fn load(from: &Lane) -> Lane {
        *from
    }
    #[inline(always)]
    fn store(register: Lane, to: &mut Lane) {
        *to = register;
    }
    #[inline(always)]
    fn add(a: Lane, b: Lane) -> Lane {
        Lane(array::from_fn(|i| a[i] + b[i]))
    }
    #[inline(always)]
    fn sub(a: Lane, b: Lane) -> Lane {
        Lane(array::from_fn(|i| a[i] - b[i]))
    }
    #[inline(always)]
    fn mul(a: Lane, b: Lane) -> Lane {
        Lane(array::from_fn(|i| a[i] * b[i]))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Lane, Lanes};
    use std::arch::x86_64::*;

    /// One 512-bit register.
    pub struct Avx512;

    // SAFETY: callers guarantee AVX-512F; loads and stores stay inside the array they are given.
    unsafe impl Lanes for Avx512 {
        type Register = __m512;
        const MANY: bool = true;
        #[inline(always)]
        fn splat(x: f32) -> __m512 {
            // SAFETY: see the impl.
            unsafe { _mm512_set1_ps(x) }
        }
        #[inline(always)]
        fn load(from: &Lane) -> __m512 {
            // SAFETY: see the impl.
            unsafe { _mm512_loadu_ps(from.as_ptr()) }
        }
        #[inline(always)]
        fn store(register: __m512, to: &mut Lane) {
            // SAFETY: see the impl.
            unsafe { _mm512_storeu_ps(to.as_mut_ptr(), register) }
        }
        #[inline(always)]
        fn add(a: __m512, b: __m512) -> __m512 {
            // SAFETY: see the impl.
            unsafe { _mm512_add_ps(a, b) }
        }
        #[inline(always)]
        fn sub(a: __m512, b: __m512) -> __m512 {
            // SAFETY: see the impl.
            unsafe { _mm512_sub_ps(a, b) }
        }
        #[inline(always)]
        fn mul(a: __m512, b: __m512) -> __m512 {
            // SAFETY: see the impl.
            unsafe { _mm512_mul_ps(a, b) }
        }
    }

    /// Two 256-bit registers.
    pub struct Avx2;

    // SAFETY: callers guarantee AVX2; loads and stores stay inside the array they are given.
    unsafe impl Lanes for Avx2 {
        type Register = (__m256, __m256);
        const MANY: bool = false;
        #[inline(always)]
        fn splat(x: f32) -> Self::Register {
            // SAFETY: see the impl.
            let half = unsafe { _mm256_set1_ps(x) };
            (half, half)
        }
        #[inline(always)]
        fn load(from: &Lane) -> Self::Register {
            // SAFETY: see the impl; the second half starts at component 8 of 16.
            unsafe { (_mm256_loadu_ps(from.as_ptr()), _mm256_loadu_ps(from.as_ptr().add(8))) }
        }
        #[inline(always)]
        fn store(register: Self::Register, to: &mut Lane) {
            // SAFETY: see the impl; the second half starts at component 8 of 16.
            unsafe {
                _mm256_storeu_ps(to.as_mut_ptr(), register.0);
                _mm256_storeu_ps(to.as_mut_ptr().add(8), register.1);
            }
        }
        #[inline(always)]
        fn add(a: Self::Register, b: Self::Register) -> Self::Register {
            // SAFETY: see the impl.
            unsafe { (_mm256_add_ps(a.0, b.0), _mm256_add_ps(a.1, b.1)) }
        }
        #[inline(always)]
        fn sub(a: Self::Register, b: Self::Register) -> Self::Register {
            // SAFETY: see the impl.
            unsafe { (_mm256_sub_ps(a.0, b.0), _mm256_sub_ps(a.1, b.1)) }
        }
        #[inline(always)]
        fn mul(a: Self::Register, b: Self::Register) -> Self::Register {
            // SAFETY: see the impl.
            unsafe { (_mm256_mul_ps(a.0, b.0), _mm256_mul_ps(a.1, b.1)) }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

/// Defines a function `$name` that runs `$body::<L>` with the widest registers of the processor, compiled
/// once for each kind. `$body` must be `#[inline(always)]` and generic over one [`Lanes`].
macro_rules! dispatch {
    ($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:ident) => {
        $(#[$meta])*
        fn $name($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f")]
                fn avx512($($arg: $ty),*) $(-> $ret)? {
                    $body::<$crate::lanes::Avx512>($($arg),*)
                }
                #[target_feature(enable = "avx2")]
                fn avx2($($arg: $ty),*) $(-> $ret)? {
                    $body::<$crate::lanes::Avx2>($($arg),*)
                }
                if is_x86_feature_detected!("avx512f") {
                    // SAFETY: the processor was just found to have AVX-512F.
                    return unsafe { avx512($($arg),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor was just found to have AVX2.
                    return unsafe { avx2($($arg),*) };
                }
            }
            $body::<$crate::lanes::Portable>($($arg),*)
        }
    };
}

pub(crate) use dispatch;

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(always)]
    fn sum_of_products<L: Lanes>(a: &[Lane], b: &[Lane], c: f32) -> Lane {
        let mut sum = L::splat(c);
        for (a, b) in a.iter().zip(b) {
            sum = L::sub(L::add(sum, L::mul(L::load(a), L::load(b))), L::splat(0.1));
        }
        let mut out = Lane::ZERO;
        L::store(sum, &mut out);
        out
    }

    dispatch! {
        fn widest(a: &[Lane], b: &[Lane], c: f32) -> Lane = sum_of_products
    }

    #[test]
    fn the_widest_registers_give_the_same_bits_as_none() {
        let mut random = crate::Random::new(1, 1);
        let mut lanes = || -> Vec<Lane> {
            (0..9).map(|_| Lane(array::from_fn(|_| random.unit() as f32 - 0.3))).collect()
        };
        let (a, b) = (lanes(), lanes());
        assert_eq!(
            widest(&a, &b, 0.7).0.map(f32::to_bits),
            sum_of_products::<Portable>(&a, &b, 0.7).0.map(f32::to_bits)
        );
    }
}
