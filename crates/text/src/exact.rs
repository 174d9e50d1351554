//! What readers type to have exactly that: options, operators, versions, names with signs, and compounds however they are joined.

use super::fold::fold;
use super::signs::parts;
use super::words::{stem, without_possessive, words};

/// Signs of which operators are made.
const OPERATORS: &str = "!$%&*+./:<=>?@^|~-";
/// An operator has at most so many of them.
const LONGEST_OPERATOR: usize = 4;
/// Longer pieces of text are no term.
const LONGEST: usize = 64;
/// In a question of so many words each may be the other half of the one before it.
const SPACED_WORDS: usize = 3;

/// Terms of a text beside [`terms`](super::terms), for what is to be found exactly: options with their hyphens ("--no-cache"), identifiers with the underscores
/// at their ends ("vite_"), versions and other numbers with dots ("14.2"), operators that stand alone ("||>"), and compounds with a hyphen as one word ("email"
/// for "e-mail").
pub fn exact_terms(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for piece in text.split(parts).filter(|piece| piece.len() > 1 && piece.len() <= LONGEST) {
        if piece.chars().all(|c| OPERATORS.contains(c)) {
            out.extend(is_operator(piece).then(|| piece.to_owned()));
            continue;
        }
        let piece = piece.trim_end_matches(['.', ':', '!', '?']);
        if piece.starts_with('-') {
            let name = piece.split('=').next().unwrap_or_default();
            let bare = name.strip_prefix("--").unwrap_or(&name[1..]);
            if bare.starts_with(char::is_alphabetic) && bare.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_') {
                out.push(fold(name));
            }
        } else if piece.contains('-') {
            compounds(piece, &mut out);
        }
        if piece.contains('.') {
            numbers(piece, &mut out);
        }
        let edged = piece.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        if (edged.starts_with('_') || edged.ends_with('_')) && edged.contains(char::is_alphanumeric) {
            out.push(fold(edged));
        }
    }
    out
}

/// Whether signs are an operator and no ornament: of one sign alone only a few are.
fn is_operator(signs: &str) -> bool {
    let first = signs.chars().next().unwrap_or_default();
    let alike = |signs: &str| signs.chars().all(|c| c == first);
    let doubled = signs.len() == 2 && alike(signs) && "?:|&=<>+".contains(first);
    // The last may be a full stop.
    signs.len() <= LONGEST_OPERATOR
        && (doubled || !alike(signs) && !(signs.len() > 2 && signs.ends_with('.') && alike(&signs[..signs.len() - 1])))
}

/// Numbers with dots in a piece of text; what stands before one is no letter but a version's.
fn numbers(piece: &str, out: &mut Vec<String>) {
    let of_number = |c: char| c.is_ascii_digit() || c == '.';
    for run in piece.split(|c: char| !of_number(c) && !matches!(c, 'v' | 'V')) {
        let run = run.trim_start_matches(['v', 'V']).trim_matches('.');
        if run.contains('.') && run.chars().all(of_number) {
            out.push(run.to_owned());
        }
    }
}

/// Each two words that a hyphen joins, as one.
fn compounds(piece: &str, out: &mut Vec<String>) {
    let halves: Vec<&str> = piece.split('-').collect();
    for pair in halves.windows(2) {
        out.extend(joined(pair[0], pair[1]));
    }
}

/// Two words as one; `None` where either has something else than letters.
fn joined(first: &str, second: &str) -> Option<String> {
    let second = without_possessive(second);
    let letters = |w: &str| !w.is_empty() && w.chars().all(char::is_alphabetic);
    (letters(first) && letters(second)).then(|| stem(&(fold(first) + &fold(second))))
}

/// As [`exact_terms`], of a question: in a short one, words that a space parts may be one compound too.
pub fn asked_exactly(question: &str) -> Vec<String> {
    let mut out = exact_terms(question);
    let words = words(question);
    if words.len() <= SPACED_WORDS {
        for pair in words.windows(2).filter(|pair| question.get(pair[0].span.end..pair[1].span.start) == Some(" ")) {
            out.extend(joined(pair[0].text, pair[1].text));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn options_operators_versions_and_underscored_names_are_terms_as_they_are_written() {
        assert_eq!(exact_terms("Pass `--no-cache` or -j=4, not --."), ["--no-cache", "-j"]);
        assert_eq!(exact_terms("a ||> b ?? c?.d `?.` ... --- ** <="), ["||>", "??", "?.", "<="]);
        assert_eq!(exact_terms("since v14.2.1.0, (3.8) and 1.0."), ["14.2.1.0", "3.8", "1.0"]);
        assert_eq!(exact_terms("VITE_ and _DEBUG, not snake_case"), ["vite_", "_debug"]);
        assert!(exact_terms("a - b | c: d. Nothing here! 12 #4 x/y").is_empty());
    }

    #[test]
    fn compounds_are_one_word_with_a_hyphen_and_in_short_questions_with_a_space() {
        assert_eq!(exact_terms("the sign-on page, e-mail's"), ["signon", "email"]);
        assert_eq!(asked_exactly("file name"), ["filenam"]);
        assert_eq!(asked_exactly("where is the file name kept"), Vec::<String>::new());
        assert_eq!(super::super::terms("filename")[0].0, "filenam");
    }

    #[test]
    fn signs_belong_to_short_names() {
        let of = |text: &str| super::super::terms(text).into_iter().map(|t| t.0).collect::<Vec<_>>();
        assert_eq!(of("C++, C# and .NET"), ["c", "c++", "c", "c#", "net", ".net"]);
        assert_eq!(of("The net. Next page#top long++"), ["net", "next", "page", "top", "long"]);
    }

    proptest! {
        #[test]
        fn no_text_makes_an_empty_or_a_giant_term(text in r"[a-zA-Zé_.#+|?>\-0-9 `]{0,200}") {
            for term in exact_terms(&text).into_iter().chain(asked_exactly(&text)) {
                prop_assert!(!term.is_empty() && term.len() <= 2 * LONGEST);
            }
        }
    }
}
