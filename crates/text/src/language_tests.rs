//! Properties of every language: a sentence in each of twenty-two, and random pieces of them.

use crate::{fold, is_stop_word, sentences, terms, words};
use proptest::prelude::*;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;

const SENTENCES: [(&str, &str); 22] = [
    ("English", "The ferry to the islands doesn't leave in winter."),
    ("German", "Die Fähre fährt außer im Winter zweimal täglich zur Große-Gasse-Brücke."),
    ("French", "L'hôtel de la plage est fermé en été, où dorment les élèves."),
    ("Spanish", "El barco sale del viejo muelle dos veces al día, mañana también."),
    ("Polish", "Łódź wypływa z portu dwa razy dziennie, oprócz świąt i źdźbeł."),
    ("Danish", "Færgen til Østerbro sejler ikke om vinteren på Ærø."),
    ("Icelandic", "Þingvellir eru þjóðgarður við Öxará, sem Ælfþrýð sá."),
    ("Turkish", "Kırklareli'ne giden vapur İstanbul'dan kışın kalkmıyor."),
    ("Vietnamese", "Phà ra đảo rời bến cũ hai lần mỗi ngày, trừ mùa đông."),
    ("Greek", "Το πλοίο για τα νησιά φεύγει δύο φορές την ημέρα."),
    ("Russian", "Паром на острова отходит ёлками дважды в день, йод."),
    ("Hebrew", "המעבורת לאיים יוצאת מן הרציף הישן פעמיים ביום, שָׁלוֹם."),
    ("Arabic", "تُغادِر العبّارة إلى الجزر من الرصيف القديم مرّتين في اليوم."),
    ("Persian", "کشتی به جزیره‌ها روزی دو بار از اسکلهٔ کهنه می‌رود."),
    ("Hindi", "द्वीपों के लिए नाव पुराने घाट से दिन में दो बार ज़रूर चलती है।"),
    ("Bengali", "দ্বীপের নৌকা পুরনো ঘাট থেকে দিনে দুবার বাড়ি ছাড়ে।"),
    ("Tamil", "தீவுகளுக்கான படகு பழைய துறையிலிருந்து நாளுக்கு இருமுறை புறப்படும்."),
    ("Thai", "เรือข้ามฟากไปเกาะออกจากท่าเรือเก่าวันละสองครั้ง"),
    ("Khmer", "សាឡាងទៅកោះចេញពីផែចាស់ពីរដងក្នុងមួយថ្ងៃ"),
    ("Chinese", "渡轮每天两次从旧码头开往群岛，冬季除外。"),
    ("Japanese", "島へのフェリーは、冬を除いて一日に二回、古い埠頭から出ます。"),
    ("Korean", "섬으로 가는 배는 겨울을 빼고 하루에 두 번 옛 부두에서 떠납니다."),
];

fn of(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().map(|(term, _)| term).collect()
}

#[test]
fn a_passage_is_found_by_each_of_its_words_in_capitals_or_small_composed_or_not() {
    for (language, sentence) in SENTENCES {
        let all = of(sentence);
        assert!(all.len() > 4, "{language}: {all:?}");
        for word in words(sentence).into_iter().filter(|w| !is_stop_word(&fold(w.text))) {
            let forms = [
                word.text.to_owned(),
                word.text.nfd().collect(),
                word.text.nfc().collect(),
                word.text.to_lowercase(),
            ];
            for form in forms {
                // Decomposed Korean letters stay apart; nobody types them so.
                if language == "Korean" && form != word.text {
                    continue;
                }
                assert!(
                    of(&form).is_subset(&all),
                    "{language}: {form} gives {:?}, not in {all:?}",
                    of(&form)
                );
            }
        }
    }
}

#[test]
fn each_sentence_is_one_and_two_are_two() {
    for (language, sentence) in SENTENCES {
        let twice = format!("{sentence} {sentence}");
        // Thai and Khmer write no full stop.
        let ends = sentence.ends_with(|c: char| !c.is_alphabetic() && !crate::unicode::is_mark(c));
        assert_eq!(sentences(&twice).len(), 1 + usize::from(ends), "{language}");
    }
}

#[test]
fn capitals_fold_to_the_same_letters() {
    for (language, sentence) in SENTENCES.iter().filter(|(language, _)| *language != "Turkish") {
        assert_eq!(
            fold(&sentence.to_uppercase()).replace('σ', "ς"),
            fold(sentence).replace('σ', "ς"),
            "{language}"
        );
    }
}

fn piece() -> impl Strategy<Value = String> {
    (0..SENTENCES.len(), 0usize..60, 0usize..30)
        .prop_map(|(i, from, length)| SENTENCES[i].1.chars().skip(from).take(length).collect())
}

/// Generates odd characters that some documents hold: bidirectional controls, unassigned code points,
/// joiners, a lone mark.
fn odd() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        " ",
        "\u{202e}",
        "\u{2066}",
        "\u{378}",
        "\u{10fffe}",
        "\u{200d}",
        "\u{ad}",
        "\u{301}",
        "\u{0}",
        "42",
        "_",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn pieces_of_five_languages_on_one_page_fold_once_and_are_where_they_say(
        parts in prop::collection::vec((piece(), odd()), 1..6),
    ) {
        let text: String = parts.iter().flat_map(|(a, b)| [a.as_str(), b.as_str()]).collect();
        let once = fold(&text);
        prop_assert_eq!(fold(&once), once);
        for (term, span) in terms(&text) {
            prop_assert!(!term.is_empty() && text.get(span).is_some());
        }
        let kept: String = sentences(&text).into_iter().map(|r| text[r].to_owned()).collect();
        let strip = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        prop_assert_eq!(strip(&kept), strip(&text));
    }

    #[test]
    fn a_passage_has_the_terms_of_what_is_in_it_between_spaces(
        parts in prop::collection::vec(piece(), 1..6),
        at in 0usize..6,
    ) {
        let text = parts.join(" ");
        let part = &parts[at % parts.len()];
        // A piece that begins with a mark is no text of its own: the mark belongs to the letter before.
        prop_assume!(!part.starts_with(crate::unicode::is_mark));
        // Neither is a piece of stop words alone, which are left out beside other words.
        prop_assume!(!of(part).iter().all(|term| is_stop_word(term)));
        prop_assert!(of(part).is_subset(&of(&text)), "{} in {}", part, text);
    }
}
