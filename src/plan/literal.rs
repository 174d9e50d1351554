//! Typed values: numbers with units, dates with a precision, texts, truth values; and their one-line notation.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A value that is no entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Literal {
    /// A finite number.
    Number {
        /// The number.
        value: f64,
        /// Its unit, as written: "km", "people".
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unit: Option<String>,
    },
    /// A date.
    Date(Date),
    /// A text.
    Text(String),
    /// A truth value.
    Boolean(bool),
}

/// A date of the Gregorian calendar that is known to the year, to the month or to the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Date {
    year: i32,
    month: Option<u8>,
    day: Option<u8>,
}

/// Why something is not a literal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a date; write YYYY, YYYY-MM or YYYY-MM-DD")]
pub struct LiteralError(pub String);

impl Date {
    /// A date known to the year (`month` and `day` absent), to the month (`day` absent) or to the day.
    /// `None` if no calendar has it, or if there is a day without a month.
    pub fn new(year: i32, month: Option<u8>, day: Option<u8>) -> Option<Date> {
        let leap = year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
        let length = match month {
            None => 0,
            Some(2) => 28 + u8::from(leap),
            Some(4 | 6 | 9 | 11) => 30,
            Some(1..=12) => 31,
            Some(_) => return None,
        };
        let fits = (-9999..=9999).contains(&year) && day.is_none_or(|d| (1..=length).contains(&d));
        fits.then_some(Date { year, month, day })
    }

    /// The year; negative before the common era.
    pub fn year(self) -> i32 {
        self.year
    }

    /// The month, from 1, if it is known.
    pub fn month(self) -> Option<u8> {
        self.month
    }

    /// The day of the month, from 1, if it is known.
    pub fn day(self) -> Option<u8> {
        self.day
    }

    /// Reads `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, with an optional minus before the year.
    pub fn parse(text: &str) -> Option<Date> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let mut parts = digits.split('-');
        let number = |part: &str, digits: usize| -> Option<i32> {
            (part.len() == digits && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.parse().ok()).flatten()
        };
        let year = sign * number(parts.next()?, 4)?;
        let two = |part: Option<&str>| -> Option<Option<u8>> {
            match part {
                None => Some(None),
                Some(part) => number(part, 2).and_then(|n| u8::try_from(n).ok()).map(Some),
            }
        };
        let (month, day) = (two(parts.next())?, two(parts.next())?);
        if parts.next().is_some() {
            return None;
        }
        Date::new(year, month, day)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.year < 0 {
            f.write_str("-")?;
        }
        write!(f, "{:04}", self.year.unsigned_abs())?;
        for part in [self.month, self.day].into_iter().flatten() {
            write!(f, "-{part:02}")?;
        }
        Ok(())
    }
}

impl TryFrom<String> for Date {
    type Error = LiteralError;

    fn try_from(text: String) -> Result<Date, LiteralError> {
        Date::parse(&text).ok_or(LiteralError(text))
    }
}

impl From<Date> for String {
    fn from(date: Date) -> String {
        date.to_string()
    }
}

impl Literal {
    /// A number without a unit.
    pub fn number(value: f64) -> Literal {
        Literal::Number { value, unit: None }
    }

    /// Whether the literal stands for a value: numbers are finite, units not empty.
    pub fn is_valid(&self) -> bool {
        match self {
            Literal::Number { value, unit } => value.is_finite() && unit.as_ref().is_none_or(|u| !u.trim().is_empty()),
            Literal::Date(_) | Literal::Text(_) | Literal::Boolean(_) => true,
        }
    }
}
