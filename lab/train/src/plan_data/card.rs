//! The data card: what a file of examples holds and how it was made, written beside it.

use super::generate::{DataOptions, DataReport};

/// A Markdown page about the examples. `command` made them, from `sources`.
pub fn write_card(command: &str, sources: &[String], options: &DataOptions, report: &DataReport) -> String {
    let (train, test) = report.patterns.values().fold((0, 0), |(a, b), x| (a + x.0, b + x.1));
    let mut out = format!(
        "# Plans for training\n\nQuestions with their plans and answers, made from a knowledge graph by \
         `pocketgraph train data`. Nobody asked them: a grammar of \
         templates said them, and the executor computed the answers.\n\n- Graph: {}\n- Command: \
         `{command}`\n- Seed: {}\n- For training: {train} examples; for \
         testing: {test}\n- Words a question: {:.1}\n- Left out: {} repeated, {} nearly a test's question, \
         {} that came to nothing\n- Kept for testing: {} of {} relations, {} \
         of {} entities. An example that names or follows one is in the test file and never in the training \
         file.\n- Noise: {:.0} % lower case, {:.0} % with a wrong \
         letter, synonyms for {:.0} % of what has some\n\n| pattern | for training | for testing \
         |\n|---|---|---|\n",
        sources.join(", "),
        options.seed,
        report.words as f64 / (train + test).max(1) as f64,
        report.repeated,
        report.near,
        report.given_up,
        report.relations.1,
        report.relations.0,
        report.entities.1,
        report.entities.0,
        options.noise.lower * 100.0,
        options.noise.typos * 100.0,
        options.noise.synonyms * 100.0,
    );
    if report.rephrased.0 > 0 {
        let (asked, phrased) = report.rephrased;
        let line = format!(
            "- Said anew by a language model: {phrased} of {asked}, for training, beside the \
             questions that they were made of\n- Noise:"
        );
        out = out.replacen("- Noise:", &line, 1);
    }
    for (pattern, (train, test)) in &report.patterns {
        out.push_str(&format!("| {pattern} | {train} | {test} |\n"));
    }
    out.push_str(
        "\nA line of the files is a JSON object: `question`; `plan` in the form of `docs/plan.schema.json`, \
         with exact entities and relations; `spans`, which \
         characters of the question name which entity, relation (`inverse` where the plan follows it from \
         tail to head) or type; `labels` of relations and types that the graph calls otherwise; `answers` as \
         label and \
         identifier, the first 50 of `count`; `pattern`; and `id`, from which with the seed the example \
         follows.\n\nKnown weaknesses: the wording is a \
         template's, however varied; labels of relations are used as the graph has them, so that questions \
         over graphs with technical labels read \
         technically; a question may have other readings than its plan.\n",
    );
    out
}
