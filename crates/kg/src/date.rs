//! Dates that are known to the year, to the month or to the day.

use crate::text::lexicon::{Language, SPOKEN};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

/// Date of the proleptic Gregorian calendar, as exact as it is known: `YYYY`, `YYYY-MM`, `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Date {
    /// Year; negative before 1 BC.
    pub year: i32,
    /// Month from 1; 0 if only the year is known.
    pub month: u8,
    /// Day from 1; 0 if only month and year are known.
    pub day: u8,
}

/// Day before all others.
pub const EARLIEST: Date = Date { year: -9999, month: 1, day: 1 };

/// Day that stands for the present, whenever that is.
pub const PRESENT: Date = Date { year: 9999, month: 12, day: 31 };

/// Error for a text that is not a numeric date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a date; write YYYY, YYYY-MM or YYYY-MM-DD")]
pub struct DateError(pub String);

impl Date {
    /// Makes a date known to the year (`month` and `day` absent), to the month (`day` absent) or to the day.
    /// `None` if no calendar has it, for a day without a month, and for a year of more than four digits.
    pub fn new(year: i32, month: Option<u8>, day: Option<u8>) -> Option<Date> {
        let given = |part: Option<u8>| part.is_none_or(|n| n > 0);
        let fits = (-9999..=9999).contains(&year) && given(month) && given(day);
        check_date(year, month.unwrap_or(0).into(), day.unwrap_or(0).into()).filter(|_| fits)
    }

    /// Compares two dates as far as both are known; `None` for a year and a day of that year.
    pub fn compare(self, other: Date) -> Option<Ordering> {
        let by = self.year.cmp(&other.year);
        if by != Ordering::Equal || self == other {
            return Some(by);
        }
        for (a, b) in [(self.month, other.month), (self.day, other.day)] {
            if a == 0 || b == 0 {
                return None;
            }
            if a != b {
                return Some(a.cmp(&b));
            }
        }
        Some(Ordering::Equal)
    }

    /// Reads `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, with an optional minus before the year: a date as it is
    /// written.
    pub fn parse(text: &str) -> Option<Date> {
        numeric_date(text).filter(|date| date.year.abs() < 10_000 && date.to_string() == text)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.year < 0 {
            f.write_str("-")?;
        }
        write!(f, "{:04}", self.year.unsigned_abs())?;
        for part in [self.month, self.day].into_iter().filter(|&n| n > 0) {
            write!(f, "-{part:02}")?;
        }
        Ok(())
    }
}

impl TryFrom<String> for Date {
    type Error = DateError;

    fn try_from(text: String) -> Result<Date, DateError> {
        Date::parse(&text).ok_or(DateError(text))
    }
}

impl From<Date> for String {
    fn from(date: Date) -> String {
        date.to_string()
    }
}

/// Reads a date: `1776`, `-0044`, `1776-07`, `1776-07-04` (a time may follow), `4 July 1776`, `July 4, 1776`,
/// `July 1776`. `None` for anything else; days are checked against their month.
pub fn date(text: &str) -> Option<Date> {
    let text = text.trim();
    if text.len() > 40 {
        return None;
    }
    numeric_date(text).or_else(|| written_date(text))
}

/// Reads an interval as ISO 8601 writes it: `2010-05-01/2018-04-30`, or `2018-05-01/..` without an end.
pub fn read_interval(text: &str) -> Option<[Option<Date>; 2]> {
    let read_end = |end| if end == ".." { Some(None) } else { date(end).map(Some) };
    let (from, until) = text.split_once('/')?;
    Some([read_end(from)?, read_end(until)?])
}

/// Returns an interval, as [`read_interval`] reads it, for people: `2010-05-01 – 2018-04-30`, `2018-05-01 –`.
pub fn show_interval(text: &str) -> String {
    text.replace("..", "").replace('/', " – ").trim().to_owned()
}

/// Writes an interval as [`read_interval`] reads it.
pub fn write_interval(ends: [Option<Date>; 2]) -> String {
    ends.map(|end| end.map_or_else(|| "..".to_owned(), |day| day.to_string())).join("/")
}

fn numeric_date(text: &str) -> Option<Date> {
    let day_part = text.split(['T', 't']).next()?;
    let (negative, rest) = match day_part.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, day_part.strip_prefix('+').unwrap_or(day_part)),
    };
    let rest = rest.strip_suffix('Z').unwrap_or(rest);
    let mut parts = rest.split('-');
    let year = parts.next()?;
    if !(3..=6).contains(&year.len()) {
        return None;
    }
    let year = parse_digits(year)? as i32;
    let month = parts.next().map_or(Some(0), parse_digits)?;
    let day = parts.next().map_or(Some(0), parse_digits)?;
    if parts.next().is_some() {
        return None;
    }
    check_date(if negative { -year } else { year }, month, day)
}

fn written_date(text: &str) -> Option<Date> {
    let (mut year, mut month, mut day) = (None, None, 0);
    for word in text.split([' ', ',']).filter(|w| !w.is_empty()) {
        let lower = word.trim_end_matches('.').to_ascii_lowercase();
        match parse_digits(&lower) {
            Some(n) if lower.len() >= 3 && year.is_none() => year = Some(n),
            Some(n) if lower.len() <= 2 && day == 0 => day = n,
            Some(_) => return None,
            None => {
                let named = |m: &str| m == lower || (lower.len() >= 3 && m.starts_with(&lower));
                let found = SPOKEN.months().rows().find(|row| named(row.word))?;
                if month.replace(parse_digits(found.field(0))?).is_some() {
                    return None;
                }
            }
        }
    }
    check_date(year? as i32, month?, day)
}

fn parse_digits(s: &str) -> Option<u32> {
    if s.is_empty() || s.len() > 6 || !s.bytes().all(|b| b.is_ascii_digit()) { None } else { s.parse().ok() }
}

fn check_date(year: i32, month: u32, day: u32) -> Option<Date> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        0 if day == 0 => 0,
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (day <= days).then_some(Date { year, month: month as u8, day: day as u8 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn intervals_read_as_they_are_written() {
        for text in ["2010-05-01/2018-04-30", "2010/..", "../2018-04", "../.."] {
            assert_eq!(read_interval(text).map(write_interval).as_deref(), Some(text));
        }
        assert!(
            ["", "2010", "2010/", "minutes/2016.txt", "http://e/2016"]
                .iter()
                .all(|text| read_interval(text).is_none())
        );
    }

    #[test]
    fn dates_read_in_the_usual_forms_and_impossible_days_do_not() {
        let d = |year, month, day| Some(Date { year, month, day });
        assert_eq!(date("1776-07-04T12:00:00Z"), d(1776, 7, 4));
        assert_eq!(date("July 4, 1776"), d(1776, 7, 4));
        assert_eq!(date("4 Jul. 1776"), d(1776, 7, 4));
        assert_eq!(
            (date("1984"), date("-0044-03-15"), date("May 2001")),
            (d(1984, 0, 0), d(-44, 3, 15), d(2001, 5, 0))
        );
        for no in ["1999-02-29", "2001-13-01", "July", "4 July", "12", "the 90s", "1-2-3-4"] {
            assert_eq!(date(no), None, "{no}");
        }
    }

    proptest! {
        #[test]
        fn a_date_is_read_back_as_it_is_written(year in -9999i32..=9999, month in 0u8..=13, day in 0u8..=32) {
            let some = |n: u8| (n > 0).then_some(n);
            if let Some(d) = Date::new(year, some(month), some(day)) {
                prop_assert_eq!(Date::parse(&d.to_string()), Some(d));
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,20}") {
            let _ = (date(&text), Date::parse(&text));
        }
    }
}
