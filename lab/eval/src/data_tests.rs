//! Every shape that the public sets come in is read, and what is malformed is told with its line.
#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use std::io::Write;
use std::path::PathBuf;

fn file(dir: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn read(corpus: &str, questions: &str, qrels: Option<&str>) -> Result<(Passages, Questions), DataError> {
    let dir = tempfile::tempdir().unwrap();
    let passages = read_passages(&file(&dir, "corpus.jsonl", corpus))?;
    let qrels = qrels.map(|q| file(&dir, "qrels.tsv", q));
    let questions = read_questions(&file(&dir, "questions.jsonl", questions), qrels.as_deref(), &passages)?;
    Ok((passages, questions))
}

fn gold(questions: &Questions) -> Vec<Vec<(u32, u32)>> {
    questions.all.iter().map(|q| q.gold.iter().map(|g| (g.page, g.grade)).collect()).collect()
}

#[test]
fn the_gold_of_questions_is_read_in_every_shape() {
    let corpus = "{\"idx\":0,\"title\":\"A\",\"text\":\"a\"}\n\n{\"idx\":1,\"sentences\":[\"b\",\"c\"]}\n";
    let questions = "{\"question\":\"x\",\"gold\":[1,0,1]}\n{\"claim\":\"y\",\"cited_doc_ids\":[\"0\"]}\n{\"query\":\
        \"z\",\"gold_page\":\"1\"}\n{\"query\":\"w\",\"gold_page\":\"7\"}";
    let (passages, questions) = read(corpus, questions, None).unwrap();
    assert_eq!(
        (passages.pages.len(), passages.all[1].text.as_str(), passages.pages[1].name()),
        (2, "b c", "1")
    );
    assert_eq!(
        (gold(&questions), questions.left_out),
        (vec![vec![(0, 1), (1, 1)], vec![(0, 1)], vec![(1, 1)]], 1)
    );
}

#[test]
fn questions_with_answers_bring_the_pages_that_the_corpus_has_and_their_kind() {
    let dir = tempfile::tempdir().unwrap();
    let passages = read_passages(&file(
        &dir,
        "corpus.jsonl",
        "{\"idx\":0,\"text\":\"a\"}\n{\"idx\":1,\"text\":\"b\"}\n",
    ))
    .unwrap();
    let lines = "{\"question\":\"x\",\"answers\":[\"a\"],\"gold\":[1,7],\"type\":\"2hop\"}\n{\"question\":\"y\",\
        \"answers\":[\"b\"],\"pattern\":\"2i\"}\n";
    let path = file(&dir, "questions.jsonl", lines);
    let questions = read_answered(&path, AnswersAre::Aliases, Some(&passages)).unwrap();
    assert_eq!(gold(&questions), [vec![(1, 1)], vec![]]);
    assert_eq!(questions.all.iter().map(|q| q.kind.as_str()).collect::<Vec<_>>(), ["2hop", "2i"]);
    assert_eq!(gold(&read_answered(&path, AnswersAre::Aliases, None).unwrap()), [vec![], vec![]]);
}

#[test]
fn judgements_in_a_file_of_their_own_name_queries_by_id() {
    let corpus = "{\"_id\":\"184\",\"text\":\"a\"}\n{\"_id\":\"29\",\"text\":\"b\"}";
    let queries = "{\"id\":\"1\",\"text\":\"laws\"}\n{\"_id\":\"2\",\"text\":\"nobody judged it\"}";
    let (_, questions) =
        read(corpus, queries, Some("query-id\tcorpus-id\tscore\n1\t184\t1\n1\t29\t3\n1\t29\t1\n1\t77\t0\n"))
            .unwrap();
    assert_eq!((gold(&questions), questions.left_out), (vec![vec![(0, 1), (1, 3)]], 1));
    // TREC's four columns say the same.
    let (_, trec) = read(corpus, queries, Some("1 0 184 1\n1 0 29 3\n")).unwrap();
    assert_eq!(gold(&trec), gold(&questions));
    assert!(
        read(corpus, queries, Some("1\t184\t1\n1\t29\tmuch\n"))
            .unwrap_err()
            .to_string()
            .ends_with("line 2: the grade \"much\" is no number")
    );
    assert!(read(corpus, queries, None).unwrap_err().to_string().contains("--qrels"));
}

#[test]
fn passages_of_one_page_are_judged_together_and_gzip_is_read() {
    let lines = "{\"page\":\"a.md\",\"title\":\"A\",\"heading\":\"H\",\"text\":\"x\"}\n{\"page\":\"a.md\",\"title\
        \":\"A\",\"text\":\"y\"}\n{\"page\":\"b.md\",\"text\":\"z\"}\n";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("passages.jsonl.gz");
    let mut gz =
        flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::fast());
    gz.write_all(lines.as_bytes()).unwrap();
    gz.finish().unwrap();
    let passages = read_passages(&path).unwrap();
    assert_eq!(passages.pages.iter().map(|p| p.id.as_str()).collect::<Vec<_>>(), ["a.md", "b.md"]);
    assert_eq!(
        passages.all.iter().map(|p| (p.page, p.heading.as_str())).collect::<Vec<_>>(),
        [(0, "H"), (0, ""), (1, "")]
    );
}

#[test]
fn answers_are_aliases_or_a_set_or_both() {
    let of = |json: &str, how| answers_of(&serde_json::from_str(json).unwrap(), how);
    let one = |all: &[&str]| vec![all.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>()];
    assert_eq!(of(r#"{"answers":["USA","America"]}"#, AnswersAre::Aliases), one(&["USA", "America"]));
    assert_eq!(
        of(r#"{"answers":["USA","Peru"]}"#, AnswersAre::Set),
        [vec!["USA".to_owned()], vec!["Peru".to_owned()]]
    );
    assert_eq!(of(r#"{"answers":[["USA","America"],["Peru"]]}"#, AnswersAre::Aliases).len(), 2);
    assert_eq!(
        of(r#"{"answer":1886,"answer_aliases":["the year 1886"]}"#, AnswersAre::Aliases),
        one(&["1886", "the year 1886"])
    );
    assert_eq!(of(r#"{"answer":true}"#, AnswersAre::Set), one(&["yes"]));
    assert!(of(r#"{"answers":[]}"#, AnswersAre::Set).is_empty() && of("{}", AnswersAre::Set).is_empty());
}

#[test]
fn what_is_malformed_is_reported_with_its_line() {
    let good = "{\"id\":\"a\",\"text\":\"x\"}\n";
    let message = |corpus: &str, questions: &str| read(corpus, questions, None).unwrap_err().to_string();
    assert!(message("{\"id\":\"a\"}", "").contains("line 1: it has neither text nor sentences"));
    assert!(message(&good.repeat(2), "").contains("line 2: a passage before it is called \"a\" too"));
    assert!(message(good, "\n{\"gold\":[\"a\"]}").contains("line 2: it has no question"));
    assert!(message(good, "no").contains("line 1: not JSON"));
}

proptest! {
    #[test]
    fn no_file_makes_the_readers_panic(text in "(\\{|\\}|\\[|\\]|\"text\"|\"id\"|\"gold\"|\"question\"|\"ans\
        wers\"|:|,|1|\"a\"|null|\n|\t| ){0,40}") {
        let _ = read(&text, &text, None);
        let _ = read("{\"id\":\"1\",\"text\":\"x\"}", "{\"text\":\"q\"}", Some(&text));
        if let Ok(v) = serde_json::from_str(&text) {
            let _ = answers_of(&v, AnswersAre::Set);
        }
    }
}
