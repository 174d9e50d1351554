//! What a title says about the names of its document.

use super::name_word::{NAME_LIKE_WORDS, NameWord, is_caseless, name_words};
use crate::compact::sort_unique;
use crate::text::is_stop_word;
use crate::text::lexicon::{Language, SPOKEN};

/// Returns true if a title looks like the name of a thing, not a sentence: short, no full stop, and most of
/// its content words with a capital or a digit.
pub fn is_name_like(title: &str) -> bool {
    let words = name_words(title);
    if words.is_empty()
        || words.len() > NAME_LIKE_WORDS
        || (title.trim_end().ends_with('.') && words.len() > 3)
    {
        return false;
    }
    let content = words.iter().filter(|w| !is_stop_word(&w.key)).count();
    let capital = words.iter().filter(|w| !is_stop_word(&w.key) && w.capital).count();
    words.len() <= 2 || capital * 2 >= content.max(1)
}

fn join_key(words: &[NameWord]) -> String {
    words.iter().map(|w| w.key.as_str()).collect::<Vec<_>>().join(" ")
}

/// The names that follow from a title, as (key, hundredths of certainty): all of it; without its parenthesis;
/// with the parenthesis' text; what stands before a comma; without a leading article. The surest comes first;
/// a key comes once.
pub fn names_of_title(title: &str) -> Vec<(String, u8)> {
    let mut out: Vec<(String, u8)> = Vec::new();
    let mut add = |text: &str, strength: u8| {
        let key = join_key(&name_words(text));
        if !key.is_empty() && !is_stop_word(&key) && !out.iter().any(|(k, _)| *k == key) {
            out.push((key, strength));
        }
    };
    add(title, 100);
    let base = match (title.find('('), title.rfind(')')) {
        (Some(open), Some(close)) if open < close => {
            add(&title[..open], 95);
            add(&format!("{} {}", &title[..open], &title[open + 1..close]), 90);
            &title[..open]
        }
        _ => title,
    };
    if let Some((before, _)) = base.split_once(',') {
        add(before, if name_words(before).len() >= 2 { 70 } else { 40 });
    }
    let words = name_words(base);
    if let [first, second, ..] = words.as_slice()
        && matches!(first.key.as_str(), "the" | "a" | "an")
    {
        add(&base[second.span.start..], 80);
    }
    out
}

/// The fuller name with which a first sentence opens ("Michael Haneke (born …", "Lake Como is …"), and its
/// certainty: up to the first bracket, comma, semicolon, colon or verb of definition; at most eight words,
/// which must have a capital, and cover 60 % of the title's.
pub fn lead_name(title: &str, first_sentence: &str) -> Option<(String, u8)> {
    let end = first_sentence.find(['(', '[', ',', ';', ':']).unwrap_or(first_sentence.len());
    let mut words = name_words(&first_sentence[..end]);
    if let Some(verb) = words.iter().position(|w| SPOKEN.definition_verbs().contains(&w.key)) {
        words.truncate(verb);
    }
    if words.first().is_some_and(|w| matches!(w.key.as_str(), "the" | "a" | "an")) {
        words.remove(0);
    }
    let first = words.first()?;
    // Without case nothing tells where a name at the head of a sentence ends.
    if words.len() > 8 || !first.capital || is_caseless(&first.key) || is_stop_word(&first.key) {
        return None;
    }
    let wanted = without_parenthesis(title);
    let shared = wanted.iter().filter(|t| words.iter().any(|w| w.key == **t)).count();
    if wanted.is_empty() || shared * 10 < wanted.len() * 6 {
        return None;
    }
    Some((join_key(&words), if words.len() == 1 { 50 } else { 80 }))
}

fn without_parenthesis(title: &str) -> Vec<String> {
    let base = title.find('(').map_or(title, |open| &title[..open]);
    name_words(base).into_iter().map(|w| w.key).collect()
}

/// Returns true if a passage opens with its title's thing: the title looks like a name, and at least 60 % of
/// its words (without parentheses) are among the first fifteen of the first sentence. The share of such
/// documents tells an encyclopaedia from documentation.
pub fn opens_with_title(title: &str, first_sentence: &str) -> bool {
    if !is_name_like(title) {
        return false;
    }
    let mut wanted = without_parenthesis(title);
    sort_unique(&mut wanted);
    let opening: Vec<String> = name_words(first_sentence).into_iter().take(15).map(|w| w.key).collect();
    let shared = wanted.iter().filter(|w| opening.contains(w)).count();
    !wanted.is_empty() && shared * 10 >= wanted.len() * 6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_look_like_names() {
        for name in [
            "Lake Como",
            "The Piano Teacher (film)",
            "std::vector",
            "closures",
            "Elizabeth II",
            "2001: A Space Odyssey",
        ] {
            assert!(is_name_like(name), "{name}");
        }
        for no in [
            "",
            "How do I exclude a page from the index?",
            "This is a finding about mice.",
            "A study of the effect of light on sleep in young adults who work",
        ] {
            assert!(!is_name_like(no), "{no}");
        }
    }

    #[test]
    fn a_title_gives_its_shorter_forms_the_surest_first() {
        let names = names_of_title("The Piano Teacher (film)");
        assert_eq!(names[0], ("the piano teacher film".into(), 100));
        assert!(
            names.contains(&("the piano teacher".into(), 95))
                && names.contains(&("piano teacher".into(), 80))
        );
        assert!(names_of_title("Springfield, Illinois").contains(&("springfield".into(), 40)));
        assert!(names_of_title("  ").is_empty());
    }

    #[test]
    fn a_definition_gives_the_fuller_name() {
        assert_eq!(
            lead_name("Ada Lovelace", "Augusta Ada King Lovelace (born 1815) was a mathematician."),
            Some(("augusta ada king lovelace".into(), 80))
        );
        assert_eq!(lead_name("Ada Lovelace", "She was a mathematician."), None);
        assert_eq!(lead_name("", ""), None);
        assert_eq!(lead_name("القاهرة", "القاهرة عاصمة مصر الجميلة."), None);
    }

    #[test]
    fn encyclopaedias_open_with_their_titles() {
        assert!(opens_with_title("Lake Como (Italy)", "Lake Como is a lake in Lombardy."));
        assert!(!opens_with_title("Installation", "Run the following command."));
    }
}
