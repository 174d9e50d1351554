//! What is quoted, and when nothing is.
#![allow(clippy::unwrap_used)]

use super::super::parts::guessed_layout;
use super::*;
use crate::hits::hit;
use proptest::prelude::*;

fn handbook() -> Vec<Hit> {
    vec![
        hit(
            0,
            "How AutoKG works",
            &["Keyword graph"],
            "A keyword graph is an undirected graph whose nodes are keywords. Its edges carry one weight and no type.\n\nSee also\n\n\
             The weight counts the chunks that two keywords share, because shared chunks show that topics meet.",
        ),
        hit(
            1,
            "Knowledge graphs",
            &[],
            "A knowledge graph is a set of typed, directed triples between entities. Is it large? It was first built by Ada Vector in 1998 \
             from 461 keywords.\n\nlet graph = knowledge_graph();\n\nname | edges\nkeyword graph | one weight\nknowledge graph | typed relations",
        ),
        hit(2, "Limits", &["Loops"], "It stops after 40 steps. Loops are bounded by a counter."),
    ]
}

/// The layouts of hits' texts as a build guesses them.
fn layouts(hits: &[Hit]) -> Map<u32, Layout> {
    hits.iter().map(|h| (h.chunk, guessed_layout(&h.text))).collect()
}

/// Rare words weigh more than the corpus's own; words that it does not have weigh most.
fn idf(term: &str) -> f32 {
    match term {
        "graph" | "keyword" => 1.0,
        "knowledg" | "loop" | "bound" | "step" | "weight" | "edg" | "chunk" | "share" => 2.0,
        "built" | "first" | "typ" => 2.5,
        _ => 5.0,
    }
}

fn answer(question: &str, cosines: Option<&dyn Fn(&str) -> f32>) -> Vec<String> {
    let (quoted, sureness) = quoted(question, cosines);
    if sureness == Sureness::Stated { quoted } else { Vec::new() }
}

/// What is quoted, and how surely.
fn quoted(question: &str, cosines: Option<&dyn Fn(&str) -> f32>) -> (Vec<String>, Sureness) {
    let mut hits = handbook();
    // Where blocks have cosines, hits have.
    hits.iter_mut().for_each(|h| h.dense = cosines.map(|f| f(&h.text)));
    let question = Question::new(question, &idf);
    let found = candidates(&question, &hits, &layouts(&hits));
    let cosines = cosines.map(|f| Cosines { of: found.iter().map(|c| f(&c.text)).collect(), model: CosineScale::MiniLm });
    let choice = choose(&question, &hits, &found, cosines.as_ref());
    (choice.picked.into_iter().map(|i| hits[found[i].hit].text[found[i].span()].to_owned()).collect(), choice.sureness)
}

#[test]
fn a_definition_is_quoted_for_what_is() {
    let quoted = answer("What is a keyword graph?", None);
    assert!(quoted[0].starts_with("A keyword graph is an undirected graph whose nodes are keywords."), "{quoted:?}");
}

#[test]
fn a_comparison_quotes_both_sides() {
    let (quoted, _) = quoted("what is the difference between a keyword graph and a knowledge graph?", None);
    assert!(quoted.iter().any(|q| q.contains("A keyword graph is an undirected graph")), "{quoted:?}");
    assert!(quoted.iter().any(|q| q.contains("knowledge graph") && q.contains("typed")), "{quoted:?}");
}

/// How sure the answer to a question is over passages of one paragraph each.
fn sureness_over(passages: &[(&str, &str)], question: &str) -> Sureness {
    let hits: Vec<Hit> = (0..).zip(passages).map(|(chunk, (title, text))| hit(chunk, title, &[], text)).collect();
    let question = Question::new(question, &|_| 1.0);
    choose(&question, &hits, &candidates(&question, &hits, &layouts(&hits)), None).sureness
}

#[test]
fn what_is_said_of_a_name_is_no_answer_about_somebody_whom_the_name_describes() {
    let silent = [("Anna Bell", "Anna Bell was born in Bern in 1871. She painted the lake of Thun.")];
    let saying = [("Anna Bell", "Anna Bell painted the lake of Thun. Her mother was born in Bern.")];
    for question in ["Where was Anna Bell's mother born?", "Where was the mother of Anna Bell born?"] {
        assert_ne!(sureness_over(&silent, question), Sureness::Stated, "{question}");
        assert_eq!(sureness_over(&saying, question), Sureness::Stated, "{question}");
    }
    assert_eq!(sureness_over(&silent, "Where was Anna Bell born?"), Sureness::Stated);
}

#[test]
fn one_of_two_is_an_answer_only_where_one_place_speaks_of_both() {
    let apart = [("Cargo", "Cargo is fast: it builds crates in parallel."), ("Make", "Make is fast: it builds what changed.")];
    let together = [("Tools", "Cargo is faster than Make, because it builds crates in parallel.")];
    assert_ne!(sureness_over(&apart, "Which is faster, Cargo or Make?"), Sureness::Stated);
    assert_eq!(sureness_over(&together, "Which is faster, Cargo or Make?"), Sureness::Stated);
}

#[test]
fn a_question_is_never_quoted_back_and_its_reply_is() {
    let text = "Is swimming allowed?\n\nFrom June to August, between the two buoys.\n\nQ: Where do I park?\n\nA: Behind the boathouse, for two coins a day.";
    let hits = vec![hit(0, "Questions about the lake", &[], text)];
    for (asked, reply) in [
        ("Is swimming allowed?", "From June to August, between the two buoys."),
        ("Where do I park?", "Behind the boathouse, for two coins a day."),
    ] {
        let question = Question::new(asked, &|_| 1.0);
        let found = candidates(&question, &hits, &layouts(&hits));
        let choice = choose(&question, &hits, &found, None);
        assert_eq!(choice.picked.iter().map(|&i| &text[found[i].span()]).collect::<Vec<_>>(), [reply], "{asked}");
    }
}

/// The heading under which the first block of a passage is quoted.
fn heading_of(headings: &[&str], text: &str) -> String {
    let question = Question::new("How do I start the pump?", &|_| 1.0);
    let hits = [hit(0, "Pumps", headings, text)];
    candidates(&question, &hits, &layouts(&hits))[0].heading.clone()
}

#[test]
fn a_fragment_gets_its_heading_unless_it_says_the_same_or_asks() {
    assert_eq!(heading_of(&["Valves", "lineNos"], "Controls the display of numbers."), "lineNos");
    assert_eq!(heading_of(&[], "Turn the key."), "Pumps");
    assert_eq!(heading_of(&["Starting the pump"], "The pump starts when the key is turned."), "");
    assert_eq!(heading_of(&["How do I start it?"], "Turn the key."), "");
}

#[test]
fn a_question_how_prefers_what_names_something_to_write() {
    let vague = "You may want to start the pump in several situations, and there are many.";
    let exact = "The pump is started with run_pump() and its flag --now.";
    let hits = vec![hit(0, "Pumps", &["One"], vague), hit(1, "Pumps", &["Two"], exact)];
    let question = Question::new("How do I start the pump?", &|_| 1.0);
    let found = candidates(&question, &hits, &layouts(&hits));
    assert_eq!(hits[found[0].hit].text, exact);
}

#[test]
fn words_of_code_are_told_from_prose() {
    for word in ["run_pump", "--now", "Cargo.lock", "camelCase", "std::mem", "start()", "lto=fat"] {
        assert!(is_code(word), "{word}");
    }
    for word in ["pump", "A.", "e.g", "Wi-Fi", "END", "3.14", "well-known", ""] {
        assert!(!is_code(word), "{word}");
    }
}

#[test]
fn questions_about_something_else_are_not_answered() {
    for question in [
        "What is the capital of France?",
        "Who is the chief executive of PocketGraph?",
        "How do I bake bread?",
        "What is the difference between a keyword graph and a flux capacitor?",
        "Does the knowledge graph support quantum teleportation?",
        "who are you?",
        "",
    ] {
        assert_eq!(answer(question, None), Vec::<String>::new(), "{question}");
    }
}

#[test]
fn what_is_absent_is_named_in_the_questions_words() {
    let hits = handbook();
    let question = Question::new("Does the graph support teleportation?", &idf);
    let choice = choose(&question, &hits, &candidates(&question, &hits, &layouts(&hits)), None);
    assert_eq!(choice.absent, ["support", "teleportation"]);
}

#[test]
fn a_strong_cosine_answers_where_words_fail_and_a_weak_one_forbids_chance() {
    let strong = |text: &str| if text.contains("Loops are bounded") { 0.8 } else { 0.1 };
    assert!(answer("What keeps a loop from running forever?", Some(&strong))[0].contains("Loops are bounded by a counter."));
    let weak = |_: &str| 0.1;
    assert!(answer("When was a counter built?", Some(&weak)).is_empty());
}

#[test]
fn what_is_no_answer_is_never_quoted_however_well_it_shares_the_words() {
    for empty in [
        "How do I start the pump in winter?",
        "See the chapter on how to start the pump in winter.",
        "To start the pump in winter, see Winter.",
        "Start the pump in winter as follows:",
        "Edit this page on how to start the pump in winter",
    ] {
        let hits = vec![hit(0, "Pumps", &["Winter"], empty), hit(1, "Oil", &[], "Warm oil lets the pump run when it is cold.")];
        let question = Question::new("How do I start the pump in winter?", &|_| 1.0);
        for found in candidates(&question, &hits, &layouts(&hits)) {
            assert_ne!(hits[found.hit].text, empty);
        }
    }
}

#[test]
fn a_pronoun_is_quoted_with_what_it_stands_for_or_not_at_all() {
    let sentence = "It starts when the key is turned.";
    let question = Question::new("When does it start with the key turned?", &|_| 1.0);
    let of = |title: &str, headings: &[&str], text: &str| {
        let hits = [hit(0, title, headings, text)];
        let found = candidates(&question, &hits, &layouts(&hits));
        found.first().map(|c| (c.heading.clone(), hits[0].text[c.span()].to_owned()))
    };
    assert_eq!(of("", &[], sentence), None);
    assert_eq!(of("Pumps", &["The pump"], sentence), Some(("The pump".into(), sentence.into())));
    let both = format!("The pump has a lock.\n\n{sentence}");
    assert!(of("", &[], &both).is_some_and(|(_, quoted)| quoted == both));
}

#[test]
fn nothing_is_quoted_from_nothing() {
    let question = Question::new("What is a graph?", &idf);
    assert!(candidates(&question, &[], &Map::default()).is_empty());
    assert_eq!(choose(&question, &[], &[], None).picked, Vec::<usize>::new());
}

#[test]
fn a_huge_chunk_takes_no_long_time() {
    let hits = vec![
        hit(0, "x", &[], &"Loops are bounded. ".repeat(20_000)),
        hit(1, "y", &[], &"| a ".repeat(50_000)),
        hit(2, "z", &[], &"loop".repeat(100_000)),
    ];
    let question = Question::new("How are loops bounded?", &idf);
    let found = candidates(&question, &hits, &layouts(&hits));
    assert!(found.len() <= MAX_CANDIDATES);
    assert_eq!(choose(&question, &hits, &found, None).picked.len(), 1);
}

proptest! {
    #[test]
    fn quotes_are_verbatim_pieces_of_their_hits(
        texts in prop::collection::vec("(Loops|graph|is|a|the|It |See |keyword|bounded|:|\\?|\\.|\\n\\n|\\n- | \\| |é東 ){0,20}", 0..4),
        question in "(What is|difference between|a|loop|keyword graph|and|knowledge graph| ){0,6}",
        cosines in prop::collection::vec(prop_oneof![-1.0_f32..1.0, Just(f32::NAN)], 0..40),
    ) {
        let hits: Vec<Hit> = texts.iter().enumerate().map(|(i, t)| hit(i as u32, "T", &["H"], t)).collect();
        let question = Question::new(&question, &idf);
        let found = candidates(&question, &hits, &layouts(&hits));
        for c in &found {
            prop_assert!(hits[c.hit].text.get(c.span()).is_some());
            prop_assert!((0.0..=1.0001).contains(&c.covered));
            prop_assert!(c.features.iter().all(|f| f.is_finite()));
            // Nothing that asks, refers or announces and no more, and no pronoun at the beginning.
            let quoted = &hits[c.hit].text[c.span()];
            prop_assert!(c.shown.iter().any(|s| s.form != Form::Text) || !is_empty_talk(quoted), "{:?}", quoted);
            let prose = c.shown[0].form == Form::Text;
            prop_assert!(!prose || !leans_back(quoted) || !c.heading.is_empty(), "{:?}", quoted);
        }
        let cosines = Cosines { of: cosines, model: CosineScale::E5 };
        let choice = choose(&question, &hits, &found, Some(&cosines));
        prop_assert!(choice.picked.len() <= MAX_QUOTED && choice.picked.iter().all(|&i| i < found.len()));
        prop_assert_eq!(&choice, &choose(&question, &hits, &found, Some(&cosines)));
    }
}

#[test]
fn what_is_missed_is_named_in_words_and_not_in_pairs_of_letters() {
    let hits = [hit(0, "港口", &[], "港口早上七点开放。")];
    let asked = |question: &str, idf: &dyn Fn(&str) -> f32| {
        let question = Question::new(question, idf);
        choose(&question, &hits, &candidates(&question, &hits, &layouts(&hits)), None).absent
    };
    assert_eq!(asked("怎么煮意大利面 snake_case 港口", &|_| 1.0), ["怎么煮意大利面", "snake_case"]);
    assert_eq!(asked("harbour fees 港口", &|_| 1.0), ["harbour", "fees"], "words with a space between them are words");
}

#[test]
fn a_form_that_the_documents_have_counts_as_the_word_that_was_asked_for() {
    let hits = [hit(0, "Cookies", &[], "Cookies werden gesetzt. Man kann sie setzen.")];
    let mut question = Question::new("wo setze cookies", &|_| 1.0);
    let covered = |question: &Question| candidates(question, &hits, &layouts(&hits)).first().map_or(0.0, |c| c.covered);
    let before = covered(&question);
    let term = question.terms.iter().find(|t| t.word == "setze").unwrap().term.clone();
    question.read_as_forms(&term, &[("gesetzt".to_owned(), 1.0)]);
    assert!(covered(&question) > before, "{before}");
}

#[test]
fn each_model_has_limits_of_its_own() {
    assert_eq!(CosineScale::of("multilingual-e5-small"), CosineScale::E5);
    assert_eq!([CosineScale::of("minilm"), CosineScale::of("of-somebody")], [CosineScale::MiniLm; 2]);
}
