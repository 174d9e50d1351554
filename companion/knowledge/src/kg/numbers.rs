//! Parses numbers as people write them in a language, with currencies, scales and units.

use pocketgraph_kg::{LiteralKind, date, is_unit, number};
use pocketgraph_text::lexicon::{Language, SPOKEN};
use pocketgraph_text::table;

/// Currencies that are written before an amount.
const CURRENCIES: &[&str] = &["US$", "$", "€", "£", "¥", "₹", "USD", "EUR", "GBP", "CHF", "JPY"];

/// Parses a text as a value, its kind and its unit; the kind is text if it is neither number, date nor
/// measure. `language` is a tag such as `de-CH`, or empty.
pub(super) fn read_value(text: &str, language: &str) -> (String, LiteralKind, String) {
    let text = text.trim();
    let points = table!("decimal_points.tsv");
    let point = language.is_empty() || language.split('-').any(|part| points.contains(part));
    match read_measure(text, point) {
        Some((value, unit)) => (value, LiteralKind::Number, unit),
        None if date(text).is_some() => (text.to_owned(), LiteralKind::Date, String::new()),
        None => (text.to_owned(), LiteralKind::Text, String::new()),
    }
}

/// Returns a number in the notation that the engine reads, and its unit.
fn read_measure(text: &str, point: bool) -> Option<(String, String)> {
    if number(text).is_some() && (point || !text.contains(['.', ','])) {
        return Some((text.to_owned(), String::new()));
    }
    let unsigned = text.strip_prefix(['-', '−', '+']).unwrap_or(text);
    let sign = if unsigned.len() == text.len() || text.starts_with('+') { "" } else { "-" };
    let currency = CURRENCIES.iter().find(|c| unsigned.starts_with(**c)).copied().unwrap_or_default();
    let amount = unsigned[currency.len()..].trim_start();
    let (plain, rest) = plain_digits(amount, point)?;
    let (digits, rest) = (&amount[..amount.len() - rest.len()], rest.trim());
    let (scale, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let row = SPOKEN.numbers().row(&scale.to_lowercase()).filter(|row| row.field(1) == "multiple");
    let factor: Option<f64> = row.and_then(|row| row.field(0).parse().ok());
    let unit = if factor.is_some() { after.trim() } else { rest };
    if !(unit.is_empty() || currency.is_empty() && is_unit(unit)) {
        return None;
    }
    let value = match factor {
        Some(factor) => (plain.parse::<f64>().ok()? * factor).to_string(),
        // A number that parses as written stays as it is.
        None if number(digits) == number(&plain) => digits.to_owned(),
        None => plain,
    };
    Some((format!("{sign}{value}"), if currency.is_empty() { unit } else { currency }.to_owned()))
}

/// Splits off the digits that a text begins with, with a point before decimals and nothing between thousands,
/// from the rest. `None` if the marks between the digits do not form a number.
fn plain_digits(text: &str, point: bool) -> Option<(String, &str)> {
    let count = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (mut groups, mut marks, mut rest) = (Vec::new(), Vec::new(), text);
    loop {
        let (digits, after) = rest.split_at(count(rest));
        groups.push(digits);
        rest = after;
        let Some(mark) = rest.chars().next() else { break };
        let after = &rest[mark.len_utf8()..];
        match (mark, count(after)) {
            ('.' | ',', 1..) | ('\'' | '’' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}', 3) => {
                marks.push(mark)
            }
            _ => break,
        }
        rest = after;
    }
    let is_group = |group: &&str| group.len() == 3;
    let is_decimal = match (marks.last(), groups.as_slice()) {
        // A single mark before three digits is decimal or not by the language's custom.
        (Some(&mark @ ('.' | ',')), [whole, part]) if is_group(part) && whole.len() <= 3 && *whole != "0" => {
            (mark == '.') == point
        }
        (Some(&mark), _) => matches!(mark, '.' | ',') && marks.iter().filter(|m| **m == mark).count() == 1,
        (None, _) => false,
    };
    let fraction = if is_decimal { marks.pop().and(groups.pop()) } else { None };
    let (first, others) = groups.split_first()?;
    let is_grouped = others.is_empty() || first.len() <= 3 && others.iter().all(is_group);
    let is_number = !first.is_empty() && is_grouped && marks.windows(2).all(|pair| pair[0] == pair[1]);
    let whole = groups.concat();
    is_number.then(|| (fraction.map_or(whole.clone(), |part| format!("{whole}.{part}")), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_their_language_writes_them() {
        for (text, language, value, unit) in [
            ("1 005 m", "en", "1005", "m"),
            ("1.030 m", "de", "1030", "m"),
            ("1.030 m", "en", "1.030", "m"),
            ("1’020 m", "de-CH", "1020", "m"),
            ("104,300", "en", "104,300", ""),
            ("1234.567 m", "de", "1234.567", "m"),
            ("0.125 l", "de", "0.125", "l"),
            ("104,300", "fr", "104.300", ""),
            ("2.345,5 €", "de", "2345.5", "€"),
            ("$1.2 million", "en", "1200000", "$"),
            ("-3,5 °C", "de", "-3.5", "°C"),
            ("12%", "en", "12", "%"),
            ("5 square kilometres", "en", "5", "square kilometres"),
            ("1\u{202f}234\u{202f}567", "fr", "1234567", ""),
        ] {
            let expected = (value.to_owned(), LiteralKind::Number, unit.to_owned());
            assert_eq!(read_value(text, language), expected, "{text}, {language}");
        }
        for none in ["1.2.3", "4 or more", "12, Mill Lane", "$", "1,2345,6", "", "3 mills 4 men", "4 or more"]
        {
            assert_eq!(read_value(none, "en").1, LiteralKind::Text, "{none}");
        }
        assert_eq!(read_value("1990-05-01", "en").1, LiteralKind::Date);
        assert_eq!(read_value("4 July 1776", "en").1, LiteralKind::Date);
    }

    proptest::proptest! {
        #[test]
        fn a_number_that_is_read_is_one_to_the_engine(text in "[-+$€]?[0-9., '’\u{a0}]{0,12}[ a-z%°]{0,8}") {
            let (value, kind, _) = read_value(&text, "de");
            proptest::prop_assert!(kind != LiteralKind::Number || number(&value).is_some(), "{} as {}", text, value);
        }
    }
}
