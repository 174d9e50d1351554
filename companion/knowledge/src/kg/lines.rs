//! Reads lines of files, also gzipped, with numbers, limits and checks.

use super::ImportError;
use super::report::Reporter;
use oxrdfio::RdfFormat;
use pocketgraph_ingest::skip_line;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Maximum length of a line in bytes; longer lines are reported and skipped.
pub(super) const LONGEST_LINE: u64 = 1 << 20;

/// Format of a file of triples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// A table with this separator; if it is a comma, CSV quotes apply.
    Table(u8),
    /// One JSON object a line.
    JsonLines,
    /// Lists of JSON objects.
    Json,
    /// GraphML or GEXF.
    Markup,
    /// Rows of Parquet.
    Parquet,
    Rdf(RdfFormat),
}

/// Determines the format of a file by its name or, if that is unclear, by its first line.
pub(super) fn format_of(path: &Path) -> Result<Format, ImportError> {
    let name = path.file_name().map(|n| n.to_string_lossy().to_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let extension = name.rsplit_once('.').unwrap_or_default().1;
    Ok(match extension {
        "tsv" | "tab" => Format::Table(b'\t'),
        "csv" => Format::Table(find_separator(&first_line(path)?, b",;\t|")),
        "json" if serde_json::from_slice(&first_line(path)?).is_ok_and(|v| is_record(&v)) => {
            Format::JsonLines
        }
        "json" => Format::Json,
        "graphml" | "gexf" | "xml" => Format::Markup,
        "parquet" => Format::Parquet,
        "jsonl" | "ndjson" => Format::JsonLines,
        "nt" => Format::Rdf(RdfFormat::NTriples),
        "nq" => Format::Rdf(RdfFormat::NQuads),
        "ttl" => Format::Rdf(RdfFormat::Turtle),
        "trig" => Format::Rdf(RdfFormat::TriG),
        "rdf" | "owl" => Format::Rdf(RdfFormat::RdfXml),
        "jsonld" => Format::Rdf(RdfFormat::JsonLd { profile: oxrdfio::JsonLdProfileSet::empty() }),
        _ => {
            let first = first_line(path)?;
            match first.trim_ascii_start().first() {
                Some(b'{') if serde_json::from_slice(&first).is_ok_and(|v| is_record(&v)) => {
                    Format::JsonLines
                }
                Some(b'{' | b'[') => Format::Json,
                Some(b'<') => Format::Markup,
                _ => Format::Table(find_separator(&first, b"\t|,;")),
            }
        }
    })
}

fn first_line(path: &Path) -> Result<Vec<u8>, ImportError> {
    let mut first = Vec::new();
    open_file(path)?
        .take(LONGEST_LINE)
        .read_until(b'\n', &mut first)
        .map_err(|reason| read_error(path, reason))?;
    Ok(first)
}

/// Returns the first of the `usual` separators that occurs in a line, else the first of all.
fn find_separator(line: &[u8], usual: &[u8]) -> u8 {
    usual.iter().copied().find(|s| line.contains(s)).unwrap_or(usual[0])
}

/// Returns true for an object that is a record rather than a holder of records.
fn is_record(value: &serde_json::Value) -> bool {
    let holds_records = |v: &serde_json::Value| match v {
        serde_json::Value::Array(all) => all.iter().any(serde_json::Value::is_object),
        v => v.is_object() && !is_record(v),
    };
    value.as_object().is_some_and(|fields| !fields.values().any(holds_records))
}

pub(super) fn read_error(path: &Path, reason: std::io::Error) -> ImportError {
    ImportError::Read { path: path.to_owned(), reason }
}

/// Opens a file, inflated if its name ends in `.gz`.
pub(super) fn open_file(path: &Path) -> Result<Box<dyn BufRead>, ImportError> {
    let file = File::open(path).map_err(|reason| read_error(path, reason))?;
    Ok(if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz")) {
        Box::new(BufReader::new(flate2::read::MultiGzDecoder::new(file)))
    } else {
        Box::new(BufReader::with_capacity(1 << 16, file))
    })
}

/// Passes each line that is not blank, without its end, to `each`. Reports lines that are too long, are not
/// UTF-8 or hold a NUL.
pub(super) fn each_line(
    path: &Path,
    report: &mut Reporter,
    mut each: impl FnMut(u64, &str, &mut Reporter) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let mut reader = open_file(path)?;
    let mut bytes = Vec::new();
    let mut number = 0u64;
    loop {
        bytes.clear();
        number += 1;
        let n = (&mut reader)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes)
            .map_err(|reason| read_error(path, reason))?;
        if n == 0 {
            return Ok(());
        }
        if n as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') {
            skip_line(&mut reader).map_err(|reason| read_error(path, reason))?;
            report.malformed(number, "longer than 1 MB")?;
            continue;
        }
        let line = match number {
            1 => bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes),
            _ => &bytes,
        };
        let line = match std::str::from_utf8(line) {
            Ok(line) => line.trim_end_matches(['\n', '\r']),
            Err(e) => {
                report.malformed(number, format!("not UTF-8 from byte {} on", e.valid_up_to()))?;
                continue;
            }
        };
        if line.contains('\0') {
            report.malformed(number, "it holds a NUL character")?;
        } else if !line.trim().is_empty() {
            each(number, line, report)?;
        }
    }
}
