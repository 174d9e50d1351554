//! Reads facts in the first sentence below a heading: "X is a Y", and dates of birth and death.
//!
//! The patterns are few and narrow, so that most sentences give nothing; they are English only.

use pocketgraph_keywords::extract::wordclass::{
    find_singular, has_adjective_ending, is_adverb_or_plain_adjective, is_function_word,
};
use pocketgraph_kg::date;
use pocketgraph_text::lexicon::{Language, SPOKEN};
use pocketgraph_text::{Word, fold, is_stop_word, stem, words};

/// Facts of a lead.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Lead {
    /// The name that the sentence opens with, if it differs from the heading.
    pub alias: Option<String>,
    /// Class: "medieval bishop".
    pub class: Option<String>,
    /// The last word of the class, if it has several: "bishop".
    pub head: Option<String>,
    /// The date of birth as written.
    pub born: Option<String>,
    /// The date of death as written.
    pub died: Option<String>,
}

/// Number of words among which the verb must be.
const VERB_WITHIN: usize = 14;
/// Maximum number of words of a class.
const CLASS_WORDS: usize = 5;

/// Reads the first sentence below a heading.
pub(super) fn read_lead(heading: &str, sentence: &str) -> Lead {
    let mut lead = Lead::default();
    let bare = without_brackets(sentence);
    let all = words(&bare);
    let Some(verb) =
        all.iter().take(VERB_WITHIN).position(|w| matches!(w.text, "is" | "are" | "was" | "were"))
    else {
        return lead;
    };
    // In "Ada Lovelace, born Ada Byron, was", the words after the first comma are not part of the subject.
    let comma = bare.find([',', ';', ':']).unwrap_or(bare.len());
    let subject: Vec<&Word<'_>> = all.iter().take(verb).filter(|w| w.span.end <= comma).collect();
    let Some(name) = matching_subject(heading, &bare, &subject) else { return lead };
    if fold(&name) != fold(heading) {
        lead.alias = Some(name);
    }
    (lead.class, lead.head) = read_class(&bare, all.get(verb + 1..).unwrap_or(&[]));
    (lead.born, lead.died) = read_dates(sentence);
    lead
}

fn without_brackets(text: &str) -> String {
    let (mut out, mut depth) = (String::with_capacity(text.len()), 0usize);
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

fn content_stems(text: &str) -> Vec<String> {
    let folded: Vec<String> = words(text).iter().map(|w| fold(w.text)).collect();
    folded.iter().filter(|w| !is_stop_word(w)).map(|w| stem(w)).collect()
}

/// Returns the subject if it matches the heading: it has three fifths of the heading's words, and few others.
fn matching_subject(heading: &str, text: &str, subject: &[&Word<'_>]) -> Option<String> {
    let article = |w: &&&Word<'_>| matches!(fold(w.text).as_str(), "a" | "an" | "the");
    let subject = subject.get(usize::from(subject.first().as_ref().is_some_and(article))..)?;
    let (first, last) = (subject.first()?, subject.last()?);
    let name = text.get(first.span.start..last.span.end)?;
    let wanted = content_stems(&without_brackets(heading));
    let name_words = content_stems(name);
    let shared = wanted.iter().filter(|w| name_words.contains(w)).count();
    let enough = !wanted.is_empty() && shared * 10 >= wanted.len() * 6;
    // A longer subject is a fuller name only if its words are capitalised like names.
    let fuller = subject.iter().all(|w| {
        is_stop_word(&fold(w.text)) || w.text.starts_with(|c: char| c.is_uppercase() || c.is_numeric())
    });
    let close = name_words.len() <= shared || (fuller && name_words.len() <= shared + 4);
    (enough && close).then(|| name.to_owned())
}

/// Returns the noun phrase after "is a", and its last word.
fn read_class(text: &str, mut rest: &[Word<'_>]) -> (Option<String>, Option<String>) {
    match rest {
        [one, of, the, after @ ..] if one.text == "one" && of.text == "of" && the.text == "the" => {
            rest = after
        }
        [article, after @ ..] if matches!(article.text, "a" | "an") => rest = after,
        _ => return (None, None),
    }
    let mut phrase = noun_phrase(text, rest);
    if let Some(last) = phrase.last()
        && rest.get(phrase.len()).is_some_and(|w| w.text == "of")
    {
        if SPOKEN.definition_nouns().has(last, "measure") {
            return (None, None);
        }
        if SPOKEN.definition_nouns().has(last, "kind") {
            let mut after = rest.get(phrase.len() + 1..).unwrap_or(&[]);
            if after.first().is_some_and(|w| matches!(w.text, "a" | "an" | "the")) {
                after = after.get(1..).unwrap_or(&[]);
            }
            phrase = noun_phrase(text, after);
        }
    }
    let Some(last) = phrase.last().map(|w| fold(w)) else { return (None, None) };
    let last_is_noun = last.chars().count() >= 3
        && last.chars().all(char::is_alphabetic)
        && !SPOKEN.definition_nouns().has(&last, "empty")
        && !is_function_word(&last)
        && !is_adverb_or_plain_adjective(&last)
        && !has_adjective_ending(&last);
    if !last_is_noun || phrase.len() > CLASS_WORDS {
        return (None, None);
    }
    if let Some(end) = phrase.last_mut() {
        *end = find_singular(end);
    }
    let head = phrase.last().filter(|_| phrase.len() > 1).cloned();
    (Some(phrase.join(" ")), head)
}

/// Collects the words up to a function word, a participle that opens a clause, or a sign.
fn noun_phrase(text: &str, words: &[Word<'_>]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut last: Option<&Word<'_>> = None;
    for w in words {
        let gap = last.map_or("", |l| text.get(l.span.end..w.span.start).unwrap_or(""));
        let sign = gap
            .chars()
            .any(|c| !c.is_whitespace() && !matches!(c, '-' | '`' | '\'' | '"' | '“' | '”' | '*' | '_'));
        let folded = fold(w.text);
        let clause = !out.is_empty()
            && (folded.ends_with("ed")
                || matches!(
                    folded.as_str(),
                    "known" | "made" | "found" | "set" | "written" | "born" | "built"
                ));
        if sign || is_stop_word(&folded) || clause || out.len() > CLASS_WORDS {
            break;
        }
        let hyphen = gap == "-";
        match out.last_mut().filter(|_| hyphen) {
            Some(open) => *open = format!("{open}-{}", w.text),
            None => out.push(w.text.to_owned()),
        }
        last = Some(w);
    }
    out
}

/// Returns the dates in the first brackets: "(born 3 May 1950)", "(3 May 1950 – 4 June 2001)".
fn read_dates(sentence: &str) -> (Option<String>, Option<String>) {
    let Some((_, rest)) = sentence.split_once('(') else { return (None, None) };
    let Some((inside, _)) = rest.split_once(')') else { return (None, None) };
    let dated = |text: &str| {
        let text = text.split([';', '(']).next().unwrap_or("").trim().trim_end_matches(',');
        // A place may follow: "3 May 1950, in London".
        let parts: Vec<&str> = text.split(' ').filter(|p| !p.is_empty()).collect();
        (1..=parts.len().min(4))
            .rev()
            .map(|n| parts[..n].join(" "))
            .map(|t| t.trim_end_matches(',').to_owned())
            .find(|t| is_date(t))
    };
    let after = |word: &str| {
        let at = inside.find(word).filter(|&at| !inside[..at].ends_with(char::is_alphanumeric))?;
        dated(inside[at + word.len()..].trim_start().trim_start_matches("on "))
    };
    if let Some((from, to)) = inside.split_once('–').or_else(|| inside.split_once(" - "))
        && let (Some(born), Some(died)) =
            (dated(from.trim_start_matches("born ")), dated(to.trim_start_matches("died ")))
    {
        return (Some(born), Some(died));
    }
    (after("born "), after("died "))
}

/// Returns true for a date whose year is no page or chapter number.
fn is_date(text: &str) -> bool {
    date(text).is_some_and(|d| (100..2200).contains(&d.year))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class_of(heading: &str, sentence: &str) -> Option<String> {
        read_lead(heading, sentence).class
    }

    #[test]
    fn a_definition_says_what_the_heading_names() {
        let lead =
            read_lead("Theodred II (Bishop of Elmham)", "Theodred II was a medieval Bishop of Elmham.");
        assert_eq!(
            (lead.class.as_deref(), lead.head.as_deref(), lead.alias),
            (Some("medieval Bishop"), Some("Bishop"), Some("Theodred II".into()))
        );
        assert_eq!(
            class_of("Lake Como", "Lake Como is a lake of glacial origin in Lombardy, Italy."),
            Some("lake".into())
        );
        assert_eq!(
            class_of("Iterators", "An iterator is a lazy sequence that yields items."),
            Some("lazy sequence".into())
        );
        assert_eq!(
            class_of("Saffron", "Saffron is a kind of spice derived from a flower."),
            Some("spice".into())
        );
        assert_eq!(
            class_of("Mount Rainier", "Mount Rainier is one of the highest mountains of the range."),
            Some("highest mountain".into())
        );
        assert_eq!(
            class_of(
                "Ada Lovelace",
                "Ada Lovelace, born Ada Byron, was an English mathematician and writer."
            ),
            Some("English mathematician".into())
        );
    }

    #[test]
    fn what_is_no_definition_of_the_heading_says_nothing() {
        for (heading, sentence) in [
            ("Installation", "This is a short guide."),
            ("Loops", "A closure is a function."),
            ("Ownership", "Ownership is a set of rules that govern memory."),
            ("Closures", "Closures are useful."),
            ("Closures", "Closures are often passed to functions."),
            ("Borrowing", "Borrowing is an able."),
            ("Vectors", "The vector is a bit of a surprise."),
            ("Errors", "In Rust, an error is a value."),
            ("Was ist das", "Das ist ein Test."),
            ("", "It is a dog."),
            ("Safety", ""),
        ] {
            assert_eq!(class_of(heading, sentence), None, "{heading}: {sentence}");
        }
    }

    #[test]
    fn lives_have_their_dates() {
        let life = |s: &str| {
            let lead = read_lead("Jan Novák", s);
            (lead.born, lead.died)
        };
        let some = |s: &str| Some(s.to_owned());
        assert_eq!(life("Jan Novák (born 3 May 1950) is a painter."), (some("3 May 1950"), None));
        assert_eq!(life("Jan Novák( died 11 November 875) was a king."), (None, some("11 November 875")));
        assert_eq!(
            life("Jan Novák (3 May 1950 – 4 June 2001) was a painter."),
            (some("3 May 1950"), some("4 June 2001"))
        );
        assert_eq!(
            life("Jan Novák (May 3, 1950 in Prague – June 4, 2001) was a painter."),
            (some("May 3, 1950"), some("June 4, 2001"))
        );
        assert_eq!(life("Jan Novák (reborn 1950; pages 3 – 4) was a painter."), (None, None));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(heading in ".{0,20}", sentence in "(X (is|was) (a|an|one of the) \
            )?.{0,60}") {
            let _ = read_lead(&heading, &sentence);
            let _ = read_dates(&sentence);
        }
    }
}
