//! Reads GraphML and GEXF: elements of nodes and edges, with attributes that keys declare.

use super::ImportError;
use super::lines::{open_file, read_error};
use super::literals::Tail;
use super::record::{Records, parse_cell};
use super::report::Reporter;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

/// Maximum length of a tag or text in bytes; a longer one ends the reading.
const LONGEST_EVENT: u64 = 1 << 20;

struct Key {
    name: String,
    datatype: String,
}

/// Elements read so far.
#[derive(Default)]
struct State {
    keys: HashMap<(bool, String), Key>,
    /// The node or edge that is open, with its fields.
    open: Option<(bool, Vec<(String, Tail)>)>,
    /// The declared attribute that is open, with its text so far.
    value: Option<(String, String)>,
    /// `true` inside GEXF's declarations for edges.
    of_edges: bool,
}

pub(super) fn read_markup(
    path: &Path,
    records: &mut Records<'_>,
    report: &mut Reporter,
) -> Result<(), ImportError> {
    let mut reader = Reader::from_reader(open_file(path)?.take(LONGEST_EVENT));
    let (mut state, mut bytes) = (State::default(), Vec::new());
    loop {
        bytes.clear();
        reader.get_mut().set_limit(LONGEST_EVENT);
        match reader.read_event_into(&mut bytes) {
            Ok(Event::Start(tag)) => state.open(&tag),
            Ok(Event::Empty(tag)) => {
                state.open(&tag);
                state.close(tag.local_name().as_ref(), records, report)?;
            }
            Ok(Event::End(tag)) => state.close(tag.local_name().as_ref(), records, report)?,
            Ok(Event::Text(text)) => state.add_text(&text.unescape().unwrap_or_default()),
            Ok(Event::CData(text)) => state.add_text(&String::from_utf8_lossy(&text)),
            Ok(Event::Eof) if state.open.is_some() => {
                return report.malformed(0, "the file ends within an element, or one is longer than 1 MB");
            }
            Ok(Event::Eof) => return Ok(()),
            Ok(_) => {}
            Err(quick_xml::Error::Io(e)) => {
                return Err(read_error(path, std::io::Error::new(e.kind(), e.to_string())));
            }
            Err(e) => {
                return report.malformed(0, format!("not XML at byte {}: {e}", reader.error_position()));
            }
        }
    }
}

fn attributes_of(tag: &BytesStart<'_>) -> Vec<(String, String)> {
    let read = tag.attributes().flatten().map(|a| {
        let name = String::from_utf8_lossy(a.key.local_name().as_ref()).into_owned();
        (name, a.unescape_value().map_or_else(|_| String::new(), |v| v.trim().to_owned()))
    });
    read.collect()
}

fn find_attribute<'a>(all: &'a [(String, String)], name: &str) -> &'a str {
    all.iter().find(|(n, _)| n == name).map_or("", |(_, v)| v)
}

impl State {
    fn open(&mut self, tag: &BytesStart<'_>) {
        let own = attributes_of(tag);
        let get = |name| find_attribute(&own, name);
        match tag.local_name().as_ref() {
            b"key" => {
                // yEd stores a node's name in its graphics data.
                let name = if find_attribute(&own, "yfiles.type").ends_with("graphics") {
                    "label"
                } else {
                    get("attr.name")
                };
                let key = || Key { name: name.to_owned(), datatype: get("attr.type").to_owned() };
                for edges in [false, true]
                    .into_iter()
                    .filter(|e| !matches!((get("for"), e), ("node", true) | ("edge", false)))
                {
                    self.keys.insert((edges, get("id").to_owned()), key());
                }
            }
            b"attributes" => self.of_edges = get("class") == "edge",
            b"attribute" if self.open.is_none() => {
                let key = Key { name: get("title").to_owned(), datatype: get("type").to_owned() };
                self.keys.insert((self.of_edges, get("id").to_owned()), key);
            }
            name @ (b"node" | b"edge") => {
                let is_edge = name == b"edge";
                // The own id of an edge names nothing.
                let fields = own
                    .iter()
                    .filter(|(n, _)| !(is_edge && n == "id"))
                    .map(|(n, v)| (n.clone(), parse_cell(v, "")));
                self.open = Some((is_edge, fields.collect()));
            }
            b"data" => self.value = Some((get("key").to_owned(), String::new())),
            b"attvalue" => {
                let key = if get("for").is_empty() { get("id") } else { get("for") };
                self.add_value(key, get("value"));
            }
            _ => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        if let Some((_, value)) = &mut self.value {
            value.push_str(text);
        }
    }

    fn add_value(&mut self, key: &str, value: &str) {
        let Some((is_edge, fields)) = &mut self.open else { return };
        let key = self.keys.get(&(*is_edge, key.to_owned()));
        let (name, datatype) = key.map_or(("", ""), |k| (k.name.as_str(), k.datatype.as_str()));
        let value = parse_cell(value.trim(), datatype);
        let known = |(n, v): &(String, Tail)| n == name && v.text == value.text;
        if !name.is_empty() && !fields.iter().any(known) {
            fields.push((name.to_owned(), value));
        }
    }

    fn close(
        &mut self,
        name: &[u8],
        records: &mut Records<'_>,
        report: &mut Reporter,
    ) -> Result<(), ImportError> {
        match name {
            b"data" => {
                if let Some((key, value)) = self.value.take() {
                    self.add_value(&key, &value);
                }
            }
            b"node" | b"edge" => {
                if let Some((_, fields)) = self.open.take() {
                    records.named(0, fields, report)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}
