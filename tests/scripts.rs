//! Text of any script through every step that makes text comparable: what has letters or digits keeps some,
//! and a corpus that speaks of something again and again has entities.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use pocketgraph::bundle::{Chunk, Document};
use pocketgraph::names::name_words;
use pocketgraph::text::{fold, sentences, terms, words};
use pocketgraph_knowledge::names::find_with;
use pocketgraph_measure::normalise_answer;

/// Sentences of many scripts; all speak of some thing in each of three passages.
const CORPORA: &[(&str, [&str; 3])] = &[
    ("Chinese", ["长城是中国的建筑。很多人参观长城。", "长城很长。", "秦始皇修建长城。"]),
    ("Japanese", ["渋谷は東京の街です。", "東京は日本の首都です。", "東京には川があります。"]),
    ("Korean", ["서울은 한국의 수도이다.", "서울 사람들은 친절하다.", "나는 서울 에 산다. 서울 은 크다."]),
    ("Arabic", ["القاهرة عاصمة مصر.", "النيل نهر يمر في القاهرة.", "زرت القاهرة في الصيف."]),
    ("Hebrew", ["ירושלים היא עיר גדולה.", "הגעתי אל ירושלים אתמול.", "ירושלים עתיקה."]),
    ("Hindi", ["दिल्ली भारत की राजधानी है।", "मैं दिल्ली में रहता हूँ।", "दिल्ली बड़ी है।"]),
    ("Russian", ["Москва стоит на реке.", "Как прекрасна наша Москва!", "Это город Москва."]),
    ("Greek", ["Η Αθήνα είναι πόλη.", "Όλοι αγαπούν την Αθήνα.", "Εδώ είναι η Αθήνα."]),
    ("French", ["Élodie Brûlé habite ici.", "On connaît Élodie Brûlé.", "Où est Élodie Brûlé ?"]),
    ("Vietnamese", ["Hà Nội là thủ đô.", "Tôi yêu Hà Nội.", "Ở đây có Hà Nội."]),
    (
        "digits and mixed scripts",
        ["The Airbus A380 flies to 東京.", "An Airbus A380 landed.", "東京 saw the Airbus A380."],
    ),
];

#[test]
fn no_step_takes_all_of_a_text_away() {
    let kept = |text: &str| text.chars().any(char::is_alphanumeric);
    let others = [
        "２０２４年",
        "ﬁne",
        "İstanbul",
        "Straße",
        "Ⅳ",
        "𝔘𝔫𝔦",
        "e\u{301}te\u{301}",
        "ǅ",
        "42",
        "東京Tower2020",
    ];
    for text in CORPORA.iter().flat_map(|(_, texts)| texts).copied().chain(others) {
        assert!(kept(&fold(text)), "fold: {text}");
        assert!(!words(text).is_empty(), "words: {text}");
        assert!(terms(text).iter().any(|t| kept(&t.0)), "terms: {text}");
        assert!(name_words(text).iter().any(|w| kept(&w.key)), "name_words: {text}");
        assert!(kept(&normalise_answer(text)), "normalised: {text}");
        let whole: String = sentences(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(
            whole.split_whitespace().collect::<String>(),
            text.split_whitespace().collect::<String>(),
            "sentences: {text}"
        );
    }
}

#[test]
fn what_is_spoken_of_again_and_again_is_an_entity_in_any_script() {
    let flat = |texts: &[String]| texts.iter().map(|t| vec![1.0, t.len() as f32]).collect::<Vec<_>>();
    for (language, texts) in CORPORA {
        let documents: Vec<Document> = texts
            .iter()
            .map(|_| Document {
                title: String::new(),
                url: String::new(),
                path: String::new(),
                language: String::new(),
            })
            .collect();
        let chunk = |(i, text): (usize, &&str)| Chunk {
            document: i as u32,
            heading_path: Vec::new(),
            fragment: String::new(),
            text: (*text).to_owned(),
            start: 0,
            end: text.chars().count() as u32,
        };
        let chunks: Vec<Chunk> = texts.iter().enumerate().map(chunk).collect();
        let found = find_with(&documents, &chunks, &[], Some(&flat), true);
        let mentioned: usize = found.mentions.iter().flat_map(|m| &m.sentences).map(Vec::len).sum();
        let names: Vec<&str> = found.table.entries.iter().map(|e| e.key.as_str()).collect();
        assert!(mentioned >= 2, "{language}: {names:?}");
    }
}
