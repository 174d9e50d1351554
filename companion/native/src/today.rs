//! Dates: today's, and that of a number of days.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today in UTC as `2024-05-06`, or the day that `SOURCE_DATE_EPOCH` names, so that a build can be made
/// again.
pub fn today() -> String {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|s| s.parse::<u64>().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    date_of(i64::try_from(fixed.unwrap_or_else(now) / 86_400).unwrap_or(0))
}

/// Returns the date of a number of days after 1970-01-01, by Howard Hinnant's algorithm.
pub fn date_of(days: i64) -> String {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn today_is_a_date_after_this_was_written() {
        let today = today();
        assert!(today.len() == 10 && today.as_str() > "2024-01-01", "{today}");
    }
}
