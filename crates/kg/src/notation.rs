//! One-line notation of values in plans, read strictly, since a guess would change a plan's meaning.

use super::{Date, Value, number};
use crate::json;
use std::fmt::{self, Display, Formatter};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number { value, unit: None } => json::Value::Number(*value).fmt(f),
            Value::Number { value, unit: Some(unit) } => write!(f, "{} {unit}", json::Value::Number(*value)),
            Value::Date(date) => date.fmt(f),
            Value::Text(text) => f.write_str(text),
            Value::Boolean(value) => value.fmt(f),
        }
    }
}

impl Value {
    /// Returns true if a plan can use the value: finite numbers, no empty units.
    pub fn is_valid(&self) -> bool {
        match self {
            Value::Number { value, unit } => {
                value.is_finite() && unit.as_ref().is_none_or(|u| !u.trim().is_empty())
            }
            Value::Date(_) | Value::Text(_) | Value::Boolean(_) => true,
        }
    }

    /// Reads one line of text: `true`, `false`; a date (`1990-05-01`, `1990-05`, `date 1990`); a number with
    /// an optional unit (`1,500`, `12.5 km`); anything else that does not begin like a number is a text. A
    /// bare year is a number, which compares with dates as a year.
    ///
    /// `None` for a text that begins like a number and is none: a guess would change the plan's meaning.
    pub fn parse(text: &str) -> Option<Value> {
        let text = text.trim();
        match text.to_ascii_lowercase().as_str() {
            "true" => return Some(Value::Boolean(true)),
            "false" => return Some(Value::Boolean(false)),
            _ => {}
        }
        let dated =
            text.get(..5).filter(|word| word.eq_ignore_ascii_case("date ")).and_then(|_| text.get(5..));
        if let Some(date) = dated.and_then(|rest| Date::parse(rest.trim())) {
            return Some(Value::Date(date));
        }
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return Some(Value::Text(text.to_owned()));
        }
        if unsigned.contains('-')
            && let Some(date) = Date::parse(text)
        {
            return Some(Value::Date(date));
        }
        let end = number_length(unsigned);
        let (digits, unit) = (&text[..text.len() - unsigned.len() + end], unsigned[end..].trim_start());
        let value = number(digits)?;
        if !(unit.is_empty() || is_plain_unit(unit)) {
            return None;
        }
        Some(Value::Number { value, unit: (!unit.is_empty()).then(|| unit.to_owned()) })
    }

    /// Returns the value on one line that [`Value::parse`] reads back; `None` for a unit that is no plain
    /// word, for a number that is not finite, and for a text that would be read as something else (quote it).
    pub fn plain(&self) -> Option<String> {
        let text = match self {
            Value::Date(date) if date.month == 0 => format!("date {date}"),
            _ => self.to_string(),
        };
        (Value::parse(&text).as_ref() == Some(self)).then_some(text)
    }
}

/// Returns the length in bytes of the number at the start of a text.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits =
        |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b',').count();
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

/// Returns true for a unit of one to three words that cannot be a sentence or a second number: `km`,
/// `people`, `sq mi`, `km2`.
fn is_plain_unit(unit: &str) -> bool {
    let word = |word: &str| {
        word.chars().next().is_some_and(|c| c.is_alphabetic() || "%°$€£".contains(c))
            && word.chars().all(|c| c.is_alphanumeric() || "%°$€£/^.-²³".contains(c))
    };
    unit.len() <= 32
        && unit.split(' ').count() <= 3
        && unit.split(' ').all(word)
        && !unit.split(' ').skip(1).any(|w| w.starts_with('-'))
}
