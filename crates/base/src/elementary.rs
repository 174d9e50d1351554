//! Logarithm and exponential with the same bits on every machine. The standard library uses the platform's,
//! which differ between a browser and a program in the last place, and with it scores and sometimes the order
//! of hits. Here every step is an addition, a multiplication, a division or a change of the exponent, whose
//! results IEEE 754 fixes.

/// ln 2 as a sum of two parts. A multiple of the first by a number below 2^11 is exact.
const LN2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);

/// Returns the natural logarithm, to about 2e-16 of its value; -∞ at 0 and NaN below.
pub fn ln(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    }
    if x == f64::INFINITY {
        return x;
    }
    // Subnormal numbers have no full mantissa: scale them up first.
    let (x, lifted) = if x < f64::MIN_POSITIVE { (x * (1u64 << 54) as f64, 54) } else { (x, 0) };
    let bits = x.to_bits();
    let mut exponent = ((bits >> 52) as i32) - 1023 - lifted;
    let mut mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    // ln m = 2 artanh s with |s| < 0.172; the rest of the series is below 1e-17.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    let mut series = 0.0;
    for odd in (3..=21).rev().step_by(2) {
        series = (series + 1.0 / f64::from(odd)) * z;
    }
    let n = f64::from(exponent);
    n * LN2.0 + (2.0 * s * series + n * LN2.1 + 2.0 * s)
}

/// Returns e^x, to about 3e-16 of its value; 0 below -708 and ∞ above the largest double.
pub fn exp(x: f64) -> f64 {
    if x.is_nan() || x > 709.78 {
        return if x.is_nan() { x } else { f64::INFINITY };
    }
    if x < -708.0 {
        return 0.0;
    }
    let n = (x * std::f64::consts::LOG2_E + 0.5).floor();
    let r = x - n * LN2.0 - n * LN2.1;
    // Taylor's series on |r| < 0.347; the rest of it is below 1e-17.
    let mut series = 1.0;
    for k in (1..=14).rev() {
        series = 1.0 + series * r / f64::from(k);
    }
    // Two steps, because 2^1024 is not a double, though half of it times two is.
    series * f64::from_bits(((n as i64 + 1022) as u64) << 52) * 2.0
}

/// Returns [`ln`] in single precision.
pub fn ln_f32(x: f32) -> f32 {
    ln(f64::from(x)) as f32
}

/// Returns [`exp`] in single precision.
pub fn exp_f32(x: f32) -> f32 {
    exp(f64::from(x)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bits_are_those_of_every_machine() {
        // Measured on one machine; the same test runs in WebAssembly.
        let bits: Vec<u64> = [0.1, 0.5, 1.0, 1.5, 2.0, 10.0, 12_345.678, 1e-300, 5e-324, 1e308]
            .map(|x| ln(x).to_bits())
            .into();
        let wanted: [u64; 10] = [
            0xc002_6bb1_bbb5_5515,
            0xbfe6_2e42_fefa_39ef,
            0x0,
            0x3fd9_f323_ecbf_984c,
            0x3fe6_2e42_fefa_39ef,
            0x4002_6bb1_bbb5_5516,
            0x4022_d795_5979_1e31,
            0xc085_9634_47f8_7fb5,
            0xc087_4385_446d_71c3,
            0x4086_2991_d5d6_2a5e,
        ];
        assert_eq!(bits, wanted, "{bits:#x?}");
        let bits: Vec<u64> =
            [0.0, 1.0, -1.0, 0.1, -10.0, 3.5, 100.0, -700.0, 709.0].map(|x| exp(x).to_bits()).into();
        let wanted: [u64; 9] = [
            0x3ff0_0000_0000_0000,
            0x4005_bf0a_8b14_576a,
            0x3fd7_8b56_362c_ef38,
            0x3ff1_aec7_b35a_00d4,
            0x3f07_cd79_b564_7c9a,
            0x4040_8ec7_2139_6bdb,
            0x48f3_494a_9b17_1bf5,
            0x00d1_4f2b_0fb9_307f,
            0x7fdd_422d_2be5_dc9b,
        ];
        assert_eq!(bits, wanted, "{bits:#x?}");
    }

    #[test]
    fn the_ends_are_what_they_should_be() {
        assert_eq!((ln(1.0), exp(0.0)), (0.0, 1.0));
        assert_eq!(
            (ln(0.0), ln(f64::INFINITY), exp(f64::INFINITY), exp(f64::NEG_INFINITY)),
            (f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY, 0.0)
        );
        assert!(ln(-1.0).is_nan() && ln(f64::NAN).is_nan() && exp(f64::NAN).is_nan());
        assert_eq!((exp(-800.0), exp(800.0)), (0.0, f64::INFINITY));
        assert!(exp(709.7).is_finite() && exp(-708.0) > 0.0);
    }

    proptest! {
        #[test]
        fn they_agree_with_the_platform_s_but_for_the_last_places(
            x in prop_oneof![1e-300f64..1e-3, 1e-3f64..10.0, 10.0f64..1e300],
            y in -700.0f64..700.0,
        ) {
            prop_assert!(
                (ln(x) - x.ln()).abs() <= 4e-16 * x.ln().abs().max(1.0),
                "ln {x}: {} {}",
                ln(x),
                x.ln()
            );
            prop_assert!((exp(y) / y.exp() - 1.0).abs() < 2e-15, "exp {y}: {} {}", exp(y), y.exp());
            prop_assert!((exp(ln(x)) / x - 1.0).abs() < 1e-12);
        }
    }
}
