//! What a question asks for: its content terms, its kind, and the two sides of a comparison.

use super::parts::asks;
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{fold, is_stop_word, stem, terms, words};
use std::ops::Range;

/// The kind of answer that a question wants, read from its first words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// "How …?", "why …?", and what is no question but names a matter, as an error's message does.
    Manner,
    /// "How many …?", "when …?", "what is the default port?": a figure.
    Quantity,
    /// "What is the difference between A and B?"
    Comparison,
    /// Anything else.
    Other,
}

/// A content term of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionTerm {
    /// The index term, as [`terms`] makes it.
    pub term: String,
    /// The word as the question has it.
    pub word: String,
    /// Bytes of its first occurrence in the question.
    pub span: Range<usize>,
    /// Other forms of it that the documents have, where no document has the word itself.
    pub forms: Vec<String>,
    /// True if it may be no word at all.
    pub doubtful: bool,
    /// True if it only names the kind of the wanted answer ("how often", "in which version"). An answer need
    /// not have it.
    pub asks: bool,
    /// Its inverse document frequency.
    pub weight: f32,
}

/// A question, analysed.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The kind of answer that it wants.
    pub kind: QuestionKind,
    /// Its content terms, each once, in order; at most 64.
    pub terms: Vec<QuestionTerm>,
    /// For a comparison: the terms that name each side.
    pub sides: Option<(Vec<usize>, Vec<usize>)>,
    /// Weight of a term that no passage has: it grows with the logarithm of the number of passages.
    pub(super) rarest: f32,
}

/// A word as it is looked up, and where it stands.
type FoldedWord = (String, Range<usize>);

const MAX_TERMS: usize = 64;
/// Longer questions are analysed up to here.
const MAX_BYTES: usize = 4096;

/// "What is the default print width": behind so many words a measure is no longer what is asked for.
const WORDS_BEFORE_MEASURE: usize = 6;
/// "In which stable release was …": words that name the class of the answer, at most.
const WORDS_OF_CLASS: usize = 3;

impl Question {
    /// Analyses a question. `idf` gives the inverse document frequency of an index term; a term that no
    /// document has should get the largest.
    pub fn new(question: &str, idf: &dyn Fn(&str) -> f32) -> Question {
        let question = &question[..question.floor_char_boundary(MAX_BYTES)];
        let all = terms(question);
        let words: Vec<FoldedWord> = words(question).into_iter().map(|w| (fold(w.text), w.span)).collect();
        let generic = |t: &str| SPOKEN.instruction_stems().contains(t);
        let only_generic = all.iter().all(|(t, _)| generic(t));
        let mut found: Vec<(QuestionTerm, Vec<usize>)> = Vec::new();
        for (term, span) in all {
            if generic(&term) && !only_generic {
                continue;
            }
            match found.iter().position(|(t, _)| t.term == term) {
                Some(known) => found[known].1.push(span.start),
                None if found.len() < MAX_TERMS => {
                    let weight = idf(&term);
                    let weight = if weight.is_finite() { weight.clamp(0.0, 30.0) } else { 0.0 };
                    let word = question[span.clone()].to_owned();
                    let start = span.start;
                    let asks =
                        words.iter().position(|w| w.1.start == start).is_some_and(|at| only_asks(&words, at));
                    let new =
                        QuestionTerm { term, word, weight, span, forms: Vec::new(), doubtful: false, asks };
                    found.push((new, vec![start]));
                }
                None => {}
            }
        }
        // A question of stop words alone asks for those that a heading has ("What does if do?"); the others
        // only ask.
        let nowhere = idf("");
        found.retain(|(t, _)| !is_stop_word(&t.term) || t.weight < nowhere);
        doubt_chance_pairs(&mut found, nowhere);
        if found.iter().all(|(t, _)| t.weight <= 0.0) {
            found.iter_mut().for_each(|(t, _)| t.weight = 1.0);
        }
        let sides = sides(&words).and_then(|(a, b)| {
            let of = |range: &Range<usize>| -> Vec<usize> {
                (0..found.len()).filter(|&i| found[i].1.iter().any(|p| range.contains(p))).collect()
            };
            let (a, b) = (of(&a), of(&b));
            let distinct = a.iter().any(|i| !b.contains(i)) && b.iter().any(|i| !a.contains(i));
            distinct.then_some((a, b))
        });
        let kind = if sides.is_some() { QuestionKind::Comparison } else { kind(question, &words) };
        Question { kind, terms: found.into_iter().map(|(t, _)| t).collect(), sides, rarest: nowhere }
    }

    /// Reads a term as another one of the given weight: what a misspelt word was taken for.
    /// [`QuestionTerm::word`] stays as it was written.
    pub fn read_as(&mut self, term: &str, meant: &str, weight: f32) {
        for t in self.terms.iter_mut().filter(|t| t.term == term) {
            t.term = meant.to_owned();
            t.weight = weight;
        }
    }

    /// Has other forms of a term speak for it, each with its weight, where the documents have none but these.
    /// The commonest tells how much it counts.
    pub fn read_as_forms(&mut self, term: &str, forms: &[(String, f32)]) {
        let least = forms.iter().map(|f| f.1).fold(f32::INFINITY, f32::min);
        for t in self.terms.iter_mut().filter(|t| t.term == term && !forms.is_empty()) {
            t.forms = forms.iter().map(|f| f.0.clone()).collect();
            t.weight = least;
        }
    }

    /// Reads a term as several others: what a word is made of that the documents write apart.
    pub fn read_as_parts(&mut self, term: &str, parts: &[(String, f32)]) {
        let Some(at) = self.terms.iter().position(|t| t.term == term).filter(|_| self.sides.is_none()) else {
            return;
        };
        let behind = self.terms.split_off(at + 1);
        let Some(whole) = self.terms.pop() else { return };
        for (part, weight) in parts {
            if !self.terms.iter().chain(&behind).any(|t| t.term == *part) {
                self.terms.push(QuestionTerm { term: part.clone(), weight: *weight, ..whole.clone() });
            }
        }
        self.terms.extend(behind);
    }

    pub(super) fn weight(&self) -> f32 {
        self.terms.iter().map(|t| t.weight).sum()
    }
}

/// Lowers the weight of doubtful pairs of Chinese and Japanese characters. A pair that no document has, while
/// documents have both of its characters, is a word that they lack or the chance meeting of two words. It
/// weighs as much as the more frequent of the two characters, and is not listed as missing.
fn doubt_chance_pairs(found: &mut [(QuestionTerm, Vec<usize>)], nowhere: f32) {
    let characters: Vec<(usize, f32)> = found
        .iter()
        .filter(|(t, _)| t.weight < nowhere && t.word.chars().count() == 1)
        .flat_map(|(t, places)| places.iter().map(|&at| (at, t.weight)))
        .collect();
    let weight = |at: usize| characters.iter().find(|c| c.0 == at).map(|c| c.1);
    for (t, _) in found.iter_mut().filter(|(t, _)| t.weight >= nowhere) {
        let mut places = t.word.char_indices().map(|c| t.span.start + c.0);
        if let (Some(a), Some(b), None) = (places.next(), places.next(), places.next())
            && let (Some(a), Some(b)) = (weight(a), weight(b))
        {
            t.weight = a.min(b);
            t.doubtful = true;
        }
    }
}

/// Returns the kind of answer that the first words ask for. What is the default, the most or the least of a
/// measure is a figure, too. Who asks nothing names a matter.
fn kind(question: &str, words: &[FoldedWord]) -> QuestionKind {
    let in_figures = |words: &[FoldedWord]| words.iter().any(|w| SPOKEN.measured_nouns().has(&w.0, "figure"));
    let bounds = words.iter().any(|w| SPOKEN.measured_nouns().has(&w.0, "bound"));
    let Some((first, _)) = words.first() else { return QuestionKind::Other };
    let asks_for = |kind| SPOKEN.question_words().has(first, kind);
    let counts = words.get(1).is_some_and(|w| SPOKEN.after_how().has(&w.0, "quantity"));
    let is_question =
        || asks(question.trim_end()) || words.iter().any(|w| SPOKEN.question_words().contains(&w.0));
    match () {
        () if asks_for("class") && in_figures(&words[..words.len().min(WORDS_BEFORE_MEASURE)])
            || bounds && in_figures(words)
            || asks_for("quantity")
            || asks_for("manner") && counts =>
        {
            QuestionKind::Quantity
        }
        () if asks_for("manner") && words.len() > 1 || !is_question() => QuestionKind::Manner,
        () => QuestionKind::Other,
    }
}

/// Returns true if a word only asks: the measure behind "how", the noun between "what" or "which" and its
/// verb, and "maximum" beside a measure, for which a text says "at most".
fn only_asks(words: &[FoldedWord], at: usize) -> bool {
    let word = |i: usize| words.get(i).map_or("", |w| w.0.as_str());
    let is_figure = |i: usize| SPOKEN.measured_nouns().has(word(i), "figure");
    let is_extreme = SPOKEN.measured_nouns().has(word(at), "extreme") && (0..words.len()).any(is_figure);
    let asks_for = |i: usize, kind| SPOKEN.question_words().has(word(i), kind);
    let is_class =
        |start: usize| is_stop_word(word(at + 1)) && !(start + 1..=at).any(|i| is_stop_word(word(i)));
    is_extreme
        || (at.saturating_sub(WORDS_OF_CLASS)..at).any(|start| {
            let next = start + 1 == at;
            next && asks_for(start, "manner") && SPOKEN.after_how().has(word(at), "quantity")
                || asks_for(start, "class") && if is_figure(start + 1) { next } else { is_class(start) }
        })
}

/// The byte ranges of the two things that a comparison names, before and behind what joins them.
fn sides(words: &[FoldedWord]) -> Option<(Range<usize>, Range<usize>)> {
    let find = |from: usize, mark| {
        (from..words.len()).find(|&i| SPOKEN.instruction_stems().has(&stem(&words[i].0), mark))
    };
    let (between, versus) = (find(0, "between"), find(0, "versus"));
    let joint = versus.or_else(|| {
        let contrast = find(0, "contrast")?;
        between.map_or_else(|| find(contrast + 1, "joint"), |between| find(between + 1, "pair"))
    })?;
    let start = words.get(between.map_or(0, |at| at + 1))?.1.start;
    Some((start..words[joint].1.start, words[joint].1.end..words.last()?.1.end))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(question: &str) -> Question {
        Question::new(question, &|_| 1.0)
    }

    fn sides_of(question: &str) -> Option<(Vec<String>, Vec<String>)> {
        let q = of(question);
        let names = |side: &[usize]| side.iter().map(|&i| q.terms[i].term.clone()).collect();
        q.sides.as_ref().map(|(a, b)| (names(a), names(b)))
    }

    #[test]
    fn kinds_are_read_from_the_first_words() {
        for (question, kind) in [
            ("How are loops bounded?", QuestionKind::Manner),
            ("How many chunks are there?", QuestionKind::Quantity),
            ("When was it built?", QuestionKind::Quantity),
            ("Which port does it listen on?", QuestionKind::Quantity),
            ("default command timeout", QuestionKind::Quantity),
            ("How do I change the port?", QuestionKind::Manner),
            ("Which editors are there?", QuestionKind::Other),
            ("What is a bundle?", QuestionKind::Other),
            ("how", QuestionKind::Other),
            ("", QuestionKind::Other),
            ("Why does it stop?", QuestionKind::Manner),
            ("Error 1106: the valve does not close", QuestionKind::Manner),
            ("Windows supported?", QuestionKind::Other),
            ("Can it be closed by hand?", QuestionKind::Other),
        ] {
            assert_eq!(of(question).kind, kind, "{question}");
        }
    }

    #[test]
    fn both_sides_of_a_comparison_are_found() {
        let expected = |a: &[&str], b: &[&str]| {
            Some((a.iter().map(|s| s.to_string()).collect(), b.iter().map(|s| s.to_string()).collect()))
        };
        let graphs = expected(&["keyword", "graph"], &["graph", "knowledg"]);
        assert_eq!(sides_of("what is the difference between a keyword graph and a knowledge graph?"), graphs);
        assert_eq!(sides_of("keyword graph vs. knowledge graph"), graphs);
        assert_eq!(sides_of("How does a keyword graph differ from a knowledge graph?"), graphs);
        assert_eq!(sides_of("Compare the keyword graph with the knowledge graph"), graphs);
        assert_eq!(sides_of("What is the difference?"), None);
        assert_eq!(sides_of("Can I use search and the graph at the same time?"), None);
        assert_eq!(sides_of("the difference between a graph and a graph"), None);
        assert_eq!(sides_of("the path between Paris and Rome"), None);
    }

    #[test]
    fn words_that_only_say_how_to_answer_do_not_count() {
        let q = of("How many points does it mean?");
        assert_eq!(q.terms.iter().map(|t| t.term.as_str()).collect::<Vec<_>>(), ["point"]);
        assert_eq!(of("mean").terms.len(), 1);
        assert!(of("who are you").terms.is_empty());
        let of_heading = Question::new("What does if do?", &|t| if t == "if" { 1.0 } else { 3.0 });
        assert_eq!(of_heading.terms.iter().map(|t| t.term.as_str()).collect::<Vec<_>>(), ["if"]);
    }

    #[test]
    fn words_that_name_the_kind_of_answer_need_not_be_found() {
        let asking = |question| {
            let q = of(question);
            q.terms.iter().filter(|t| t.asks).map(|t| t.word.clone()).collect::<Vec<_>>().join(" ")
        };
        for (question, asks) in [
            ("How often is the gate oiled?", "often"),
            ("In which stable release was the lever added?", "release"),
            ("Which version dropped the lever?", "version"),
            ("Which lever works?", ""),
            ("What is the release?", ""),
        ] {
            assert_eq!(asking(question), asks, "{question}");
        }
    }

    fn terms_of(q: &Question) -> Vec<&str> {
        q.terms.iter().map(|t| t.term.as_str()).collect()
    }

    #[test]
    fn characters_that_are_together_by_chance_are_no_word_and_a_word_with_an_unknown_one_is() {
        // The documents have every character of "让查询" and the pair "查询", and no "萨".
        let idf = |t: &str| if matches!(t, "" | "让查" | "询萨" | "萨") { 3.0 } else { 1.0 };
        let q = Question::new("让查询萨", &idf);
        let counted: Vec<_> = q.terms.iter().map(|t| (t.term.as_str(), t.weight, t.doubtful)).collect();
        assert_eq!(counted[..3], [("让", 1.0, false), ("让查", 1.0, true), ("查", 1.0, false)]);
        assert_eq!(counted[5..], [("询萨", 3.0, false), ("萨", 3.0, false)]);
    }

    #[test]
    fn a_word_that_is_nowhere_is_read_as_its_forms_or_its_parts() {
        let mut q = of("setze pfadparameter");
        q.read_as_forms("setz", &[("setzen".to_owned(), 2.0), ("setzt".to_owned(), 0.5)]);
        q.read_as_forms("none", &[("other".to_owned(), 9.0)]);
        assert_eq!(
            (q.terms[0].term.as_str(), q.terms[0].forms.join(" ")),
            ("setz", "setzen setzt".to_owned())
        );
        assert_eq!(
            (q.terms[0].weight, q.terms[0].word.as_str()),
            (0.5, "setze"),
            "as common as the commonest of them"
        );
        let whole = q.terms[1].term.clone();
        q.read_as_parts(
            &whole,
            &[("pfad".to_owned(), 1.5), ("paramet".to_owned(), 2.5), ("setz".to_owned(), 1.0)],
        );
        assert_eq!(terms_of(&q), ["setz", "pfad", "paramet"], "a part that is asked for already counts once");
        assert!(q.terms[1..].iter().all(|t| t.word == "pfadparameter"));
        q.read_as_parts("none", &[("other".to_owned(), 9.0)]);
        assert_eq!(q.terms.len(), 3);
    }

    #[test]
    fn a_weight_that_is_no_number_counts_nothing() {
        let q = Question::new("alpha beta", &|t| if t == "alpha" { f32::NAN } else { 2.0 });
        assert_eq!(q.terms.iter().map(|t| t.weight).collect::<Vec<_>>(), [0.0, 2.0]);
        assert_eq!(Question::new("alpha", &|_| -1.0).terms[0].weight, 1.0);
    }

    proptest! {
        #[test]
        fn no_question_makes_it_panic(question in "(difference|between|vs|and|from|compare|how|does|é|東| \
            ){0,12}.{0,20}") {
            of(&question);
        }
    }
}
