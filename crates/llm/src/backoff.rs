//! Delays before retries: exponential back-off with jitter, or the endpoint's `Retry-After`.

use crate::json;

/// Number and delays of retries of a request that failed before its first text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Number of retries after the first attempt.
    pub times: u32,
    /// First delay in milliseconds, before jitter; each later one is twice as long.
    pub base_ms: u32,
    /// Maximum delay in milliseconds, without `Retry-After`.
    pub cap_ms: u32,
    /// Maximum `Retry-After` in milliseconds; a request with a longer one fails at once and names it.
    pub longest_wish_ms: u32,
    /// Seed of the jitter. The same seed gives the same delays.
    pub seed: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Retry { times: 3, base_ms: 500, cap_ms: 20_000, longest_wish_ms: 60_000, seed: 0 }
    }
}

impl Retry {
    /// Returns the delay before retry `attempt` (0 is the first): half of the exponential step and a random
    /// part of the other half, so that readers whose requests failed together do not retry together.
    pub fn pause_ms(&self, attempt: u32, request: u64) -> u32 {
        let step =
            u64::from(self.base_ms).saturating_mul(1_u64 << attempt.min(32)).min(u64::from(self.cap_ms));
        let half = step / 2;
        let random =
            mix_bits(self.seed ^ mix_bits(request) ^ mix_bits(u64::from(attempt) << 32)) % (step - half + 1);
        u32::try_from(half + random).unwrap_or(self.cap_ms)
    }
}

/// Mixes bits with the finaliser of SplitMix64: every input bit affects every output bit.
fn mix_bits(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Reads a `Retry-After` header in milliseconds: seconds (also fractions, which some servers send), or an
/// HTTP date, which is compared with the response's `Date` header, not a clock. `None` for anything else.
pub(super) fn retry_after_ms(value: &str, date: Option<&str>) -> Option<u32> {
    let value = value.trim();
    let milliseconds = if value.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        json::number(value)? * 1000.0
    } else {
        (http_date(value)? - http_date(date?)?).max(0) as f64 * 1000.0
    };
    // A cast saturates, so an absurd delay stays a long one.
    Some(milliseconds.ceil() as u32)
}

const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";

/// Reads an HTTP date (RFC 9110), `Sun, 06 Nov 1994 08:49:37 GMT`, as seconds since 1970; no obsolete form.
fn http_date(text: &str) -> Option<i64> {
    let mut parts = text.trim().split_once(", ")?.1.split(' ');
    let day: i64 = parts.next()?.parse().ok()?;
    let name = parts.next()?;
    let month = MONTHS.find(name).filter(|m| m % 3 == 0 && name.len() == 3)? as i64 / 3 + 1;
    let year: i64 = parts.next()?.parse().ok()?;
    let mut clock = parts.next()?.split(':').map(|n| n.parse::<i64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    if parts.next() != Some("GMT")
        || !(1970..10_000).contains(&year)
        || !(1..=31).contains(&day)
        || !(0..24).contains(&hour)
        || !(0..60).contains(&minute)
        || !(0..=60).contains(&second)
    {
        return None;
    }
    // Days from 1970-01-01 in the Gregorian calendar, with years from March so that the leap day is the last.
    let y = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (y.div_euclid(400), y.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dates_are_seconds_since_1970() {
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http_date("Thu, 29 Feb 2024 00:00:00 GMT"), Some(1_709_164_800));
        assert_eq!(http_date("Thu, 29 anF 2024 00:00:00 GMT"), None);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date_or_nothing() {
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(retry_after_ms("2", None), Some(2000));
        assert_eq!(retry_after_ms(" 0.25 ", None), Some(250));
        assert_eq!(retry_after_ms("Sun, 06 Nov 1994 08:50:07 GMT", date), Some(30_000));
        assert_eq!(retry_after_ms("Sun, 06 Nov 1994 08:00:00 GMT", date), Some(0));
        assert_eq!(retry_after_ms("Sun, 06 Nov 1994 08:50:07 GMT", None), None);
        assert_eq!(retry_after_ms("soon", date), None);
        assert_eq!(retry_after_ms("", date), None);
        assert_eq!(retry_after_ms("99999999999999999", None), Some(u32::MAX));
    }

    proptest! {
        #[test]
        fn pauses_grow_within_their_bounds_and_repeat_with_their_seed(
            seed: u64,
            request: u64,
            attempt in 0_u32..40,
        ) {
            let retry = Retry { seed, ..Retry::default() };
            let pause = retry.pause_ms(attempt, request);
            let step = (500_u64 << attempt.min(30)).min(20_000) as u32;
            prop_assert!(pause >= step / 2 && pause <= step);
            prop_assert_eq!(pause, retry.pause_ms(attempt, request));
        }

        #[test]
        fn no_header_makes_it_panic(value in ".{0,40}", date in "[A-Za-z0-9,: ]{0,32}") {
            let _ = retry_after_ms(&value, Some(&date));
            let _ = retry_after_ms(&date, Some(&date));
        }
    }
}
