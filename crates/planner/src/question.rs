//! A question's words as the planner sees them: where the entities are, what each word speaks of, what is
//! asked for.

use super::kin::split_kin;
use super::lexicon::Lexicon;
use super::measures::measures;
use super::pattern::find_quoted;
pub(super) use super::token::Token;
use crate::kg::{Class, Linker, LiteralKind, Mention, RelationId};
use crate::text::lexicon::{Language, Row, SPOKEN};
use crate::text::{Word, fold, without_possessive, words};
use pocketgraph_question::{is_article, is_function_word, reduce_word};
use std::ops::Range;

/// Words beyond these are not looked at, so that a hostile question costs a bounded time.
const LONGEST: usize = 256;

/// Returns true if a question asks for a way of doing something. Passages answer that, no set of entities
/// does.
pub(super) fn asks_for_a_way(question: &str) -> bool {
    how(question).is_some()
}

/// Returns true if the asker wants a way of doing something: "how do I", "how can one", "how to".
pub(super) fn asks_how_to(question: &str) -> bool {
    how(question)
        .is_some_and(|[second, third]| second == "to" || ["i", "one", "we", "you"].contains(&third.as_str()))
}

/// Returns the folded words that name no entity.
pub(super) fn plain_words(tokens: &[Token]) -> Vec<&str> {
    tokens.iter().filter(|t| t.entity.is_none()).map(|t| t.folded.as_str()).collect()
}

/// The two words behind the "how" that a question begins with, where the first is a verb.
fn how(question: &str) -> Option<[String; 2]> {
    let mut first = words(question).into_iter().map(|w| fold(w.text));
    let behind =
        (first.next()? == "how").then(|| std::array::from_fn(|_| first.next().unwrap_or_default()))?;
    let [second, _] = &behind;
    SPOKEN.after_how().has(second, "way").then_some(behind)
}

/// Returns the question without the words that change no answer, in the same places.
pub(super) fn core_of(linker: &Linker, lexicon: &Lexicon, question: &str) -> String {
    let is_name = |m: &Mention| {
        let text = question.get(m.span.clone()).unwrap_or_default();
        let marked = m.span.start > 0 && text.contains(|c: char| c.is_uppercase() || c.is_numeric());
        let empty = |w: &Word<'_>| {
            let word = fold(w.text);
            is_function_word(&word)
                || SPOKEN.discourse().contains(&word)
                || SPOKEN.hypernyms().contains(&word)
        };
        marked || !words(text).iter().all(empty)
    };
    let names: Vec<Range<usize>> =
        linker.mentions(question).iter().filter(|m| is_name(m)).map(|m| m.span.clone()).collect();
    let means = |word: &str| !lexicon.types(word).is_empty() || !lexicon.relations(word).is_empty();
    pocketgraph_question::strip_frame(question, &names, &means)
}

/// The words of a question, with the spans of entities as one word each. So are the words of the whole name
/// of a relation or type: the "country" of "country of citizenship" speaks of nothing else.
pub(super) fn read_tokens(question: &str, entities: &[Range<usize>], lexicon: &Lexicon) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut placed = vec![false; entities.len()];
    let entity = |index: usize| Token {
        folded: String::new(),
        entity: Some(index),
        relations: Vec::new(),
        types: Vec::new(),
    };
    let mut all = words(question);
    all.truncate(LONGEST);
    let folded: Vec<String> = all.iter().map(|w| without_possessive(&fold(w.text)).to_owned()).collect();
    let pieces: Vec<String> = folded.iter().map(|w| reduce_word(w)).collect();
    let apart =
        |at: usize| !entities.iter().any(|e| all[at].span.start < e.end && e.start < all[at].span.end);
    let mut next = 0;
    while next < all.len() {
        let at = next;
        next += 1;
        // An entity of signs alone ("$") overlaps no word, and stands before the first word behind it.
        for (index, done) in placed
            .iter_mut()
            .enumerate()
            .filter(|(index, done)| !**done && entities[*index].start < all[at].span.end)
        {
            *done = true;
            tokens.push(entity(index));
        }
        if !apart(at) {
            continue;
        }
        let end = (at..all.len()).find(|&at| !apart(at)).unwrap_or(all.len());
        if let Some((taken, of, types)) = lexicon.whole_name(&pieces[at..end]) {
            next = at + taken;
            let relations = of.into_iter().map(|r| (r, 1.0)).collect();
            tokens.push(Token { folded: folded[next - 1].clone(), entity: None, relations, types });
            continue;
        }
        let folded = &folded[at];
        let (mut relations, types) = (lexicon.relations(folded), lexicon.types(folded).to_vec());
        let before = tokens.last().filter(|t| t.entity.is_none()).map(|t| t.folded.as_str());
        // "How long" asks for what length measures.
        if before == Some("how") && !measures(folded).is_empty() {
            relations = lexicon.measured_by(folded);
        }
        tokens.push(Token { folded: folded.clone(), entity: None, relations, types });
    }
    tokens.extend(placed.iter().enumerate().filter(|(_, done)| !**done).map(|(index, _)| entity(index)));
    split_kin(join_tokens(tokens), lexicon)
}

/// The words, without the second of two that are joined and speak of one relation: a wife or husband is one
/// step.
fn join_tokens(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let same = match out.as_slice() {
            [.., first, joint] if matches!(joint.folded.as_str(), "and" | "or") && joint.entity.is_none() => {
                let best = |t: &Token| t.relations.iter().map(|(r, _)| *r).collect::<Vec<_>>();
                !token.relations.is_empty() && best(first) == best(&token)
            }
            _ => false,
        };
        if same {
            out.pop();
        } else {
            out.push(token);
        }
    }
    out
}

/// Returns true if a text consists of words for relations and types, and of function words.
pub(super) fn is_lexical(text: &str, lexicon: &Lexicon) -> bool {
    read_tokens(text, &[], lexicon)
        .iter()
        .all(|t| !t.types.is_empty() || !t.relations.is_empty() || is_function_word(&t.folded))
}

/// The mentions that are told to be names: by a capital, a figure or quotation marks, or, in a question
/// without capitals but the first word's, by being no spoken words, and no verb where there are other names.
pub(super) fn named_mentions<'m>(
    question: &str,
    mentions: &'m [Mention],
    lexicon: &Lexicon,
) -> Vec<&'m Mention> {
    let capital = |text: &str| text.chars().any(char::is_uppercase);
    let all = words(question);
    let lower = !all.iter().skip(1).any(|w| w.text != "I" && capital(w.text));
    let begins = all.first().map_or(0, |w| w.span.start);
    let inside =
        |quote: Range<usize>| Some(question.get(quote)?.trim_matches(|c: char| !c.is_alphanumeric()));
    let quotes: Vec<&str> = find_quoted(question).into_iter().filter_map(inside).collect();
    let is_name = |m: &&Mention| {
        let Some(text) = question.get(m.span.clone()) else { return false };
        let marked = text.chars().any(char::is_numeric)
            || capital(text) && !(lower && m.span.start <= begins)
            || quotes.contains(&text);
        if marked { !is_function_word(&fold(text)) } else { lower && !is_lexical(text, lexicon) }
    };
    let named_list: Vec<&Mention> = mentions.iter().filter(is_name).collect();
    // "Which films deal with revenge": "deal" is a verb, though a film is called so. "What can I watch about
    // revenge": "The Watch" is not meant.
    let is_exact = |m: &Mention| m.candidates.first().is_some_and(|c| c.score >= EXACT);
    let any_exact = named_list.iter().any(|m| is_exact(m));
    let is = |w: Option<&Word<'_>>, kind: &dyn Fn(&str) -> bool| w.is_some_and(|w| kind(&fold(w.text)));
    let is_verb = |m: &Mention| {
        let text = question.get(m.span.clone()).unwrap_or_default();
        let plain = !text.contains(|c: char| c.is_uppercase() || c.is_numeric()) && !quotes.contains(&text);
        let own = words(text);
        let one = own.iter().filter(|w| !is_function_word(&fold(w.text))).count() < 2
            && !is(own.first(), &is_article);
        let front = all.iter().take_while(|w| w.span.end <= m.span.start).last();
        let behind = all.iter().find(|w| w.span.start >= m.span.end);
        let apart = front.is_some() && !is(front, &|w| SPOKEN.before_nouns().has(w, "lead"));
        plain
            && one
            && apart
            && (any_exact && !is_exact(m) || is(behind, &|w| SPOKEN.prepositions().has(w, "verb")))
    };
    let named: Vec<&Mention> = named_list.iter().filter(|m| !is_verb(m)).copied().collect();
    if named.is_empty() { named_list } else { named }
}

/// The mentions that have all of a thing's name.
pub(super) fn exact(mentions: &[Mention]) -> Vec<&Mention> {
    mentions.iter().filter(|m| m.candidates.first().is_some_and(|c| c.score >= EXACT)).collect()
}

/// The mentions that are told to be names, and others that have all of a thing's name and are no spoken
/// words: of packages and people only these have capitals.
pub(super) fn exactly_named<'m>(
    question: &str,
    mentions: &'m [Mention],
    named_list: &[&'m Mention],
    lexicon: &Lexicon,
) -> Vec<&'m Mention> {
    let exact = |m: &Mention| m.candidates.first().is_some_and(|c| c.score >= EXACT);
    let is_name = |m: &&Mention| {
        let spoken = || question.get(m.span.clone()).is_none_or(|text| is_lexical(text, lexicon));
        let apart = || named_list.iter().all(|t| t.span.end <= m.span.start || m.span.end <= t.span.start);
        named_list.contains(m) || (exact(m) && apart() && !spoken())
    };
    mentions.iter().filter(is_name).collect()
}

/// The score of a mention that has all of a name's words.
pub(super) const EXACT: f32 = 0.9;

/// The kind of answer that the question's words ask for.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Ask {
    /// Classes of answers; empty for any.
    pub classes: Vec<Class>,
    /// Relations whose tail is asked for; empty for any.
    pub relations: Vec<RelationId>,
    /// True if a number of things is wanted.
    pub count: bool,
    /// True if a value is wanted: how high, how long.
    pub value: bool,
}

impl Ask {
    /// Returns true if the question leaves the kind of answer open.
    pub fn is_open(&self) -> bool {
        self.classes.is_empty() && self.relations.is_empty()
    }
}

/// The words in the names of types and relations for things of a kind that are marked so.
pub(super) fn called(kind: &str, mark: &str) -> Vec<&'static str> {
    let is = |row: &Row<'_>| row.field(0) == kind && row.has(1, mark);
    SPOKEN.answer_kinds().rows().filter(is).map(|row| row.word).collect()
}

/// Returns the kind of answer that a question asks for: who for people, when for dates, where for places,
/// what and which for the type or relation after them.
pub(super) fn ask(tokens: &[Token], lexicon: &Lexicon) -> Ask {
    let types =
        |names: &[&str]| -> Vec<Class> { lexicon.types_named(names).into_iter().map(Class::Type).collect() };
    let relations = |names: &[&str]| lexicon.relations_named(names);
    for (at, token) in tokens.iter().enumerate() {
        let rest = &tokens[at + 1..];
        match token.folded.as_str() {
            "who" | "whom" => return Ask { classes: types(&called("person", "asked")), ..Ask::default() },
            "when" => {
                let mut classes = types(&called("time", "asked"));
                classes.push(Class::Literal(LiteralKind::Date));
                return Ask { classes, relations: relations(&called("time", "asked")), ..Ask::default() };
            }
            "where" => {
                return Ask {
                    classes: types(&called("place", "asked")),
                    relations: relations(&called("place", "asked")),
                    ..Ask::default()
                };
            }
            "how" if rest.first().is_some_and(|t| !measures(&t.folded).is_empty()) => {
                let relations = rest.first().into_iter().flat_map(|t| &t.relations).map(|r| r.0).collect();
                return Ask { relations, value: true, ..Ask::default() };
            }
            "how" if rest.first().is_some_and(|t| t.folded == "many" || t.folded == "much") => {
                let classes = rest
                    .get(1)
                    .map(|t| t.types.iter().map(|&t| Class::Type(t)).collect())
                    .unwrap_or_default();
                return Ask { classes, count: true, ..Ask::default() };
            }
            "what" | "which" | "give" | "tell" if find_counted(rest).is_some() => {
                let classes =
                    find_counted(rest).into_iter().flat_map(|t| &t.types).map(|&t| Class::Type(t)).collect();
                return Ask { classes, count: true, ..Ask::default() };
            }
            "what" | "which" | "list" | "name" | "give" | "show" | "find" => {
                if let Some(noun) = noun(rest) {
                    let best = noun.relations.iter().map(|r| r.1).fold(0.0, f32::max);
                    let strongest = noun.relations.iter().filter(|r| r.1 >= best).map(|r| r.0);
                    return Ask {
                        classes: noun.types.iter().map(|&t| Class::Type(t)).collect(),
                        relations: strongest.collect(),
                        ..Ask::default()
                    };
                }
            }
            _ => {}
        }
    }
    Ask::default()
}

/// The things whose number is asked for: "is the number of neighbouring states".
fn find_counted(rest: &[Token]) -> Option<&Token> {
    let at = rest.iter().take(5).position(|t| t.folded == "number")?;
    rest.get(at + 1).filter(|t| t.folded == "of")?;
    rest.get(at + 2..)?.iter().take(3).find(|t| !t.types.is_empty())
}

/// The noun that a question word asks for: the word after it, or after "are the", "kind of" and the like.
fn noun(rest: &[Token]) -> Option<&Token> {
    // A name that ends in a preposition is a verb's: "what depends on" asks for no dependency.
    let refers =
        |t: &&Token| (!t.types.is_empty() || !t.relations.is_empty()) && !is_function_word(&t.folded);
    let copula = |t: &Token| matches!(t.folded.as_str(), "is" | "are" | "was" | "were" | "me" | "us");
    let small = |t: &Token| {
        matches!(t.folded.as_str(), "the" | "a" | "an" | "all" | "of" | "some")
            || t.folded.starts_with(|c: char| c.is_ascii_digit())
    };
    match rest {
        // "Which film genre": the second names what is asked for, the first what it is of.
        [first, second, ..] if is_modifier(rest) => Some(second).filter(|_| !first.types.is_empty()),
        [first, ..] if refers(&first) => Some(first),
        [first, ..] if copula(first) || small(first) => {
            let after = rest.iter().position(|t| !copula(t) && !small(t))?;
            // "What was directed by" asks for nothing by name; "what was the director" does.
            let one = (after >= 1 && small(&rest[after - 1])).then(|| rest.get(after)).flatten()?;
            // One adjective may stand in between here, too: "what is the primary language".
            let adjective = one.entity.is_none() && !is_function_word(&one.folded);
            Some(one).filter(refers).or_else(|| rest.get(after + 1).filter(|_| adjective).filter(refers))
        }
        _ => None,
    }
}

/// Returns true if the first of these words, for a type, only modifies the noun after it: "film" in "film
/// genre", but not in "films directed", nor in "river flows through".
pub(super) fn is_modifier(words: &[Token]) -> bool {
    let [token, next, rest @ ..] = words else { return false };
    let verb = ["ed", "ing", "en"].iter().any(|ending| next.folded.ends_with(ending)) || {
        let preposition =
            |t: &Token| matches!(t.folded.as_str(), "through" | "into" | "the" | "at" | "across" | "most");
        next.folded.ends_with('s') && rest.first().is_some_and(|t| t.entity.is_some() || preposition(t))
    };
    let plural = token.folded.ends_with('s');
    !token.types.is_empty() && !plural && !next.relations.is_empty() && next.types != token.types && !verb
}
