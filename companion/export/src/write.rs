//! Writes tables as GraphML, CSV and JSON.

use super::{Column, Field, Sort, Table};
use crate::draw::escape_xml;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Files to be written: the addition to the stem of the requested name (none for the first), and the content.
pub type Written = Vec<(&'static str, Vec<u8>)>;

/// Returns a field as text, lists joined by ` | `.
fn to_text(field: &Field) -> String {
    match field {
        Field::Text(s) => s.clone(),
        Field::Whole(n) => n.to_string(),
        Field::Texts(all) => all.join(" | "),
        Field::None => String::new(),
    }
}

/// Writes GraphML (graphml.graphdrawing.org): a key for each column, a `data` element for each value.
pub fn write_graphml(table: &Table) -> Written {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns \
         http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n",
    );
    let mut keys = |of: &str, columns: &[Column]| {
        for (i, (name, sort)) in columns.iter().enumerate() {
            let sort = if *sort == Sort::Whole { "long" } else { "string" };
            let first = of.chars().next().unwrap_or('x');
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "<key id=\"{first}{i}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{sort}\"/>"
            );
        }
    };
    keys("node", &table.node_columns);
    keys("edge", &table.edge_columns);
    let _ =
        writeln!(out, "<graph edgedefault=\"{}\">", if table.directed { "directed" } else { "undirected" });
    let data = |out: &mut String, first: char, fields: &[Field]| {
        for (i, field) in fields.iter().enumerate() {
            let value = to_text(field);
            if !value.is_empty() {
                let _ = write!(out, "<data key=\"{first}{i}\">{}</data>", escape_xml(&value));
            }
        }
    };
    for (id, fields) in &table.nodes {
        let _ = write!(out, "<node id=\"{}\">", escape_xml(id));
        data(&mut out, 'n', fields);
        out.push_str("</node>\n");
    }
    let id = |i: usize| table.nodes.get(i).map_or(String::new(), |n| escape_xml(&n.0));
    for (n, (from, to, fields)) in table.edges.iter().enumerate() {
        let _ = write!(out, "<edge id=\"e{n}\" source=\"{}\" target=\"{}\">", id(*from), id(*to));
        data(&mut out, 'e', fields);
        out.push_str("</edge>\n");
    }
    out.push_str("</graph>\n</graphml>\n");
    vec![("", out.into_bytes())]
}

/// Writes CSV (RFC 4180) with the headers that Gephi reads: edges as `Source,Target,Type,…`, and nodes as
/// `Id,…` in a second file. A table without columns of edges gives nodes alone.
///
/// # Errors
/// Those of the CSV writer.
pub fn write_csv(table: &Table) -> Result<Written, csv::Error> {
    let mut nodes = csv::Writer::from_writer(Vec::new());
    nodes.write_record(std::iter::once("Id").chain(table.node_columns.iter().map(|c| c.0)))?;
    for (id, fields) in &table.nodes {
        nodes.write_record(std::iter::once(id.clone()).chain(fields.iter().map(to_text)))?;
    }
    let nodes = nodes.into_inner().map_err(|e| csv::Error::from(e.into_error()))?;
    if table.edge_columns.is_empty() {
        return Ok(vec![("", nodes)]);
    }
    let mut edges = csv::Writer::from_writer(Vec::new());
    edges.write_record(
        ["Source", "Target", "Type"].into_iter().chain(table.edge_columns.iter().map(|c| c.0)),
    )?;
    let kind = if table.directed { "Directed" } else { "Undirected" };
    for (from, to, fields) in &table.edges {
        let id = |i: usize| table.nodes.get(i).map_or(String::new(), |n| n.0.clone());
        edges.write_record(
            [id(*from), id(*to), kind.to_owned()].into_iter().chain(fields.iter().map(to_text)),
        )?;
    }
    let edges = edges.into_inner().map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(vec![("", edges), (".nodes", nodes)])
}

/// Writes JSON as networkx's node-link data: `networkx.node_link_graph(data, edges="edges")`.
pub fn write_json(table: &Table) -> Written {
    let fields = |columns: &[Column], fields: &[Field], into: &mut Map<String, Value>| {
        for ((name, _), field) in columns.iter().zip(fields) {
            let value = match field {
                Field::Text(s) => json!(s),
                Field::Whole(n) => json!(n),
                Field::Texts(all) => json!(all),
                Field::None => continue,
            };
            into.insert((*name).to_owned(), value);
        }
    };
    let node = |(id, values): &(String, Vec<Field>)| {
        let mut out = Map::new();
        out.insert("id".into(), json!(id));
        fields(&table.node_columns, values, &mut out);
        Value::Object(out)
    };
    let edge = |(from, to, values): &(usize, usize, Vec<Field>)| {
        let id = |i: usize| table.nodes.get(i).map_or("", |n| n.0.as_str());
        let mut out = Map::new();
        out.insert("source".into(), json!(id(*from)));
        out.insert("target".into(), json!(id(*to)));
        fields(&table.edge_columns, values, &mut out);
        Value::Object(out)
    };
    let all = json!({
        "directed": table.directed,
        "multigraph": table.directed,
        "graph": {},
        "nodes": table.nodes.iter().map(node).collect::<Vec<_>>(),
        "edges": table.edges.iter().map(edge).collect::<Vec<_>>(),
    });
    vec![("", format!("{all:#}\n").into_bytes())]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use quick_xml::events::Event;

    fn table() -> Table {
        let t = |s: &str| Field::Text(s.into());
        Table {
            directed: true,
            node_columns: vec![("Label", Sort::Text), ("Chunks", Sort::Whole), ("Aliases", Sort::Text)],
            nodes: vec![
                (
                    "a&b".into(),
                    vec![
                        t("x <y> \"z\", 'w'\nnext \u{0}"),
                        Field::Whole(3),
                        Field::Texts(vec!["p".into(), "q,r".into()]),
                    ],
                ),
                ("2".into(), vec![t("東京"), Field::None, Field::Texts(Vec::new())]),
            ],
            edge_columns: vec![("Relation", Sort::Text)],
            edges: vec![(0, 1, vec![t("is \"in\"")])],
        }
    }

    #[test]
    fn graphml_is_well_formed_and_declares_every_key() {
        let written = String::from_utf8(write_graphml(&table()).remove(0).1).unwrap();
        let mut reader = quick_xml::Reader::from_str(&written);
        let (mut keys, mut used, mut nodes, mut ends, mut text) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new(), String::new());
        loop {
            match reader.read_event().unwrap() {
                Event::Eof => break,
                Event::Start(e) | Event::Empty(e) => {
                    let attribute = |name: &str| {
                        e.attributes()
                            .map(Result::unwrap)
                            .find(|a| a.key.as_ref() == name.as_bytes())
                            .map(|a| String::from_utf8(a.value.to_vec()).unwrap())
                    };
                    match e.name().as_ref() {
                        b"key" => keys.push(attribute("id").unwrap()),
                        b"data" => used.push(attribute("key").unwrap()),
                        b"node" => nodes.push(attribute("id").unwrap()),
                        b"edge" => ends.extend([attribute("source").unwrap(), attribute("target").unwrap()]),
                        _ => {}
                    }
                }
                Event::Text(t) => text.push_str(&String::from_utf8_lossy(&t)),
                _ => {}
            }
        }
        assert_eq!(keys, ["n0", "n1", "n2", "e0"]);
        assert!(used.iter().all(|k| keys.contains(k)) && ends.iter().all(|e| nodes.contains(e)));
        assert_eq!(used.len(), 5, "empty values are left out");
        assert!(!written.contains('\u{0}') && text.contains("東京"));
    }

    #[test]
    fn csv_is_quoted_and_names_the_columns_that_gephi_reads() {
        let files = write_csv(&table()).unwrap();
        assert_eq!(files.iter().map(|f| f.0).collect::<Vec<_>>(), ["", ".nodes"]);
        let rows = |bytes: &[u8]| -> Vec<Vec<String>> {
            let mut r = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
            r.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect()
        };
        assert_eq!(
            rows(&files[0].1),
            [vec!["Source", "Target", "Type", "Relation"], vec!["a&b", "2", "Directed", "is \"in\""]]
        );
        assert_eq!(rows(&files[1].1)[1], ["a&b", "x <y> \"z\", 'w'\nnext \u{0}", "3", "p | q,r"]);
        let alone = Table { edge_columns: Vec::new(), edges: Vec::new(), ..table() };
        assert_eq!(write_csv(&alone).unwrap().len(), 1);
    }

    #[test]
    fn json_is_node_link_data() {
        let value: Value = serde_json::from_slice(&write_json(&table()).remove(0).1).unwrap();
        assert_eq!(value["nodes"][0]["Aliases"], json!(["p", "q,r"]));
        assert_eq!(
            (&value["edges"][0]["source"], &value["edges"][0]["Relation"]),
            (&json!("a&b"), &json!("is \"in\""))
        );
        assert!(value["nodes"][1].get("Chunks").is_none() && value["directed"] == json!(true));
    }
}
