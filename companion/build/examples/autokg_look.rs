//! A close look at the keyword graph of a bundle: a sample of keywords with some of their chunks, to judge by
//! eye, and what the `autokg` retriever finds with them.
//!
//! Usage: `autokg_look BUNDLE [KEYWORDS [QUESTIONS]]`. KEYWORDS are taken at equal steps from the list; of
//! each set three chunks are shown, at equal steps of its ranking. QUESTIONS is JSON Lines of `question` or
//! `query` with `gold` (a list of document paths, or of lists of them) or `gold_page`; printed are the mean
//! recall among the first 5, the first 10, and all chunks that the retriever brings.

use pocketgraph::engine::Engine;
use pocketgraph::retrieve;
use pocketgraph_build::folder::FolderSource;
use std::rc::Rc;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(bundle) = arguments.first() else {
        return Err("usage: autokg_look BUNDLE [KEYWORDS [QUESTIONS]]".into());
    };
    let wanted = arguments.get(1).map_or(Ok(20), |n| n.parse::<usize>())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(look(bundle, wanted, arguments.get(2).map(String::as_str)))
}

async fn look(bundle: &str, wanted: usize, questions: Option<&str>) -> Result<(), Failure> {
    let engine = Engine::open(Rc::new(FolderSource::new(bundle)), 1 << 30).await?;
    engine.prepare().await?;
    let graph = engine.corpus().keywords().await?;
    let documents = engine.corpus().documents().await?;
    let total = graph.labels.len();
    for i in (0..wanted.min(total)).map(|s| s * total / wanted.min(total)) {
        let ranked = graph.chunks_by_u[i].len().min(graph.associated[i] as usize);
        let places: Vec<usize> =
            (0..3).map(|s| if ranked == 0 { 0 } else { (2 * s + 1) * ranked / 6 }).collect();
        let ids: Vec<u32> = places.iter().filter_map(|&p| graph.chunks_by_u[i].get(p).copied()).collect();
        println!("{} ({} chunks)", graph.labels[i], graph.associated[i]);
        let (chunks, _) = engine.corpus().chunks(&ids).await?;
        for (place, id) in places.iter().zip(&ids) {
            let Some(chunk) = chunks.get(id) else { continue };
            let title = documents.get(chunk.document as usize).map_or("", |d| d.title.as_str());
            let text: String =
                chunk.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(160).collect();
            println!("  {place:>3} [{title} > {}] {text}", chunk.heading_path.join(" > "));
        }
    }
    let Some(file) = questions else { return Ok(()) };
    let autokg = retrieve::by_name("autokg").ok_or("there is no autokg retriever")?;
    let (mut sums, mut asked, mut brought) = ([0.0f64; 3], 0usize, 0usize);
    for line in std::fs::read_to_string(file)?.lines().filter(|l| !l.trim().is_empty()) {
        let question: serde_json::Value = serde_json::from_str(line)?;
        let Some(text) = ["question", "query"].iter().find_map(|f| question[*f].as_str()) else { continue };
        let gold: Vec<String> = match (&question["gold"], &question["gold_page"]) {
            (serde_json::Value::Array(list), _) => {
                list.iter().map(|g| g.as_str().map_or_else(|| g.to_string(), str::to_owned)).collect()
            }
            (_, serde_json::Value::String(page)) => vec![page.clone()],
            _ => continue,
        };
        let query = engine.query(text, false).await?;
        let ranked = autokg.retrieve(engine.corpus(), &query, None).await?;
        let ids: Vec<u32> = ranked.chunks.iter().map(|c| c.chunk).collect();
        let (chunks, _) = engine.corpus().chunks(&ids).await?;
        let found: Vec<&str> = ids
            .iter()
            .filter_map(|id| chunks.get(id))
            .filter_map(|c| documents.get(c.document as usize))
            .map(|d| d.path.as_str())
            .collect();
        asked += 1;
        brought += ids.len();
        for (sum, k) in sums.iter_mut().zip([5, 10, usize::MAX]) {
            let first = &found[..found.len().min(k)];
            *sum +=
                gold.iter().filter(|g| first.contains(&g.as_str())).count() as f64 / gold.len().max(1) as f64;
        }
    }
    let mean = |s: f64| s / asked.max(1) as f64;
    println!(
        "{asked} questions: recall@5 {:.3}, recall@10 {:.3}, of all {:.3} ({:.1} chunks a question)",
        mean(sums[0]),
        mean(sums[1]),
        mean(sums[2]),
        brought as f64 / asked.max(1) as f64
    );
    Ok(())
}
