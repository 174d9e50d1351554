//! Numbers of the items of lists, as they are shown.

/// Numerals that a list counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Numerals {
    #[default]
    Decimal,
    LowerLetters,
    UpperLetters,
    LowerRoman,
    UpperRoman,
}

impl Numerals {
    /// The numerals that a word names: a `type` of HTML, a style of CSS, or a class or style of docutils and
    /// AsciiDoc.
    pub fn named(word: &str) -> Option<Numerals> {
        Some(match word.trim() {
            "1" | "decimal" | "arabic" | "decimal-leading-zero" => Numerals::Decimal,
            "a" | "lower-alpha" | "lower-latin" | "loweralpha" => Numerals::LowerLetters,
            "A" | "upper-alpha" | "upper-latin" | "upperalpha" => Numerals::UpperLetters,
            "i" | "lower-roman" | "lowerroman" => Numerals::LowerRoman,
            "I" | "upper-roman" | "upperroman" => Numerals::UpperRoman,
            _ => return None,
        })
    }

    /// Returns a number as it is shown; in digits where the numerals have none for it.
    pub fn of(self, number: i64) -> String {
        let letters = || letters(u32::try_from(number).ok()?);
        let roman = || roman(u32::try_from(number).ok()?);
        match self {
            Numerals::Decimal => None,
            Numerals::LowerLetters => letters(),
            Numerals::UpperLetters => letters().map(|l| l.to_uppercase()),
            Numerals::LowerRoman => roman(),
            Numerals::UpperRoman => roman().map(|r| r.to_uppercase()),
        }
        .unwrap_or_else(|| number.to_string())
    }
}

/// a to z, aa, ab.
fn letters(mut number: u32) -> Option<String> {
    let mut out = Vec::new();
    while let Some(rest) = number.checked_sub(1) {
        out.push(char::from(b'a' + (rest % 26) as u8));
        number = rest / 26;
    }
    (!out.is_empty()).then(|| out.iter().rev().collect())
}

fn roman(mut number: u32) -> Option<String> {
    #[rustfmt::skip]
    const SIGNS: [(u32, &str); 13] = [
        (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
        (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
    ];
    if !(1..4000).contains(&number) {
        return None;
    }
    let mut out = String::new();
    for (value, sign) in SIGNS {
        while number >= value {
            out.push_str(sign);
            number -= value;
        }
    }
    Some(out)
}

/// Lists inside lists whose numbers are part of an item's.
const DEEPEST: usize = 6;

#[derive(Debug)]
struct List {
    /// Its numerals and its next number; none of one with bullets.
    counts: Option<(Numerals, i64)>,
    /// Number that is added from item to item.
    step: i64,
    item: String,
}

/// The lists that are open, innermost last.
#[derive(Debug, Default)]
pub(crate) struct Lists(Vec<List>);

impl Lists {
    /// Begins a list with bullets.
    pub fn begin_bullets(&mut self) {
        self.0.push(List { counts: None, step: 1, item: String::new() });
    }

    /// Begins a list that counts from `first` in steps of `step`.
    pub fn begin(&mut self, numerals: Numerals, first: i64, step: i64) {
        self.0.push(List { counts: Some((numerals, first)), step, item: String::new() });
    }

    /// Ends the innermost list.
    pub fn end(&mut self) {
        self.0.pop();
    }

    /// Begins an item and returns its number, if its own list counts, behind those of the items around it:
    /// `2.`, `2.b.`. `value` is the number that it is given.
    pub fn item(&mut self, value: Option<i64>) -> String {
        let Some(list) = self.0.last_mut() else { return String::new() };
        let Some((numerals, next)) = &mut list.counts else { return String::new() };
        let number = value.unwrap_or(*next);
        *next = number.saturating_add(list.step);
        list.item = format!("{}.", numerals.of(number));
        let from = self.0.len().saturating_sub(DEEPEST);
        self.0.iter().skip(from).map(|l| l.item.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_their_list_counts() {
        let of = |numerals: Numerals, numbers: &[i64]| {
            numbers.iter().map(|&n| numerals.of(n)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of(Numerals::LowerLetters, &[1, 26, 27, 703, 0]), "a z aa aaa 0");
        assert_eq!(of(Numerals::UpperRoman, &[1, 4, 9, 14, 1990, 4000]), "I IV IX XIV MCMXC 4000");
        assert_eq!(of(Numerals::Decimal, &[-1, 7]), "-1 7");
    }

    #[test]
    fn an_item_has_the_numbers_of_the_items_around_it() {
        let mut lists = Lists::default();
        lists.begin(Numerals::Decimal, 1, 1);
        assert_eq!((lists.item(None), lists.item(None)), ("1.".into(), "2.".into()));
        lists.begin(Numerals::LowerLetters, 1, 1);
        assert_eq!(
            (lists.item(None), lists.item(Some(4)), lists.item(None)),
            ("2.a.".into(), "2.d.".into(), "2.e.".into())
        );
        lists.end();
        lists.begin_bullets();
        assert_eq!(lists.item(None), "");
        lists.end();
        assert_eq!(lists.item(None), "3.");
        lists.end();
        lists.begin(Numerals::Decimal, 3, -1);
        assert_eq!((lists.item(None), lists.item(None)), ("3.".into(), "2.".into()));
    }
}
