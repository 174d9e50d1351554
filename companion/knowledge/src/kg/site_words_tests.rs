#![allow(clippy::unwrap_used)]

use super::*;
use crate::kg::{ImportOptions, KgFiles, import};
use pocketgraph_kg::KnowledgeGraph;
use std::fs;

const TRIPLES: &str = "head\thead-type\trelation\ttail\ttail-type\n\
    Aurora\tvessel\tskipper\tAda Lund\tcrew\n\
    Aurora\tvessel\tplate_width\t12\tnumber\n\
    Borealis\tvessel\tplate_width\t30\tnumber\n\
    Heat\tfilm\tdirector\tMichael Mann\tperson\n";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

fn graph(files: &[(&str, &str)]) -> KnowledgeGraph {
    let (words, data) = (folder(files), folder(&[("t.tsv", TRIPLES)]));
    let options = ImportOptions { words: SiteWords::read(words.path()).unwrap(), ..ImportOptions::default() };
    import(&KgFiles { triples: vec![data.path().join("t.tsv")], ..KgFiles::default() }, &options).unwrap().0
}

fn aliases(graph: &KnowledgeGraph, relation: &str) -> Vec<String> {
    graph.vocabulary().relations().iter().find(|r| r.name == relation).unwrap().aliases.clone()
}

fn type_aliases(graph: &KnowledgeGraph, name: &str) -> Vec<String> {
    graph.vocabulary().types().iter().find(|t| t.name == name).unwrap().aliases.clone()
}

#[test]
fn a_site_adds_names_of_relations_and_types_and_takes_ours_away() {
    let plain = graph(&[]);
    assert!(
        aliases(&plain, "director").contains(&"filmmaker".to_owned())
            || aliases(&plain, "director").contains(&"helmed by".to_owned())
    );
    assert!(type_aliases(&plain, "film").contains(&"flick".to_owned()));
    let own = graph(&[
        ("everyday_relations.tsv", "# ours\nskipper\tcaptained by; to captain\n-director\thelmed by\n"),
        ("everyday_types.tsv", "vessel\tship; boat\n-film\tflick\n"),
    ]);
    assert_eq!(aliases(&own, "skipper"), ["captained by", "captain"]);
    assert!(!aliases(&own, "director").contains(&"helmed by".to_owned()));
    assert_eq!(type_aliases(&own, "vessel"), ["ship", "boat"]);
    assert!(
        !type_aliases(&own, "film").contains(&"flick".to_owned())
            && type_aliases(&own, "film").contains(&"movie".to_owned())
    );
}

#[test]
fn words_that_ask_become_names_of_the_relations_that_are_known_so() {
    let own = graph(&[
        ("relation_cues.tsv", "command\tskipper\nthick\tgauge; width\n"),
        ("answer_kinds.tsv", "crew\tperson\n"),
    ]);
    assert_eq!(aliases(&own, "plate_width").last().map(String::as_str), Some("thick"));
    assert!(aliases(&own, "skipper").contains(&"command".to_owned()));
    assert_eq!(type_aliases(&own, "crew"), ["person"]);
}

#[test]
fn what_a_site_cannot_bring_is_reported_with_its_file_and_line() {
    let wrong =
        |name: &str, text: &str| SiteWords::read(folder(&[(name, text)]).path()).unwrap_err().to_string();
    assert!(
        wrong("stop_words.tsv", "please\n")
            .contains("stop_words.tsv is no table that a site may bring: these are answer_kinds.tsv")
    );
    for (name, text, line, reason) in [
        ("everyday_types.tsv", "vessel\tship\n\n\tboat\n", 3, "no word"),
        ("everyday_relations.tsv", "skipper\n", 1, "no name"),
        ("everyday_relations.tsv", "skipper\tled by\tcrew\n", 1, "two fields"),
        ("relation_cues.tsv", "# all\n-thick\twidth\n", 2, "only everyday"),
        ("relation_cues.tsv", "command\t ; \n", 1, "nothing stands"),
        ("answer_kinds.tsv", "crew\tanimal\n", 1, "person, time or place"),
    ] {
        let error = wrong(name, text);
        assert!(error.contains(&format!("{name}, line {line}: ")) && error.contains(reason), "{error}");
    }
    assert!(matches!(SiteWords::read(Path::new("no such folder")), Err(SiteWordsError::Read { .. })));
}
