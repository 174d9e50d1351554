//! Literals: numbers, dates, truth values and text, with datatype and unit; their values and comparisons.

use super::{Date, date};
use crate::json;
use crate::text::lexicon::{Language, Row, SPOKEN};
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
    /// Any other text.
    Text,
    /// True or false.
    Boolean,
}

/// Literal of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Literal<'a> {
    /// Value as imported.
    pub text: &'a str,
    /// Kind of its value.
    pub kind: LiteralKind,
    /// Name of the datatype as imported (an IRI, or `@` and a language tag); empty if none was given.
    pub datatype: &'a str,
    /// Unit; empty if there is none.
    pub unit: &'a str,
}

/// Value of a literal, of a step, or in a plan. [`Value::parse`] reads its one-line notation.
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
    /// Makes a number without a unit.
    pub fn number(value: f64) -> Value {
        Value::Number { value, unit: None }
    }

    /// Compares two values; `None` if they are not comparable (other kinds or dimensions, vague dates).
    pub fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Number { value: a, unit: d }, Value::Number { value: b, unit: e }) if d == e => {
                a.partial_cmp(b)
            }
            (Value::Number { value: a, unit: d }, Value::Number { value: b, unit: e }) => {
                let (d, e) = (Unit::of_text(d.as_deref()?), Unit::of_text(e.as_deref()?));
                let (a, b) = (a * d.size + d.zero, b * e.size + e.zero);
                a.partial_cmp(&b).filter(|_| d.dimension == e.dimension)
            }
            (Value::Date(a), Value::Date(b)) => a.compare(*b),
            // A bare number compared with a date is a year.
            (Value::Number { value, unit: None }, Value::Date(d)) => year_date(*value)?.compare(*d),
            (Value::Date(d), Value::Number { value, unit: None }) => d.compare(year_date(*value)?),
            (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
            (Value::Boolean(a), Value::Boolean(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }
}

/// Returns a whole number of at most four digits as a year.
pub fn year_date(n: f64) -> Option<Date> {
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

/// Reads the value of an untyped text: a number (a unit may follow), a date, or text. A bare year such as
/// 1984 is a number, which compares with dates as a year.
pub fn value_of(text: &str) -> Value {
    let text = text.trim();
    if let Some(n) = number(text) {
        return Value::number(n);
    }
    if let Some((n, unit)) = split_unit(text) {
        return with_unit(n, unit);
    }
    date(text).map_or_else(|| Value::Text(text.to_owned()), Value::Date)
}

fn with_unit(value: f64, unit: &str) -> Value {
    Value::Number { value, unit: Some(unit.trim()).filter(|u| !u.is_empty()).map(str::to_owned) }
}

/// Maximum length of a unit that is analysed, in bytes.
const LONGEST_UNIT: usize = 40;

/// Unit as a multiple of its dimension's base unit. Each currency and unknown unit is its own dimension.
#[derive(Debug, Clone, PartialEq)]
struct Unit {
    /// Powers and quotients of the measured quantity: "length/time".
    dimension: String,
    size: f64,
    /// Value in the base unit of this unit's zero.
    zero: f64,
}

impl Unit {
    fn of_text(text: &str) -> Unit {
        let unknown = || Unit { dimension: text.to_owned(), size: 1.0, zero: 0.0 };
        if text.len() > LONGEST_UNIT {
            return unknown();
        }
        if let Some((over, under)) = text.split_once('/').or_else(|| text.split_once(" per ")) {
            let (over, under) = (Unit::of_text(over), Unit::of_text(under));
            return Unit {
                dimension: over.dimension + "/" + &under.dimension,
                size: over.size / under.size,
                zero: 0.0,
            };
        }
        for (power, mark, digit, fronts) in
            [(2, '²', '2', ["sq ", "square "]), (3, '³', '3', ["cu ", "cubic "])]
        {
            let front = || fronts.iter().find_map(|front| text.strip_prefix(front));
            if let Some(of) = text.strip_suffix([mark, digit]).or_else(front) {
                let of = Unit::of_text(of);
                return Unit {
                    dimension: format!("{}{mark}", of.dimension),
                    size: of.size.powi(power),
                    zero: 0.0,
                };
            }
        }
        let singular = || text.strip_suffix('s').and_then(Unit::of_table);
        Unit::of_table(text).or_else(singular).unwrap_or_else(unknown)
    }

    /// Returns a unit of the table, with or without a prefix.
    fn of_table(text: &str) -> Option<Unit> {
        let units = SPOKEN.units();
        let number = |row: Row, at| json::number(row.field(at)).unwrap_or(0.0);
        let of = |row: Row, times: f64| {
            let size = times * number(row, 1);
            Unit { dimension: row.field(0).to_owned(), size, zero: number(row, 2) }
        };
        let prefixed = || {
            text.char_indices().skip(1).find_map(|(at, _)| {
                let (prefix, rest) = text.split_at(at);
                let row = units.row(rest).filter(|row| row.has(3, "prefixed"))?;
                Some(of(row, number(units.row(&format!("{prefix}-"))?, 1)))
            })
        };
        units.row(text).map(|row| of(row, 1.0)).or_else(prefixed)
    }
}

/// Reads a finite number: sign, digits with thousands separators (`1,234,567`), fraction, exponent.
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
        if first.is_empty()
            || first.len() > 3
            || !groups.all(|g| g.len() == 3)
            || digits[whole.len()..].contains(',')
        {
            return None;
        }
        text.replace(',', "")
    } else {
        text.to_owned()
    };
    json::number(plain.trim_start_matches('+')).filter(|n| n.is_finite())
}

/// Splits a number and the unit after it: `6194 m`, `12.5km`. `None` if either is missing.
fn split_unit(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+')))?;
    let unit = text[end..].trim_start();
    number(&text[..end]).filter(|_| is_unit(unit)).map(|n| (n, unit))
}

/// Returns true if a text after a number may be its unit: a short word, or words in the table of units.
pub fn is_unit(text: &str) -> bool {
    let begins = |c: char| c.is_alphabetic() || "%‰°'\"′″$£¥€₹".contains(c);
    let is_word = text.len() <= 12 && !text.contains(char::is_whitespace);
    text.starts_with(begins) && (is_word || !Unit::of_text(text).dimension.contains(char::is_whitespace))
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
        assert_eq!(value_of("3 €").compare(&value_of("2 $")), None);
        for no in ["3 of 1,533", "3 of 3", "4 or more", "12 Mill Lane", "7 July 2"] {
            assert_eq!(value_of(no), Value::Text(no.to_owned()));
        }
        assert_eq!(value_of("3 apples").compare(&value_of("4 apples")), Some(Ordering::Less));
    }

    #[test]
    fn units_of_one_dimension_compare() {
        for (more, less) in [
            ("1.5 MB", "900 kB"),
            ("1 MiB", "1 MB"),
            ("9 Mbit/s", "1 MB/s"),
            ("50 °F", "9 °C"),
            ("1 l", "990 ml"),
            ("2 m³", "1999 l"),
            ("60 km/h", "16 m/s"),
            ("13 knots", "14 mph"),
            ("2 weeks", "13 d"),
            ("1 sq mi", "2 km²"),
            ("3 kilometres", "2999 metres"),
            ("2 square kilometres", "199 ha"),
            ("2 people/ha", "199 people per km²"),
        ] {
            assert_eq!(value_of(more).compare(&value_of(less)), Some(Ordering::Greater), "{more}");
        }
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

        #[test]
        fn units_of_any_length_and_form_compare_or_do_not(s in "[a-z/²2 ]{0,60}", times in 0usize..2000) {
            let of = |unit: String| Value::Number { value: 1.0, unit: Some(unit) };
            prop_assert_ne!(of(s.repeat(times)).compare(&of(s.repeat(times) + "/h")), Some(Ordering::Equal));
        }
    }
}
