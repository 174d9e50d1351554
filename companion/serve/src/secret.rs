//! Finds the key in an endpoint's text, however it is quoted there, and removes it before the page sees it.

const WITHHELD: &[u8] = b"[key withheld]";

/// Length from which every key is searched for in replies. Shorter ones (`ollama`, `none`) need a digit.
const SECRET_BY_LENGTH: usize = 16;

/// Minimum length of a key that is searched for in replies; shorter ones are found in errors only.
const SHORTEST_SECRET: usize = 8;

/// Maximum number of backslashes, or of `25` after a percent sign, that are read through.
const DEEPEST_ESCAPE: usize = 7;

/// Maximum number of digits of a numeric character reference.
const LONGEST_NUMBER: usize = 7;

/// Forms of an API key in text: itself, in hexadecimal, and in Base64 (RFC 4648, both alphabets) after any
/// number of other bytes; each also with characters escaped as in JSON, URLs or HTML.
#[derive(Clone)]
pub(super) struct KeyPatterns {
    patterns: Vec<Vec<u8>>,
    in_replies: bool,
}

impl KeyPatterns {
    pub(super) fn new(key: &str) -> KeyPatterns {
        let key = key.as_bytes();
        let mut patterns = vec![key.to_vec()];
        for hex in [b"0123456789abcdef", b"0123456789ABCDEF"] {
            patterns.push(
                key.iter()
                    .flat_map(|byte| [hex[usize::from(byte >> 4)], hex[usize::from(byte & 15)]])
                    .collect(),
            );
        }
        for last in [[b'+', b'/'], [b'-', b'_']] {
            patterns.extend((0..3).map(|before| base64_of(key, before, last)));
        }
        // The rest of a very short key in Base64 occurs in any text.
        patterns.retain(|pattern| pattern == key || pattern.len() >= SHORTEST_SECRET);
        patterns.retain(|pattern| !pattern.is_empty());
        let has_digit = key.iter().any(u8::is_ascii_digit);
        KeyPatterns {
            patterns,
            in_replies: key.len() >= SECRET_BY_LENGTH || (key.len() >= SHORTEST_SECRET && has_digit),
        }
    }

    /// Returns a filter for one reply that is no error, if such replies are searched.
    pub(super) fn for_reply(&self) -> Option<KeyFilter> {
        self.in_replies.then(|| self.new_filter())
    }

    /// Returns true if this text, which may be cut at its end, quotes the key.
    pub(super) fn are_in(&self, text: &[u8]) -> bool {
        let mut filter = self.new_filter();
        filter.pass(text);
        filter.found
    }

    fn new_filter(&self) -> KeyFilter {
        KeyFilter { patterns: self.patterns.clone(), held: Vec::new(), found: false }
    }
}

/// Removes the key from bytes that arrive in pieces. Only a possible beginning of it waits for the next
/// piece.
pub(super) struct KeyFilter {
    patterns: Vec<Vec<u8>>,
    held: Vec<u8>,
    found: bool,
}

impl KeyFilter {
    /// Returns the bytes so far that may be passed on.
    pub(super) fn pass(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(piece);
        let mut out = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while at < bytes.len() {
            match self.at(&bytes[at..]) {
                Match::Is(length) => {
                    out.extend_from_slice(WITHHELD);
                    self.found = true;
                    at += length;
                }
                Match::MayBe => {
                    self.held = bytes.split_off(at);
                    break;
                }
                Match::Not => {
                    out.push(bytes[at]);
                    at += 1;
                }
            }
        }
        out
    }

    /// Returns the waiting bytes, at the end.
    pub(super) fn end(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }

    fn at(&self, bytes: &[u8]) -> Match {
        let mut best = Match::Not;
        for pattern in &self.patterns {
            match pattern_at(pattern, bytes) {
                Match::Not => {}
                Match::MayBe => best = Match::MayBe,
                found => return found,
            }
        }
        best
    }
}

/// Match of a pattern at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    Is(usize),
    /// The text ends before the pattern does.
    MayBe,
    Not,
}

fn pattern_at(pattern: &[u8], text: &[u8]) -> Match {
    let mut at = 0;
    for wanted in pattern {
        match byte_at(*wanted, &text[at..]) {
            Match::Is(length) => at += length,
            other => return other,
        }
    }
    Match::Is(at)
}

/// Matches one byte, unchanged or escaped.
fn byte_at(wanted: u8, text: &[u8]) -> Match {
    match text.first() {
        None => Match::MayBe,
        Some(byte) if *byte == wanted => Match::Is(1),
        Some(b'\\') => match_backslash(wanted, text),
        Some(b'%') => match_percent(wanted, text),
        Some(b'&') => match_entity(wanted, text),
        Some(_) => Match::Not,
    }
}

/// Matches `\/`, `\x2f`, `\u002f`, and the same in a string in a string.
fn match_backslash(wanted: u8, text: &[u8]) -> Match {
    let run = text.iter().take_while(|byte| **byte == b'\\').count();
    if run > DEEPEST_ESCAPE {
        return Match::Not;
    }
    let (zeros, digits) = match text.get(run) {
        None => return Match::MayBe,
        Some(b'u') if wanted != b'u' || text.get(run + 1).is_none_or(|byte| *byte == b'0') => (2, run + 1),
        // An escaped `x` is itself or `\x78`.
        Some(b'x')
            if wanted != b'x' || b"78".starts_with(text[run + 1..].get(..2).unwrap_or(&text[run + 1..])) =>
        {
            (0, run + 1)
        }
        Some(byte) => return if *byte == wanted { Match::Is(run + 1) } else { Match::Not },
    };
    let rest = &text[digits..];
    if rest.iter().take(zeros).any(|byte| *byte != b'0') {
        return Match::Not;
    }
    shift_match(two_hex_digits(wanted, rest.get(zeros..).unwrap_or_default()), digits + zeros)
}

/// Matches `%2F`, `%252f`.
fn match_percent(wanted: u8, text: &[u8]) -> Match {
    let mut at = 1;
    for _ in 0..DEEPEST_ESCAPE {
        match shift_match(two_hex_digits(wanted, &text[at..]), at) {
            Match::Not if text[at..].starts_with(b"25") => at += 2,
            Match::Not if text[at..] == *b"2" => return Match::MayBe,
            other => return other,
        }
    }
    Match::Not
}

/// Matches `&#47;`, `&#x2f;`.
fn match_entity(wanted: u8, text: &[u8]) -> Match {
    match text.get(1) {
        None => return Match::MayBe,
        Some(b'#') => {}
        Some(_) => return Match::Not,
    }
    let (start, radix) = match text.get(2) {
        None => return Match::MayBe,
        Some(b'x' | b'X') => (3, 16),
        Some(_) => (2, 10),
    };
    let mut value = 0_u32;
    for (n, byte) in text[start..].iter().enumerate() {
        match char::from(*byte).to_digit(radix) {
            Some(digit) if n < LONGEST_NUMBER => value = value * radix + digit,
            None if *byte == b';' && n > 0 && value == u32::from(wanted) => return Match::Is(start + n + 1),
            _ => return Match::Not,
        }
    }
    Match::MayBe
}

fn two_hex_digits(wanted: u8, text: &[u8]) -> Match {
    let nibble = |at: usize| text.get(at).map(|byte| char::from(*byte).to_digit(16));
    match (nibble(0), nibble(1)) {
        (Some(Some(high)), Some(Some(low))) if high * 16 + low == u32::from(wanted) => Match::Is(2),
        (None, _) => Match::MayBe,
        (Some(Some(high)), None) if high == u32::from(wanted >> 4) => Match::MayBe,
        _ => Match::Not,
    }
}

fn shift_match(found: Match, by: usize) -> Match {
    if let Match::Is(length) = found { Match::Is(length + by) } else { found }
}

/// Returns the Base64 characters that `bytes` determine after `before` (0 to 2) other bytes, in an alphabet
/// that ends in `last`.
fn base64_of(bytes: &[u8], before: usize, last: [u8; 2]) -> Vec<u8> {
    let letter = |six: usize| match six {
        0..26 => b'A' + six as u8,
        26..52 => b'a' + (six - 26) as u8,
        52..62 => b'0' + (six - 52) as u8,
        _ => last[six & 1],
    };
    let bit = |at: usize| usize::from(bytes[at / 8] >> (7 - at % 8) & 1);
    // The first character that begins inside these bytes.
    let first = (before * 8).div_ceil(6) * 6 - before * 8;
    (first..)
        .step_by(6)
        .take_while(|at| at + 6 <= bytes.len() * 8)
        .map(|at| letter((0..6).fold(0, |six, n| six << 1 | bit(at + n))))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use proptest::prelude::*;

    const KEY: &str = "sk-Te/st+4711_x?";

    fn passed(text: &[u8], pieces: usize) -> Vec<u8> {
        let mut filter = KeyPatterns::new(KEY).new_filter();
        let mut out: Vec<u8> =
            text.chunks(text.len().div_ceil(pieces).max(1)).flat_map(|piece| filter.pass(piece)).collect();
        out.extend(filter.end());
        out
    }

    /// One character of the key in one of the ways that text has of saying it.
    fn encoded_char(byte: u8, way: u8) -> String {
        match way {
            1 => format!("\\u00{byte:02x}"),
            2 => format!("\\\\u00{byte:02X}"),
            3 => format!("%{byte:02x}"),
            4 => format!("%25{byte:02X}"),
            5 => format!("&#{byte};"),
            6 => format!("&#x{byte:02x};"),
            7 => format!("\\x{byte:02x}"),
            8 if !byte.is_ascii_alphanumeric() => format!("\\{}", char::from(byte)),
            _ => char::from(byte).to_string(),
        }
    }

    #[test]
    fn base64_is_that_of_the_standard() {
        // RFC 4648, section 10; "foobar" behind one and two bytes of other text.
        assert_eq!(base64_of(b"foobar", 0, *b"+/"), b"Zm9vYmFy");
        assert_eq!(base64_of(b"foobar", 1, *b"+/"), &b"eGZvb2Jhcg"[2..9]);
        assert_eq!(base64_of(b"foobar", 2, *b"+/"), &b"eHhmb29iYXI"[3..10]);
    }

    #[test]
    fn a_quoted_key_is_found_in_base64_and_hexadecimal() {
        for prefix in ["", ":", "Bearer ", "a user:"] {
            let all = base64_of(format!("{prefix}{KEY}").as_bytes(), 0, *b"+/");
            assert!(KeyPatterns::new(KEY).are_in(&all), "{prefix}");
        }
        assert!(
            KeyPatterns::new(KEY)
                .are_in(KEY.bytes().map(|b| format!("{b:02X}")).collect::<String>().as_bytes())
        );
    }

    #[test]
    fn what_is_no_secret_is_looked_for_in_errors_only() {
        for (key, in_replies) in [
            ("ollama", false),
            ("not-needed", false),
            ("1234", false),
            ("sk-4711x", true),
            ("a-long-passphrase", true),
        ] {
            assert_eq!(KeyPatterns::new(key).for_reply().is_some(), in_replies, "{key}");
            assert!(KeyPatterns::new(key).are_in(format!("the key {key} is wrong").as_bytes()), "{key}");
        }
    }

    proptest! {
        #[test]
        fn a_key_is_taken_out_however_it_is_escaped_and_cut(
            ways in proptest::collection::vec(0_u8..9, KEY.len()),
            before in "[ -~]{0,9}",
            after in "[ -~]{0,9}",
            pieces in 1_usize..40,
        ) {
            let quoted: String = KEY.bytes().zip(ways).map(|(byte, way)| encoded_char(byte, way)).collect();
            // A backslash before the key escapes its first character, which is taken as well.
            let before = before.trim_end_matches('\\');
            let out = passed(format!("{before}{quoted}{after}").as_bytes(), pieces);
            prop_assert_eq!(String::from_utf8(out).unwrap(), format!("{before}[key withheld]{after}"));
        }

        #[test]
        fn all_other_text_is_passed_as_it_is(text in "(sk-Te|\\\\u00|%2|&#|[ \
            -~]){0,40}", pieces in 1_usize..40) {
            prop_assume!(!KeyPatterns::new(KEY).are_in(text.as_bytes()));
            prop_assert_eq!(passed(text.as_bytes(), pieces), text.as_bytes());
        }
    }
}
