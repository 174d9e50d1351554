//! What is quoted, and when nothing is.
#![allow(clippy::unwrap_used)]

use super::super::parts::guessed_layout;
use super::super::quote::ROOM;
use super::super::{AskOptions, MAX_CANDIDATES, candidates, quote_answer};
use super::*;
use crate::bundle::{Form, Layout, Piece};
use crate::compact::Map;
use crate::hits::hit;
use crate::retrieve::SearchResult;
use proptest::prelude::*;

fn handbook() -> Vec<Hit> {
    vec![
        hit(
            0,
            "How AutoKG works",
            &["Keyword graph"],
            "A keyword graph is an undirected graph whose nodes are keywords. Its edges carry one weight and \
             no type.\n\nSee also\n\n\
             The weight counts the chunks that two keywords share, because shared chunks show that topics \
             meet.",
        ),
        hit(
            1,
            "Knowledge graphs",
            &[],
            "A knowledge graph is a set of typed, directed triples between entities. Is it large? It was \
             first built by Ada Vector in 1998 \
             from 461 keywords.\n\nlet graph = knowledge_graph();\n\nname | edges\nkeyword graph | one \
             weight\nknowledge graph | typed relations",
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

/// What is shown of a candidate's section.
fn shown(candidate: &Candidate, hits: &[Hit]) -> String {
    let text = &hits[candidate.hit].text;
    candidate
        .block
        .excerpt(text, ROOM, &|_| true)
        .pieces
        .iter()
        .map(|p| &text[p.span.clone()])
        .collect::<Vec<_>>()
        .join("\n")
}

/// What is quoted, and how surely.
fn quoted(question: &str, cosines: Option<&dyn Fn(&str) -> f32>) -> (Vec<String>, Sureness) {
    let mut hits = handbook();
    // Where blocks have cosines, hits have.
    hits.iter_mut().for_each(|h| h.dense = cosines.map(|f| f(&h.text)));
    let question = Question::new(question, &idf);
    let found = candidates(&question, &hits, &layouts(&hits));
    let near = |f: &dyn Fn(&str) -> f32| {
        found
            .iter()
            .map(|c| Some(Nearness { late: f(&c.text), cosine: f(&c.text), heading: f(&c.text) }))
            .collect()
    };
    let meaning = cosines.map(|f| Meaning::new("minilm", near(f), &found));
    let choice = choose_blocks(&question, &hits, &found, meaning.as_ref());
    (choice.picked.into_iter().map(|i| shown(&found[i], &hits)).collect(), choice.sureness)
}

#[test]
fn in_many_languages_only_what_a_passage_is_nearer_than_others_counts() {
    let hits = handbook();
    let question = Question::new("What is a keyword graph?", &idf);
    let found = candidates(&question, &hits, &layouts(&hits));
    let choose = |embedder, offset: f32| {
        let near = |c: &Candidate| if c.text.contains("undirected") { 0.3 } else { 0.1 } + offset;
        let near = found.iter().map(|c| Some(Nearness { late: near(c), cosine: near(c), heading: 0.2 }));
        choose_blocks(&question, &hits, &found, Some(&Meaning::new(embedder, near.collect(), &found)))
    };
    let apart = |embedder| (choose(embedder, 0.0).certainty - choose(embedder, 0.5).certainty).abs();
    assert!(apart(MULTILINGUAL) < 1e-3 && apart("minilm") > 0.1);
    assert!(found[choose(MULTILINGUAL, 0.5).picked[0]].text.contains("undirected"));
}

#[test]
fn a_definition_is_quoted_for_what_is() {
    let (quoted, _) = quoted("What is a keyword graph?", None);
    assert!(
        quoted[0].starts_with("A keyword graph is an undirected graph whose nodes are keywords."),
        "{quoted:?}"
    );
}

#[test]
fn a_label_without_its_text_does_not_end_an_answer() {
    let hits = [hit(0, "Loom", &[], "The reel is red and turns once a day.\n\nShuttle speed")];
    let found = candidates(&Question::new("Which colour has the reel?", &idf), &hits, &layouts(&hits));
    assert_eq!(shown(&found[0], &hits), "The reel is red and turns once a day.");
}

#[test]
fn the_most_of_a_measure_need_not_be_called_maximum() {
    let asks = |question: &str| {
        Question::new(question, &idf).terms.into_iter().filter(|t| t.asks).map(|t| t.word).collect::<Vec<_>>()
    };
    assert_eq!(asks("Is there a maximum weight for a sack?"), ["maximum"]);
    assert!(asks("Is the maximum a sack?").is_empty());
}

#[test]
fn a_comparison_quotes_what_names_both_sides() {
    let (quoted, _) = quoted("what is the difference between a keyword graph and a knowledge graph?", None);
    assert!(quoted.iter().any(|q| q.contains("keyword graph")), "{quoted:?}");
    assert!(quoted.iter().any(|q| q.contains("knowledge graph") && q.contains("typed")), "{quoted:?}");
}

#[test]
fn a_question_is_never_quoted_back_and_its_reply_is() {
    let text = "Is swimming allowed?\n\nFrom June to August, between the two buoys.\n\nQ: Where do I \
        park?\n\nA: Behind the boathouse, for two coins a day.";
    let hits = vec![hit(0, "Questions about the lake", &[], text)];
    for (asked, reply) in [
        ("Is swimming allowed?", "From June to August, between the two buoys."),
        ("Where do I park?", "Behind the boathouse, for two coins a day."),
    ] {
        let question = Question::new(asked, &|_| 1.0);
        let found = candidates(&question, &hits, &layouts(&hits));
        let choice = choose_blocks(&question, &hits, &found, None);
        assert_eq!(
            choice.picked.iter().map(|&i| shown(&found[i], &hits)).next().as_deref(),
            Some(reply),
            "{asked}"
        );
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
    let choice = choose_blocks(&question, &hits, &candidates(&question, &hits, &layouts(&hits)), None);
    assert_eq!(choice.absent, ["support", "teleportation"]);
}

#[test]
fn words_by_chance_are_no_answer_where_meaning_is_far() {
    let weak = |_: &str| 0.1;
    assert!(answer("When was a counter built?", Some(&weak)).is_empty());
}

#[test]
fn nothing_is_quoted_from_nothing() {
    let question = Question::new("What is a graph?", &idf);
    assert!(candidates(&question, &[], &Map::default()).is_empty());
    assert_eq!(choose_blocks(&question, &[], &[], None).picked, Vec::<usize>::new());
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
    assert!(choose_blocks(&question, &hits, &found, None).picked.len() <= 2);
}

proptest! {
    #[test]
    fn quotes_are_verbatim_pieces_of_their_hits(
        texts in prop::collection::vec("(Loops|graph|is|a|the|It |See \
            |keyword|bounded|:|\\?|\\.|\\n\\n|\\n- | \\| |é東 ){0,20}", 0..4),
        question in "(What is|difference between|a|loop|keyword graph|and|knowledge graph| ){0,6}",
        near in prop::collection::vec(prop::option::of(prop_oneof![-1.0_f32..1.0, Just(f32::NAN)]), 0..40),
        room in 0..900_usize,
    ) {
        let hits: Vec<Hit> = texts.iter().enumerate().map(|(i, t)| hit(i as u32, "T", &["H"], t)).collect();
        let question = Question::new(&question, &idf);
        let found = candidates(&question, &hits, &layouts(&hits));
        for c in &found {
            prop_assert!(c.features.iter().all(|f| f.is_finite()));
            let pieces = c.block.excerpt(&hits[c.hit].text, room, &|_| true).pieces;
            prop_assert!(pieces.iter().any(|p| p.answers));
            prop_assert!(pieces.windows(2).all(|w| w[0].span.end <= w[1].span.start));
            prop_assert!(pieces.iter().all(|p| hits[c.hit].text.get(p.span.clone()).is_some()));
        }
        let near = near.into_iter().map(|x| x.map(|x| Nearness { late: x, cosine: x, heading: x })).collect();
        let meaning = Meaning::new(MULTILINGUAL, near, &found);
        let choice = choose_blocks(&question, &hits, &found, Some(&meaning));
        prop_assert!(choice.picked.len() <= 2 && choice.picked.iter().all(|&i| i < found.len()));
        prop_assert_eq!(&choice, &choose_blocks(&question, &hits, &found, Some(&meaning)));
    }
}

/// A passage of pieces, each with its form and its note.
fn passage(pieces: &[(&str, Form, &str)]) -> (Vec<Hit>, Map<u32, Layout>) {
    let text = pieces.iter().map(|p| p.0).collect::<Vec<_>>().join("\n\n");
    let piece = |&(text, form, note): &(&str, Form, &str)| Piece {
        form,
        bytes: text.len() as u32,
        note: note.into(),
    };
    (vec![hit(0, "Mill", &[], &text)], std::iter::once((0, pieces.iter().map(piece).collect())).collect())
}

/// What is shown of the block that holds `word`.
fn shown_with(word: &str, pieces: &[(&str, Form, &str)], room: usize) -> Vec<(String, bool)> {
    let (hits, layouts) = passage(pieces);
    let question = Question::new(&format!("What about {word}?"), &|_| 1.0);
    let found = candidates(&question, &hits, &layouts);
    let chosen = found.iter().find(|c| c.core(&hits[0].text).contains(word)).unwrap();
    chosen
        .block
        .excerpt(&hits[0].text, room, &|_| false)
        .pieces
        .iter()
        .map(|p| (hits[0].text[p.span.clone()].to_owned(), p.follows_gap))
        .collect()
}

#[test]
fn a_step_is_shown_with_its_procedure_and_what_is_left_out_is_marked() {
    let steps = [
        ("Grind the corn as follows:", Form::Text, ""),
        ("Open the sluice and wait until the wheel turns.", Form::Item, "1."),
        ("Only on weekdays.", Form::Quote, ""),
        ("Pour the corn into the hopper.", Form::Item, "2."),
        ("Tie the sack under the spout.", Form::Item, "3."),
    ];
    let all: Vec<(String, bool)> = steps.iter().map(|s| (s.0.to_owned(), false)).collect();
    assert_eq!(shown_with("spout", &steps, 700), all);
    let cut = shown_with("spout", &steps, 40);
    assert_eq!(cut, [("Tie the sack under the spout.".to_owned(), true)], "steps are missing before it");
}

#[test]
fn a_paragraph_beside_the_answer_that_adds_nothing_is_left_out() {
    let hits =
        [hit(0, "Mill", &[], "The mill is oiled weekly.\n\nIts door is red.\n\nThe sacks are of linen.")];
    let question = Question::new("When is the mill oiled?", &|_| 1.0);
    let found = candidates(&question, &hits, &layouts(&hits));
    let choice = choose_blocks(&question, &hits, &found, None);
    let pieces = found[choice.picked[0]].excerpt(&hits[0].text, ROOM, &found, &choice.likely).pieces;
    assert_eq!(
        pieces.iter().map(|p| &hits[0].text[p.span.clone()]).collect::<Vec<_>>(),
        ["The mill is oiled weekly."]
    );
}

#[test]
fn code_comes_with_its_lead_and_a_row_with_its_header() {
    let pieces = [
        ("The mill is started by hand.", Form::Text, ""),
        ("Start it with a key:", Form::Text, ""),
        ("mill start --key", Form::Code, "sh"),
        ("grain | hours\nrye | 3\noats | 5", Form::Table, ""),
    ];
    let code: Vec<String> = shown_with("--key", &pieces, 45).into_iter().map(|p| p.0).collect();
    assert_eq!(code, ["Start it with a key:", "mill start --key"]);
    let row: Vec<String> = shown_with("oats", &pieces, 25).into_iter().map(|p| p.0).collect();
    assert_eq!(row[0], "grain | hours");
    assert_eq!(row.last().map(String::as_str), Some("oats | 5"));
}

#[test]
fn what_asks_announces_or_refers_is_never_the_block_that_answers() {
    for empty in [
        "How do I start the mill?",
        "See the chapter on the mill.",
        "Start the mill as follows:",
        "For more information on the mill, see Mills.",
    ] {
        let (hits, layouts) = passage(&[(empty, Form::Text, "")]);
        let question = Question::new("How do I start the mill?", &|_| 1.0);
        assert_eq!(candidates(&question, &hits, &layouts), [], "{empty}");
    }
}

#[test]
fn another_number_answers_another_question() {
    let hits = [hit(0, "Regatta", &[], "In 2019 the Teal won the regatta.")];
    let sure = |question: &str| {
        let question = Question::new(question, &|_| 1.0);
        choose_blocks(&question, &hits, &candidates(&question, &hits, &layouts(&hits)), None)
    };
    assert_eq!(sure("Who won the regatta in 2019?").sureness, Sureness::Stated);
    let other = sure("Who won the regatta in 2020?");
    assert_eq!((other.sureness, other.absent), (Sureness::Silent, vec!["2020".to_owned()]));
}

#[test]
fn what_is_missed_is_named_in_words_and_not_in_pairs_of_letters() {
    let hits = [hit(0, "港口", &[], "港口早上七点开放。")];
    let asked = |question: &str, idf: &dyn Fn(&str) -> f32| {
        let question = Question::new(question, idf);
        choose_blocks(&question, &hits, &candidates(&question, &hits, &layouts(&hits)), None).absent
    };
    assert_eq!(asked("怎么煮意大利面 snake_case 港口", &|_| 1.0), ["怎么煮意大利面", "snake_case"]);
    assert_eq!(
        asked("harbour fees 港口", &|_| 1.0),
        ["harbour", "fees"],
        "words with a space between them are words"
    );
}

#[test]
fn a_form_that_the_documents_have_counts_as_the_word_that_was_asked_for() {
    let hits = [hit(0, "Cookies", &[], "Cookies werden gesetzt. Man kann sie setzen.")];
    let mut question = Question::new("wo setze cookies", &|_| 1.0);
    let covered =
        |question: &Question| candidates(question, &hits, &layouts(&hits)).first().map_or(0.0, |c| c.score);
    let before = covered(&question);
    let term = question.terms.iter().find(|t| t.word == "setze").unwrap().term.clone();
    question.read_as_forms(&term, &[("gesetzt".to_owned(), 1.0)]);
    assert!(covered(&question) > before, "{before}");
}

#[test]
fn a_list_over_two_passages_is_quoted_from_its_first_item() {
    let item =
        |text: &str, note: &str| Piece { form: Form::Item, bytes: text.len() as u32, note: note.to_owned() };
    for marks in [["", "", ""], ["1.", "2.", "3."]] {
        let beginning = "These sheds are empty:\n\nthe red shed";
        let place =
            |n: u32, text: &str| Hit { url: "sheds.html".to_owned(), ..hit(n, "Sheds", &["Empty"], text) };
        let hits = vec![place(0, "the tar shed"), place(1, beginning)];
        let layouts: Map<u32, Layout> = [
            (0, vec![item("the tar shed", marks[2])]),
            (
                1,
                vec![
                    Piece { form: Form::Text, ..item("These sheds are empty:", "") },
                    item("the red shed", marks[0]),
                ],
            ),
        ]
        .into_iter()
        .collect();
        let question = Question::new("tar shed", &idf);
        let found = candidates(&question, &hits, &layouts);
        let choice = choose_blocks(&question, &hits, &found, None);
        let quoted: Vec<usize> = choice.picked.iter().map(|&i| found[i].hit).collect();
        assert_eq!(quoted, [1, 0], "{choice:?}");
        let result = SearchResult { hits, ..SearchResult::default() };
        let text = quote_answer(&result, &AskOptions::default(), &found, &choice).text;
        let [first, _, last] = marks.map(|mark| if mark.is_empty() { "-" } else { mark });
        assert!(
            text.ends_with(&format!(
                "“These sheds are empty:\n{first} the red shed” [1]\n{last} the tar shed [2]"
            )),
            "{text}"
        );
    }
}

#[test]
fn how_to_do_something_is_all_numbered_steps_of_the_section_that_says_so() {
    let step = |n: u32, path: &[&str], text: &str| Hit {
        url: format!("club.html#{n}"),
        ..hit(n, "The boat club", path, text)
    };
    let mut hits = vec![
        step(2, &["Join the club", "Step 3: Take the test"], "A trainer swims with you."),
        step(0, &["Join the club", "Step 1: Fill in the form"], "Take the form at the desk."),
        step(1, &["Join the club", "Step 2: Pay the fee"], "Pay 40 euros."),
        step(3, &["Leave the club", "Step 1: Write"], "Write a letter to the club."),
    ];
    let quoted = |question: &str, hits: &[Hit]| {
        let question = Question::new(question, &|_| 1.0);
        let found = candidates(&question, hits, &layouts(hits));
        let mut choice = choose_blocks(&question, hits, &found, None);
        list_steps(&question, hits, &found, &mut choice.picked);
        choice.picked.iter().map(|&i| hits[found[i].hit].chunk).collect::<Vec<_>>()
    };
    assert_eq!(quoted("How do I join the club?", &hits), [0, 1, 2]);
    assert_eq!(quoted("How do I pay the fee?", &hits)[0], 1, "a step that says what is asked is the answer");
    hits.insert(0, step(4, &["Join the club"], "Everybody can join the club."));
    assert_eq!(quoted("How can I join the club?", &hits), [4, 0, 1, 2], "what stands before the steps");
    hits.retain(|h| h.chunk != 0);
    assert!(quoted("How do I join the club?", &hits).len() <= 2, "no first step, no steps");
    let chapter = [hit(0, "Chapter 2", &[], "How boats are moored: by two lines.")];
    assert_eq!(quoted("How are boats moored?", &chapter), [0], "a page's title is no step of it");
}
