//! Superscripts and subscripts as plain text: powers and indices by signs of their own, marks of notes not at
//! all.

/// Side of the line on which a text is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    Above,
    Below,
}

/// Longer ones are small print, not powers or indices.
const LONGEST: usize = 24;

impl Script {
    /// The script that an element of HTML sets, by its name in any case.
    pub fn of_element(name: &str) -> Option<Script> {
        match name {
            _ if name.eq_ignore_ascii_case("sup") => Some(Script::Above),
            _ if name.eq_ignore_ascii_case("sub") => Some(Script::Below),
            _ => None,
        }
    }

    /// Returns how `text` is written behind `before`: 10⁶, H₂O, x^(2k), 1st. Empty where it is the mark of a
    /// note.
    pub fn written(self, text: &str, before: &str) -> String {
        let text = text.trim();
        let last = before.chars().next_back();
        let beside = last.is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | ']' | '}' | '′'));
        if self == Script::Above && marks_note(text, last) {
            return String::new();
        }
        if text.is_empty() || text.len() > LONGEST || !beside {
            let gap =
                if text.is_empty() || last.is_none_or(|c| c.is_whitespace() || c == '(') { "" } else { " " };
            return format!("{gap}{text}");
        }
        if let Some(signs) = text.chars().map(|c| self.sign(c)).collect::<Option<String>>() {
            return signs;
        }
        let letters = self == Script::Above && text.chars().all(char::is_alphabetic);
        let word = before.chars().rev().take(3).filter(|c| c.is_alphabetic()).count() == 3;
        match self {
            Script::Above if text.eq_ignore_ascii_case("tm") => "™".to_owned(),
            // 1st, 2e.
            _ if letters
                && last.is_some_and(char::is_numeric)
                && (text.len() > 1 || matches!(text, "e" | "a" | "o")) =>
            {
                text.to_owned()
            }
            _ if text.contains(char::is_whitespace) || letters && word => format!(" {text}"),
            _ => {
                let mark = if self == Script::Above { '^' } else { '_' };
                if text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '−' | '+' | '*' | '.')) {
                    format!("{mark}{text}")
                } else {
                    format!("{mark}({text})")
                }
            }
        }
    }

    /// A character's own sign above or below the line.
    fn sign(self, c: char) -> Option<char> {
        let signs = match self {
            Script::Above => "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ",
            Script::Below => "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎",
        };
        signs.chars().nth("0123456789+-−=()ni".chars().position(|p| p == c)?)
    }
}

/// Returns `true` if a superscript refers to a note: in brackets, a sign for notes, or numbers behind the end
/// of a clause.
fn marks_note(text: &str, last: Option<char>) -> bool {
    let bracketed = text.starts_with('[') && text.ends_with(']');
    let signs =
        !text.is_empty() && text.chars().all(|c| matches!(c, '*' | '†' | '‡' | '§' | '¶' | '↩' | '\u{fe0e}'));
    let numbers =
        !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ' | '-' | '–'));
    let behind_clause = last.is_some_and(|c| {
        matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '"' | '”' | '’' | '»' | '。' | '、')
    });
    bracketed
        || signs
        || numbers && (behind_clause || text.contains(',') && last.is_some_and(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_indices_are_never_run_into_what_they_are_behind() {
        for (script, before, text, written) in [
            (Script::Above, "10", "6", "⁶"),
            (Script::Above, "10", "-3", "⁻³"),
            (Script::Above, "m", "2", "²"),
            (Script::Above, "(a+b)", "n+1", "ⁿ⁺¹"),
            (Script::Above, "x", "2k", "^2k"),
            (Script::Above, "e", "a / b", " a / b"),
            (Script::Above, "e", "i·π", "^(i·π)"),
            (Script::Above, "1", "st", "st"),
            (Script::Above, "2", "e", "e"),
            (Script::Above, "2", "x", "^x"),
            (Script::Above, "e", "ax", "^ax"),
            (Script::Above, "Loom", "TM", "™"),
            (Script::Above, "Search", "beta", " beta"),
            (Script::Below, "H", "2", "₂"),
            (Script::Below, "x", "i", "_i"),
            (Script::Below, "V", "max", "_max"),
        ] {
            assert_eq!(script.written(text, before), written, "{before} and {text}");
        }
    }

    #[test]
    fn marks_of_notes_are_left_out() {
        for (before, text) in
            [("brake", "[2]"), ("sold.", "3"), ("as shown", "1,2"), ("cable", "*"), ("a", "†")]
        {
            assert_eq!(Script::Above.written(text, before), "", "{before} and {text}");
        }
    }
}
