//! `pocketgraph gaps`: what readers asked that the documents do not answer.

use super::open::{run_future, with_model};
use super::progress::Bars;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph::agent::NAMES;
use pocketgraph::answer::AskOptions;
use pocketgraph::engine::{Engine, Quotable};
use pocketgraph::kg;
use pocketgraph::retrieve::Hit;
use pocketgraph::text::capitalize;
use pocketgraph_measure::{QUOTE, answer_without_model};
use pocketgraph_native::progress::Progress;
use pocketgraph_native::terminal::line;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Marks before the number of a passage and before a reason in the addresses that pages call.
const TOPIC: &str = "topic=";
const REASON: &str = "&reason=";

/// Arguments of `pocketgraph gaps`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
FILE has a question on each line, or is JSON or JSON Lines of objects with `question` or `title`, as issue \
trackers
export them, or is a host's log with the addresses that pages called: anything with `topic=NUMBER`.

Examples:
  gh issue list --json title > issues.json && pocketgraph gaps site/bundle issues.json
  pocketgraph gaps site/bundle access.log")]
pub struct Args {
    /// Folder of the bundle, or its address: https://host/bundle/
    bundle: PathBuf,
    /// Questions, an export of issues, or a log
    file: PathBuf,
    /// Number of gaps to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Questions about one thing that nothing answers.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Gap {
    /// Number of times that they were asked.
    asked: usize,
    /// Title and headings of the passage that is nearest to most of them, and its address.
    nearest: (String, String),
    /// Heading under which they could be answered.
    heading: String,
    /// Reasons that readers gave, each with the number of times.
    reasons: BTreeMap<String, usize>,
    questions: Vec<String>,
}

/// A question without a stated answer, whose words a log lacks.
struct Unanswered {
    /// Reasons that readers gave, an empty one for each time that it was asked without.
    reasons: Vec<String>,
    nearest: Hit,
    question: Option<String>,
    /// Its terms, each as the question has it and with its weight.
    terms: Vec<(String, String, f32)>,
}

/// Questions of a file, in words or by their places.
#[derive(Debug, Default, PartialEq, Eq)]
struct Requests {
    questions: Vec<String>,
    /// Passages near questions whose words the page kept to itself, each time with a reason, perhaps empty.
    near: BTreeMap<u32, Vec<String>>,
}

/// Lists what was asked and is not answered, the most frequent first.
pub fn run_gaps(args: &Args) -> Result<()> {
    let bytes = std::fs::read(&args.file)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", args.file.display()))?;
    let Requests { questions, near } = read_asked(&String::from_utf8_lossy(&bytes));
    let count = questions.len() + near.values().map(Vec::len).sum::<usize>();
    if count == 0 {
        let help = "`pocketgraph gaps --help` says what a file may hold";
        return Err(miette!(help = help, "{} has no question and no topic", args.file.display()));
    }
    let engine = with_model(&args.bundle)?;
    let bars = Bars::new(false);
    bars.stage("asking", Some(questions.len() as u64));
    let (mut unanswered, mut answered, mut unknown) = (Vec::new(), 0, 0);
    for (chunk, reasons) in near {
        match run_future(engine.passage(chunk))? {
            Ok(nearest) => {
                unanswered.push(Unanswered { reasons, nearest, question: None, terms: Vec::new() })
            }
            Err(_) => unknown += 1,
        }
    }
    for (n, question) in questions.into_iter().enumerate() {
        let (is_answered, found) = ask_question(&engine, question)?;
        answered += usize::from(is_answered);
        unanswered.extend(found);
        bars.at(n as u64 + 1);
    }
    bars.finish();
    if unknown > 0 {
        bars.warn(&format!(
            "{unknown} numbers are of no passage of this bundle: use the one that the page used"
        ));
    }
    let mut gaps = group_gaps(unanswered);
    gaps.truncate(args.most);
    if args.json {
        return pocketgraph_native::terminal::print_json(&gaps).into_diagnostic();
    }
    println!("{} without an answer, {answered} with one", count - answered);
    for gap in &gaps {
        println!("\n{} near {} ({})", gap.asked, line(&gap.nearest.0), line(&gap.nearest.1));
        println!("  draft heading: {}", line(&gap.heading));
        gap.reasons.iter().for_each(|(reason, times)| println!("  {reason}: {times}"));
        gap.questions.iter().for_each(|question| println!("  - {}", line(question)));
    }
    Ok(())
}

/// Reads questions and numbers of passages from a list, an export or a log.
fn read_asked(text: &str) -> Requests {
    let title = |value: &Value| {
        value.get("question").or(value.get("title")).and_then(Value::as_str).map(str::to_owned)
    };
    let listed = |questions| Requests { questions, ..Requests::default() };
    if let Ok(Value::Array(all)) = serde_json::from_str(text) {
        return listed(all.iter().filter_map(title).collect());
    }
    if text.contains(TOPIC) {
        let mut asked = Requests::default();
        for request in text.split(TOPIC).skip(1) {
            let end = request.find(|c: char| !c.is_ascii_digit()).unwrap_or(request.len());
            let (number, rest) = request.split_at(end);
            let reason =
                rest.strip_prefix(REASON).unwrap_or_default().split(|c: char| !c.is_ascii_lowercase()).next();
            if let Ok(chunk) = number.parse() {
                asked.near.entry(chunk).or_default().extend(reason.map(str::to_owned));
            }
        }
        return asked;
    }
    let read = |line: &str| {
        let line = line.trim();
        match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() => title(&value),
            _ => (!line.is_empty()).then(|| line.to_owned()),
        }
    };
    listed(text.lines().filter_map(read).collect())
}

/// Asks a question as pages do without a language model. Returns true if an answer is stated, and otherwise
/// what is near the question, `None` for nothing.
fn ask_question(engine: &Engine, question: String) -> Result<(bool, Option<Unanswered>)> {
    let protocol = if kg::is_in(engine.corpus().bundle()) { NAMES[0] } else { QUOTE };
    if run_future(answer_without_model(engine, &question, None, protocol))?.into_diagnostic()?.answered {
        return Ok((true, None));
    }
    let Quotable { asked, result, .. } =
        run_future(engine.quotable(&question, &AskOptions::default(), &mut |_| ()))?.into_diagnostic()?;
    let terms = asked.terms.into_iter().filter(|t| !t.asks).map(|t| (t.term, t.word, t.weight)).collect();
    let nearest = result.hits.into_iter().next();
    Ok((
        false,
        nearest.map(|nearest| Unanswered {
            reasons: vec![String::new()],
            nearest,
            question: Some(question),
            terms,
        }),
    ))
}

/// Makes gaps of what was not answered: of the questions whose rarest shared word is one, and of what is near
/// one page.
fn group_gaps(unanswered: Vec<Unanswered>) -> Vec<Gap> {
    let mut sharing: BTreeMap<String, usize> = BTreeMap::new();
    for (term, ..) in unanswered.iter().flat_map(|one| &one.terms) {
        *sharing.entry(term.clone()).or_default() += 1;
    }
    let mut groups: BTreeMap<(Option<String>, String), Vec<Unanswered>> = BTreeMap::new();
    for one in unanswered {
        let shared = one.terms.iter().filter(|(term, ..)| sharing.get(term) > Some(&1));
        let rarest = shared.max_by(|a, b| a.2.total_cmp(&b.2)).map(|(term, ..)| term.clone());
        let page = if rarest.is_some() { "" } else { one.nearest.url.split('#').next().unwrap_or_default() };
        groups.entry((rarest, page.to_owned())).or_default().push(one);
    }
    let mut gaps: Vec<Gap> = groups.into_values().filter_map(describe_gap).collect();
    gaps.sort_by_key(|gap| std::cmp::Reverse(gap.asked));
    gaps
}

fn describe_gap(near: Vec<Unanswered>) -> Option<Gap> {
    let count = |hit: &Hit| {
        near.iter().filter(|one| one.nearest.chunk == hit.chunk).map(|one| one.reasons.len()).sum::<usize>()
    };
    let hit = &near.iter().rev().max_by_key(|one| count(&one.nearest))?.nearest;
    let nearest = ([&[hit.title.clone()][..], &hit.heading_path].concat().join(" › "), hit.url.clone());
    let heading = draft_heading(&near).unwrap_or_else(|| hit.heading().to_owned());
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    near.iter().flat_map(|o| &o.reasons).for_each(|reason| *reasons.entry(reason.clone()).or_default() += 1);
    let asked = reasons.values().sum();
    reasons.remove("");
    Some(Gap {
        asked,
        nearest,
        heading,
        reasons,
        questions: near.into_iter().filter_map(|one| one.question).collect(),
    })
}

/// Drafts a heading of the words that most of the questions have, in the order of the one that has most.
fn draft_heading(near: &[Unanswered]) -> Option<String> {
    let is_shared = |term: &str| {
        let has = |one: &&Unanswered| one.terms.iter().any(|(of, ..)| of == term);
        2 * near.iter().filter(has).count() > near.len()
    };
    let shared = |one: &Unanswered| -> Vec<String> {
        one.terms.iter().filter(|(term, ..)| is_shared(term)).map(|(_, word, _)| word.clone()).collect()
    };
    let mut words = near.iter().rev().map(shared).max_by_key(Vec::len)?;
    words.dedup();
    let heading = words.join(" ");
    (!heading.is_empty()).then(|| capitalize(&heading))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_exports_and_logs_are_read() {
        let asked = ["How do I?", "Why?"].map(str::to_owned).to_vec();
        for text in [
            "How do I?\n\n  Why?\n",
            r#"[{"title": "How do I?", "body": "x"}, {"number": 3}, {"question": "Why?"}]"#,
            "{\"question\": \"How do I?\"}\n{\"title\": \"Why?\"}\n{\"number\": 3}\n",
        ] {
            assert_eq!(
                read_asked(text),
                Requests { questions: asked.clone(), near: BTreeMap::new() },
                "{text}"
            );
        }
        let log = "1.2.3.4 - - \"GET /gap?topic=17&reason=wrong HTTP/1.1\" 404\n\"GET /gap?topic=17 HTTP/1.1\"\n\
                   1.2.3.4 - - \"GET /gap?topic=x\" 404\n\"GET /gap?topic=99999999999\"\n";
        let near = BTreeMap::from([(17, vec!["wrong".to_owned(), String::new()])]);
        assert_eq!(read_asked(log), Requests { questions: Vec::new(), near });
    }
}
