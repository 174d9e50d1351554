//! Reports of a run: its curves as a page, and a card beside the weights.

use super::checkpoint::Evaluation;
use super::judge::Judged;
use super::loss::Measured;
use pocketgraph_measure::html::HtmlPage;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Content of a run's card.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// The command that made it.
    pub command: String,
    /// The data's files, and how many examples each gave.
    pub data: Vec<(String, usize)>,
    /// Device that computed.
    pub device: String,
    /// Parameters that were trained.
    pub parameters: usize,
    /// Bits of a weight of the model's layers.
    pub bits: usize,
    /// Bytes of the model's file.
    pub bytes: usize,
    /// Examples trained on, with repetitions.
    pub seen: u64,
    /// Seconds of training.
    pub seconds: f64,
    /// Held-out examples, by which the checkpoint is chosen.
    pub held_out: usize,
    /// Evaluations of the supervised run.
    pub points: Vec<Evaluation>,
    /// The finished model, rounded, on sets of examples: over all, by pattern, and on the graph.
    pub sets: Vec<SetMeasured>,
}

/// The finished model on one set of examples.
#[derive(Debug, Clone, Default)]
pub struct SetMeasured {
    /// The set's name.
    pub name: String,
    /// Over all.
    pub all: Measured,
    /// By pattern.
    pub by_pattern: BTreeMap<String, Measured>,
    /// On the graph, where there was one.
    pub judged: Option<Judged>,
}

impl SetMeasured {
    fn rows(&self) -> Vec<Vec<String>> {
        let row = |name: &str, m: &Measured| {
            let shares = [m.shape_accuracy(), m.aggregation_accuracy(), m.tag_f1(), m.exact_match()]
                .map(|v| format!("{v:.4}"));
            std::iter::once(name.to_owned())
                .chain([m.questions.to_string()])
                .chain(shares)
                .collect::<Vec<_>>()
        };
        std::iter::once(row("all", &self.all))
            .chain(self.by_pattern.iter().map(|(name, m)| row(name, m)))
            .collect()
    }
}

const HEADS: [&str; 6] = ["pattern", "examples", "shape", "aggregation", "tag F1", "all right"];

/// The curves of a run as one HTML file.
pub fn write_curves(about: &About) -> String {
    let mut page = HtmlPage::new("A planner, trained");
    page.paragraph(&about.command);
    page.paragraph(&write_summary(about));
    let curve = |of: &dyn Fn(&Evaluation) -> f64| {
        about.points.iter().map(|p| (p.seen as f64, of(p))).collect::<Vec<_>>()
    };
    let loss = [("examples learnt", curve(&|p| p.loss)), ("examples held out", curve(&|p| p.held_out_loss))];
    page.lines("Loss", "examples", &loss);
    let shares = [
        ("shape", curve(&|p| p.shape)),
        ("tag F1", curve(&|p| p.tag_f1)),
        ("all right", curve(&|p| p.exact)),
    ];
    page.lines("Examples held out", "examples", &shares);
    if about.points.iter().any(|p| p.executed.is_some()) {
        page.lines(
            "Answered exactly on the graph",
            "examples",
            &[("held out", curve(&|p| p.executed.unwrap_or(f64::NAN)))],
        );
    }
    for set in &about.sets {
        page.heading(&set.name);
        if let Some(j) = &set.judged {
            page.paragraph(&write_judged(j));
        }
        page.table("Rounded, as a page runs it", &HEADS, &set.rows());
    }
    page.finish()
}

fn write_summary(about: &About) -> String {
    format!(
        "{} parameters trained on {} examples in {:.1} minutes with {}, {:.0} examples a second; {} bytes.",
        about.parameters,
        about.seen,
        about.seconds / 60.0,
        about.device,
        about.seen as f64 / about.seconds.max(1e-9),
        about.bytes
    )
}

fn write_judged(j: &Judged) -> String {
    format!(
        "On the graph: {} questions, {} read, {:.4} answered exactly, F1 {:.4}.",
        j.questions,
        j.read,
        j.accuracy(),
        j.mean_f1()
    )
}

/// The card beside the weights.
pub fn write_card(about: &About) -> String {
    let mut out = String::from("# The planner's weights\n\n");
    // Writing into a string does not fail.
    let _ = writeln!(out, "{}\n", write_summary(about));
    let _ = writeln!(out, "Made with `{}`.\n", about.command);
    let _ = writeln!(
        out,
        "The first layers of all-MiniLM-L6-v2 (Apache-2.0), tuned, and linear heads; layers in {} \
         bits, heads in floats. Word vectors and",
        about.bits
    );
    out.push_str("positions are that model's, unchanged.\n\n## Data\n\n");
    for (file, n) in &about.data {
        let _ = writeln!(out, "- {file}: {n} examples");
    }
    let _ = writeln!(out, "- of these {} held out to choose the weights by", about.held_out);
    for set in &about.sets {
        let _ = writeln!(out, "\n## {}\n", set.name);
        if let Some(j) = &set.judged {
            let _ = writeln!(out, "{}\n", write_judged(j));
        }
        let _ = writeln!(out, "| {} |\n|{}", HEADS.join(" | "), "---|".repeat(HEADS.len()));
        for row in set.rows() {
            let _ = writeln!(out, "| {} |", row.join(" | "));
        }
    }
    out
}
