//! Collects short training texts from files: sentences, titles, labels and questions, with variations.
//!
//! Questions are short, documents are long. So sentences are taken singly, a long one as a window of its
//! words, some as a few of their content words, and titles become questions. Same files and seed, same texts.

use crate::lexicon::title_questions;
use flate2::read::MultiGzDecoder;
use miette::{Context, IntoDiagnostic, Result, miette};
use pocketgraph::text::{fold, is_stop_word, one_line, sentences};
use pocketgraph_cluster::Random;
use serde_json::Value;
use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Members of a JSON object that hold language; the rest are numbers, addresses and answers in codes.
#[rustfmt::skip]
const FIELDS: [&str; 13] = [
    "title", "text", "heading", "sentences", "question", "question_text", "query", "claim", "label", "name",
    "aliases", "description", "abstract",
];
/// Words of the shortest and the longest window of a sentence.
const WINDOW: (usize, usize) = (5, 22);
/// One of this many sentences is reduced to a few of its content words.
const KEYWORDS_EVERY: usize = 8;
/// Maximum number of words of a title or label; one of `TEMPLATE_EVERY` becomes a question.
const TITLE_WORDS: usize = 5;
const TEMPLATE_EVERY: usize = 4;

/// A sentence of fewer words gives no further windows.
const WINDOWED: usize = 9;

/// Number of texts to draw.
#[derive(Debug, Clone, Copy)]
pub struct Draw {
    /// Most texts to learn from.
    pub most: usize,
    /// Texts to measure with, out of whose sentences none is learnt from.
    pub held_out: usize,
    /// Number of passes over the sentences if one text of each is too few: each further pass gives other
    /// windows, content words and questions.
    pub rounds: usize,
    /// Fixes which texts are drawn.
    pub seed: u64,
}

/// Texts and where they came from.
#[derive(Debug, Default)]
pub struct Texts {
    /// The texts, all different.
    pub texts: Vec<String>,
    /// Those to measure with, different from these.
    pub held_out: Vec<String>,
    /// Number of texts that each file gave, in the order of reading.
    pub files: Vec<(PathBuf, usize)>,
}

/// Collects texts from files and folders (JSON Lines, TSV, Markdown, plain text, each also gzipped). No file
/// gives many more than another while others have more. Texts of `without`, in any case, are left out.
///
/// # Errors
/// When a file cannot be read, or nothing is left.
pub fn collect_texts(paths: &[PathBuf], without: &[PathBuf], draw: Draw) -> Result<Texts> {
    let mut seen: HashSet<String> = HashSet::new();
    for file in list_files(without)? {
        seen.extend(read_pieces(&file)?.iter().map(|p| key_of(p)));
    }
    let mut sources = Vec::new();
    for file in list_files(paths)? {
        let mut own = Vec::new();
        for piece in read_pieces(&file)? {
            if piece.chars().filter(|c| c.is_alphabetic()).count() >= 2 && seen.insert(key_of(&piece)) {
                own.push(piece);
            }
        }
        sources.push((file, own));
    }
    let sizes =
        |sources: &[(PathBuf, Vec<String>)]| sources.iter().map(|(_, own)| own.len()).collect::<Vec<_>>();
    let total = draw.most + draw.held_out;
    let mut out = Texts::default();
    let firsts = share_out(&sizes(&sources), total);
    for (number, ((file, own), share)) in sources.iter_mut().zip(firsts).enumerate() {
        let mut random = Random::new(draw.seed, number as u64);
        let chosen = random.sample(own.len(), share);
        let (before, measured) = (out.texts.len(), (share * draw.held_out).div_ceil(total.max(1)));
        for (place, &i) in chosen.iter().enumerate() {
            let text = vary_text(&own[i], &mut random);
            // A window or a question may be a text that is there already, or one that was to be left out.
            if text == own[i] || seen.insert(key_of(&text)) {
                if place < measured { out.held_out.push(text) } else { out.texts.push(text) }
            }
        }
        chosen.iter().take(measured).for_each(|&i| own[i].clear());
        out.files.push((file.clone(), out.texts.len() - before));
    }
    for round in 1..draw.rounds {
        let left = draw.most.saturating_sub(out.texts.len());
        if left == 0 {
            break;
        }
        sources.iter_mut().for_each(|(_, own)| own.retain(|text| says_more(text)));
        // Every sentence gives as much as another: a few hundred kinds of questions are soon said in all
        // their windows.
        let all: usize = sources.iter().map(|(_, own)| own.len()).sum();
        for (number, ((_, own), (_, count))) in sources.iter().zip(&mut out.files).enumerate() {
            let share = own.len().min(left * own.len() / all.max(1));
            let mut random = Random::new(draw.seed, ((round as u64) << 32) + number as u64);
            for i in random.sample(own.len(), share) {
                let text = varied_again(&own[i], &mut random);
                if seen.insert(key_of(&text)) {
                    out.texts.push(text);
                    *count += 1;
                }
            }
        }
    }
    if out.texts.is_empty() {
        return Err(miette!(
            help = "name JSON Lines, TSV, Markdown or text files, or folders of them",
            "there is no text to learn from"
        ));
    }
    Ok(out)
}

/// Returns true if a sentence or title has windows or questions besides itself.
fn says_more(text: &str) -> bool {
    let words = text.split_whitespace().count();
    words >= WINDOWED || (words > 0 && words <= TITLE_WORDS && !text.ends_with(['?', '.', '!']))
}

/// Returns another text for one with [`says_more`]: a question, a window, or a few content words.
fn varied_again(text: &str, random: &mut Random) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= TITLE_WORDS {
        return asked_about(text, random);
    }
    let keywords = if random.below(KEYWORDS_EVERY) == 0 { content_words(&words, random) } else { None };
    keywords.unwrap_or_else(|| draw_window(&words, random))
}

/// A run of a sentence's words, not all of them.
fn draw_window(words: &[&str], random: &mut Random) -> String {
    let longest = WINDOW.1.min(words.len().saturating_sub(1)).max(WINDOW.0);
    let length = WINDOW.0 + random.below(longest - WINDOW.0 + 1);
    let start = random.below(words.len().saturating_sub(length) + 1);
    words.iter().skip(start).take(length).copied().collect::<Vec<_>>().join(" ")
}

/// A few of a sentence's content words, where it has two.
fn content_words(words: &[&str], random: &mut Random) -> Option<String> {
    let trimmed = words.iter().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()));
    let content: Vec<&str> = trimmed.filter(|w| w.chars().count() > 2 && !is_stop_word(&fold(w))).collect();
    if content.len() < 2 {
        return None;
    }
    let count = 2 + random.below(4);
    Some(random.sample(content.len(), count).into_iter().map(|i| content[i]).collect::<Vec<_>>().join(" "))
}

/// Returns the key that two texts must not share.
fn key_of(text: &str) -> String {
    one_line(&fold(text))
}

/// Returns the number of texts from each source: equal shares, with the large ones making up for small ones.
fn share_out(sizes: &[usize], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&i| sizes[i]);
    let (mut out, mut left) = (vec![0; sizes.len()], most);
    for (done, &i) in order.iter().enumerate() {
        out[i] = sizes[i].min(left / (order.len() - done));
        left -= out[i];
    }
    out
}

/// The files of `paths`, folders searched through, in the order of their names.
fn list_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for path in paths {
        if path.is_dir() {
            let entries = std::fs::read_dir(path)
                .into_diagnostic()
                .wrap_err_with(|| format!("reading {}", path.display()))?;
            let mut inside: Vec<PathBuf> =
                entries.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>().into_diagnostic()?;
            inside.sort();
            inside.retain(|p| p.is_dir() || format_of(p).is_some());
            out.extend(list_files(&inside)?);
        } else {
            out.push(path.clone());
        }
    }
    Ok(out)
}

#[derive(Clone, Copy)]
enum Format {
    Json,
    Tsv,
    Plain,
}

fn format_of(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_str()?.to_lowercase();
    match name.strip_suffix(".gz").unwrap_or(&name).rsplit_once('.')?.1 {
        "jsonl" | "ndjson" => Some(Format::Json),
        "tsv" => Some(Format::Tsv),
        "md" | "markdown" | "txt" => Some(Format::Plain),
        _ => None,
    }
}

/// Every sentence of a file, marks taken off.
fn read_pieces(path: &Path) -> Result<Vec<String>> {
    let problem = || format!("reading {}", path.display());
    let mut bytes = std::fs::read(path).into_diagnostic().wrap_err_with(problem)?;
    if path.extension().is_some_and(|e| e == "gz") {
        let mut raw = Vec::new();
        MultiGzDecoder::new(bytes.as_slice())
            .read_to_end(&mut raw)
            .into_diagnostic()
            .wrap_err_with(problem)?;
        bytes = raw;
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut out = Vec::new();
    match format_of(path) {
        Some(Format::Json) => {
            for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
                let value: Value = serde_json::from_str(line)
                    .into_diagnostic()
                    .wrap_err_with(|| format!("{}:{}", path.display(), i + 1))?;
                language_of(&value, false, &mut out);
            }
        }
        // Cells have names, codes and descriptions; several names of one thing are in one cell, between bars.
        Some(Format::Tsv) => {
            let cells = text.lines().flat_map(|l| l.split(['\t', '|']));
            cells
                .filter(|c| !c.contains('/') && c.bytes().any(|b| b.is_ascii_lowercase()))
                .for_each(|c| push_sentences(c, &mut out));
        }
        _ => text.split("\n\n").for_each(|block| push_sentences(block, &mut out)),
    }
    Ok(out)
}

/// The strings below `value` that are language: those of the members named in [`FIELDS`].
fn language_of(value: &Value, named: bool, out: &mut Vec<String>) {
    match value {
        Value::String(s) if named => push_sentences(s, out),
        Value::Array(all) => all.iter().for_each(|v| language_of(v, named, out)),
        Value::Object(members) => {
            members.iter().for_each(|(name, v)| language_of(v, FIELDS.contains(&name.as_str()), out))
        }
        _ => {}
    }
}

fn push_sentences(text: &str, out: &mut Vec<String>) {
    let plain = without_marks(text);
    for range in sentences(&plain) {
        let words: Vec<&str> = plain[range].split_whitespace().collect();
        if !words.is_empty() {
            out.push(words.join(" "));
        }
    }
}

/// The text without Markdown's marks, the addresses of links, and fenced code.
fn without_marks(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    let mut fenced = false;
    for line in text.lines() {
        let fence = line.trim_start().starts_with("```");
        if !fence && !fenced {
            prose.push_str(line);
            prose.push('\n');
        }
        fenced ^= fence;
    }
    let mut out = String::with_capacity(prose.len());
    let mut rest = prose.as_str();
    while let Some((before, after)) = rest.split_once("](") {
        out.push_str(before);
        rest = after.split_once(')').unwrap_or_default().1;
    }
    out.push_str(rest);
    out.chars()
        .map(|c| if matches!(c, '*' | '`' | '#' | '>' | '|' | '[' | ']' | '\\' | '_') { ' ' } else { c })
        .collect()
}

/// The text as someone might type it: a window of it, a few of its content words, a question about it, or
/// itself. A question about a title.
fn asked_about(title: &str, random: &mut Random) -> String {
    let all = title_questions();
    all[random.below(all.len())].replace("{}", title)
}

fn vary_text(text: &str, random: &mut Random) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= TITLE_WORDS {
        let asked = random.below(TEMPLATE_EVERY) == 0 && !text.ends_with(['?', '.', '!']);
        return if asked { asked_about(text, random) } else { text.to_owned() };
    }
    if random.below(KEYWORDS_EVERY) == 0
        && let Some(few) = content_words(&words, random)
    {
        return few;
    }
    if words.len() > WINDOW.1 { draw_window(&words, random) } else { text.to_owned() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn sentences_of_every_format_are_found_and_codes_are_not() {
        let f = folder(&[
            (
                "a.jsonl",
                "{\"id\": \"not this\", \"title\": \"A title here\", \"rows\": [{\"text\": \"One \
                 thing. And another thing.\"}]}\n",
            ),
            ("b.tsv", "Q15\tAfrica\tcontinent of the Earth\t/m/05\n"),
            (
                "c.md",
                "# A heading\n\nSee [the book](https://x.example/y) for *more*.\n\n```\nlet code = 1;\n```\n",
            ),
            ("d.bin", "ignored text"),
        ]);
        let mut found: Vec<String> =
            list_files(&[folder_path(&f)]).unwrap().iter().flat_map(|p| read_pieces(p).unwrap()).collect();
        found.sort();
        assert_eq!(
            found,
            [
                "A heading",
                "A title here",
                "Africa",
                "And another thing.",
                "One thing.",
                "See the book for more .",
                "continent of the Earth"
            ]
        );
    }

    fn folder_path(f: &tempfile::TempDir) -> PathBuf {
        f.path().to_owned()
    }

    #[test]
    fn what_is_to_be_left_out_is_left_out_and_nothing_comes_twice() {
        let f = folder(&[("a.txt", "the same text\n\nTHE  same text\n\nsecret question\n\nanother text")]);
        let g = folder(&[("q.jsonl", "{\"question\": \"Secret question\"}\n")]);
        for seed in 0..20 {
            let texts = collect_texts(&[folder_path(&f)], &[folder_path(&g)], draw(10, seed)).unwrap().texts;
            assert!(texts.len() == 2 && !texts.iter().any(|t| t.contains("secret")), "{texts:?}");
            assert_eq!(
                texts,
                collect_texts(&[folder_path(&f)], &[folder_path(&g)], draw(10, seed)).unwrap().texts
            );
        }
        assert!(collect_texts(&[folder_path(&g)], &[folder_path(&g)], draw(10, 0)).is_err());
    }

    fn draw(most: usize, seed: u64) -> Draw {
        Draw { most, held_out: 0, rounds: 1, seed }
    }

    #[test]
    fn going_round_again_gives_new_windows_of_sentences_but_none_of_those_held_out() {
        let sentence =
            |i: usize| (0..14).map(|w| format!("{}{i}x", (b'a' + w) as char)).collect::<Vec<_>>().join(" ");
        let text: Vec<String> = (0..40).map(sentence).collect();
        let f = folder(&[("a.txt", &text.join("\n\n"))]);
        let drawn =
            collect_texts(&[folder_path(&f)], &[], Draw { most: 300, held_out: 10, rounds: 20, seed: 3 })
                .unwrap();
        let once = collect_texts(&[folder_path(&f)], &[], draw(300, 3)).unwrap();
        assert!(
            once.texts.len() <= 40 && drawn.texts.len() == 300,
            "{} {}",
            once.texts.len(),
            drawn.texts.len()
        );
        assert!(drawn.texts.iter().collect::<HashSet<_>>().len() == 300 && drawn.files[0].1 == 300);
        // The words say which sentence a text is out of.
        let number = |t: &String| t.split_whitespace().next().unwrap()[1..].to_owned();
        let measured: HashSet<String> = drawn.held_out.iter().map(number).collect();
        assert!(!measured.is_empty() && drawn.texts.iter().all(|t| !measured.contains(&number(t))));
    }

    #[test]
    fn sources_share_alike_as_far_as_they_go() {
        assert_eq!(share_out(&[100, 3, 50], 60), [29, 3, 28]);
        assert_eq!(share_out(&[5, 3], 60), [5, 3]);
        assert_eq!(share_out(&[], 60), [0usize; 0]);
    }

    #[test]
    fn a_long_sentence_gives_a_window_or_its_content_words() {
        let long = (0..60).map(|i| format!("word{i}")).collect::<Vec<_>>().join(" ");
        let mut random = Random::new(1, 1);
        let lengths: Vec<usize> =
            (0..200).map(|_| vary_text(&long, &mut random).split(' ').count()).collect();
        assert!(
            lengths.iter().all(|n| (2..=22).contains(n))
                && lengths.contains(&2)
                && lengths.iter().any(|&n| n > 15)
        );
    }
}
