//! Letters of languages.

use super::by_tag;
use std::str::FromStr;
use whatlang::{Lang, Script, detect_script};

/// A language in which questions will be asked, by its tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionLanguage {
    /// Its primary tag, as `zh`.
    pub tag: String,
    scripts: Vec<Script>,
}

impl FromStr for QuestionLanguage {
    type Err = String;

    fn from_str(text: &str) -> Result<QuestionLanguage, String> {
        let tag =
            super::primary(text).ok_or_else(|| format!("{text:?} is no language's tag, as de or zh are"))?;
        let lang =
            by_tag(&tag).ok_or_else(|| format!("the letters of the language {tag:?} are not known"))?;
        // Japanese is written in Chinese characters too, which the table of scripts has for Chinese alone.
        let written = |script: &Script| {
            script.langs().contains(&lang) || lang == Lang::Jpn && *script == Script::Mandarin
        };
        let scripts = Script::all().iter().copied().filter(written).collect();
        Ok(QuestionLanguage { tag, scripts })
    }
}

impl QuestionLanguage {
    /// Returns true if the language is written with this letter, or with others of its script.
    pub fn has(&self, letter: char) -> bool {
        detect_script(letter.encode_utf8(&mut [0; 4])).is_some_and(|script| self.scripts.contains(&script))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn has(tag: &str, letters: &str) -> Vec<bool> {
        let language: QuestionLanguage = tag.parse().unwrap();
        letters.chars().map(|c| language.has(c)).collect()
    }

    #[test]
    fn a_language_has_the_letters_of_its_scripts() {
        assert_eq!(has("zh", "港aあم"), [true, false, false, false]);
        assert_eq!(has("ja-JP", "港aあア"), [true, false, true, true]);
        assert_eq!(has("de", "äé港3"), [true, true, false, false]);
        assert_eq!(has("hi", "कk"), [true, false]);
    }

    #[test]
    fn what_is_no_tag_and_what_has_no_known_letters_are_errors() {
        for text in ["", "German", "12", "xx"] {
            assert!(text.parse::<QuestionLanguage>().is_err(), "{text:?}");
        }
    }
}
