//! 2WikiMultiHopQA: a graph of its questions' own evidence triples, and the plans that those triples spell.
//!
//! Two triples of one chain may name their common entity differently ("Oswiu of Northumbria", "Oswiu"), or by
//! a country's adjective ("American"): they are one. Titles of the question's pages are names of its entities
//! too.

use super::draft::Draft;
use pocketgraph::kg::date;
use pocketgraph::plan::{Compare, How, Operation, Plan};
use pocketgraph::text::{fold, one_line, words};
use pocketgraph_eval::{Gold, Naming, QuestionSet, Tables, loose_name, read_answers, text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

/// The set.
#[derive(Debug, Clone, Copy)]
pub struct Evidence;

impl QuestionSet for Evidence {
    fn marker_field(&self) -> &str {
        "triples (2WikiMultiHopQA: evidence)"
    }

    fn is_one(&self, v: &Value) -> bool {
        v.get("evidence").is_some_and(Value::is_array)
    }

    /// A question with the plan that its triples spell.
    fn gold(&self, v: &Value) -> Result<Gold, String> {
        let (question, kind) = (text(v, "question")?, text(v, "type")?);
        let answers = read_answers(v)?.iter().map(|a| loose_name(a)).collect();
        let triples = read_triples(v)?;
        Ok(Gold {
            id: text(v, "id")?,
            plan: spell_plan(&triples, &kind, &question),
            question,
            groups: vec![kind, "all".to_owned()],
            answers,
            without: None,
            naming: Naming::Loose,
            answerable: true,
        })
    }

    fn tables(&self, questions: &[Value], triples: &[PathBuf]) -> Option<Result<Tables, String>> {
        let all = triples.is_empty() && !questions.is_empty() && questions.iter().all(|v| self.is_one(v));
        all.then(|| build_tables(questions.iter()))
    }
}

type Triple = [String; 3];

/// A question's triples, with one name for each entity.
fn read_triples(v: &Value) -> Result<Vec<Triple>, String> {
    let all = v.get("evidence").and_then(Value::as_array).ok_or("it has no evidence")?;
    let cell = |row: &Value, at: usize| {
        row.get(at).and_then(Value::as_str).map(clean_text).filter(|s| !s.is_empty())
    };
    let mut found = Vec::new();
    for row in all {
        match (cell(row, 0), cell(row, 1), cell(row, 2)) {
            (Some(h), Some(r), Some(t)) if r.starts_with("country") => {
                found.push([h, r, name_country(&t).to_owned()])
            }
            (Some(h), Some(r), Some(t)) => found.push([h, r, t]),
            _ => return Err(format!("{row} is no triple")),
        }
    }
    for (other, one) in find_joints(v, &found) {
        for triple in &mut found {
            if triple[0] == other {
                triple[0].clone_from(&one);
            }
        }
    }
    Ok(found)
}

/// The names under which triples speak of countries: a country, and the words for its people.
fn list_countries() -> impl Iterator<Item = (&'static str, std::str::Split<'static, char>)> {
    let rows = include_str!("../../data/2wiki-countries.tsv").lines().skip(1);
    rows.filter_map(|row| row.split_once('\t')).map(|(id, aliases)| (id, aliases.split('|')))
}

fn name_country(name: &str) -> &str {
    list_countries()
        .find(|(id, others)| *id == name || others.clone().any(|o| o == name))
        .map_or(name, |(id, _)| id)
}

/// Names of heads that stand for the tail before them: (the head's name, the tail's).
fn find_joints(v: &Value, triples: &[Triple]) -> Vec<(String, String)> {
    let starts = match v.get("type").and_then(Value::as_str) {
        Some("compositional" | "inference") => 1,
        Some("bridge_comparison") => 2,
        _ => return Vec::new(),
    };
    let (first, later) = triples.split_at(starts.min(triples.len()));
    let tails: BTreeSet<&String> = first.iter().map(|t| &t[2]).collect();
    let heads: BTreeSet<&String> = later.iter().map(|t| &t[0]).collect();
    let (lone_heads, lone_tails): (Vec<_>, Vec<_>) =
        (heads.difference(&tails).collect(), tails.difference(&heads).collect());
    match (lone_heads.as_slice(), lone_tails.as_slice()) {
        ([head], [tail]) => vec![((**head).clone(), (**tail).clone())],
        _ => Vec::new(),
    }
}

fn clean_text(text: &str) -> String {
    one_line(text).trim_matches('"').replace('|', "/")
}

/// Returns the graph of all questions' triples as tables for an import.
fn build_tables<'a>(questions: impl Iterator<Item = &'a Value>) -> Result<Tables, String> {
    let mut out = Tables {
        triples: "head\trelation\ttail\tdatatype\n".to_owned(),
        entities: "id\tlabel\taliases\n".to_owned(),
    };
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for v in questions {
        let all = read_triples(v)?;
        for (i, [head, relation, tail]) in all.iter().enumerate() {
            let datatype = if date(tail).is_some() { "xsd:date" } else { "" };
            let _ = writeln!(out.triples, "{head}\t{relation}\t{tail}\t{datatype}");
            let written = v
                .get("evidence")
                .and_then(|e| e.get(i)?.get(0)?.as_str().map(clean_text))
                .unwrap_or_default();
            names.entry(head.clone()).or_default().insert(written);
        }
        let mut heads: Vec<&String> = Vec::new();
        for [head, ..] in &all {
            if !heads.contains(&head) {
                heads.push(head);
            }
        }
        let titles = v.get("gold_titles").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if titles.len() == heads.len() {
            for (head, title) in heads.into_iter().zip(titles) {
                names.entry(head.clone()).or_default().insert(clean_text(title.as_str().unwrap_or_default()));
            }
        }
    }
    for (id, aliases) in list_countries() {
        names.entry(id.to_owned()).or_default().extend(aliases.map(str::to_owned));
    }
    for (id, mut others) in names {
        others.remove(&id);
        // "Heat (1995 film)" is also called "Heat".
        let bare: Vec<String> = others
            .iter()
            .chain([&id])
            .filter_map(|n| n.split_once(" (").map(|(bare, _)| bare.to_owned()))
            .collect();
        others.extend(bare);
        others.remove(&id);
        others.remove("");
        let _ = writeln!(out.entities, "{id}\t{id}\t{}", others.into_iter().collect::<Vec<_>>().join("|"));
    }
    Ok(out)
}

fn spell_plan(triples: &[Triple], kind: &str, question: &str) -> Result<Plan, String> {
    let mut draft = Draft::default();
    let question = Some(question.to_owned());
    if matches!(kind, "compositional" | "inference") {
        let Some([start, ..]) = triples.first() else { return Err("no triples".to_owned()) };
        let last = draft.follow_all(start, triples.iter().map(|[_, relation, _]| relation));
        return Ok(draft.plan(last, question));
    }
    // A comparison: the same relations from each entity that no triple leads to.
    let tails: BTreeSet<&String> = triples.iter().map(|t| &t[2]).collect();
    let mut operands: Vec<(String, Vec<String>)> = Vec::new();
    for [head, relation, tail] in triples.iter().filter(|t| !tails.contains(&t[0])) {
        let mut path = vec![relation.clone()];
        path.extend(triples.iter().find(|t| t[0] == *tail).map(|t| t[1].clone()));
        match operands.iter().find(|(h, _)| h == head) {
            Some((_, known)) if *known == path => {}
            Some(_) => return Err("a difference of two values of one thing".to_owned()),
            None => operands.push((head.clone(), path)),
        }
    }
    let asked = question.as_deref().unwrap_or_default();
    let how = find_direction(asked).ok_or("the question does not say how to compare")?;
    let of = operands.iter().map(|(start, path)| draft.follow_all(start, path)).collect();
    let answer = draft.push(Operation::Compare(Compare { of, how: Some(how), by: None, question: None }));
    Ok(draft.plan(answer, question))
}

/// Returns the comparison in a question: equality for a yes-no question; else the first word that states one.
fn find_direction(question: &str) -> Option<How> {
    let first = words(question).first().map(|w| fold(w.text)).unwrap_or_default();
    if ["are", "is", "do", "does", "did", "was", "were", "have", "has"].contains(&first.as_str()) {
        return Some(How::Equal);
    }
    let comparison = words(question).iter().find_map(|w| How::from_word(&fold(w.text)));
    Some(match comparison? {
        How::Less => How::Min,
        How::Greater => How::Max,
        how => how,
    })
}
