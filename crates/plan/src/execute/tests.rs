#![allow(clippy::unwrap_used)]

use super::*;
use crate::kg::{KgBuilder, Linker, LiteralKind, NodeId, Provenance};
use crate::llm::{ChatRequest, ChatStream, Delta, LlmError};
use crate::plan::check::Limits as PlanLimits;
use crate::plan::rft;
use crate::plan::trace::Fallback;
use futures::FutureExt;
use pocketgraph_testing::films::example;
use proptest::prelude::*;

fn plan(lines: &str) -> Plan {
    rft::parse(lines, &PlanLimits::default()).unwrap().plan
}

fn run(linker: &Linker, lines: &str, resources: Resources<'_>, limits: Limits) -> Execution {
    Executor::new(Some(linker)).execute(&plan(lines), resources, limits).now_or_never().unwrap().unwrap()
}

fn labels(linker: &Linker, set: &Set) -> Vec<String> {
    let mut all: Vec<String> = set.members.iter().map(|m| m.item.label(Some(linker.graph()))).collect();
    all.sort();
    all
}

/// Returns the answer of a plan over the example's films.
fn answer(lines: &str) -> Vec<String> {
    let linker = Linker::new(&example());
    labels(&linker, run(&linker, lines, Resources::default(), Limits::default()).answer())
}

#[test]
fn a_phrase_follows_the_relation_that_it_names_in_the_direction_that_leads_somewhere() {
    assert_eq!(answer("Ans1=SearchKG(t=film | h=Michael Mann, r=directed by)"), ["Ali", "Heat"]);
    assert_eq!(answer("Ans1=SearchKG(t=person | h=heat, r=director)"), ["Michael Mann"]);
    assert_eq!(answer("Ans1=SearchKG(t=person | h=Heat, r=actors starring)"), ["Al Pacino", "Val Kilmer"]);
    assert_eq!(answer("Ans1=SearchKG(t=* | h=Heat, r=favourite colour)"), [""; 0]);
}

#[test]
fn sets_combine_by_identity() {
    let two =
        "A=SearchKG(t=film | h=Michael Mann, r=directed by)\nB=SearchKG(t=film | h=Al Pacino, r=starred)\n";
    assert_eq!(answer(&format!("{two}C=Intersect(A, B)")), ["Heat"]);
    assert_eq!(answer(&format!("{two}C=Union(A, B)")), ["Ali", "Heat", "Serpico"]);
    assert_eq!(answer(&format!("{two}C=Negation(A, B)")), ["Ali"]);
    assert_eq!(
        answer(&format!("{two}C=Negation(A, B)\nD=SearchKG(t=person | h=C, r=starred)")),
        ["Will Smith"]
    );
    assert_eq!(answer(&format!("{two}C=Union(A, B)\nD=Count(C)")), ["3"]);
}

#[test]
fn a_filter_keeps_what_held_at_a_moment() {
    let mut b = KgBuilder::default();
    let (porto, mayor) = (b.entity("Porto").unwrap(), b.relation("mayor").unwrap());
    for (name, intervals) in [
        ("Ana", &["2010-05-01/2014-04-30", "2018-05-01/.."][..]),
        ("Rui", &["2014-05-01/2018-04-30"]),
        ("Eva", &["http://e/2016", "../2010-04-30"]),
        ("Ivo", &["minutes/2016.txt"]),
    ] {
        let person = b.entity(name).unwrap();
        b.triple(porto, mayor, person, Provenance::Line { file: "mayors", line: 1 }).unwrap();
        intervals.iter().for_each(|held| b.triple(porto, mayor, person, Provenance::Cited(held)).unwrap());
    }
    let linker = Linker::new(&b.finish().unwrap());
    let held = |test: &str| {
        let lines = format!("A=SearchKG(t=* | h=Porto, r=mayor)\nB=Filter(A | v {test})");
        labels(&linker, run(&linker, &lines, Resources::default(), Limits::default()).answer())
    };
    assert_eq!(held("= 2012"), ["Ana"]);
    assert_eq!(held("= 2014"), ["Ana", "Rui"]);
    assert_eq!(held("= 2018-04-30"), ["Rui"]);
    assert_eq!(held("= 2030"), ["Ana"]);
    assert_eq!(held("< 2014"), ["Ana", "Eva"]);
    assert_eq!(held("< 2010"), ["Eva"]);
    assert_eq!(held("> 2018-04-30"), ["Ana"]);
    assert_eq!(held("> 2014"), ["Ana", "Rui"]);
    assert_eq!(held(r#"= "2015/2017""#), ["Rui"]);
    assert_eq!(held(r#"= "2014/2018""#), ["Ana", "Rui"]);
    assert_eq!(held(r#"= "../2010-05-01""#), ["Ana", "Eva"]);
    assert_eq!(held(r#"= "2018-05/..""#), ["Ana"]);
    let when = |name: &str| {
        let lines =
            format!("A=SearchKG(t=* | h=Porto, r=mayor)\nB=Entity(h={name})\nC=Compare(B, A | how=when)");
        labels(&linker, run(&linker, &lines, Resources::default(), Limits::default()).answer())
    };
    assert_eq!(when("Ana"), ["2010-05-01 – 2014-04-30", "2018-05-01 –"]);
    assert_eq!(when("Eva"), ["– 2010-04-30"]);
    assert!(when("Ivo").is_empty() && when("Porto").is_empty());
}

#[test]
fn a_number_is_compared_with_values_and_a_date_with_the_times_at_which_they_held() {
    let mut b = KgBuilder::default();
    let (berth, price) = (b.entity("Berth").unwrap(), b.relation("price").unwrap());
    for (text, held) in [("12", "2020-01-01/2023-12-31"), ("15", "2024-01-01/..")] {
        let value = b.literal(text, LiteralKind::Number, "", "").unwrap();
        b.triple(berth, price, value, Provenance::Cited(held)).unwrap();
    }
    let linker = Linker::new(&b.finish().unwrap());
    let kept = |test: &str| {
        let lines = format!("A=SearchKG(t=* | h=Berth, r=price)\nB=Filter(A | v {test})");
        labels(&linker, run(&linker, &lines, Resources::default(), Limits::default()).answer())
    };
    assert_eq!(kept("> 14"), ["15"]);
    assert!(kept("> 150").is_empty());
    assert_eq!(kept("= date 2022"), ["12"]);
    assert_eq!(kept("< date 2024"), ["12"]);
    assert_eq!(kept(r#"= "2023/2025""#), ["12", "15"]);
    assert_eq!(kept("= date 9999-12-31"), ["15"]);
}

#[test]
fn an_empty_operand_stays_empty_and_is_named() {
    let linker = Linker::new(&example());
    let lines = "A=SearchKG(t=film | h=Nobody At All, r=directed by)\nB=SearchKG(t=film | h=Al Pacino, \
        r=starred)\nC=Intersect(A, B)\nD=SearchKG(t=person | h=C, r=starred)";
    let e = run(&linker, lines, Resources::default(), Limits::default());
    assert!(e.answer().members.is_empty());
    assert_eq!(e.trace.steps[2].notes, ["A is empty: the intersection is empty"]);
    let missing = e.trace.missing();
    assert_eq!(missing[0], "A: the graph knows nothing by the name \"Nobody At All\"");
    assert_eq!(missing.last().unwrap(), "D: C is empty, so there is nothing to start from");
    assert!(!e.is_complete());
}

#[test]
fn values_that_do_not_compare_answer_nothing_and_are_named() {
    let mut b = KgBuilder::default();
    let cost = b.relation("cost").unwrap();
    for (line, (name, text, kind, unit)) in (1..).zip([
        ("Quay", "12", LiteralKind::Number, "€"),
        ("Lamp", "14", LiteralKind::Number, "$"),
        ("Mill", "15", LiteralKind::Number, "€"),
        ("Wharf", "unknown", LiteralKind::Text, ""),
    ]) {
        let (head, value) = (b.entity(name).unwrap(), b.literal(text, kind, "", unit).unwrap());
        b.triple(head, cost, value, Provenance::Line { file: "rows", line }).unwrap();
    }
    let linker = Linker::new(&b.finish().unwrap());
    let two = |name: &str| format!("A=Entity(h=Quay)\nB=Entity(h={name})\n");
    for (lines, expected) in [
        (two("Mill") + "C=Union(A, B)\nD=Max(C | r=cost)", "Mill"),
        (two("Wharf") + "C=Union(A, B)\nD=Max(C | r=cost)", "Quay"),
        (two("Lamp") + "C=Union(A, B)\nD=Max(C | r=cost)", ""),
        (two("Lamp") + "C=Compare(A, B | how=max, r=cost)", ""),
        (two("Lamp") + "C=Union(A, B)\nD=Filter(C | r=cost, v > 11 €)", ""),
    ] {
        let e = run(&linker, &lines, Resources::default(), Limits::default());
        assert_eq!(labels(&linker, e.answer()).join(" "), expected, "{lines}");
        assert_eq!(
            e.trace.missing().iter().any(|why| why.contains("do not compare")),
            expected.is_empty(),
            "{lines}"
        );
    }
}

#[test]
fn an_exact_relation_is_followed_as_written_and_no_other() {
    assert_eq!(answer("A=SearchKG(t=* | h=<Michael Mann>, r=<directed_by>)"), [""; 0]);
    assert_eq!(answer("A=SearchKG(t=* | h=<Michael Mann>, r=^<directed_by>)"), ["Ali", "Heat"]);
    assert_eq!(answer("A=SearchKG(t=* | h=<michael mann>, r=^<directed_by>)"), [""; 0]);
    assert_eq!(answer("A=SearchKG(t=* | h=<Michael Mann>, r=^<directed by>)"), [""; 0]);
}

#[test]
fn a_type_limits_what_a_step_finds_and_an_unknown_type_is_reported_as_unchecked() {
    let linker = Linker::new(&example());
    assert_eq!(answer("A=SearchKG(t=film | h=Heat, r=starred)"), [""; 0]);
    let e = run(&linker, "A=SearchKG(t=robot | h=Heat, r=starred)", Resources::default(), Limits::default());
    assert_eq!(e.answer().members.len(), 2);
    assert!(e.trace.steps[0].notes[0].contains("no type \"robot\""));
    assert_eq!(answer("A=All(t=films)"), ["Ali", "Heat", "Serpico"]);
}

#[test]
fn all_that_have_a_relation_are_found_whatever_they_are() {
    assert_eq!(answer("A=All(r=<directed_by>)"), ["Ali", "Heat"]);
    assert_eq!(answer("A=All(r=^<directed_by>)"), ["Michael Mann"]);
    assert_eq!(answer("A=All(r=directed by)"), ["Ali", "Heat"]);
    assert_eq!(answer("A=All(t=person, r=<directed_by>)"), [""; 0]);
    assert_eq!(answer("A=All(r=<release_year>)\nB=Max(A | r=<release_year>)"), ["Ali"]);
    let linker = Linker::new(&example());
    let e = run(&linker, "A=All(r=<salary>)", Resources::default(), Limits::default());
    assert_eq!(e.trace.missing(), ["A: the graph has no relation <salary>"]);
}

#[test]
fn every_member_knows_the_heads_and_triples_that_led_to_it() {
    let linker = Linker::new(&example());
    let e = run(
        &linker,
        "A=SearchKG(t=* | h=<Al Pacino>, r=^<starred_actors>)\nB=SearchKG(t=* | h=A, r=<directed_by>)",
        Resources::default(),
        Limits::default(),
    );
    let mann = &e.answer().members[0];
    let head = mann.origins[0].head.clone().unwrap();
    assert_eq!((mann.origins.len(), head.label(Some(linker.graph())).as_str()), (1, "Heat"));
    let triples: Vec<String> = e
        .support(&[])
        .into_iter()
        .map(|s| match s {
            Evidence::Triple(t) => linker.graph().label(linker.graph().triple(t).unwrap().head).to_owned(),
            Evidence::Passage(_) => "passage".to_owned(),
        })
        .collect();
    // The film that Mann did not direct is no support.
    assert_eq!(triples, ["Heat", "Heat"]);
    assert_eq!(e.trace.edges().len(), 3);
}

#[test]
fn values_are_compared_filtered_and_ranked() {
    let dated = "A=SearchKG(t=* | h=<Heat>, r=<release_year>)\nB=SearchKG(t=* | h=<Ali>, r=<release_year>)\n";
    assert_eq!(answer(&format!("{dated}C=Compare(A, B | how=min)")), ["Heat"]);
    assert_eq!(answer(&format!("{dated}C=Compare(A, B | how=less)")), ["true"]);
    assert_eq!(answer(&format!("{dated}C=Compare(A, B | how=equal)")), ["false"]);
    let films = "A=All(t=film)\n";
    assert_eq!(answer(&format!("{films}B=Max(A | r=release year)")), ["Ali"]);
    assert_eq!(answer(&format!("{films}B=Max(A | count=<starred_actors>)")), ["Heat"]);
    assert_eq!(answer(&format!("{films}B=Filter(A | r=<release_year>, v < date 2000)")), ["Heat"]);
    assert_eq!(answer(&format!("{films}B=Filter(A | r=<release_year>, v > 1994)")), ["Ali", "Heat"]);
    assert_eq!(
        answer(
            "A=SearchKG(t=* | h=Heat, r=starred)\nB=SearchKG(t=* | h=Serpico, \
             r=starred)\nC=Compare(A, B | how=equal)"
        ),
        ["false"]
    );
}

#[test]
fn members_without_a_value_are_left_out_and_counted() {
    let linker = Linker::new(&example());
    let e =
        run(&linker, "A=All(t=film)\nB=Min(A | r=<release_year>)", Resources::default(), Limits::default());
    assert_eq!(labels(&linker, e.answer()), ["Heat"]);
    assert_eq!(e.trace.steps[1].notes, ["1 of 3 members have no value and were left out"]);
}

#[test]
fn namesakes_are_followed_together() {
    let mut b = KgBuilder::default();
    let r = b.relation("state").unwrap();
    for (id, state) in [("Q1", "Illinois"), ("Q2", "Missouri")] {
        let (city, state) = (b.entity(id).unwrap(), b.entity(state).unwrap());
        b.label(city, "Springfield").unwrap();
        b.triple(city, r, state, Provenance::Cited("")).unwrap();
    }
    let linker = Linker::new(&b.finish().unwrap());
    let e = run(&linker, "A=SearchKG(t=* | h=springfield, r=state)", Resources::default(), Limits::default());
    assert_eq!(labels(&linker, e.answer()), ["Illinois", "Missouri"]);
    assert_eq!(e.trace.steps[0].links[0].candidates.iter().filter(|c| c.chosen).count(), 2);
}

#[test]
fn a_cap_that_cuts_is_reported() {
    let linker = Linker::new(&example());
    let lines = "A=All(t=film)\nB=SearchKG(t=* | h=A, r=<starred_actors>)";
    let e = run(&linker, lines, Resources::default(), Limits { heads: 1, ..Limits::default() });
    assert_eq!(e.trace.steps[1].truncated, ["the best 1 of 3 heads were followed"]);
    let e = run(&linker, lines, Resources::default(), Limits { members: 2, ..Limits::default() });
    assert_eq!((e.sets[0].members.len(), e.trace.steps[0].truncated.len(), e.is_complete()), (2, 1, false));
}

#[test]
fn a_used_budget_leaves_later_steps_empty_and_says_so() {
    let linker = Linker::new(&example());
    let lines = "A=All(t=film)\nB=SearchKG(t=* | h=A, r=<starred_actors>)";
    let e = run(&linker, lines, Resources::default(), Limits { steps: 1, ..Limits::default() });
    assert_eq!(e.trace.exhausted.as_deref(), Some("all 1 steps are used"));
    assert_eq!((e.sets[0].members.len(), e.answer().members.len()), (3, 0));
    let time = Cell::new(0.0);
    let clock = || {
        time.set(time.get() + 10.0);
        time.get()
    };
    let resources = Resources { clock: Some(&clock), ..Resources::default() };
    let e = run(&linker, lines, resources, Limits { milliseconds: 25.0, ..Limits::default() });
    assert_eq!(e.trace.exhausted.as_deref(), Some("the time of 25 ms is over"));
}

#[test]
fn a_cancelled_execution_ends() {
    let linker = Linker::new(&example());
    let resources = Resources { cancelled: Some(&|| true), ..Resources::default() };
    let ended = Executor::new(Some(&linker))
        .execute(&plan("A=All(t=film)"), resources, Limits::default())
        .now_or_never()
        .unwrap();
    assert_eq!(ended, Err(ExecuteError::Cancelled));
}

#[test]
fn an_execution_that_is_cancelled_on_its_way_asks_no_more() {
    let books = library(&["one is Alpha."]);
    let cancelled = || !books.asked.borrow().is_empty();
    let resources = Resources { passages: Some(&books), cancelled: Some(&cancelled), ..Resources::default() };
    let plan = plan("A=Search(q=what is one)\nB=Search(q=what is {A})\nC=Search(q=what is {B})");
    let ended = futures::executor_block(Executor::new(None).execute(&plan, resources, Limits::default()));
    assert_eq!((ended, books.asked.borrow().len()), (Err(ExecuteError::Cancelled), 1));
}

#[test]
fn the_time_budget_ends_reading_between_two_questions() {
    let books = library(&["The editor of Heat was Dov Hoenig.", "The editor of Ali was William Goldenberg."]);
    let clock = || books.asked.borrow().len() as f64 * 30.0;
    let resources = Resources { passages: Some(&books), clock: Some(&clock), ..Resources::default() };
    let lines = "A=SearchKG(t=film | h=Michael Mann, r=directed by)\nB=Search(q=editor of {A})";
    let (_, e) = read(lines, resources, Limits { milliseconds: 20.0, ..Limits::default() });
    assert_eq!(
        (books.asked.borrow().len(), e.trace.exhausted.as_deref()),
        (1, Some("the time of 20 ms is over"))
    );
    assert_eq!((e.answer().members.len(), e.is_complete()), (1, false));
}

#[test]
fn a_model_that_answers_nothing_or_breaks_off_leaves_extraction_or_an_honest_hole() {
    let books = library(&["The editor of Heat was Dov Hoenig."]);
    struct Broken;
    impl crate::llm::ChatModel for Broken {
        fn chat<'a>(&'a self, _: ChatRequest) -> LocalBoxFuture<'a, Result<ChatStream<'a>, LlmError>> {
            let half = Ok(Delta { text: "[Dov Ho".to_owned(), ..Delta::default() });
            let items = [half, Err(LlmError::Stream("closed".to_owned()))];
            Box::pin(async move { Ok(futures::stream::iter(items).boxed_local()) })
        }
    }
    let resources = Resources { passages: Some(&books), model: Some(&Broken), ..Resources::default() };
    let (linker, e) = read("A=SearchKG(t=* | h=Heat, r=editor)", resources, Limits::default());
    assert_eq!(labels(&linker, e.answer()), ["Dov Hoenig"]);
    assert!(e.trace.steps[0].notes[0].contains("the model did not answer"), "{:?}", e.trace.steps[0].notes);
    let silent = Model("");
    let resources = Resources { passages: Some(&books), model: Some(&silent), ..Resources::default() };
    let (_, e) = read("A=SearchKG(t=* | h=Heat, r=editor)", resources, Limits::default());
    assert_eq!((e.answer().members.len(), e.trace.missing().len()), (0, 2));
}

#[test]
fn a_plan_that_fails_its_checks_is_not_executed() {
    let bad = Plan { answer: "B".into(), ..plan("A=All(t=film)") };
    let ended =
        Executor::new(None).execute(&bad, Resources::default(), Limits::default()).now_or_never().unwrap();
    assert!(matches!(ended, Err(ExecuteError::Plan(_))));
}

/// Finds passages with any word of the question; counts the questions that are open at once.
struct Library {
    texts: Vec<&'static str>,
    open: Cell<usize>,
    most: Cell<usize>,
    asked: RefCell<Vec<String>>,
}

fn library(texts: &[&'static str]) -> Library {
    Library { texts: texts.to_vec(), open: Cell::new(0), most: Cell::new(0), asked: RefCell::default() }
}

impl Passages for Library {
    fn passages<'a>(
        &'a self,
        question: &'a str,
        k: usize,
    ) -> LocalBoxFuture<'a, Result<Vec<Passage>, PassagesError>> {
        Box::pin(async move {
            self.asked.borrow_mut().push(question.to_owned());
            self.open.set(self.open.get() + 1);
            self.most.set(self.most.get().max(self.open.get()));
            let mut waited = false;
            futures::future::poll_fn(|context| {
                if std::mem::replace(&mut waited, true) {
                    return std::task::Poll::Ready(());
                }
                context.waker().wake_by_ref();
                std::task::Poll::Pending
            })
            .await;
            self.open.set(self.open.get() - 1);
            if question.contains("broken") {
                return Err(PassagesError("no network".into()));
            }
            let of = |t: &&str| Passage {
                chunk: Some(1),
                title: String::new(),
                url: "a.html".into(),
                text: (*t).to_owned(),
            };
            let is_named = |t: &&&str| question.split_whitespace().any(|w| t.contains(w));
            Ok(self.texts.iter().filter(is_named).take(k).map(of).collect())
        })
    }
}

struct Model(&'static str);

impl crate::llm::ChatModel for Model {
    fn chat<'a>(&'a self, request: ChatRequest) -> LocalBoxFuture<'a, Result<ChatStream<'a>, LlmError>> {
        assert!(request.messages[1].content.contains("Question: "));
        let delta = Delta { text: self.0.to_owned(), ..Delta::default() };
        Box::pin(async move { Ok(futures::stream::iter([Ok(delta)]).boxed_local()) })
    }
}

fn read(lines: &str, resources: Resources<'_>, limits: Limits) -> (Linker, Execution) {
    let linker = Linker::new(&example());
    let e = futures::executor_block(Executor::new(Some(&linker)).execute(&plan(lines), resources, limits))
        .unwrap();
    (linker, e)
}

/// Polls until ready, in a few lines instead of an executor.
mod futures {
    pub use ::futures::*;
    pub fn executor_block<T>(work: impl Future<Output = T>) -> T {
        let mut work = Box::pin(work);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        loop {
            if let std::task::Poll::Ready(out) = work.as_mut().poll(&mut context) {
                return out;
            }
        }
    }
}

#[test]
fn what_the_graph_lacks_is_taken_from_passages_and_cited() {
    let books = library(&["The music of Heat was composed by Elliot Goldenthal. It rained."]);
    let resources = Resources { passages: Some(&books), ..Resources::default() };
    let (_, e) = read("A=SearchKG(t=composer | h=Heat, r=music composed by)", resources, Limits::default());
    assert_eq!(e.answer().members[0].item, Item::Words("Elliot Goldenthal".into()));
    assert_eq!(e.answer().members[0].origins[0].evidence, Evidence::Passage(0));
    assert!(e.answer().open);
    assert_eq!(
        (e.trace.steps[0].fallback, e.passages.len(), e.trace.steps[0].passages[0].chunk),
        (Some(Fallback::Extraction), 1, Some(1))
    );
}

#[test]
fn a_model_lists_answers_and_known_names_become_entities() {
    let books = library(&["Friends of Heat: Al Pacino and Elliot."]);
    let model = Model("They are [al pacino#Elliot#None]");
    let resources = Resources { passages: Some(&books), model: Some(&model), ..Resources::default() };
    let (linker, e) = read(
        "A=SearchKG(t=* | h=Heat, r=friends)\nB=SearchKG(t=film | h=A, r=starred)",
        resources,
        Limits::default(),
    );
    assert_eq!(labels(&linker, &e.sets[0]), ["Al Pacino", "Elliot"]);
    assert_eq!(labels(&linker, e.answer()), ["Heat", "Serpico"]);
    assert_eq!(e.trace.steps[0].fallback, Some(Fallback::Model));
    assert_eq!(e.trace.steps[1].notes[0], "1 members are no entities of the graph and were not followed");
}

#[test]
fn the_web_is_asked_only_when_the_documents_say_nothing() {
    let (books, web) = (library(&[]), library(&["The editor of Heat was Dov Hoenig."]));
    let resources = Resources { passages: Some(&books), web: Some(&web), ..Resources::default() };
    let (linker, e) = read("A=SearchKG(t=* | h=Heat, r=editor)", resources, Limits::default());
    assert_eq!(
        (labels(&linker, e.answer()), e.trace.steps[0].fallback),
        (vec!["Dov Hoenig".to_owned()], Some(Fallback::Web))
    );
    let (_, e) = read("A=SearchKG(t=* | h=Heat, r=starred)", resources, Limits::default());
    assert_eq!(
        (e.trace.steps[0].fallback, books.asked.borrow().len(), web.asked.borrow().len()),
        (None, 1, 1)
    );
}

#[test]
fn a_sub_question_is_asked_for_each_member_up_to_the_cap() {
    let books = library(&["The editor of Heat was Dov Hoenig.", "The editor of Ali was William Goldenberg."]);
    let resources = Resources { passages: Some(&books), ..Resources::default() };
    let lines = "A=SearchKG(t=film | h=Michael Mann, r=directed by)\nB=Search(q=editor of {A})";
    let (linker, e) = read(lines, resources, Limits::default());
    assert_eq!(labels(&linker, e.answer()), ["Dov Hoenig", "William Goldenberg"]);
    let heads: Vec<String> = e
        .answer()
        .members
        .iter()
        .map(|m| m.origins[0].head.clone().unwrap().label(Some(linker.graph())))
        .collect();
    assert_eq!(heads, ["Heat", "Ali"]);
    let (_, e) = read(lines, resources, Limits { questions: 1, ..Limits::default() });
    assert_eq!(
        (e.answer().members.len(), e.trace.steps[1].truncated.as_slice()),
        (1, &["only 1 combinations were asked".to_owned()][..])
    );
}

#[test]
fn steps_that_do_not_need_each_other_run_together() {
    let books = library(&["x"]);
    let resources = Resources { passages: Some(&books), ..Resources::default() };
    read("A=Search(q=one)\nB=Search(q=two)\nC=Union(A, B)", resources, Limits::default());
    assert_eq!(books.most.get(), 2);
}

#[test]
fn a_fetch_budget_and_a_broken_search_leave_an_honest_hole() {
    let books = library(&["x"]);
    let resources = Resources { passages: Some(&books), ..Resources::default() };
    let (_, e) = read(
        "A=Search(q=one)\nB=Search(q=two)\nC=Union(A, B)",
        resources,
        Limits { fetches: 1, ..Limits::default() },
    );
    assert_eq!(e.trace.exhausted.as_deref(), Some("all 1 fetches are used"));
    let (_, e) = read("A=Search(q=broken)", resources, Limits::default());
    assert_eq!(
        e.trace.missing(),
        ["A: passages for \"broken\": no network", "A: the passages do not say: broken"]
    );
    let (_, e) = read("A=Search(q=one)", Resources::default(), Limits::default());
    assert_eq!(e.trace.missing(), ["A: no passages to search: one"]);
}

#[test]
fn the_trace_reads_as_text_and_survives_serialisation() {
    let linker = Linker::new(&example());
    let reported = RefCell::new(Vec::new());
    let on_step = |s: &StepTrace| reported.borrow_mut().push(s.name.clone());
    let resources = Resources { on_step: Some(&on_step), ..Resources::default() };
    let e = run(
        &linker,
        "A=SearchKG(t=film | h=Michael Man, r=directed by)\nB=Count(A)",
        resources,
        Limits::default(),
    );
    let text = e.trace.to_text();
    for part in [
        "A = SearchKG(t=film | h=Michael Man, r=directed by)",
        "\"Michael Man\" is Michael Mann (0.70)",
        "followed directed by backwards",
        "Heat | directed by | Michael Mann",
        "1: 2",
        "answer: B",
    ] {
        assert!(text.contains(part), "{part} not in:\n{text}");
    }
    let bytes = postcard::to_allocvec(&e.trace).unwrap();
    assert_eq!(postcard::from_bytes::<Trace>(&bytes).unwrap(), e.trace);
    assert_eq!(*reported.borrow(), ["A", "B"]);
}

#[test]
fn without_a_graph_only_passages_are_searched() {
    let (executor, plan) = (Executor::new(None), plan("A=SearchKG(t=film | h=X, r=y)"));
    let e = executor.execute(&plan, Resources::default(), Limits::default()).now_or_never().unwrap().unwrap();
    assert_eq!(e.trace.missing(), ["A: no passages to search: X y"]);
}

#[test]
fn values_at_the_end_of_a_chain_represent_what_the_chain_began_with() {
    let mut b = KgBuilder::default();
    let (director, born) = (b.relation("director").unwrap(), b.relation("born").unwrap());
    for (film, person, date) in [("Heat", "Mann", "1943-02-05"), ("Serpico", "Lumet", "1924-06-25")] {
        let (film, person) = (b.entity(film).unwrap(), b.entity(person).unwrap());
        let date = b.literal(date, LiteralKind::Date, "", "").unwrap();
        b.triple(film, director, person, Provenance::Cited("poster")).unwrap();
        b.triple(person, born, date, Provenance::Cited("poster")).unwrap();
    }
    let linker = Linker::new(&b.finish().unwrap());
    let found =
        |lines: &str| labels(&linker, run(&linker, lines, Resources::default(), Limits::default()).answer());
    let directors = "A=SearchKG(t=* | h=Heat, r=<director>)\nB=SearchKG(t=* | h=Serpico, r=<director>)\n";
    let dates = "C=SearchKG(t=* | h=A, r=<born>)\nD=SearchKG(t=* | h=B, r=<born>)\n";
    assert_eq!(found(&format!("{directors}{dates}E=Compare(C, D | how=min)")), ["Serpico"]);
    assert_eq!(found(&format!("{directors}{dates}E=Compare(C, D | how=max)")), ["Heat"]);
    assert_eq!(found(&format!("{directors}E=Compare(A, B | how=min, r=<born>)")), ["Lumet"]);
}

#[test]
fn years_that_are_entities_still_compare() {
    let mut b = KgBuilder::default();
    let (r, t) = (b.relation("year").unwrap(), b.entity_type("film").unwrap());
    for (film, year) in [("a", "1999"), ("b", "2003"), ("c", "1999")] {
        let (film, year) = (b.entity(film).unwrap(), b.entity(year).unwrap());
        b.entity_has_type(film, t).unwrap();
        b.triple(film, r, year, Provenance::Cited("")).unwrap();
    }
    let g = b.finish().unwrap();
    assert!(g.is_entity(NodeId(0)) && g.literal(NodeId(1)).is_none_or(|l| l.kind == LiteralKind::Date));
    let linker = Linker::new(&g);
    let e = run(&linker, "A=All(t=film)\nB=Min(A | r=year)", Resources::default(), Limits::default());
    assert_eq!(labels(&linker, e.answer()), ["a", "c"]);
}

proptest! {
    #[test]
    fn any_plan_executes_twice_alike_or_is_refused(plan in crate::plan::arbitrary::plan(false)) {
        let linker = Linker::new(&example());
        let executor = Executor::new(Some(&linker));
        let once =
            || executor.execute(&plan, Resources::default(), Limits::default()).now_or_never().unwrap();
        prop_assert_eq!(once(), once());
    }
}
