#![allow(clippy::unwrap_used)]

use super::*;
use pocketgraph_kg::{Class, Direction, LiteralKind, NodeId, TripleId};
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

pub(super) fn of(name: &str, text: &str) -> (KnowledgeGraph, ImportReport) {
    let (_dir, triples) = files(&[(name, text)]);
    import(&KgFiles { triples, ..KgFiles::default() }, &ImportOptions::default()).unwrap()
}

pub(super) fn node(g: &KnowledgeGraph, label: &str) -> NodeId {
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
            "{\"head\":\"Heat\",\"relation\":\"directed_by\",\"tail\":\"Michael \
             Mann\"}\n{\"subject\":\"Ali\",\"predicate\":\"directed_by\",\"object\":\"Michael Mann\"}",
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
    let (g, report) =
        import(&KgFiles { triples: vec![path], ..KgFiles::default() }, &ImportOptions::default()).unwrap();
    assert_eq!((g.triples(), report.problems.iter().map(|p| p.line).collect::<Vec<_>>()), (1, vec![2, 3, 4]));
}

#[test]
fn numbers_dates_and_measures_become_literals_of_their_relation_only() {
    let (g, report) = of(
        "x.tsv",
        "2012\trelease_year\t2009\nHeat\trelease_year\t1995\nHeat\tlength\t170 \
         min\nHeat\thas_tags\t1995\nHeat\thas_tags\tcrime\n",
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
            "id\tlabel\taliases\ttypes\tdescription\nQ1\tHeat\tHeat (film)|Heat 1995\tQ11424\ta \
             film\nQ2\tMichael Mann\n\tnameless\n",
        ),
        ("r.tsv", "P57\tdirector\tdirected by|film director\n"),
        ("y.tsv", "Q11424\tfilm\n"),
    ]);
    let one = |i: usize| vec![paths[i].clone()];
    let all = KgFiles { triples: one(0), entities: one(1), relations: one(2), types: one(3) };
    let own = ImportOptions { everyday_names: false, ..ImportOptions::default() };
    let (g, report) = import(&all, &own).unwrap();
    assert_eq!(
        report.problems.iter().map(|p| (p.line, p.what.as_str())).collect::<Vec<_>>(),
        [(4, "it has no id")]
    );
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
    assert_eq!(
        (report.everyday_relations, aliases.join(";").as_str()),
        (1, "directed by;film director;helmed by")
    );
}

#[test]
fn a_table_of_relations_may_say_what_they_join() {
    let (_dir, paths) = files(&[
        ("t.txt", "Heat|directed_by|Mann\n"),
        ("r.tsv", "id\tlabel\taliases\tdomain\trange\ndirected_by\t\tdirector\tmovie\tperson\n"),
    ]);
    let all =
        KgFiles { triples: vec![paths[0].clone()], relations: vec![paths[1].clone()], ..KgFiles::default() };
    let (g, _) = import(&all, &ImportOptions::default()).unwrap();
    let named = |n: &str| g.vocabulary().types()[g.types(node(&g, n))[0].index()].name.clone();
    assert_eq!((named("Heat").as_str(), named("Mann").as_str()), ("movie", "person"));
}

#[test]
fn a_name_of_two_entities_is_kept_by_both_and_reported() {
    let (g, report) = of(
        "x.jsonl",
        "{\"id\":1,\"label\":\"Paris\"}\n{\"id\":2,\"label\":\"Paris\",\"aliases\":[\"Lutetia\"]}\n{\
         \"id\":3,\"label\":\"Lutetia\",\"aliases\":[\"Paris\"]}",
    );
    assert_eq!(
        (report.shared_names, report.shared_examples),
        (2, vec!["Lutetia".to_owned(), "Paris".to_owned()])
    );
    assert_eq!(g.entities(), 3);
}

#[test]
fn circular_and_repeated_aliases_are_kept_and_reported() {
    let (g, report) = of(
        "x.jsonl",
        "{\"id\":1,\"label\":\"Burma\",\"aliases\":[\"Myanmar\",\"Burma\",\"Myanmar\"]}\n{\"id\":2,\
         \"label\":\"Myanmar\",\"aliases\":[\"Burma\"]}\n{\"id\":3,\"label\":\"Siam\",\"aliases\":[\
         \"Siam\"]}",
    );
    assert_eq!((report.circular_names, report.repeated_names), (1, 3));
    assert_eq!(report.circular_examples, [("Burma".to_owned(), "Myanmar".to_owned())]);
    assert_eq!(g.aliases(node(&g, "Burma")).collect::<Vec<_>>(), ["Myanmar"]);
}

#[test]
fn json_tails_keep_their_datatype_and_unit() {
    let (g, report) = of(
        "x.jsonl",
        "{\"head\":\"Denali\",\"relation\":\"height\",\"tail\":{\"value\":6194,\"unit\":\"m\"},\"prov\
         enance\":\"a book\"}\n{\"head\":\"Denali\",\"relation\":\"open\",\"tail\":true}\n{\"head\":1\
         ,\"relation\":\"r\",\"tail\":[[1]]}\n[]\n{oops\n{}",
    );
    let l = g.literal(node(&g, "6194")).unwrap();
    assert_eq!((l.unit, l.kind), ("m", LiteralKind::Number));
    assert_eq!(g.literal(node(&g, "true")).unwrap().kind, LiteralKind::Boolean);
    assert_eq!(report.problems.iter().map(|p| p.line).collect::<Vec<_>>(), [3, 4, 5, 6]);
    assert_eq!(g.provenance(TripleId(0)).count(), 2);
}

pub(super) fn refused(name: &str, text: &str) -> String {
    let (_dir, triples) = files(&[(name, text)]);
    import(&KgFiles { triples, ..KgFiles::default() }, &ImportOptions::default()).unwrap_err().to_string()
}

#[test]
fn a_file_that_gives_nothing_is_an_error_with_its_first_fault() {
    for (name, text) in [
        ("x.rdf", "<rdf"),
        ("x.jsonld", "{\"@id\": [}"),
        ("x.json", "{\"nodes\": 7}"),
        ("x.json", "[[1], [2"),
        ("x.graphml", "<graphml><node id='a'"),
        ("x.gexf", ""),
        ("x.parquet", "PAR1 and no more"),
        ("x.tsv", "\n\n"),
        ("x.csv", "source,target,type\n,,\n"),
    ] {
        let error = refused(name, text);
        assert!(error.starts_with("nothing was imported from") && error.contains(name), "{error}");
    }
    assert!(refused("x.tsv", "only one cell\n").ends_with("line 1: it has no relation"));
}

/// Statements of a graph: head, relation, tail by their labels, sorted.
fn statements(g: &KnowledgeGraph) -> Vec<String> {
    let v = g.vocabulary();
    let stated = |i| {
        let t = g.triple(TripleId(i)).unwrap();
        format!("{} | {} | {}", g.label(t.head), v.relation(t.relation).unwrap().label, g.label(t.tail))
    };
    let mut all: Vec<String> = (0..g.triples() as u32).map(stated).collect();
    all.sort();
    all
}

const MILL: [&str; 2] = ["Elm Mill | owned by | Ida Krag", "Elm Mill | stands in | Tarn"];

#[test]
fn edges_read_whatever_their_columns_are_called() {
    for (name, text) in [
        ("a.csv", "Source,Target,Type\nElm Mill,Ida Krag,owned by\nElm Mill,Tarn,stands in\n"),
        ("b.csv", "from;to;relationship;weight\nElm Mill;Ida Krag;owned by;1\nElm Mill;Tarn;stands in;2\n"),
        ("c.tsv", "node_1\tnode_2\tedge\nElm Mill\tIda Krag\towned by\nElm Mill\tTarn\tstands in\n"),
        (
            "d.csv",
            "id,subject_id,predicate,object_id,object_label\ne1,Elm Mill,owned by,Q1,Ida \
             Krag\ne2,Elm Mill,stands in,Q2,Tarn\n",
        ),
        ("e.csv", "entity,property,value\nElm Mill,owned by,Ida Krag\nElm Mill,stands in,Tarn\n"),
        ("f.csv", "start_id,end_id,how\nElm Mill,Ida Krag,owned by\nElm Mill,Tarn,stands in\n"),
        ("g.csv", "~id,~from,~to,~label\n1,Elm Mill,Ida Krag,owned by\n2,Elm Mill,Tarn,stands in\n"),
        (
            "h.csv",
            "source,target,description\nElm Mill,Ida Krag,The Elm Mill is owned by Ida \
             Krag.\nTarn,Elm Mill,Elm Mill stands in Tarn\n",
        ),
        (
            "i.json",
            "[{\"src_id\":\"Elm Mill\",\"tgt_id\":\"Ida Krag\",\"type\":\"owned \
             by\"},{\"src_id\":\"Elm Mill\",\"tgt_id\":\"Tarn\",\"type\":\"stands in\"}]",
        ),
    ] {
        let (g, report) = of(name, text);
        assert_eq!(
            (statements(&g).iter().map(String::as_str).collect::<Vec<_>>().as_slice(), report.malformed),
            (&MILL[..], 0),
            "{name}"
        );
        assert!(report.files[0].read_as[0].starts_with("edges from"), "{:?}", report.files);
    }
}

#[test]
fn a_table_without_a_header_reports_no_names_of_columns() {
    let (_, report) =
        of("films.tsv", "Night Ferry\tdirected by\tAda Lind\nSalt Road\tdirected by\tAda Lind\n");
    assert_eq!((report.files[0].used, report.files[0].read_as.len()), (2, 0), "{:?}", report.files);
}

#[test]
fn a_wide_table_states_a_relation_for_each_unknown_column() {
    let text = "name,owner,sails,note\nElm Mill,Ida Krag,4,\"burnt, then\nrebuilt\"\nOak Mill,Ida Krag,6,\n";
    let (g, report) = of("mills.csv", text);
    let want = [
        "Elm Mill | note | burnt, then\nrebuilt",
        "Elm Mill | owner | Ida Krag",
        "Elm Mill | sails | 4",
        "Oak Mill | owner | Ida Krag",
        "Oak Mill | sails | 6",
    ];
    assert_eq!(statements(&g), want);
    assert_eq!((report.literal_relations.as_slice(), report.malformed), (&["sails".to_owned()][..], 0));
    assert_eq!(
        report.files[0].read_as,
        ["things called by name; unknown columns become relations: owner, sails, note"]
    );
    // Without a known name, numbers below a word show that the first line is a header.
    assert_eq!(
        statements(&of("m.csv", "mill,owner,sails\nElm Mill,Ida Krag,4\nOak Mill,Bo Lind,6\n").0).len(),
        4
    );
    // A span of time joins nothing.
    assert_eq!(
        statements(&of("m.csv", "name,from,to\nIda Krag,1901,1950\nBo Lind,1910,1922\n").0)[0],
        "Bo Lind | from | 1910"
    );
}

/// Two things, a statement that joins them, and a number, as programs write them.
#[test]
fn graphs_of_other_programs_read() {
    let want = ["Elm Mill | built | 1860", "Elm Mill | owned by | Ida Krag"];
    let graphml = |node: &str, edge: &str| {
        format!(
            "<?xml version='1.0'?><graphml><key id='k' for='node' attr.name='name'/><key id='b' \
             for='node' attr.name='built' attr.type='int'/><key id='t' for='node' \
             attr.name='type'/><key id='r' for='edge' attr.name='label'/><graph \
             edgedefault='directed'>{node}<edge id='e0' source='n0' \
             target='n1'>{edge}</edge></graph></graphml>"
        )
    };
    let nodes = "<node id='n0'><data key='k'>Elm Mill</data><data key='b'>1860</data><data \
        key='t'>mill</data></node><node id='n1'><data key='k'>Ida Krag</data></node>";
    let gexf = "<gexf><graph><attributes class='node'><attribute id='0' title='built' \
        type='integer'/><attribute id='1' title='type' type='string'/></attributes><nodes><node id='0' \
        label='Elm Mill'><attvalues><attvalue for='0' value='1860'/><attvalue for='1' \
        value='mill'/></attvalues></node><node id='1' label='Ida Krag'/></nodes><edges><edge id='0' \
        source='0' target='1' type='directed' label='owned by'/></edges></graph></gexf>";
    let node_link = r#"{"directed":true,"graph":{},"nodes":[{"id":0,"label":"Elm Mill","built":1860,
        "type":"mill"},{"id":1,"label":"Ida Krag"}],"links":[{"source":0,"target":1,"relation":"owned by"}]}"#;
    let cytoscape = r#"{"elements":{"nodes":[{"data":{"id":"n0","name":"Elm Mill","built":1860,
        "type":"mill"}},{"data":{"id":"n1","name":"Ida Krag"}}],"edges":[{"data":{"source":"n0",
        "target":"n1","interaction":"owned by"}}]}}"#;
    let apoc = "{\"type\":\"node\",\"id\":\"0\",\"labels\":[\"Mill\"],\"properties\":{\"name\":\"Elm \
        Mill\",\"built\":1860}}\n{\"type\":\"node\",\"id\":\"1\",\"labels\":[\"Person\"],\"properties\":\
        {\"name\":\"Ida Krag\"}}\n{\"id\":\"0\",\"type\":\"relationship\",\"label\":\"OWNED_BY\",\"prope\
        rties\":{\"since\":1},\"start\":{\"id\":\"0\",\"labels\":[\"Mill\"]},\"end\":{\"id\":\"1\",\"lab\
        els\":[\"Person\"]}}\n";
    for (name, text) in [
        ("a.graphml", graphml(nodes, "<data key='r'>owned by</data>")),
        ("b.gexf", gexf.to_owned()),
        ("c.json", node_link.to_owned()),
        ("d.json", cytoscape.to_owned()),
        ("e.json", apoc.to_owned()),
    ] {
        let (g, report) = of(name, &text);
        assert_eq!((statements(&g), report.malformed), (want.map(str::to_owned).to_vec(), 0), "{name}");
        assert_eq!(
            types_of(&g, "Elm Mill").iter().map(|t| t.to_lowercase()).collect::<Vec<_>>(),
            ["mill"],
            "{name}"
        );
    }
}

#[test]
fn tables_of_neo4j_admin_belong_together_and_unknown_ends_are_reported() {
    let nodes = "millId:ID,name,built:int,:LABEL\nm1,Elm Mill,1860,Mill\np1,Ida Krag,,Person;Owner\n";
    let edges = ":START_ID,:END_ID,:TYPE,since:int\nm1,p1,OWNED_BY,1901\n";
    let (_dir, triples) = files(&[("edges.csv", edges), ("nodes.csv", nodes)]);
    let (g, report) = import(&KgFiles { triples, ..KgFiles::default() }, &ImportOptions::default()).unwrap();
    assert_eq!(statements(&g), ["Elm Mill | built | 1860", "Elm Mill | owned by | Ida Krag"]);
    assert_eq!((types_of(&g, "Ida Krag"), report.unknown_ends), (vec!["Person", "Owner"], 0));
    assert_eq!(of("edges.csv", edges).1.unknown_examples, ["m1", "p1"]);
}

#[test]
fn our_own_export_reads_back() {
    let json = r#"{"nodes":[{"id":"n0","Label":"Elm Mill","Kind":"entity","Types":["mill"],
        "Aliases":["The Elm"],"ImportedId":"Q1"},{"id":"n1","Label":"1860","Kind":"date",
        "Datatype":"xsd:gYear"},{"id":"n2","Label":"12","Kind":"number","Unit":"m"}],"edges":[{"source":"n0",
        "target":"n1","Label":"was built in","Relation":"built_in","Provenance":["mills.csv:2"]},
        {"source":"n0","target":"n2","Label":"height","Relation":"height"}]}"#;
    let (g, _) = of("kg.json", json);
    assert_eq!(statements(&g), ["Elm Mill | height | 12", "Elm Mill | was built in | 1860"]);
    assert_eq!(
        (g.entities(), g.id(NodeId(0)), types_of(&g, "Elm Mill"), g.literal(node(&g, "12")).unwrap().unit),
        (1, "Q1", vec!["mill"], "m")
    );
    assert!(g.vocabulary().relation_named("built_in").is_some());
}

#[test]
fn graphs_of_one_file_do_not_share_their_numbers() {
    let graph = |a: &str, b: &str| {
        format!(
            r#"{{"nodes":[{{"id":"n0","label":"{a}"}},{{"id":"n1","label":"{b}"}}],"edges":[{{"source":"n0","target":"n1","relation":"faces"}}]}}"#
        )
    };
    let (_dir, triples) =
        files(&[("a.json", &graph("Elm Mill", "Tarn")), ("b.json", &graph("Oak Mill", "Tarn Hill"))]);
    let (g, _) = import(&KgFiles { triples, ..KgFiles::default() }, &ImportOptions::default()).unwrap();
    assert_eq!(statements(&g), ["Elm Mill | faces | Tarn", "Oak Mill | faces | Tarn Hill"]);
}

#[test]
fn a_gzipped_table_reads() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.tsv.gz");
    let mut gz =
        flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::fast());
    gz.write_all(b"a\tr\tb\n").unwrap();
    gz.finish().unwrap();
    let (g, _) =
        import(&KgFiles { triples: vec![path], ..KgFiles::default() }, &ImportOptions::default()).unwrap();
    assert_eq!(g.triples(), 1);
}

#[test]
fn a_missing_file_and_unknown_columns_are_errors_that_say_so() {
    let missing = KgFiles { triples: vec![PathBuf::from("no/such.tsv")], ..KgFiles::default() };
    assert!(
        import(&missing, &ImportOptions::default())
            .unwrap_err()
            .to_string()
            .starts_with("cannot read no/such.tsv")
    );
    assert!(parse_columns("head,colour").unwrap_err().to_string().contains("colour"));
    assert_eq!(parse_columns("head-type,head,relation,tail").unwrap().len(), 4);
}

const FILMS: &str = "Heat\tdirected_by\tMichael Mann\nAli\tdirected_by\tMichael \
Mann\nHeat\tstarred_actors\tAl Pacino\nAli\tstarred_actors\tWill Smith\n\
Heat\thas_tags\tneo noir\nAli\thas_tags\tboxing\nHeat\tmuffled\tAli\n";

fn types_of<'a>(g: &'a KnowledgeGraph, label: &str) -> Vec<&'a str> {
    g.types(node(g, label)).iter().map(|t| g.vocabulary().entity_type(*t).unwrap().label.as_str()).collect()
}

#[test]
fn things_without_a_type_get_the_kind_that_relations_show() {
    let (g, report) = of("t.tsv", FILMS);
    assert_eq!(
        (types_of(&g, "Heat"), types_of(&g, "Al Pacino"), types_of(&g, "boxing")),
        (vec!["film"], vec!["person"], vec!["tag"])
    );
    assert_eq!(report.inferred_types, ["film", "person", "tag"]);
    assert!(g.vocabulary().types().iter().all(|t| t.is_inferred()));
    let (_dir, triples) = files(&[("t.tsv", FILMS)]);
    let own = ImportOptions { inferred_types: false, ..ImportOptions::default() };
    let (g, report) = import(&KgFiles { triples, ..KgFiles::default() }, &own).unwrap();
    assert!(g.vocabulary().types().is_empty() && report.inferred_types.is_empty());
}

#[test]
fn a_declared_type_is_left_as_it_is() {
    let (_dir, paths) =
        files(&[("t.tsv", FILMS), ("r.tsv", "id\tlabel\tdomain\nhas_tags\ttags\tmotion picture\n")]);
    let all =
        KgFiles { triples: vec![paths[0].clone()], relations: vec![paths[1].clone()], ..KgFiles::default() };
    let (g, _) = import(&all, &ImportOptions::default()).unwrap();
    assert_eq!((types_of(&g, "Heat"), types_of(&g, "Will Smith")), (vec!["motion picture"], vec!["person"]));
}

#[test]
fn written_tables_give_the_same_graph_and_can_be_corrected() {
    let (g, _) = of("t.tsv", FILMS);
    let tables = as_tables(&g);
    assert!(
        tables
            .relations
            .lines()
            .any(|l| l.starts_with("directed_by\tdirected by\t") && l.ends_with("\tfilm\tperson")),
        "{tables:?}"
    );
    let again = |relations: &str| {
        let (_dir, paths) =
            files(&[("t.tsv", FILMS), ("relations.tsv", relations), ("types.tsv", &tables.types)]);
        let one = |i: usize| vec![paths[i].clone()];
        import(
            &KgFiles { triples: one(0), relations: one(1), types: one(2), ..KgFiles::default() },
            &ImportOptions::default(),
        )
        .unwrap()
        .0
    };
    let same = again(&tables.relations);
    for name in ["Heat", "Al Pacino", "boxing"] {
        assert_eq!(types_of(&same, name), types_of(&g, name));
    }
    assert!(same.vocabulary().types().iter().all(|t| !t.is_inferred()));
    let corrected = again(&tables.relations.replace("\tperson\n", "\tperformer\n"));
    assert_eq!(types_of(&corrected, "Al Pacino"), ["performer"]);
}

#[test]
fn a_relation_that_holds_both_ways_is_stated_from_both_ends() {
    let declared = "@prefix e: <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: \
        <http://www.w3.org/2000/01/rdf-schema#> .\n\
        e:faces a owl:SymmetricProperty . e:owns owl:inverseOf e:ownedBy . e:founded rdfs:subPropertyOf \
        e:owns .\n\
        e:Elm e:faces e:Oak . e:Ida e:founded e:Elm .";
    let want = [
        "Elm | faces | Oak",
        "Elm | owned by | Ida",
        "Ida | founded | Elm",
        "Ida | owns | Elm",
        "Oak | faces | Elm",
    ];
    assert_eq!(statements(&of("x.ttl", declared).0), want);
    let skos = "@prefix e: <http://e/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> . e:Post \
        skos:broader e:Mill .";
    assert_eq!(statements(&of("x.ttl", skos).0), ["Mill | narrower | Post", "Post | broader | Mill"]);
    // By its name; and by its statements, of which the file has forgotten one.
    assert_eq!(statements(&of("x.tsv", "Alby\ttwinned with\tBorg\n").0).len(), 2);
    let pairs: String = (0..12).map(|i| format!("a{i}\tmeets\tb{i}\nb{i}\tmeets\ta{i}\n")).collect();
    assert_eq!(of("x.tsv", &format!("{pairs}c\tmeets\td\nc\tleads\td\n")).0.triples(), 27);
}

#[test]
fn blank_nodes_are_called_by_what_is_stated_of_them_and_lists_are_read_in_order() {
    let text = "@prefix e: <http://e/> . e:Elm e:offers [ a e:Offer ; e:price 80 ; e:currency \"EUR\" ] ; \
        e:stops (e:Tarn e:Alby) ; e:notes () .";
    let (g, _) = of("x.ttl", text);
    let label = "Offer: price 80, currency EUR";
    let want = [format!("Elm | offers | {label}"), "Elm | stops | Alby".into(), "Elm | stops | Tarn".into()];
    assert_eq!(statements(&g)[..3], want);
    assert!((0..g.nodes() as u32).all(|i| !g.label(NodeId(i)).contains("_:")));
    assert!(g.triples() == 5 && node(&g, "Tarn") < node(&g, "Alby"));
    // A list that leads back to itself ends.
    let rdf = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#";
    let loop_ = format!("<http://e/a> <http://e/r> _:l .\n_:l {rdf}first> \"x\" .\n_:l {rdf}rest> _:l .\n");
    assert_eq!(of("x.nt", &loop_).0.triples(), 1);
    let (g, _) = of(
        "x.json",
        r#"{"nodes":[{"id":"n0","colour":"red"},{"id":"n1","label":"Tarn"}],"edges":[{"source":"n0",
            "target":"n1","relation":"near"}]}"#,
    );
    assert_eq!(g.label(NodeId(0)), "colour red, near Tarn");
}

proptest::proptest! {
    #[test]
    fn no_bytes_are_too_strange_for_a_reader(
        text in "[\\{\\}\\[\\]\":,;|<>/=a-z0-9\\t\\n ]{0,200}",
        of_graph in "(<graphml>|<gexf>)?(<node id='a'>|<edge source='a' target='b'>|<data \
            key='k'>|</data>|</node>|x|&amp;|&|<key id='k' attr.name='n'/>){0,9}",
        name in 0usize..9,
    ) {
        let endings = ["csv", "tsv", "json", "jsonl", "graphml", "gexf", "parquet", "txt", "ttl"];
        for text in [&text, &of_graph] {
            let (_dir, triples) = files(&[(&format!("x.{}", endings[name]), text)]);
            let _ = import(&KgFiles { triples, ..KgFiles::default() }, &ImportOptions::default());
        }
    }
}
