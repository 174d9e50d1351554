//! Voice: at which end of a relation the question puts the thing that it names.
//!
//! Between things of one kind the schema does not tell the two ends apart, so "who taught Otto" and "who did
//! Otto teach" differ by grammar alone.
//!
//! | label | the name is its head | the name is its tail |
//! |---|---|---|
//! | verb: "taught", "flows into" | whom did X teach; who was taught by X | who taught X; by whom was X taught; the teacher of X |
//! | state: "made from", "lived in" | what is X made from; where did X live | what is made from X; who lived in X |
//! | passive: "directed by" | who directed X; who was X directed by; the director of X | what did X direct; directed by X |
//! | noun: "child" | (the words do not tell) | whose child is X |

use crate::forms::{is_akin, name_words};
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{fold, stem};

/// An end of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The end at which the relation begins.
    Head,
    /// The end to which it leads.
    Tail,
}

/// Tells whether a word, in lower case, is a form of "be".
pub fn is_be(word: &str) -> bool {
    SPOKEN.auxiliaries().has(word, "be")
}

/// Tells whether a word, in lower case, is an article.
pub fn is_article(word: &str) -> bool {
    SPOKEN.before_nouns().has(word, "article")
}

fn is_do(word: &str) -> bool {
    SPOKEN.auxiliaries().has(word, "do")
}

/// Returns true if a word has one of the endings with this mark.
fn ends_with_one_of(word: &str, mark: &'static str) -> bool {
    SPOKEN.endings().words_with(mark).any(|end| word.ends_with(end))
}

/// The way in which a relation's label joins its head to its tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    /// The head does it: "taught", "flows into", "mother of".
    Active,
    /// The head is in a state: "made from", "lived in".
    State,
    /// It is done to the head: "directed by".
    Passive,
    /// A noun for what the tail is to the head: "father".
    Noun,
}

fn read_label(text: &str) -> Label {
    let all = name_words(text);
    let Some((first, last)) = all.first().zip(all.last()) else { return Label::Noun };
    if last == "by" {
        return Label::Passive;
    }
    let preposition = SPOKEN.prepositions().has(last, "label");
    if preposition
        && all.iter().filter(|w| !is_be(w)).count() == 2
        && all.iter().find(|w| !is_be(w)).is_some_and(|w| is_verb_form(w))
    {
        return Label::State;
    }
    let third =
        first.len() > 3 && first.ends_with('s') && !first.ends_with("ss") && all.len() == 1 && verbal(first);
    // "Starred actors" names what stands at its end, "flows into" says what its head does.
    let verb = if all.len() == 1 { is_verb_form(first) || third } else { preposition };
    if verb && !is_be(first) { Label::Active } else { Label::Noun }
}

/// Returns true if a word in -s is surely the third person of a verb. The ending -s alone does not
/// distinguish verbs from plurals, so only endings that no noun has count.
fn verbal(word: &str) -> bool {
    ends_with_one_of(word, "third person")
}

/// Returns true if a word, in lower case, is a verb's past or participle.
pub fn is_verb_form(word: &str) -> bool {
    SPOKEN.irregular_verbs().row(word).is_some_and(|row| row.has(1, "past"))
        || (word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed"))
}

/// Returns true if a word names the doer of a deed ("teacher" of "teach") and is not the label's own word.
fn is_agent(word: &str, own: &str) -> bool {
    let one = word.strip_suffix('s').unwrap_or(word);
    // "Transfer" itself is no agent.
    one.len() > 4 && (one.ends_with("er") || one.ends_with("or")) && stem(one) != stem(own)
}

/// Returns true if a word may be the subject of the verb after it: it is no article or other word that
/// precedes a noun.
fn is_subject(word: &str) -> bool {
    !SPOKEN.before_nouns().contains(word) || matches!(word, "what" | "which" | "that")
}

/// Returns true if the question uses a label of one word in -s as a verb, not as a plural: "who mentors
/// Otto", "whom does Otto mentor", "mentored by Otto".
fn is_done(label: &str, question: &[&str], at: usize) -> bool {
    let label = fold(label);
    let base = label
        .strip_suffix('s')
        .filter(|base| base.len() > 2 && !base.contains([' ', '_']) && !base.ends_with('s'));
    let Some(base) =
        base.map(|base| base.strip_suffix("ie").map_or_else(|| base.to_owned(), |begin| format!("{begin}y")))
    else {
        return false;
    };
    let subject = |w: Option<&&str>| w.is_some_and(|w| is_subject(w));
    // "Which hill overlooks X", "hills that overlook X"; but "the mentors X and Y".
    let before = at.checked_sub(1).is_some_and(|v| {
        (question[v] == label || question[v] == base)
            && subject(v.checked_sub(1).and_then(|w| question.get(w)))
    });
    let helped = question.get(..at).is_some_and(|before| before.last().is_some_and(|w| is_do(w)));
    let participle = question.iter().any(|w| is_verb_form(w) && is_akin(w, &base));
    before || participle || (helped && question.get(at) == Some(&base.as_str()))
}

/// Returns true if a word is a noun for a deed: "dependency" of "depend".
fn is_deed(word: &str) -> bool {
    let one = word.strip_suffix('s').unwrap_or(word);
    ends_with_one_of(one, "deed") || word.ends_with("encies") || word.ends_with("ancies")
}

/// Tells whether a noun behind "whose" asks for who has the thing that is named: "whose child is X", "X is
/// whose child".
fn asks_for_owner(question: &[&str], at: usize, refers: &dyn Fn(usize) -> bool) -> bool {
    let Some(noun) = question.iter().position(|w| *w == "whose").map(|at| at + 1) else { return false };
    let be = |at: usize| question.get(at).is_some_and(|w| is_be(w));
    let beside = (at == noun + 2 && be(noun + 1)) || (at == noun + 1 && be(at)) || (at + 2 == noun && be(at));
    noun < question.len() && refers(noun) && beside
}

/// Returns the words of a label, in lower case, without forms of "be".
fn label_words(label_text: &str) -> Vec<String> {
    name_words(label_text).into_iter().filter(|w| !is_be(w)).collect()
}

/// Tells whether the question asks who does what the label's verb says, where neither end of the relation
/// does it: who "taught Latin", and by whom Latin is taught, is neither end of "taught in", which leads to a
/// room. "Where" and "when" ask for what a preposition leads to.
pub fn is_other_role(label_text: &str, question: &[&str], at: usize, refers: &dyn Fn(usize) -> bool) -> bool {
    let all = label_words(label_text);
    let [own, preposition] = all.as_slice() else { return false };
    let is_own = |i: usize| is_akin(question[i], own) && refers(i);
    // The name, or the pronoun that takes it up: "as for Latin, who teaches it".
    let object =
        question.iter().rposition(|w| SPOKEN.pronouns().contains(w)).filter(|it| *it > at).unwrap_or(at);
    let verb = question.iter().take(object).rposition(|w| !is_article(w));
    let is_object = verb.filter(|v| is_own(*v)).is_some_and(|verb| {
        let is_noun = verb.checked_sub(1).is_some_and(|before| !is_subject(question[before]));
        !is_noun && !is_deed(question[verb]) && !is_agent(question[verb], own)
    });
    let by_agent = || question.contains(&"by") && (0..question.len()).any(is_own);
    let is_reached = question.iter().any(|w| matches!(*w, "where" | "when") || w == preposition);
    SPOKEN.prepositions().has(preposition, "label")
        && preposition != "by"
        && !is_reached
        && (is_object || by_agent())
}

/// Returns the end of a relation of this label at which the question puts the name that precedes the `at`-th
/// of its other words; `speaks` tells which of these are for the relation. `None` where the words do not
/// tell.
pub fn named_end(
    verb_word: &str,
    question: &[&str],
    at: usize,
    refers: &dyn Fn(usize) -> bool,
) -> Option<End> {
    let kind = match read_label(verb_word) {
        Label::Noun if asks_for_owner(question, at, refers) => return Some(End::Tail),
        Label::Noun if is_done(verb_word, question, at) => Label::Active,
        Label::Noun => return None,
        kind => kind,
    };
    let all = label_words(verb_word);
    let own = all.first()?;
    let has = |i: usize, own_verb: bool| {
        let word = question.get(i);
        word.is_some_and(|w| if own_verb { is_akin(w, own) } else { all.iter().any(|a| a == w) }) && refers(i)
    };
    // The word of the relation that is nearest, those in front first: "who taught Otto". The label's own verb
    // tells more than its other words, of which a whole name may be one: "into" for "flows into".
    let nearest = |own_verb: bool| (0..at).rev().chain(at..question.len()).find(|&i| has(i, own_verb));
    let verb = nearest(true).or_else(|| nearest(false))?;
    let between = |range: std::ops::Range<usize>| question.get(range).unwrap_or_default();
    let preposition = all.last().filter(|_| all.len() > 1 && matches!(kind, Label::Active | Label::State));
    let active = if let Some(preposition) =
        preposition.filter(|_| verb < at && is_deed(question[verb]) && question[verb] != own)
    {
        // What a verb does with a preposition, its noun does with the same: "the dependencies of Otto" are
        // what Otto depends on, not the "dependency on Otto".
        !between(verb + 1..at).contains(&preposition.as_str())
    } else if verb < at {
        // "The teacher of Otto" asks for who does it, "taught by Otto" for those to whom it is done.
        !is_agent(question[verb], own) && between(verb + 1..at).contains(&"by")
    } else {
        let be = between(at..verb).iter().any(|w| is_be(w));
        if is_agent(question[verb], own) {
            // "X was the director", "what was X the director of"; but "who was X's director".
            be || between(at..verb).iter().any(|w| is_article(w))
        } else {
            let helped = question[..at].iter().rev().find(|w| is_be(w) || is_do(w));
            let passive = kind != Label::State && (be || (helped.is_some_and(|h| is_be(h)) && verb == at));
            !(passive && is_verb_form(question[verb]))
        }
    };
    // `active`: the name does it.
    Some(if active == (kind != Label::Passive) { End::Head } else { End::Tail })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words;

    fn of(relation: &str, question: &str) -> Option<End> {
        let (before, behind) = question.split_once('X')?;
        let plain = |text: &str| words(text).iter().map(|w| fold(w.text)).collect::<Vec<_>>();
        let (mut all, behind) = (plain(before), plain(behind));
        let at = all.len();
        all.extend(behind);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        named_end(relation, &all, at, &|_| true)
    }

    #[test]
    fn voice_and_place_show_who_does_and_to_whom_it_is_done() {
        for question in [
            "who taught X",
            "which people taught X",
            "who teaches X",
            "who was X taught by",
            "by whom was X taught",
            "the teacher of X",
        ] {
            assert_eq!(of("taught", question), Some(End::Tail), "{question}");
        }
        for question in [
            "who did X teach",
            "whom does X teach",
            "who was taught by X",
            "people taught by X",
            "X taught whom",
            "who is X teaching",
        ] {
            assert_eq!(of("taught", question), Some(End::Head), "{question}");
        }
    }

    #[test]
    fn a_passive_label_turns_it_round_and_a_noun_leaves_it_open() {
        assert_eq!(of("directed by", "who directed X"), Some(End::Head));
        assert_eq!(of("directed by", "films that X directed"), Some(End::Tail));
        assert_eq!(of("directed by", "films directed by X"), Some(End::Tail));
        assert_eq!(of("directed by", "the director of X"), Some(End::Head));
        assert_eq!(of("directed by", "what was X the director of"), Some(End::Tail));
        assert_eq!(of("directed by", "which film is X the director for"), Some(End::Tail));
        assert_eq!(of("directed by", "who was X's director"), Some(End::Head));
        assert_eq!(of("transferred money to", "which accounts transferred money to X"), Some(End::Tail));
        assert_eq!(of("transferred money to", "to which account did X transfer money"), Some(End::Head));
        assert_eq!(of("was acquired by", "who acquired X"), Some(End::Head));
        assert_eq!(of("depends_on", "list the direct dependencies of X"), Some(End::Head));
        assert_eq!(of("depends on", "what are X's dependencies"), Some(End::Head));
        assert_eq!(of("depends on", "which packages have a dependency on X"), Some(End::Tail));
        assert_eq!(of("mentors", "who mentors X"), Some(End::Tail));
        assert_eq!(of("mentors", "whom does X mentor"), Some(End::Head));
        assert_eq!(of("mentors", "who is mentored by X"), Some(End::Head));
        assert_eq!(of("mentors", "by whom is X mentored"), Some(End::Tail));
        assert_eq!(of("mentors", "the mentors of X"), None);
        assert_eq!(of("invests in", "the investments of X"), Some(End::Head));
        assert_eq!(of("invests in", "who made an investment in X"), Some(End::Tail));
        assert_eq!(of("starred actors", "films that X starred in"), None);
        assert_eq!(of("father", "who is the father of X"), None);
        assert_eq!(of("child", "whose child is X"), Some(End::Tail));
        assert_eq!(of("overlooks", "which hill overlooks X"), Some(End::Tail));
        assert_eq!(of("carries", "which ships carry X"), Some(End::Tail));
    }

    #[test]
    fn who_does_it_is_at_neither_end_of_where_it_is_done() {
        let is_other = |label, question: &str| {
            let all: Vec<&str> = question.split(' ').filter(|w| *w != "X").collect();
            let at = question.split(' ').take_while(|w| *w != "X").count();
            is_other_role(label, &all, at, &|_| true)
        };
        for (label, question) in [
            ("taught in", "who teaches X"),
            ("grows in", "who grows the X"),
            ("taught in", "X is taught by whom"),
            ("taught in", "the person that teaches X"),
            ("taught in", "as for X who teaches it"),
        ] {
            assert!(is_other(label, question), "{label}: {question}");
        }
        for (label, question) in [
            ("taught in", "who taught in X"),
            ("taught in", "what is X taught in"),
            ("grows in", "where grows X"),
            ("taught in", "the teacher of X"),
            ("taught", "who teaches X"),
            ("directed by", "who directed X"),
            ("depends on", "which have the dependency X"),
        ] {
            assert!(!is_other(label, question), "{label}: {question}");
        }
    }

    #[test]
    fn what_is_in_a_state_is_named_before_it() {
        for label in ["made from", "is made from"] {
            assert_eq!(of(label, "what is X made from"), Some(End::Head));
            assert_eq!(of(label, "from what is X made"), Some(End::Head));
            assert_eq!(of(label, "what is made from X"), Some(End::Tail));
            assert_eq!(of(label, "things made from X"), Some(End::Tail));
            assert_eq!(of(label, "what things that X is made from"), Some(End::Head));
        }
        assert_eq!(of("lived in", "who lived in X"), Some(End::Tail));
        assert_eq!(of("lived in", "where did X live"), Some(End::Head));
    }
}
