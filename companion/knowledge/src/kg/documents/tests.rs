#![allow(clippy::unwrap_used)]

use super::reader::{OF_A_CHUNK, OF_A_PAGE};
use super::*;
use pocketgraph_ingest::chunk::split_document;
use pocketgraph_ingest::{BlockKind, IngestOptions, ingest};
use pocketgraph_kg::{Direction, KnowledgeGraph, NodeId, Provenance, TripleId};

/// A graph of files, with their chunks.
fn graph_of(files: &[(&str, &str)]) -> (KnowledgeGraph, Vec<Chunk>) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let corpus = ingest(dir.path(), &IngestOptions::default(), &|_| {}).unwrap();
    let count = |t: &str| t.split_whitespace().count();
    let chunks: Vec<Chunk> = corpus
        .documents
        .iter()
        .enumerate()
        .flat_map(|(i, d)| split_document(i as u32, d, &count, 60))
        .collect();
    let mut kg = KgBuilder::default();
    add_documents(&mut kg, &corpus.documents, &chunks).unwrap();
    (kg.finish().unwrap(), chunks)
}

/// Every triple as labels, with the text of its first place.
fn labelled_triples(graph: &KnowledgeGraph, chunks: &[Chunk]) -> Vec<(String, String, String, String)> {
    (0..graph.triples() as u32)
        .map(|i| {
            let t = graph.triple(TripleId(i)).unwrap();
            let relation = graph.vocabulary().relation(t.relation).unwrap().label.clone();
            let place = match graph.provenance(TripleId(i)).next().unwrap() {
                Provenance::Passage { chunk, start, end } => {
                    chunks[chunk as usize].text[start as usize..end as usize].to_owned()
                }
                other => panic!("{other:?}"),
            };
            (graph.label(t.head).to_owned(), relation, graph.label(t.tail).to_owned(), place)
        })
        .collect()
}

fn source_text(
    all: &[(String, String, String, String)],
    head: &str,
    relation: &str,
    tail: &str,
) -> Option<String> {
    all.iter()
        .find(|(h, r, t, _)| (h.as_str(), r.as_str(), t.as_str()) == (head, relation, tail))
        .map(|x| x.3.clone())
}

const GUIDE: &str = "---\ntitle: Pruning\ntags: [trees, Winter]\nauthor: Ada Gardener\ndate: \
    2024-02-03\nlastmod: never\n---\n\nPruning is a \
    craft that takes patience. See [the tools](tools.md#saws) and [tools](/tools/).\n\n## When\n\nIn \
    winter.\n\n### Plums\n\nNever in winter. See \
    [tools](tools.md).\n\n## Words\n\nSpur\n: A short shoot. It bears fruit.\n\nLeader\n: The main \
    stem.\n\n| Tree | Month | Height |\n|--|--|--|\n| Apple \
    | February | 4.5 m |\n| Plum | July | 6 m |\n";
const TOOLS: &str = "# Tools\n\nWhat you need.\n\n## Saws\n\nA saw is a toothed blade for cutting wood.\n";

#[test]
fn structure_is_stated_with_its_place() {
    let (graph, chunks) = graph_of(&[("guide.md", GUIDE), ("tools.md", TOOLS)]);
    let all = labelled_triples(&graph, &chunks);
    for (head, relation, tail, place) in [
        ("Pruning", "contains", "When", "In winter."),
        ("When", "contains", "Plums", "Never in winter. See tools."),
        ("Pruning", "has tag", "trees", ""),
        ("Pruning", "has tag", "Winter", ""),
        ("Pruning", "written by", "Ada Gardener", ""),
        ("Pruning", "published on", "2024-02-03", ""),
        ("Pruning", "links to", "Saws", "the tools"),
        ("Pruning", "links to", "Tools", "tools"),
        ("Pruning", "is a", "craft", "Pruning is a craft that takes patience."),
        ("Saws", "is a", "toothed blade", "A saw is a toothed blade for cutting wood."),
        ("toothed blade", "is a", "blade", "A saw is a toothed blade for cutting wood."),
        ("Words", "defines", "Spur", "Spur"),
        ("Spur", "definition", "A short shoot.", "A short shoot."),
        ("Words", "lists", "Apple", "Apple | February | 4.5 m"),
        ("Apple", "Month", "February", "Apple | February | 4.5 m"),
        ("Plum", "Height", "6", "Plum | July | 6 m"),
    ] {
        assert_eq!(
            source_text(&all, head, relation, tail).as_deref(),
            Some(place),
            "{head} {relation} {tail}: {all:#?}"
        );
    }
    assert!(!all.iter().any(|x| x.1 == "last modified"), "what is no date is none");
    let height = (graph.entities()..graph.nodes())
        .find_map(|n| graph.literal(NodeId(n as u32)).filter(|l| l.text == "4.5"))
        .unwrap();
    assert_eq!((height.kind, height.unit), (LiteralKind::Number, "m"));
    let date = (graph.entities()..graph.nodes())
        .find_map(|n| graph.literal(NodeId(n as u32)).filter(|l| l.kind == LiteralKind::Date));
    assert_eq!(date.unwrap().datatype, "xsd:date");
    let linker = pocketgraph_kg::Linker::new(&graph);
    let saws = linker.exact("Saws")[0];
    assert_eq!(linker.link("saw", 1)[0].node, saws, "the lead's name is an alias");
    let types = |label: &str| -> Vec<String> {
        let node = linker.exact(label)[0];
        graph.types(node).iter().map(|t| graph.vocabulary().entity_type(*t).unwrap().label.clone()).collect()
    };
    assert_eq!(
        (types("Apple"), types("Pruning"), types("Saws")),
        (vec!["tree".to_owned()], vec!["page".to_owned()], vec!["section".to_owned()])
    );
}

#[test]
fn two_links_of_one_text_are_in_two_places_and_an_anchor_becomes_an_alias() {
    let (graph, chunks) = graph_of(&[
        ("a.md", "# A\n\nRead [the manual](b.md) first, then [the manual](b.md) again.\n"),
        ("b.md", "# Bee keeping\n\nText.\n"),
    ]);
    let t = (0..graph.triples() as u32).map(TripleId).find(|&t| graph.provenance(t).count() == 2).unwrap();
    let starts: Vec<u32> = graph
        .provenance(t)
        .map(|p| if let Provenance::Passage { start, .. } = p { start } else { 0 })
        .collect();
    assert_eq!(
        starts.iter().map(|&s| &chunks[0].text[s as usize..s as usize + 10]).collect::<Vec<_>>(),
        ["the manual", "the manual"]
    );
    assert_ne!(starts[0], starts[1]);
    let bee = pocketgraph_kg::Linker::new(&graph).link("the manual", 1)[0].node;
    assert_eq!(graph.label(bee), "Bee keeping");
}

#[test]
fn an_encyclopaedia_of_ready_passages_says_what_things_are_and_when_people_lived() {
    let lines = "{\"id\":\"1\",\"title\":\"Jan Novák\",\"text\":\"Jan Novák (3 May 1950 – 4 June 2001) was a \
        Czech painter.\"}\n\
        {\"id\":\"2\",\"title\":\"東京\",\"text\":\"東京は日本の首都である。\"}\n\
        {\"id\":\"3\",\"title\":\"Jan Novák\",\"text\":\"Jan Novák is a painter of the school.\"}\n";
    let (graph, chunks) = graph_of(&[("wiki.jsonl", lines)]);
    let all = labelled_triples(&graph, &chunks);
    assert!(
        source_text(&all, "Jan Novák", "is a", "Czech painter").is_some()
            && source_text(&all, "Jan Novák", "date of birth", "3 May 1950").is_some()
    );
    let novak = pocketgraph_kg::Linker::new(&graph).exact("Jan Novák");
    assert_eq!(novak.len(), 1, "passages of one title and address are one page");
    assert_eq!(graph.edges(novak[0], Direction::Forward).count(), 4);
}

#[test]
fn a_tag_is_not_the_page_of_its_name_but_a_row_is() {
    let (graph, _) = graph_of(&[
        ("a.md", "---\ntags: [Trees]\n---\n\n# Garden\n\n| Plant | Soil |\n|--|--|\n| Trees | loam |\n"),
        ("b.md", "# Trees\n\nTall.\n\n## Oak\n\nHard.\n"),
    ]);
    let named = pocketgraph_kg::Linker::new(&graph).exact("Trees");
    assert_eq!(named.len(), 2);
    let rows = named.iter().filter(|&&n| graph.types(n).len() == 2).count();
    assert_eq!(rows, 1, "the page is also a plant of the table");
}

#[test]
fn imported_entities_are_what_pages_of_their_name_are_about() {
    let mut kg = KgBuilder::default();
    let heat = kg.entity("Q1").unwrap();
    kg.label(heat, "Heat").unwrap();
    let document = SourceDocument {
        path: "heat.md".into(),
        url: "heat.html".into(),
        title: "HEAT".into(),
        blocks: vec![pocketgraph_ingest::Block::verbatim(BlockKind::Paragraph, "Heat is a film.", 0)],
        links: Vec::new(),
        front_matter: Vec::new(),
        ..SourceDocument::default()
    };
    let chunks = split_document(0, &document, &|t| t.len(), 100);
    add_documents(&mut kg, &[document], &chunks).unwrap();
    let graph = kg.finish().unwrap();
    assert_eq!(
        (graph.entities(), graph.id(NodeId(0)), graph.edges(NodeId(0), Direction::Forward).count()),
        (2, "Q1", 1)
    );
}

#[test]
fn a_page_of_very_many_headings_and_a_hostile_table_stay_bounded() {
    let headings: String = (0..20_000).map(|i| format!("# H{i}\n\n")).collect();
    let cells = format!("# T\n\n{}\n{}\n{}", "|a".repeat(300), "|-".repeat(300), "|x".repeat(300));
    let (graph, chunks) = graph_of(&[("many.md", &headings), ("cells.md", &cells)]);
    assert!(
        graph.triples() <= OF_A_CHUNK * chunks.len() + 2 * OF_A_PAGE,
        "{} triples of {} chunks",
        graph.triples(),
        chunks.len()
    );
}

#[test]
fn the_same_files_give_the_same_bytes() {
    let files = [("guide.md", GUIDE), ("tools.md", TOOLS)];
    assert_eq!(
        pocketgraph_kg::encode_graph(&graph_of(&files).0),
        pocketgraph_kg::encode_graph(&graph_of(&files).0)
    );
}

proptest::proptest! {
    #[test]
    fn every_place_lies_in_its_chunk(body in "(# [ab]{1,3}\n\n|[ab]{1,4}\n: [ab.é \
        ]{1,9}\n\n|\\[[ab]\\]\\(b.md\\) \
        ?|[ab]\\|[ab]\n-\\|-\n[ab]\\|[ab]\n\n|[ab]+ is a [ab]+\\.\n\n){0,12}") {
        let (graph, chunks) = graph_of(&[("a.md", &format!("x\n\n{body}")), ("b.md", "# b\n\nb\n")]);
        // `told` slices the chunks' texts: a place that lies elsewhere ends the test.
        let _ = labelled_triples(&graph, &chunks);
    }
}
