//! Whether what a model wrote is an answer at all: with any model, however weak, a reader is left no worse
//! off than with a quotation.

use super::markers::markers;
use super::statement::{is_head, states_nothing};
use super::support::{SupportedReply, find_support};
use super::written::{ModelReply, plain};
use super::{Citable, Support, term_set};
use crate::compact::Set;
use crate::llm::is_unclosed_thought;
use crate::repetition::repeats_itself;
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{fold, is_stop_word, sentences};

/// Reasons why a reply is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAnswer {
    /// It holds no word.
    Silence,
    /// It is a thought that never came to an end.
    Thought,
    /// It says one thing over and over.
    Loop,
    /// It was cut before its first sentence had ended.
    Fragment,
    /// It repeats what it was asked, or how.
    Echo,
    /// It holds citations, labels, headings or questions, and no statement.
    NoStatement,
    /// It has to rest on passages or statements, and none that it was given supports any of its sentences.
    Unborne,
    /// A passage says otherwise.
    Contradicted,
}

impl NoAnswer {
    /// Returns the sentence for the reader about the model's reply.
    pub fn describe(self) -> &'static str {
        match self {
            NoAnswer::Silence => "The language model answered nothing.",
            NoAnswer::Thought => "The language model's thinking did not come to an end within its budget.",
            NoAnswer::Loop => "The language model said one thing over and over.",
            NoAnswer::Fragment => "The language model's answer was cut before its first sentence had ended.",
            NoAnswer::Echo => "The language model repeated what it was asked.",
            NoAnswer::NoStatement => "The language model cited passages and stated nothing.",
            NoAnswer::Unborne => "No passage supports what the language model answered.",
            NoAnswer::Contradicted => "The passages contradict what the language model answered.",
        }
    }
}

/// Words in a row that two texts hardly share by chance.
const SHINGLE: usize = 5;
/// Least share of function words in an English text. Like the share below a choice, not a fit.
const FUNCTION_WORDS: f32 = 0.15;
/// Two texts of one language, no matter which, have more of their words in common.
const SHARED_WORDS: f32 = 0.1;

/// Returns the reason why a reply is no answer; `None` if it is one. A reply that starts with
/// [`ModelReply::no_answer_text`] is an answer.
pub fn no_answer(written: &ModelReply<'_>) -> Option<NoAnswer> {
    let ModelReply { text, cut, .. } = *written;
    if !text.chars().any(char::is_alphanumeric) {
        return Some(NoAnswer::Silence);
    }
    if is_unclosed_thought(text) {
        return Some(NoAnswer::Thought);
    }
    if repeats_itself(text) {
        return Some(NoAnswer::Loop);
    }
    if opens_with(text, written.no_answer_text) {
        return None;
    }
    if cut && !ends_a_sentence(text) {
        return Some(NoAnswer::Fragment);
    }
    if is_echo(written) {
        return Some(NoAnswer::Echo);
    }
    if states_nothing(written) {
        return Some(NoAnswer::NoStatement);
    }
    if !written.must_cite || is_borne_by_facts(written) {
        return None;
    }
    let reply = find_support(written.text, written.passages);
    if reply.has(Support::Contradicted) {
        return Some(NoAnswer::Contradicted);
    }
    (!reply.has(Support::Supported) && !draws_conclusion(written, &reply) && !is_foreign(written))
        .then_some(NoAnswer::Unborne)
}

/// Returns true if a text begins with a sentence, whatever its case, punctuation and spacing.
pub(super) fn opens_with(text: &str, sentence: &str) -> bool {
    let letters = |s: &str| fold(s).chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let beginning: String = text.chars().take(sentence.chars().count() * 2 + 40).collect();
    letters(&beginning).starts_with(&letters(sentence))
}

/// Returns true if a cut text holds a whole sentence.
fn ends_a_sentence(text: &str) -> bool {
    let ranges = sentences(text);
    ranges.len() > 1
        || text.trim_end().ends_with(['.', '!', '?', '。', '！', '？', '।', '؟', ']', ')', '"', '”', '»'])
}

/// Returns `true` if a sentence that cites passages affirms or denies a question that an auxiliary opens
/// ("Was it …?"): most of its words are the question's or its passages'. No passage says such a conclusion;
/// they are its premises.
fn draws_conclusion(written: &ModelReply<'_>, reply: &SupportedReply) -> bool {
    if !plain(written.question).first().is_some_and(|w| SPOKEN.auxiliaries().has(w, "closed")) {
        return false;
    }
    let asked = term_set(&[written.question]);
    reply.sentences.iter().filter_map(|s| reply.text.get(s.at.start as usize..s.at.end as usize)).any(
        |sentence| {
            let cited = cited_passages(sentence, written);
            let held: Vec<Set<String>> = cited.iter().map(|hit| term_set(&[&hit.text])).collect();
            let claim = term_set(&[&plain(sentence).join(" ")]).into_items();
            let known = claim
                .iter()
                .filter(|t| asked.contains(*t) || held.iter().any(|terms| terms.contains(*t)))
                .count();
            !cited.is_empty() && !claim.is_empty() && 2 * known >= claim.len()
        },
    )
}

fn cited_passages<'a>(text: &str, written: &ModelReply<'a>) -> Vec<&'a Citable> {
    let numbers: Vec<u32> = markers(text).into_iter().flat_map(|m| m.numbers).collect();
    written.passages.iter().filter(|(number, _)| numbers.contains(number)).map(|(_, hit)| *hit).collect()
}

/// Returns `true` if a reply cites one of the passages in another language than theirs: the check knows
/// words, and cannot compare these.
fn is_foreign(written: &ModelReply<'_>) -> bool {
    let held: Vec<String> = written.passages.iter().flat_map(|(_, hit)| plain(&hit.text)).collect();
    let reply_words = plain(written.text);
    !cited_passages(written.text, written).is_empty()
        && match (is_english(&reply_words), is_english(&held)) {
            (true, true) => false,
            (false, false) => {
                reply_words.iter().filter(|w| held.contains(w)).count() as f32
                    <= SHARED_WORDS * reply_words.len() as f32
            }
            _ => reply_words.len() >= SHINGLE,
        }
}

/// Returns true if the model's statements hold more than half of the reply's terms that are not the
/// question's.
fn is_borne_by_facts(written: &ModelReply<'_>) -> bool {
    let (asked, held) = (term_set(&[written.question]), term_set(&[&written.facts.join("\n")]));
    let mut own_words = term_set(&[&plain(written.text).join(" ")]).into_items();
    own_words.retain(|t| !asked.contains(t));
    !own_words.is_empty() && 2 * own_words.iter().filter(|t| held.contains(*t)).count() > own_words.len()
}

fn is_english(words: &[String]) -> bool {
    words.iter().filter(|w| is_stop_word(w)).count() as f32 >= FUNCTION_WORDS * words.len() as f32
}

/// A text's runs of [`SHINGLE`] words.
fn shingles(text: &str) -> Vec<String> {
    plain(text).windows(SHINGLE).map(|w| w.join(" ")).collect()
}

/// Returns true if a reply repeats a placeholder of a prompt, which is between two tags or brackets and in no
/// passage.
fn is_placeholder(written: &ModelReply<'_>) -> bool {
    let text = written.text.trim();
    let opens = |before: &str| before.trim_end().ends_with(['>', '[']);
    let closes = |after: &str| after.trim_start().starts_with(['<', ']']);
    let lies = |prompt: &String| {
        prompt.match_indices(text).any(|(at, _)| opens(&prompt[..at]) && closes(&prompt[at + text.len()..]))
    };
    written.prompts.iter().any(lies)
        && !written.passages.iter().any(|(_, hit)| hit.text.contains(text))
        && !written.question.contains(text)
}

/// Returns true if a reply, without the question's words, has words of passages' titles and none of their
/// texts. Such a reply names where to read, and answers nothing.
fn names_a_passage_alone(written: &ModelReply<'_>) -> bool {
    let of = |texts: &mut dyn Iterator<Item = &str>| texts.flat_map(plain).collect::<Set<String>>();
    let held = of(&mut written.passages.iter().map(|(_, hit)| hit.text.as_str()));
    let heads = of(&mut written.passages.iter().map(|(_, hit)| hit.title.as_str()));
    let asked: Set<String> = plain(written.question).into_iter().collect();
    let mut unheaded: Vec<String> = plain(written.text);
    unheaded.retain(|w| !is_stop_word(w) && !asked.contains(w));
    unheaded.iter().any(|w| heads.contains(w)) && !unheaded.iter().any(|w| held.contains(w))
}

/// Returns true if a reply consists of our own words: it repeats a placeholder or a passage's head, begins
/// with our words, or half of it are they.
fn is_echo(written: &ModelReply<'_>) -> bool {
    if is_placeholder(written)
        || written.text.lines().any(|line| is_head(line, written))
        || names_a_passage_alone(written)
    {
        return true;
    }
    let reply_shingles = shingles(written.text);
    let Some(first) = reply_shingles.first() else { return false };
    let of = |texts: &mut dyn Iterator<Item = &str>| texts.flat_map(shingles).collect::<Set<String>>();
    let prompts = of(&mut written.prompts.iter().map(String::as_str));
    let evidence =
        of(&mut written.passages.iter().flat_map(|(_, hit)| [hit.text.as_str(), hit.title.as_str()]));
    let question: Set<String> = shingles(written.question).into_iter().collect();
    let own = |s: &String| prompts.contains(s) && !evidence.contains(s);
    // An answer may begin with the words of the question.
    own(first) && !question.contains(first)
        || 2 * reply_shingles.iter().filter(|s| own(s)).count() >= reply_shingles.len()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph_testing::hits::hit;

    const PROMPT: &str = "Answer the question below from the passages, and put their numbers in square \
        brackets.\nQuestion: Where was Mira Voss born, in Hallwil or in Aarau?";

    fn verdict(text: &str, cut: bool, must_cite: bool) -> Option<NoAnswer> {
        let hit = Citable::from(&hit(
            7,
            "Voss",
            &[],
            "Mira Voss was born in Hallwil in 1891. She repaired the clocks of three towns.",
        ));
        let passages = [(1, &hit)];
        let prompts = [format!("{PROMPT}\n\n[1] Voss\n{}", hit.text)];
        let question = "Where was Mira Voss born, in Hallwil or in Aarau?";
        no_answer(&ModelReply {
            text,
            cut,
            prompts: &prompts,
            question,
            passages: &passages,
            facts: &[],
            must_cite,
            no_answer_text: "The documents do not say.",
        })
    }

    #[test]
    fn a_reply_that_goes_on_with_the_list_of_passages_is_an_echo() {
        assert_eq!(
            verdict("[1] Voss\nMira Voss was born in Hallwil in 1891.", false, true),
            Some(NoAnswer::Echo)
        );
        assert_eq!(verdict("[1] Mira Voss was born in Hallwil.", false, true), None);
        assert_eq!(verdict("[1]\nMira Voss was born in Hallwil in 1891 [1].", false, true), None);
    }

    #[test]
    fn a_reply_that_names_a_passage_and_says_nothing_of_it_is_an_echo() {
        let judged = |text: &str, title: &str| {
            let hit = Citable::from(&hit(7, title, &[], "The Broncos beat Carolina in Super Bowl 50."));
            let (passages, prompts) = ([(1, &hit)], []);
            let (question, no_answer_text) = ("Whom did the Broncos beat?", "The documents do not say.");
            no_answer(&ModelReply {
                text,
                cut: false,
                prompts: &prompts,
                question,
                passages: &passages,
                facts: &[],
                must_cite: true,
                no_answer_text,
            })
        };
        assert_eq!(judged("The answer is: Super_Bowl_50 [1]", "Super_Bowl_50"), Some(NoAnswer::Echo));
        assert_eq!(judged("Carolina [1]", "Super_Bowl_50"), None);
        // A title may be an answer where the text says it, too.
        assert_eq!(judged("Carolina [1]", "Carolina"), None);
    }

    #[test]
    fn what_a_passage_bears_out_is_an_answer_and_so_is_a_refusal() {
        for text in [
            "Hallwil [1].",
            "Hallwil",
            "Hallwil [3].",
            "Mira Voss was born in Hallwil [1].",
            "In Hallwil [1]. Nobody knows why she left it for the coast, they say.",
            "The documents do not say.",
            "the documents do not say",
            "Die Uhrmacherin kam im Jahr 1891 dort zur Welt [1].",
        ] {
            assert_eq!(verdict(text, false, true), None, "{text}");
        }
        assert_eq!((verdict("Hallwil", false, false), verdict("Aarau", false, false)), (None, None));
        assert_eq!(verdict("Mira Voss was born in Hallwil [1]. She re", true, true), None);
    }

    #[test]
    fn a_reply_of_a_weak_model_is_none() {
        use NoAnswer::*;
        for (text, why) in [
            (" … ", Silence),
            ("<think> Let me see", Thought),
            ("and", Unborne),
            ("Zurich", Unborne),
            ("Zurich [3].", Unborne),
            ("Mira Voss was not born in Hallwil [1].", Contradicted),
            ("born 1891 in three Mira clocks towns Hallwil repaired of Voss [1].", Unborne),
            ("Bananas grow on tall plants in warm countries [1].", Unborne),
            (
                "Answer the question below from the passages, and put their numbers in square brackets [1].",
                Echo,
            ),
            ("Where was Mira Voss born, in Hallwil or in Aarau?", Echo),
            ("It is so. It is so. It is so. It is so.", Loop),
        ] {
            assert_eq!(verdict(text, false, true), Some(why), "{text}");
        }
        for hint in ["and", "answer", "Beijing"] {
            let prompts = ["The answer goes between <answer> and </answer>: Finish[answer]. For example, \
                <answer> Beijing </answer>."
                .to_owned()];
            let no_answer_text = "The documents do not say.";
            let written = ModelReply {
                text: hint,
                cut: false,
                prompts: &prompts,
                question: "Where?",
                passages: &[],
                facts: &[],
                must_cite: false,
                no_answer_text,
            };
            assert_eq!(no_answer(&written), Some(Echo), "{hint}");
        }
        let facts = ["(Mira Voss, born in, Hallwil)".to_owned()];
        let judged = |text| {
            let prompts = [];
            let no_answer_text = "The documents do not say.";
            no_answer(&ModelReply {
                text,
                cut: false,
                prompts: &prompts,
                question: "Where was she born?",
                passages: &[],
                facts: &facts,
                must_cite: true,
                no_answer_text,
            })
        };
        assert_eq!((judged("Hallwil"), judged("Aarau")), (None, Some(Unborne)));
        assert_eq!(verdict("Pass", true, false), Some(Fragment));
        assert_eq!(verdict("The clocks of", true, true), Some(Fragment));
    }
}
