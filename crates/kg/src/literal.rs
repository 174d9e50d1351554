//! Literals: numbers, dates, truth values and text, with datatype and unit; their values, and how those compare.

use super::{Date, date};
use crate::text::lexicon::{Language, SPOKEN};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Kind of a literal's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum LiteralKind {
    /// A number, with or without a unit.
    Number,
    /// A year, a month or a day.
    Date,
    /// Anything that is only text.
    Text,
    /// True or false.
    Boolean,
}

/// Literal of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Literal<'a> {
    /// The value as imported.
    pub text: &'a str,
    /// Kind of its value.
    pub kind: LiteralKind,
    /// The datatype's name as imported (an IRI, or `@` and a language tag); empty when none was given.
    pub datatype: &'a str,
    /// The unit; empty when there is none.
    pub unit: &'a str,
}

/// A value that is no entity: of a literal of the graph, of a step, or in a plan. Its one-line notation is [`Value::parse`]'s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Value {
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

impl Value {
    /// A number without a unit.
    pub fn number(value: f64) -> Value {
        Value::Number { value, unit: None }
    }

    /// Compares two values; `None` if they cannot be compared (different kinds or dimensions, dates that are too vague).
    pub fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Number { value: a, unit: d }, Value::Number { value: b, unit: e }) if d == e => a.partial_cmp(b),
            (Value::Number { value: a, unit: d }, Value::Number { value: b, unit: e }) => {
                // Metres, kilograms, seconds: an unknown unit is a dimension of its own.
                let ((dimension, a_size), (other, b_size)) = (measured(d), measured(e));
                (dimension == other).then(|| (a * a_size).partial_cmp(&(b * b_size))).flatten()
            }
            (Value::Date(a), Value::Date(b)) => a.compare(*b),
            // A bare number beside a date is a year.
            (Value::Number { value, unit: None }, Value::Date(d)) => year(*value)?.compare(*d),
            (Value::Date(d), Value::Number { value, unit: None }) => d.compare(year(*value)?),
            (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
            (Value::Boolean(a), Value::Boolean(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }
}

fn year(n: f64) -> Option<Date> {
    (n.fract() == 0.0 && n.abs() <= 9999.0).then_some(Date { year: n as i32, month: 0, day: 0 })
}

impl Literal<'_> {
    /// Returns the value by its kind, or as text if it does not parse as that kind.
    pub fn value(&self) -> Value {
        let text = || Value::Text(self.text.to_owned());
        match self.kind {
            LiteralKind::Number => number(self.text).map_or_else(text, |n| with_unit(n, self.unit)),
            LiteralKind::Date => date(self.text).map_or_else(text, Value::Date),
            LiteralKind::Boolean => match self.text {
                "true" | "1" => Value::Boolean(true),
                "false" | "0" => Value::Boolean(false),
                _ => text(),
            },
            LiteralKind::Text => text(),
        }
    }
}

/// The value that an untyped text denotes: a number (with a unit after it), a date, or text. A bare year such as 1984 reads as a number,
/// which compares with dates as a year.
pub fn value_of(text: &str) -> Value {
    let text = text.trim();
    if let Some(n) = number(text) {
        return Value::number(n);
    }
    if let Some((n, unit)) = measure(text) {
        return with_unit(n, unit);
    }
    date(text).map_or_else(|| Value::Text(text.to_owned()), Value::Date)
}

fn with_unit(value: f64, unit: &str) -> Value {
    Value::Number { value, unit: Some(unit.trim()).filter(|u| !u.is_empty()).map(str::to_owned) }
}

fn measured(unit: &Option<String>) -> (&str, f64) {
    unit.as_deref().map_or(("", 1.0), dimension)
}

/// A unit's dimension and its size in the dimension's base unit. An unknown unit is a dimension of its own.
fn dimension(unit: &str) -> (&str, f64) {
    let known = SPOKEN.units().row(unit).and_then(|row| Some((row.field(0), row.field(1).parse().ok()?)));
    known.unwrap_or((unit, 1.0))
}

/// A finite number: sign, digits with thousands separators (`1,234,567`), fraction, exponent. `None` for anything else.
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') || text.len() > 400 {
        return None;
    }
    let plain = if digits.contains(',') {
        let whole = digits.split(['.', 'e', 'E']).next()?;
        let mut groups = whole.split(',');
        let first = groups.next()?;
        if first.is_empty() || first.len() > 3 || !groups.all(|g| g.len() == 3) || digits[whole.len()..].contains(',') {
            return None;
        }
        text.replace(',', "")
    } else {
        text.to_owned()
    };
    plain.parse().ok().filter(|n: &f64| n.is_finite())
}

/// A number and the unit after it: `6194 m`, `12.5km`. `None` when there is no number or nothing after it.
pub fn measure(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+')))?;
    let unit = text[end..].trim_start();
    // A unit is short and without digits of its own in front: "4 July 1776" is no measure.
    if unit.len() > 12
        || unit.is_empty()
        || unit.split_whitespace().count() > 2
        || unit.split_whitespace().skip(1).any(|w| number(w).is_some())
    {
        return None;
    }
    number(&text[..end]).map(|n| (n, unit))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_read_with_separators_and_nothing_else_does() {
        assert_eq!(number("1,234,567.5"), Some(1_234_567.5));
        assert_eq!((number("-6e3"), number(" 7 ")), (Some(-6000.0), Some(7.0)));
        for no in ["1,23", "nan", "inf", "", "-", "12a", "1,2345", "0x10", "1e999"] {
            assert_eq!(number(no), None, "{no}");
        }
    }

    #[test]
    fn kilometres_compare_with_miles_but_not_with_kilograms() {
        assert_eq!(value_of("10 km").compare(&value_of("6 miles")), Some(Ordering::Greater));
        assert_eq!(value_of("10 km").compare(&value_of("10 kg")), None);
        assert_eq!(value_of("3 apples").compare(&value_of("4 apples")), Some(Ordering::Less));
    }

    #[test]
    fn a_year_against_a_day_of_that_year_is_undecided() {
        let day = value_of("1984-05-01");
        assert_eq!(value_of("1984").compare(&day), None);
        assert_eq!(value_of("1983").compare(&day), Some(Ordering::Less));
        assert_eq!(day.compare(&value_of("4 July 1984")), Some(Ordering::Less));
    }

    proptest! {
        #[test]
        fn any_text_has_a_value(s in ".{0,30}") {
            let v = value_of(&s);
            prop_assert!(v.compare(&v) != Some(Ordering::Less));
        }
    }
}
