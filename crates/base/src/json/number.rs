//! Numbers as decimal text, both ways.
//!
//! The standard library's conversions and their tables are 17 kB of the compressed wasm. Nearly every number
//! in JSON has at most fifteen digits and a small exponent, for which one exact division of doubles suffices
//! (Clinger, "How to read floating point numbers accurately", 1990). The rest is computed digit by digit,
//! which is slow and short.

use std::fmt::{Display, Formatter, Result, Write};
use std::num::IntErrorKind;

/// Maximum number of digits kept. Fewer decide a double, unless it is within 10^-60 of the middle of two.
const KEPT: usize = 60;
/// Number of digits up to which every decimal has a double of its own.
const SURE_DIGITS: usize = 15;
/// Largest power of ten that is exactly a double.
const EXACT_POWER: usize = 22;
/// Powers of ten beyond which a number is infinite or zero.
const EXPONENTS: i64 = 400;

fn power_of_ten(n: usize) -> f64 {
    (0..n).fold(1.0, |power, _| power * 10.0)
}

/// Returns the double nearest to a decimal such as `-12.5e3`; infinite if too large, `None` if it is none.
pub fn read_number(text: &str) -> Option<f64> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (
            &unsigned[..at],
            unsigned[at + 1..].parse::<i64>().map_or_else(|e| clamp_exponent(e.kind()), Some)?,
        ),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if whole.len() + fraction.len() == 0 || !digits().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let leading = digits().take_while(|&b| b == b'0').count();
    let mut decimal = Decimal {
        digits: digits().skip(leading).take(KEPT).map(|b| b - b'0').collect(),
        point: (whole.len() as i64 - leading as i64).saturating_add(exponent).clamp(-EXPONENTS, EXPONENTS)
            as i32,
    };
    decimal.trim_zeros();
    let value = decimal.nearest_double();
    Some(if negative { -value } else { value })
}

/// Returns the largest or smallest integer for an exponent that overflows; `None` for any other fault.
fn clamp_exponent(kind: &IntErrorKind) -> Option<i64> {
    match kind {
        IntErrorKind::PosOverflow => Some(i64::MAX),
        IntErrorKind::NegOverflow => Some(i64::MIN),
        _ => None,
    }
}

/// Writes the shortest decimal that reads back as the finite `n`, as the standard library does: no exponent.
pub fn write_number(f: &mut Formatter<'_>, n: f64) -> Result {
    if n.is_sign_negative() {
        f.write_char('-')?;
    }
    let Decimal { digits, point } = shortest_decimal(n.abs());
    // A number has zeros on both sides of its digits, and always one digit before the point.
    let digit =
        |i: i32| usize::try_from(i).ok().and_then(|i| digits.get(i)).map_or('0', |&d| char::from(b'0' + d));
    let end = digits.len() as i32;
    for i in point.min(1) - 1..point.max(end) {
        if i == point {
            f.write_char('.')?;
        }
        f.write_char(digit(i))?;
    }
    Ok(())
}

/// A finite number with two decimals, as people are shown a score.
pub struct Hundredths(pub f32);

impl Display for Hundredths {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let all = (f64::from(self.0.abs()) * 100.0).round() as u64;
        let sign = if self.0 < 0.0 && all > 0 { "-" } else { "" };
        write!(f, "{sign}{}.{:02}", all / 100, all % 100)
    }
}

/// Returns the double with the digits of a single: 0.1, not 0.10000000149011612.
pub fn widen_single(n: f32) -> f64 {
    let exact = Decimal::from_double(f64::from(n.abs()));
    let short = (1..=9).map(|digits| exact.round_to(digits).nearest_double()).find(|&x| x as f32 == n.abs());
    short.map_or(f64::from(n), |x| if n.is_sign_negative() { -x } else { x })
}

/// Returns the shortest decimal that reads back as `n`.
fn shortest_decimal(n: f64) -> Decimal {
    for places in 0..=EXACT_POWER {
        let power = power_of_ten(places);
        let scaled = (n * power).round();
        if scaled >= power_of_ten(SURE_DIGITS) {
            break;
        }
        if scaled / power == n {
            let mut out = Decimal::default();
            out.prepend_digits(scaled as u64);
            out.point -= places as i32;
            return out;
        }
    }
    let exact = Decimal::from_double(n);
    let short = (1..=16).map(|digits| exact.round_to(digits)).find(|short| short.nearest_double() == n);
    short.unwrap_or_else(|| exact.round_to(17))
}

/// The number 0.d1 d2 d3 … × 10^point, d1 not 0; no digits for zero.
#[derive(Default, Clone)]
struct Decimal {
    digits: Vec<u8>,
    point: i32,
}

impl Decimal {
    /// Converts a finite double that is not negative, digit for digit.
    fn from_double(n: f64) -> Decimal {
        let (fraction, exponent) = (n.to_bits() & ((1 << 52) - 1), (n.to_bits() >> 52) as i32);
        let mut out = Decimal::default();
        out.prepend_digits(if exponent == 0 { fraction } else { fraction | 1 << 52 });
        out.scale_by(exponent.max(1) - 1075);
        out
    }

    fn trim_zeros(&mut self) {
        self.digits.truncate(KEPT);
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
    }

    /// Inserts the digits of `n` before the first.
    fn prepend_digits(&mut self, mut n: u64) {
        while n > 0 {
            self.digits.insert(0, (n % 10) as u8);
            self.point += 1;
            n /= 10;
        }
        self.trim_zeros();
    }

    /// Multiplies by a factor of at most 2^60, so that a digit's product fits.
    fn multiply_by(&mut self, factor: u64) {
        let mut carry = 0;
        for digit in self.digits.iter_mut().rev() {
            let product = u64::from(*digit) * factor + carry;
            *digit = (product % 10) as u8;
            carry = product / 10;
        }
        self.prepend_digits(carry);
    }

    /// Multiplies by 2^power. Halving multiplies by five and moves the point.
    fn scale_by(&mut self, mut power: i32) {
        while power > 0 {
            let step = power.min(60);
            self.multiply_by(1 << step);
            power -= step;
        }
        while power < 0 {
            let step = power.max(-25);
            self.multiply_by(5u64.pow(step.unsigned_abs()));
            self.point += step;
            power -= step;
        }
    }

    fn round_to(&self, digits: usize) -> Decimal {
        let mut out = self.clone();
        out.digits.truncate(digits);
        if self.digits.get(digits).is_some_and(|&d| d >= 5) {
            while out.digits.last() == Some(&9) {
                out.digits.pop();
            }
            match out.digits.last_mut() {
                Some(last) => *last += 1,
                None => out.prepend_digits(1),
            }
        }
        out.trim_zeros();
        out
    }

    /// Returns the nearest whole number, the even one of two equally near; the number must be below 2^60.
    fn nearest_whole(&self) -> u64 {
        let digit = |i: i32| usize::try_from(i).ok().and_then(|i| self.digits.get(i)).copied().unwrap_or(0);
        let whole = (0..self.point).fold(0, |n, i| n * 10 + u64::from(digit(i)));
        let middle = digit(self.point) == 5 && self.digits.len() as i32 == self.point + 1;
        let up = if middle { whole % 2 == 1 } else { digit(self.point) >= 5 };
        whole + u64::from(up)
    }

    fn nearest_double(&self) -> f64 {
        let places = self.digits.len() as i32 - self.point;
        if self.digits.len() <= SURE_DIGITS && places.unsigned_abs() as usize <= EXACT_POWER {
            let digits = self.digits.iter().fold(0, |n, &d| n * 10 + u64::from(d)) as f64;
            let power = power_of_ten(places.unsigned_abs() as usize);
            return if places > 0 { digits / power } else { digits * power };
        }
        if self.digits.is_empty() {
            return 0.0;
        }
        // Scaled to between 1/2 and 1, the number has 53 bits, or fewer near the smallest doubles.
        let mut part = self.clone();
        let mut exponent = 0;
        while part.point > 0 {
            let step = part.point * 3;
            part.scale_by(-step);
            exponent += step;
        }
        while part.point < 0 || part.digits[0] < 5 {
            let step = (part.point * -3).max(1);
            part.scale_by(step);
            exponent -= step;
        }
        let bits = (exponent + 1074).min(53);
        if bits < 0 {
            return 0.0;
        }
        if exponent > 1024 {
            return f64::INFINITY;
        }
        part.scale_by(bits);
        part.nearest_whole() as f64 * power_of_two(exponent - bits)
    }
}

fn power_of_two(power: i32) -> f64 {
    f64::from_bits(if power < -1022 { 1 << (power + 1074) } else { ((power + 1023) as u64) << 52 })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Written(f64);

    impl std::fmt::Display for Written {
        fn fmt(&self, f: &mut Formatter<'_>) -> Result {
            write_number(f, self.0)
        }
    }

    fn agree(n: f64) {
        let theirs = n.to_string();
        assert_eq!(Written(n).to_string(), theirs);
        assert_eq!(read_number(&theirs).unwrap().to_bits(), n.to_bits(), "{theirs}");
    }

    #[test]
    fn two_decimals_are_those_of_the_standard_library() {
        for n in [0.0, 0.004, 0.996, 0.999, 1.0, -0.17, -2.5, 12.346, 0.44, 1e6] {
            assert_eq!(Hundredths(n).to_string(), format!("{n:.2}"));
        }
        assert_eq!(Hundredths(-0.001).to_string(), "0.00");
    }

    #[test]
    fn the_ends_of_the_range_and_its_steps_are_the_standard_librarys() {
        for n in [
            0.0,
            -0.0,
            0.1,
            1.0,
            10.0,
            100.0,
            0.3,
            0.1 + 0.2,
            1e15,
            1e16,
            1e21,
            1e22,
            1e23,
            1e300,
            5e-324,
            2.2250738585072014e-308,
        ] {
            agree(n);
        }
        for n in [
            f64::MAX,
            f64::MIN_POSITIVE,
            f64::EPSILON,
            2.225073858507201e-308,
            9_007_199_254_740_993.0,
            123456.789e-30,
        ] {
            agree(n);
            agree(-n);
        }
    }

    #[test]
    fn what_is_beyond_doubles_is_infinite_or_zero() {
        assert_eq!(read_number("1e309"), Some(f64::INFINITY));
        assert_eq!(read_number("-1e99999999999999999999"), Some(f64::NEG_INFINITY));
        assert_eq!(read_number("1e-99999999999999999999"), Some(0.0));
        assert_eq!(read_number("0e99999999999999999999"), Some(0.0));
        assert_eq!(read_number("2e-324"), Some(0.0));
        assert_eq!(read_number("3e-324"), Some(5e-324));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", ".", "e5", "1e", "1.2.3", "--1", "1x", "0x10", "inf", "NaN", " 1", "1e5.0"] {
            assert_eq!(read_number(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_double_is_written_and_read_as_the_standard_library_does(bits: u64) {
            let n = f64::from_bits(bits);
            if n.is_finite() {
                agree(n);
            }
        }

        #[test]
        fn ordinary_numbers_too(mantissa in any::<i64>(), places in 0i32..30) {
            agree(mantissa as f64 / 10f64.powi(places));
            agree(f64::from(mantissa as i32) / 10f64.powi(places % 8));
        }

        #[test]
        fn any_decimal_is_read_as_the_standard_library_does(text in "-?[0-9]{1,25}(\\.[0-9]{0,45})?([eE][+-]\
            ?[0-9]{1,3})?") {
            prop_assert_eq!(read_number(&text).unwrap().to_bits(), text.parse::<f64>().unwrap().to_bits());
        }

        #[test]
        fn single_precision_keeps_its_digits(bits: u32) {
            let n = f32::from_bits(bits);
            if n.is_finite() {
                prop_assert_eq!(widen_single(n), n.to_string().parse::<f64>().unwrap());
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,20}") {
            let _ = read_number(&text);
        }
    }
}
