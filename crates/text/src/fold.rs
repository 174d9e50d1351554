//! Case and accent folding.

use super::unicode::{decompose_compatible, is_mark, lower_case};

/// Zeros of the scripts' own decimal digits; nine more follow each. Styled digits are decomposed before.
const ZEROS: [u16; 18] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20,
    0x1040, 0x17e0, 0x1810,
];

/// First character of Syriac. Marks are optional in earlier scripts: Latin, Greek, Cyrillic, Hebrew, Arabic.
const MARKS_ARE_OPTIONAL_BELOW: u32 = 0x700;

/// Returns the common substitute for a letter, or for another script's digit; `None` if it stays.
fn find_substitute(c: char) -> Option<&'static str> {
    Some(match c {
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ı' => "i",
        'ħ' => "h",
        'ß' => "ss",
        // Persian and Urdu keyboards' forms of Arabic letters, Arabic letters with several spellings, the
        // stroke that lengthens words.
        'ی' | 'ى' | 'ے' => "ي",
        'ک' | 'ڪ' => "ك",
        'ة' | 'ہ' | 'ھ' | 'ە' | 'ۃ' => "ه",
        'ٱ' => "ا",
        'ں' => "ن",
        // Signs for line breaks and joined letters.
        'ـ' | '\u{ad}' | '\u{200c}' | '\u{200d}' => "",
        _ => {
            let code = c as u32;
            let digit = ZEROS.iter().map(|&zero| code.wrapping_sub(u32::from(zero))).find(|&d| d < 10)?;
            "0123456789".get(digit as usize..digit as usize + 1)?
        }
    })
}

/// Returns true for the dot below an Indian letter, which marks a foreign sound and is often omitted.
fn is_nukta(c: char) -> bool {
    ('\u{900}'..'\u{d00}').contains(&c) && c as u32 & 0x7f == 0x3c
}

/// Turns a text into lower case, without the tables of the standard library, which a page would load.
pub fn lower_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| lower_case(c, |l| out.push(l)));
    out
}

/// Returns a text with its first letter in upper case.
pub fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Returns a text on one line: runs of white space become single spaces.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Folds to lower case without accents: decomposes for compatibility, drops combining marks, lower-cases,
/// replaces ø, ß and similar letters by their common substitutes and digits of every script by ASCII's. Other
/// letters keep their script.
///
/// Marks are dropped after Latin, Greek, Cyrillic, Hebrew and Arabic letters only. Elsewhere (Devanagari,
/// Thai, ...) they are vowels, except the dot below.
pub fn fold(s: &str) -> String {
    if s.is_ascii() {
        return s.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(s.len());
    let mut accents = true;
    for c in s.chars() {
        decompose_compatible(c, |c| {
            if is_mark(c) {
                if !accents && !is_nukta(c) {
                    out.push(c);
                }
            } else {
                // Lower-casing can add a mark: the dot of a capital dotted I.
                lower_case(c, |l| {
                    if !is_mark(l) {
                        let instead = find_substitute(l);
                        accents = instead.is_some() || (l as u32) < MARKS_ARE_OPTIONAL_BELOW;
                        match instead {
                            Some(instead) => out.push_str(instead),
                            None => out.push(l),
                        }
                    }
                });
            }
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::fold;
    use proptest::prelude::*;

    #[test]
    fn accents_and_case_go_but_scripts_stay() {
        assert_eq!(fold("Crème BRÛLÉE"), "creme brulee");
        assert_eq!(fold("ﬁle Straße İ"), "file strasse i");
        assert_eq!(fold("हिन्दी 東京"), "हिन्दी 東京");
    }

    #[test]
    fn letters_without_a_mark_to_drop_are_written_as_people_without_that_key_do() {
        assert_eq!(
            fold("Østerbro Łódź Đorđević Ælfþryð Œuvre Kırklareli Ħamrun"),
            "osterbro lodz dordevic aelfthryd oeuvre kirklareli hamrun"
        );
    }

    #[test]
    fn arabic_and_hebrew_marks_are_optional_and_persian_letters_are_the_arabic_ones() {
        assert_eq!(fold("البَحْثُ"), fold("البحث"));
        assert_eq!(fold("שָׁלוֹם"), fold("שלום"));
        assert_eq!(fold("کتابـی"), "كتابي");
        assert_eq!(fold("مدرسة أحمد ٱلى إلى ہے"), "مدرسه احمد الي الي هي");
    }

    #[test]
    fn the_dot_below_indian_letters_is_optional_and_their_vowels_are_kept() {
        assert_eq!(fold("ज़रूरत फ़िल्म \u{958}"), "जरूरत फिल्म क");
        assert_eq!(fold("ড়"), "ড");
    }

    #[test]
    fn digits_of_every_script_are_the_same_digits() {
        assert_eq!(fold("٢٠٢٤ ۲۰۲۴ २०२४ ๒๐๒๔ ２０２４"), "2024 2024 2024 2024 2024");
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once(s in ".{0,40}") {
            let once = fold(&s);
            prop_assert_eq!(fold(&once), once);
        }
    }
}
