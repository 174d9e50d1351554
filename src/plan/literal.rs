//! Typed values: numbers with units, dates with a precision, texts, truth values; and their one-line notation.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A value that is no entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
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
    Date(#[cfg_attr(target_arch = "wasm32", tsify(type = "string"))] Date),
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

    /// Reads one line of text: `true`, `false`; a date (`1990-05-01`, `1990-05`, `date 1990`); a number with an optional unit
    /// (`1,500`, `12.5 km`); anything else that does not begin like a number is a text. A bare year is a number, which compares with
    /// dates as the year that it is.
    ///
    /// `None` for what begins like a number and is none, since a guess would change what the plan means.
    pub fn parse(text: &str) -> Option<Literal> {
        let text = text.trim();
        match text.to_ascii_lowercase().as_str() {
            "true" => return Some(Literal::Boolean(true)),
            "false" => return Some(Literal::Boolean(false)),
            _ => {}
        }
        let dated = text.get(..5).filter(|word| word.eq_ignore_ascii_case("date ")).and_then(|_| text.get(5..));
        if let Some(date) = dated.and_then(|rest| Date::parse(rest.trim())) {
            return Some(Literal::Date(date));
        }
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return Some(Literal::Text(text.to_owned()));
        }
        if unsigned.contains('-')
            && let Some(date) = Date::parse(text)
        {
            return Some(Literal::Date(date));
        }
        let end = number_length(unsigned);
        let (digits, unit) = (&text[..text.len() - unsigned.len() + end], unsigned[end..].trim_start());
        let value: f64 = ungrouped(digits)?.parse().ok()?;
        if !value.is_finite() || !(unit.is_empty() || is_plain_unit(unit)) {
            return None;
        }
        Some(Literal::Number { value, unit: (!unit.is_empty()).then(|| unit.to_owned()) })
    }

    /// The literal on one line, such that [`Literal::parse`] reads it back; `None` for a unit that is no plain word, for a number that
    /// is not finite, and for a text that would be read as something else (quote it).
    pub fn plain(&self) -> Option<String> {
        let text = match self {
            Literal::Number { value, unit: None } => value.to_string(),
            Literal::Number { value, unit: Some(unit) } => format!("{value} {unit}"),
            Literal::Date(date) if date.month.is_none() => format!("date {date}"),
            Literal::Date(date) => date.to_string(),
            Literal::Text(text) => text.clone(),
            Literal::Boolean(value) => value.to_string(),
        };
        (Literal::parse(&text).as_ref() == Some(self)).then_some(text)
    }
}

/// How many bytes of a text that begins like a number are the number.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b',').count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    end
}

/// Digits without thousands separators; `None` where commas do not separate thousands.
fn ungrouped(digits: &str) -> Option<String> {
    if !digits.contains(',') {
        return Some(digits.to_owned());
    }
    let whole = digits.split(['.', 'e', 'E']).next()?;
    let mut groups = whole.trim_start_matches(['-', '+']).split(',');
    let first = groups.next()?;
    let grouped = (1..=3).contains(&first.len()) && groups.all(|g| g.len() == 3) && !digits[whole.len()..].contains(',');
    grouped.then(|| digits.replace(',', ""))
}

/// Whether a unit is a word or three, so that no sentence and no second number passes for one: `km`, `people`, `sq mi`, `km2`.
fn is_plain_unit(unit: &str) -> bool {
    let word = |word: &str| {
        word.chars().next().is_some_and(|c| c.is_alphabetic() || "%°$€£".contains(c))
            && word.chars().all(|c| c.is_alphanumeric() || "%°$€£/^.-²³".contains(c))
    };
    unit.len() <= 32 && unit.split(' ').count() <= 3 && unit.split(' ').all(word) && !unit.split(' ').skip(1).any(|w| w.starts_with('-'))
}
