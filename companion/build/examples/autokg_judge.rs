//! Blind judgement of which rule's sets of chunks a reader agrees with.
//!
//! `autokg_judge sample N RULE=BUNDLE… > pairs.jsonl` takes N keywords at equal steps of the bundles' common
//! list, and of each rule's set of chunks three, at a sixth, a half and five sixths of its ranking. A pair of
//! keyword and chunk that several rules keep is printed once; the order follows from a hash and tells nothing
//! of the rules, which stand in the last field for the score alone. `autokg_judge score pairs.jsonl VERDICTS`
//! reads one `id verdict` a line (verdict 1 or 0) and prints what part of each rule's pairs was agreed with.

use pocketgraph::engine::Engine;
use pocketgraph_build::folder::FolderSource;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

type Failure = Box<dyn std::error::Error>;
const USAGE: &str = "usage: autokg_judge sample N RULE=BUNDLE…, or autokg_judge score PAIRS VERDICTS";

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["sample", count, bundles @ ..] if !bundles.is_empty() => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(sample(count.parse()?, bundles))
        }
        ["score", pairs, verdicts] => score(pairs, verdicts),
        _ => Err(USAGE.into()),
    }
}

async fn sample(count: usize, bundles: &[&str]) -> Result<(), Failure> {
    let mut pairs: BTreeMap<String, (Value, Vec<String>)> = BTreeMap::new();
    for bundle in bundles {
        let (rule, folder) = bundle.split_once('=').ok_or(USAGE)?;
        let engine = Engine::open(Rc::new(FolderSource::new(folder)), 1 << 30).await?;
        engine.prepare().await?;
        let graph = engine.corpus().keywords().await?;
        let documents = engine.corpus().documents().await?;
        let total = graph.labels.len();
        for i in (0..count.min(total)).map(|s| s * total / count.min(total)) {
            let ranked = graph.chunks_by_u[i].len().min(graph.associated[i] as usize);
            let mut places: Vec<usize> =
                (0..3).filter(|_| ranked > 0).map(|s| (2 * s + 1) * ranked / 6).collect();
            places.dedup();
            let ids: Vec<u32> = places.iter().filter_map(|&p| graph.chunks_by_u[i].get(p).copied()).collect();
            let (chunks, _) = engine.corpus().chunks(&ids).await?;
            for chunk in ids.iter().filter_map(|id| chunks.get(id)) {
                let title = documents.get(chunk.document as usize).map_or("", |d| d.title.as_str());
                let text: String =
                    chunk.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(500).collect();
                let heads = chunk.heading_path.join(" > ");
                let shown =
                    json!({ "keyword": graph.labels[i], "title": title, "headings": heads, "text": text });
                let id: String =
                    Sha256::digest(shown.to_string()).iter().take(5).map(|b| format!("{b:02x}")).collect();
                pairs.entry(id).or_insert_with(|| (shown, Vec::new())).1.push(rule.to_owned());
            }
        }
    }
    for (id, (mut shown, rules)) in pairs {
        shown["id"] = json!(id);
        shown["rules"] = json!(rules);
        println!("{shown}");
    }
    Ok(())
}

fn score(pairs: &str, verdicts: &str) -> Result<(), Failure> {
    let verdict_of: HashMap<String, bool> = std::fs::read_to_string(verdicts)?
        .lines()
        .filter_map(|l| l.split_once(char::is_whitespace).map(|(id, v)| (id.to_owned(), v.trim() == "1")))
        .collect();
    let mut rules: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for line in std::fs::read_to_string(pairs)?.lines() {
        let pair: Value = serde_json::from_str(line)?;
        let id = pair["id"].as_str().unwrap_or_default();
        let agreed = *verdict_of.get(id).ok_or_else(|| format!("there is no verdict on {id}"))?;
        for rule in pair["rules"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let (yes, all) = rules.entry(rule.to_owned()).or_default();
            *yes += usize::from(agreed);
            *all += 1;
        }
    }
    for (rule, (yes, all)) in rules {
        println!("{rule:<12} {yes} of {all} ({:.3})", yes as f64 / all.max(1) as f64);
    }
    Ok(())
}
