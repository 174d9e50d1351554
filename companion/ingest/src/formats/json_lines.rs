//! JSON Lines of ready chunks: `{"id"?, "title"?, "url"?, "text"}`, one a line.

use super::chunk_fields::ChunkFields;
use super::front_matter::object_fields;
use super::{Format, FoundFile, IngestOptions, Outcome, ReadMethod, Skipped, SourceDocument};
use crate::allowance::Allowance;
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read};

/// A line longer than this is refused.
const LONGEST_LINE: u64 = 64 << 20;

/// One line of a file of chunks.
pub(crate) struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// The chunk as a document of its own, or what is wrong with the line.
    pub record: Result<SourceDocument, String>,
}

/// Reads the lines one by one; blank lines are passed over. `file` names the file in default ids.
pub(crate) fn read_lines<R: BufRead>(
    reader: R,
    file: &str,
    base_url: &str,
) -> impl Iterator<Item = io::Result<Line>> {
    let mut reader = reader;
    let mut number = 0;
    let mut bytes = Vec::new();
    std::iter::from_fn(move || {
        loop {
            bytes.clear();
            number += 1;
            match (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut bytes) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(e) => return Some(Err(e)),
            }
            if bytes.len() as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') {
                if let Err(e) = skip_line(&mut reader) {
                    return Some(Err(e));
                }
                return Some(Ok(Line {
                    number,
                    record: Err(format!("longer than {} MB", LONGEST_LINE >> 20)),
                }));
            }
            let line = match number {
                1 => bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes),
                _ => &bytes,
            };
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Some(Ok(Line { number, record: parse_record(line, file, number, base_url) }));
            }
        }
    })
}

/// Passes over the rest of a line, however long, without holding it.
pub fn skip_line(reader: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|&b| b == b'\n');
        let used = end.map_or(buffer.len(), |i| i + 1);
        reader.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}

fn parse_record(line: &[u8], file: &str, number: usize, base_url: &str) -> Result<SourceDocument, String> {
    let line =
        std::str::from_utf8(line).map_err(|e| format!("not UTF-8 from byte {} on", e.valid_up_to()))?;
    let value: Value = serde_json::from_str(line).map_err(|e| format!("not JSON: {e}"))?;
    let Value::Object(mut fields) = value else { return Err("not a JSON object".into()) };
    let string = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(s)) => Ok(Some(s.trim()).filter(|s| !s.is_empty()).map(str::to_owned)),
        Some(Value::Number(n)) if name == "id" => Ok(Some(n.to_string())),
        Some(_) => Err(format!("\"{name}\" is not a string")),
    };
    let mut ready = ChunkFields {
        id: string("id")?,
        title: string("title")?,
        url: string("url")?,
        text: string("text")?,
        ..ChunkFields::default()
    };
    fields.retain(|name, _| !["id", "title", "url", "text"].contains(&name.as_str()));
    ready.own = object_fields(&fields);
    ready.document(file, number, base_url)
}

pub(super) const FORMAT: Format = Format::new("jsonl", &["jsonl"], ReadMethod::Chunks(read_chunks));

/// Bad lines of one file that are named; the rest are counted.
const NAMED_LINES: usize = 20;

fn read_chunks(
    file: &mut dyn Read,
    found: &FoundFile,
    options: &IngestOptions,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let mut bad = 0;
    let allowance = Allowance::of_bundle(usize::try_from(found.bytes).unwrap_or(usize::MAX));
    for line in read_lines(BufReader::new(file), &found.path, &options.base_url) {
        let line = line.map_err(|e| e.to_string())?;
        match line.record {
            Ok(document) => {
                let text: usize = document.blocks.iter().map(|b| 2 * b.text.len()).sum();
                let names = document.path.len() + document.title.len() + document.url.len();
                allowance.take(Allowance::PASSAGE + text + names);
                allowance.check()?;
                outcome.documents.push(document);
            }
            Err(reason) => {
                bad += 1;
                if bad <= NAMED_LINES {
                    outcome.skipped.push(Skipped {
                        path: found.path.clone(),
                        reason: format!("line {}: {reason}", line.number),
                    });
                }
            }
        }
    }
    if bad > NAMED_LINES {
        outcome.skipped.push(Skipped {
            path: found.path.clone(),
            reason: format!("{} more malformed lines", bad - NAMED_LINES),
        });
    }
    if outcome.documents.is_empty() && bad == 0 {
        return Err("holds no text".into());
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn of(s: &str) -> Vec<Result<SourceDocument, String>> {
        read_lines(s.as_bytes(), "f.jsonl", "").map(|l| l.unwrap().record).collect()
    }

    #[test]
    fn a_line_is_a_ready_chunk() {
        let docs = of("\u{feff}{\"id\": 7, \"title\": \"T\", \"url\": \"a/b.html#x y\", \"text\": \" hé \
            \"}\n\n{\"text\": \"two\"}");
        let a = docs[0].as_ref().unwrap();
        assert_eq!(
            (a.path.as_str(), a.title.as_str(), a.url.as_str(), a.ready),
            ("7", "T", "a/b.html", true)
        );
        assert_eq!((a.blocks[0].text.as_str(), a.blocks[0].fragment.as_deref()), ("hé", Some("x%20y")));
        let b = docs[1].as_ref().unwrap();
        assert_eq!((b.path.as_str(), b.title.as_str(), b.url.as_str()), ("f.jsonl:3", "f.jsonl:3", ""));
    }

    #[test]
    fn a_malformed_line_says_what_is_wrong_and_the_next_is_read() {
        let docs =
            of("{\"text\": 1}\n[1]\n{oops\n{}\n{\"text\":\"x\",\"url\":\"javascript:alert(1)\"}\n{\"text\
                \":\"ok\"}");
        let errors: Vec<_> = docs.iter().filter_map(|d| d.as_ref().err().cloned()).collect();
        assert_eq!(errors[0], "\"text\" is not a string");
        assert_eq!(errors[1], "not a JSON object");
        assert!(errors[2].starts_with("not JSON"));
        assert_eq!(errors[3], "no \"text\"");
        assert!(errors[4].starts_with("unsafe \"url\""));
        assert!(docs[5].is_ok());
    }

    #[test]
    fn rows_that_would_fill_the_bundle_are_refused_with_their_file() {
        let options = IngestOptions::default();
        let rows =
            |row: &str, name: &str| crate::ingest_bytes(name, row.repeat(100_000).into(), &options).unwrap();
        let short = rows("{\"text\":\"a\"}\n", "a.jsonl");
        assert!(
            short.documents.is_empty() && short.skipped[0].reason.contains("20 times"),
            "{:?}",
            short.skipped
        );
        let long_name = format!("{}.jsonl", "x".repeat(2000));
        assert!(rows("{\"text\":\"A sentence of some words.\"}\n", &long_name).documents.is_empty());
        let ordinary = rows("{\"title\":\"Abel\",\"text\":\"A sentence of some words.\"}\n", "a.jsonl");
        assert_eq!(ordinary.documents.len(), 100_000);
    }

    #[test]
    fn deeply_nested_json_is_an_error() {
        assert!(of(&"[".repeat(1_000_000))[0].is_err());
    }
}
