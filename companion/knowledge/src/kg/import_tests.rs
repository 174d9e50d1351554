#![allow(clippy::unwrap_used)]

use super::*;
use pocketgraph_kg::{Class, Direction, LiteralKind, NodeId, Provenance, TripleId};
use std::io::Write;

/// A folder of files, gone when dropped.
fn files(all: &[(&str, &str)]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let dir = tempfile::tempdir().unwrap();
    let paths = all
        .iter()
        .map(|(name, text)| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        })
        .collect();
    (dir, paths)
}

fn of(name: &str, text: &str) -> (KnowledgeGraph, ImportReport) {
    let (_dir, triples) = files(&[(name, text)]);
    import(&KgFiles { triples, ..KgFiles::default() }, &ImportOptions::default()).unwrap()
}

fn node(g: &KnowledgeGraph, label: &str) -> NodeId {
    NodeId((0..g.nodes() as u32).find(|&i| g.label(NodeId(i)) == label).unwrap())
}

#[test]
fn a_table_of_triples_reads_whatever_its_separator() {
    for (name, text) in [
        ("a.tsv", "Heat\tdirected_by\tMichael Mann\n\nAli\tdirected_by\tMichael Mann\r\n"),
        ("a.txt", "Heat|directed_by|Michael Mann\nAli|directed_by|Michael Mann"),
        ("a.csv", "head,relation,tail\nHeat,directed_by,\"Michael Mann\"\nAli,directed_by,Michael Mann\n"),
        (
            "a.jsonl",
            "{\"head\":\"Heat\",\"relation\":\"directed_by\",\"tail\":\"Michael Mann\"}\n{\"subject\":\"Ali\",\"predicate\":\"directed_by\",\"object\":\"Michael Mann\"}",
        ),
    ] {
        let (g, report) = of(name, text);
        assert_eq!((g.entities(), g.triples(), report.malformed), (3, 2, 0), "{name}");
        let mann = node(&g, "Michael Mann");
        assert_eq!(g.degree(mann, Direction::Backward), 2, "{name}");
    }
}

#[test]
fn a_malformed_line_is_named_and_left_out_and_a_strict_import_ends_there() {
    let text = "a\tr\tb\nonly\ttwo\na\t\tb\na\tr\tb\tp\tmore\na\tr\tc\n";
    let (g, report) = of("x.tsv", text);
    assert_eq!((g.triples(), report.malformed), (2, 3));
    let lines: Vec<u64> = report.problems.iter().map(|p| p.line).collect();
    assert_eq!(lines, [2, 3, 4]);
    assert_eq!(report.problems[0].what, "it has no tail");
    let (_dir, triples) = files(&[("x.tsv", text)]);
    let strict = ImportOptions { strict: true, ..ImportOptions::default() };
    let error = import(&KgFiles { triples, ..KgFiles::default() }, &strict).unwrap_err();
    assert!(error.to_string().ends_with("x.tsv, line 2: it has no tail"), "{error}");
}

#[test]
fn bytes_that_are_no_text_are_reported_by_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.tsv");
    std::fs::write(&path, b"a\tr\tb\n\xff\tr\tb\na\tr\tb\0\n\xef\xbb\xbf").unwrap();
    let (g, report) = import(&KgFiles { triples: vec![path], ..KgFiles::default() }, &ImportOptions::default()).unwrap();
    assert_eq!((g.triples(), report.problems.iter().map(|p| p.line).collect::<Vec<_>>()), (1, vec![2, 3, 4]));
}

#[test]
fn numbers_dates_and_measures_become_literals_of_their_relation_only() {
    let (g, report) = of(
        "x.tsv",
        "2012\trelease_year\t2009\nHeat\trelease_year\t1995\nHeat\tlength\t170 min\nHeat\thas_tags\t1995\nHeat\thas_tags\tcrime\n",
    );
    assert_eq!(report.literal_relations, ["release_year", "length"]);
    let year = g.vocabulary().relation_named("release_year").unwrap();
    let heat = node(&g, "Heat");
    let edge = g.follow(heat, year, Direction::Forward).next().unwrap();
    assert_eq!(g.literal(edge.other).unwrap().kind, LiteralKind::Date);
    let length = g.vocabulary().relation_named("length").unwrap();
    let l = g.literal(g.follow(heat, length, Direction::Forward).next().unwrap().other).unwrap();
    assert_eq!((l.text, l.unit, l.kind), ("170", "min", LiteralKind::Number));
    assert!(g.is_entity(node(&g, "crime")));
}

#[test]
fn in_a_graph_of_integer_ids_nothing_is_taken_for_a_literal() {
    let (g, _) = of("x.tsv", "1\t5\t2\n2\t6\t3\n");
    assert_eq!((g.entities(), g.literals()), (3, 0));
}

#[test]
fn tables_of_entities_relations_and_types_name_what_triples_mention() {
    let (_dir, paths) = files(&[
        ("t.tsv", "Q1\tP57\tQ2\n"),
        (
            "e.tsv",
            "id\tlabel\taliases\ttypes\tdescription\nQ1\tHeat\tHeat (film)|Heat 1995\tQ11424\ta film\nQ2\tMichael Mann\n\tnameless\n",
        ),
        ("r.tsv", "P57\tdirector\tdirected by|film director\n"),
        ("y.tsv", "Q11424\tfilm\n"),
    ]);
    let one = |i: usize| vec![paths[i].clone()];
    let all = KgFiles { triples: one(0), entities: one(1), relations: one(2), types: one(3) };
    let own = ImportOptions { everyday_names: false, ..ImportOptions::default() };
    let (g, report) = import(&all, &own).unwrap();
    assert_eq!(report.problems.iter().map(|p| (p.line, p.what.as_str())).collect::<Vec<_>>(), [(4, "it has no id")]);
    let heat = node(&g, "Heat");
    assert_eq!((g.id(heat), g.description(heat)), ("Q1", "a film"));
    assert_eq!(g.aliases(heat).collect::<Vec<_>>(), ["Heat (film)", "Heat 1995"]);
    let v = g.vocabulary();
    let r = v.relation(v.relation_named("P57").unwrap()).unwrap();
    assert_eq!((r.label.as_str(), r.aliases.join(";").as_str()), ("director", "directed by;film director"));
    let film = v.type_named("Q11424").unwrap();
    assert_eq!(v.entity_type(film).unwrap().label, "film");
    assert_eq!(r.domain, [(Class::Type(film), 1)]);
    assert_eq!(report.everyday_relations, 0);
    // What people call it comes after; "film director" speaks of a type, but the file says it.
    let (g, report) = import(&all, &ImportOptions::default()).unwrap();
    let aliases = &g.vocabulary().relations()[0].aliases;
    assert_eq!((report.everyday_relations, aliases.join(";").as_str()), (1, "directed by;film director;helmed by"));
}

#[test]
fn a_table_of_relations_may_say_what_they_join() {
    let (_dir, paths) = files(&[
        ("t.txt", "Heat|directed_by|Mann\n"),
        ("r.tsv", "id\tlabel\taliases\tdomain\trange\ndirected_by\t\tdirector\tmovie\tperson\n"),
    ]);
    let all = KgFiles { triples: vec![paths[0].clone()], relations: vec![paths[1].clone()], ..KgFiles::default() };
    let (g, _) = import(&all, &ImportOptions::default()).unwrap();
    let named = |n: &str| g.vocabulary().types()[g.types(node(&g, n))[0].index()].name.clone();
    assert_eq!((named("Heat").as_str(), named("Mann").as_str()), ("movie", "person"));
}

#[test]
fn a_name_of_two_entities_is_kept_by_both_and_reported() {
    let (g, report) = of(
        "x.jsonl",
        "{\"id\":1,\"label\":\"Paris\"}\n{\"id\":2,\"label\":\"Paris\",\"aliases\":[\"Lutetia\"]}\n{\"id\":3,\"label\":\"Lutetia\",\"aliases\":[\"Paris\"]}",
    );
    assert_eq!((report.shared_names, report.shared_examples), (2, vec!["Lutetia".to_owned(), "Paris".to_owned()]));
    assert_eq!(g.entities(), 3);
}

#[test]
fn circular_and_repeated_aliases_are_kept_and_reported() {
    let (g, report) = of(
        "x.jsonl",
        "{\"id\":1,\"label\":\"Burma\",\"aliases\":[\"Myanmar\",\"Burma\",\"Myanmar\"]}\n{\"id\":2,\"label\":\"Myanmar\",\"aliases\":[\"Burma\"]}\n{\"id\":3,\"label\":\"Siam\",\"aliases\":[\"Siam\"]}",
    );
    assert_eq!((report.circular_names, report.repeated_names), (1, 3));
    assert_eq!(report.circular_examples, [("Burma".to_owned(), "Myanmar".to_owned())]);
    assert_eq!(g.aliases(node(&g, "Burma")).collect::<Vec<_>>(), ["Myanmar"]);
}

#[test]
fn json_tails_keep_their_datatype_and_unit() {
    let (g, report) = of(
        "x.jsonl",
        "{\"head\":\"Denali\",\"relation\":\"height\",\"tail\":{\"value\":6194,\"unit\":\"m\"},\"provenance\":\"a book\"}\n{\"head\":\"Denali\",\"relation\":\"open\",\"tail\":true}\n{\"head\":1,\"relation\":\"r\",\"tail\":[1]}\n[]\n{oops\n{}",
    );
    let l = g.literal(node(&g, "6194")).unwrap();
    assert_eq!((l.unit, l.kind), ("m", LiteralKind::Number));
    assert_eq!(g.literal(node(&g, "true")).unwrap().kind, LiteralKind::Boolean);
    assert_eq!(report.problems.iter().map(|p| p.line).collect::<Vec<_>>(), [3, 4, 5, 6]);
    assert_eq!(g.provenance(TripleId(0)).count(), 2);
}

const TURTLE: &str = r#"
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:denali a ex:Mountain ; rdfs:label "Denali"@en, "Denali (Berg)"@de ; ex:highPoint "6190.5"^^xsd:decimal ; ex:partOf ex:Alaska .
ex:Mountain rdfs:label "mountain" .
ex:highPoint rdfs:label "elevation" .
"#;

#[test]
fn turtle_gives_labels_types_and_typed_literals() {
    let (g, report) = of("x.ttl", TURTLE);
    assert_eq!((g.entities(), g.literals(), g.triples(), report.malformed), (2, 1, 2, 0));
    let denali = node(&g, "Denali");
    assert_eq!(g.aliases(denali).collect::<Vec<_>>(), ["Denali (Berg)"]);
    let v = g.vocabulary();
    assert_eq!(v.types()[g.types(denali)[0].index()].label, "mountain");
    assert_eq!(v.relations().iter().map(|r| r.label.as_str()).collect::<Vec<_>>(), ["elevation", "part of"]);
    assert_eq!(g.literal(node(&g, "6190.5")).unwrap().datatype, "http://www.w3.org/2001/XMLSchema#decimal");
    assert_eq!(g.label(node(&g, "Alaska")), "Alaska");
}

#[test]
fn n_triples_have_lines_and_a_bad_one_is_passed_over() {
    let (g, report) = of("x.nt", "<http://a/x> <http://a/r> <http://a/y> .\n<http://a/x> oops .\n<http://a/x> <http://a/r> \"1\" .\n");
    assert_eq!((g.triples(), report.problems.len(), report.problems[0].line), (2, 1, 2));
    assert_eq!(g.provenance(TripleId(0)).next(), Some(Provenance::Line { file: "x.nt", line: 1 }));
}

#[test]
fn json_ld_reads() {
    let (g, report) = of("x.jsonld", r#"{"@id":"http://a/x","http://schema.org/name":"X","http://a/knows":{"@id":"http://a/y"}}"#);
    assert_eq!((g.triples(), g.label(NodeId(0)), report.malformed), (1, "X", 0));
}

#[test]
fn damaged_rdf_is_reported_not_fatal() {
    for (name, text) in
        [("x.ttl", "@prefix ex: <http://e/> .\nex:a ex:b \"open .\nex:c ex:d ex:e ."), ("x.jsonld", "{\"@id\": [}"), ("x.rdf", "<rdf")]
    {
        assert!(of(name, text).1.malformed > 0, "{name}");
    }
}

#[test]
fn a_gzipped_table_reads() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.tsv.gz");
    let mut gz = flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::fast());
    gz.write_all(b"a\tr\tb\n").unwrap();
    gz.finish().unwrap();
    let (g, _) = import(&KgFiles { triples: vec![path], ..KgFiles::default() }, &ImportOptions::default()).unwrap();
    assert_eq!(g.triples(), 1);
}

#[test]
fn a_missing_file_and_unknown_columns_are_errors_that_say_so() {
    let missing = KgFiles { triples: vec![PathBuf::from("no/such.tsv")], ..KgFiles::default() };
    assert!(import(&missing, &ImportOptions::default()).unwrap_err().to_string().starts_with("cannot read no/such.tsv"));
    assert!(parse_columns("head,colour").unwrap_err().to_string().contains("colour"));
    assert_eq!(parse_columns("head-type,head,relation,tail").unwrap().len(), 4);
}

const FILMS: &str = "Heat\tdirected_by\tMichael Mann\nAli\tdirected_by\tMichael Mann\nHeat\tstarred_actors\tAl Pacino\nAli\tstarred_actors\tWill Smith\n\
Heat\thas_tags\tneo noir\nAli\thas_tags\tboxing\nHeat\tmuffled\tAli\n";

fn types_of<'a>(g: &'a KnowledgeGraph, label: &str) -> Vec<&'a str> {
    g.types(node(g, label)).iter().map(|t| g.vocabulary().entity_type(*t).unwrap().label.as_str()).collect()
}

#[test]
fn things_without_a_type_get_the_kind_that_relations_tell() {
    let (g, report) = of("t.tsv", FILMS);
    assert_eq!((types_of(&g, "Heat"), types_of(&g, "Al Pacino"), types_of(&g, "boxing")), (vec!["film"], vec!["person"], vec!["tag"]));
    assert_eq!(report.inferred_types, ["film", "person", "tag"]);
    assert!(g.vocabulary().types().iter().all(|t| t.is_inferred()));
    let (_dir, triples) = files(&[("t.tsv", FILMS)]);
    let own = ImportOptions { inferred_types: false, ..ImportOptions::default() };
    let (g, report) = import(&KgFiles { triples, ..KgFiles::default() }, &own).unwrap();
    assert!(g.vocabulary().types().is_empty() && report.inferred_types.is_empty());
}

#[test]
fn a_declared_type_is_left_as_it_is() {
    let (_dir, paths) = files(&[("t.tsv", FILMS), ("r.tsv", "id\tlabel\tdomain\nhas_tags\ttags\tmotion picture\n")]);
    let all = KgFiles { triples: vec![paths[0].clone()], relations: vec![paths[1].clone()], ..KgFiles::default() };
    let (g, _) = import(&all, &ImportOptions::default()).unwrap();
    assert_eq!((types_of(&g, "Heat"), types_of(&g, "Will Smith")), (vec!["motion picture"], vec!["person"]));
}

#[test]
fn written_tables_give_the_same_graph_and_can_be_corrected() {
    let (g, _) = of("t.tsv", FILMS);
    let tables = as_tables(&g);
    assert!(tables.relations.lines().any(|l| l.starts_with("directed_by\tdirected by\t") && l.ends_with("\tfilm\tperson")), "{tables:?}");
    let again = |relations: &str| {
        let (_dir, paths) = files(&[("t.tsv", FILMS), ("relations.tsv", relations), ("types.tsv", &tables.types)]);
        let one = |i: usize| vec![paths[i].clone()];
        import(&KgFiles { triples: one(0), relations: one(1), types: one(2), ..KgFiles::default() }, &ImportOptions::default()).unwrap().0
    };
    let same = again(&tables.relations);
    for name in ["Heat", "Al Pacino", "boxing"] {
        assert_eq!(types_of(&same, name), types_of(&g, name));
    }
    assert!(same.vocabulary().types().iter().all(|t| !t.is_inferred()));
    let corrected = again(&tables.relations.replace("\tperson\n", "\tperformer\n"));
    assert_eq!(types_of(&corrected, "Al Pacino"), ["performer"]);
}
