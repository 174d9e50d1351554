#![doc = include_str!("../README.md")]

mod forms;
mod function_words;
mod letters;
mod translations;
mod weight;

pub use forms::Forms;
pub use function_words::function_words;
pub use letters::QuestionLanguage;
pub use translations::find_translations;
pub use weight::{Reading, Readings};

use pocketgraph_bundle::{Chunk, Document};
use pocketgraph_text::lexicon::Table;
use pocketgraph_text::table;
use std::collections::BTreeMap;
use whatlang::{Lang, Script};

/// Maximum number of letters of a document that are read: trigrams are sure long before.
const LETTERS_READ: usize = 4000;
/// With fewer letters than this trigrams are not asked: a title may be anything.
const LEAST_LETTERS: usize = 24;
/// A letter of another script counts for so many Latin ones: manuals in every language are full of names,
/// commands and paths in Latin letters, while texts in Latin letters hardly hold others. Not fitted.
const GUESTS: usize = 2;

/// Texts of which one must be in a language for it to be common.
const ONE_IN: usize = 20;
/// Returns the table of languages' tags of two letters by those of three.
fn short_tags() -> Table<'static> {
    table!("short_tags.tsv")
}

/// The primary tag of a language tag, in lower case: `pt` of `pt-BR` and `pt_BR`; `None` of what is no tag.
pub fn primary(tag: &str) -> Option<String> {
    let first = tag.trim().split(['-', '_', '.', '@']).next().unwrap_or_default().to_ascii_lowercase();
    let is_tag =
        (2..=3).contains(&first.len()) && first.bytes().all(|b| b.is_ascii_lowercase()) && first != "und";
    // Those of three letters whose language has two.
    let short = short_tags().row(&first).map(|row| row.field(0).to_owned());
    is_tag.then(|| short.unwrap_or(first))
}

fn short_tag(lang: Lang) -> &'static str {
    short_tags().row(lang.code()).map_or(lang.code(), |row| row.field(0))
}

fn by_tag(tag: &str) -> Option<Lang> {
    let long = short_tags().rows().find(|row| row.field(0) == tag).map_or(tag, |row| row.word);
    // Norwegian, where nobody says which.
    Lang::from_code(if long == "no" || long == "nn" { "nob" } else { long })
}

/// A language's English name, where it is known; else its tag.
pub fn name(tag: &str) -> &str {
    if tag == "lo" {
        return "Lao";
    }
    by_tag(tag).map_or(tag, |lang| if lang == Lang::Cmn { "Chinese" } else { lang.eng_name() })
}

/// The language of a document of which its site says that it is in `stated`, and whose text is `texts`, the
/// primary tag in lower case; `""` where nothing tells it.
pub fn choose_language<'a>(stated: Option<&str>, texts: impl Iterator<Item = &'a str>) -> String {
    let declared = stated.and_then(primary);
    let sample = sample_texts(texts);
    let Some(script) = sample.script() else { return declared.unwrap_or_default() };
    if let Some(declared) = declared
        && by_tag(&declared).is_none_or(|lang| script.langs().contains(&lang))
    {
        return declared;
    }
    sample.language(script).unwrap_or_default().to_owned()
}

/// Sets the language of each document by its title and the text of its chunks.
pub fn detect_languages(documents: &mut [Document], chunks: &[Chunk]) {
    let mut texts: Vec<Vec<&str>> = vec![Vec::new(); documents.len()];
    for chunk in chunks {
        if let Some(of) = texts.get_mut(chunk.document as usize) {
            of.push(&chunk.text);
        }
    }
    for (document, texts) in documents.iter_mut().zip(texts) {
        document.language = choose_language(None, std::iter::once(document.title.as_str()).chain(texts));
    }
}

/// Returns the languages of at least one in twenty of `total` texts, the commonest first: a few texts may be
/// recognised wrongly.
pub fn common_languages<'a>(
    tags: impl Iterator<Item = &'a str>,
    total: usize,
) -> impl Iterator<Item = String> {
    count_languages(tags).into_iter().filter(move |(_, n)| n * ONE_IN >= total).map(|(tag, _)| tag)
}

/// Returns the languages of texts with their counts, the commonest first; `""` for texts of none.
pub fn count_languages<'a>(tags: impl Iterator<Item = &'a str>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for tag in tags {
        *counts.entry(tag).or_default() += 1;
    }
    let mut out: Vec<(String, usize)> = counts.into_iter().map(|(tag, n)| (tag.to_owned(), n)).collect();
    out.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    out
}

/// Counts of languages in words: "120 documents in English, 4 in German, 1 in no language that could be
/// told".
pub fn in_words(counted: &[(String, usize)]) -> String {
    let part = |(i, (tag, n)): (usize, &(String, usize))| {
        let documents = match (i, n) {
            (0, 1) => " document",
            (0, _) => " documents",
            _ => "",
        };
        let language = if tag.is_empty() { "no language that could be told" } else { name(tag) };
        format!("{n}{documents} in {language}")
    };
    counted.iter().enumerate().map(part).collect::<Vec<_>>().join(", ")
}

/// The beginning of a text, its Latin letters apart from the others.
struct Sample {
    latin: String,
    latin_letters: usize,
    others: String,
    other_letters: usize,
}

fn sample_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Sample {
    let mut out = Sample { latin: String::new(), latin_letters: 0, others: String::new(), other_letters: 0 };
    for c in texts.flat_map(|t| t.chars().chain(['\n'])) {
        if !c.is_alphabetic() {
            let c = if c.is_control() { ' ' } else { c };
            out.latin.push(c);
            out.others.push(c);
        } else if (c as u32) < 0x250 || ('\u{1e00}'..'\u{1f00}').contains(&c) {
            out.latin.push(c);
            out.latin_letters += 1;
        } else {
            out.others.push(c);
            out.other_letters += 1;
        }
        if out.latin_letters + out.other_letters >= LETTERS_READ {
            break;
        }
    }
    out
}

impl Sample {
    fn is_latin(&self) -> bool {
        self.other_letters * GUESTS <= self.latin_letters
    }

    fn text(&self) -> &str {
        if self.is_latin() { &self.latin } else { &self.others }
    }

    /// Returns the amount of text, in Latin letters.
    fn letters(&self) -> usize {
        if self.is_latin() { self.latin_letters } else { self.other_letters * GUESTS }
    }

    fn script(&self) -> Option<Script> {
        whatlang::detect_script(self.text()).filter(|_| self.letters() > 0)
    }

    fn language(&self, script: Script) -> Option<&'static str> {
        // A script of one language needs no trigrams, and no length.
        let sure = script.langs().len() == 1 || self.letters() >= LEAST_LETTERS;
        let info = whatlang::detect(self.text())
            .filter(|info| sure && (script.langs().len() == 1 || info.is_reliable()))?;
        Some(short_tag(info.lang()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> String {
        choose_language(None, std::iter::once(text))
    }

    #[test]
    fn texts_are_recognised_by_their_letters_and_words() {
        for (tag, text) in [
            ("en", "The ferry to the islands leaves from the old quay twice a day, except in winter."),
            ("de", "Die Fähre zu den Inseln fährt zweimal am Tag vom alten Kai ab, außer im Winter."),
            ("fr", "Le bac pour les îles part deux fois par jour du vieux quai, sauf pendant l'hiver."),
            ("ru", "Паром на острова отправляется от старого причала дважды в день, кроме зимы."),
            ("zh", "渡轮每天两次从旧码头开往群岛，冬季除外。"),
            ("ja", "島へのフェリーは、冬を除いて一日に二回、古い埠頭から出ます。"),
            ("ko", "섬으로 가는 배는 겨울을 빼고 하루에 두 번 옛 부두에서 떠납니다."),
            ("ar", "تغادر العبارة إلى الجزر من الرصيف القديم مرتين في اليوم إلا في الشتاء."),
            ("th", "เรือข้ามฟากไปเกาะออกจากท่าเรือเก่าวันละสองครั้ง ยกเว้นในฤดูหนาว"),
            ("el", "Το πλοίο για τα νησιά φεύγει δύο φορές την ημέρα."),
        ] {
            assert_eq!(of(text), tag, "{text}");
        }
    }

    #[test]
    fn a_manual_full_of_latin_names_is_in_the_language_of_its_sentences() {
        let text = "使用 FastAPI 的 Query 参数时，你可以用 max_length 和 min_length 声明 string 的长度限制。运行 fastapi dev main.py \
            启动开发服务器。";
        assert_eq!(of(text), "zh");
    }

    #[test]
    fn what_the_site_says_holds_unless_the_script_is_another() {
        let german = "Die Fähre zu den Inseln fährt zweimal am Tag vom alten Kai ab, außer im Winter.";
        assert_eq!(choose_language(Some("nds-DE"), std::iter::once(german)), "nds");
        assert_eq!(choose_language(Some("pt_BR"), std::iter::once("Olá")), "pt");
        // A template's own language.
        assert_eq!(
            choose_language(Some("en"), std::iter::once("渡轮每天两次从旧码头开往群岛，冬季除外。")),
            "zh"
        );
        assert_eq!(choose_language(Some("<script>"), std::iter::once(german)), "de");
        assert_eq!(choose_language(Some("zh-Hans"), std::iter::once("12")), "zh");
    }

    #[test]
    fn what_nothing_shows_is_in_no_language() {
        for text in ["", "42", "ok", "\u{202e}\u{10ffff}\u{378}"] {
            assert_eq!(of(text), "", "{text:?}");
        }
    }

    #[test]
    fn names_and_tags_belong_together() {
        assert_eq!([name("de"), name("zh"), name("lo"), name("xx")], ["German", "Chinese", "Lao", "xx"]);
        for lang in Lang::all() {
            let tag = short_tag(*lang);
            assert!(
                by_tag(tag) == Some(*lang)
                    && primary(tag).as_deref() == Some(tag)
                    && primary(lang.code()).as_deref() == Some(tag),
                "{tag}"
            );
        }
    }

    #[test]
    fn languages_are_counted_the_commonest_first() {
        let counts = count_languages(["de", "en", "", "en"].into_iter());
        assert_eq!(
            in_words(&counts),
            "2 documents in English, 1 in no language that could be told, 1 in German"
        );
        assert_eq!(in_words(&counts[2..]), "1 document in German");
    }

    proptest! {
        #[test]
        fn any_text_has_a_tag_or_none(stated in ".{0,12}", text in "\\PC{0,200}") {
            let tag = choose_language(Some(&stated), std::iter::once(text.as_str()));
            prop_assert!(tag.is_empty() || primary(&tag).as_deref() == Some(tag.as_str()));
        }
    }
}
