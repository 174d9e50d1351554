//! The manifest: a bundle's contents and the hashes of its files.

use super::bounds::MOST_CHUNKS;
use super::codec::{FORMAT, PACKED_FORMAT};
use super::error::BundleError;
use super::pages::format_hex;
use crate::json::{self, Value};
use sha2::{Digest, Sha256};

/// Name of the manifest, the only file of a bundle whose name does not change.
pub const MANIFEST: &str = "manifest.json";

/// Encoding of a section's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Not compressed.
    Raw,
    /// gzip.
    Gzip,
}

impl Encoding {
    fn to_word(self) -> &'static str {
        match self {
            Encoding::Raw => "raw",
            Encoding::Gzip => "gzip",
        }
    }
}

/// Entry of a section in the manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionInfo {
    /// Its name: `documents`, `chunks`, `vectors`, ...
    pub name: String,
    /// Its file; for a paged section, the file that names the pages.
    pub file: String,
    /// Length of the file.
    pub bytes: u64,
    /// Length after inflating.
    pub raw: u64,
    /// SHA-256 of the file.
    pub sha256: [u8; 32],
    /// Encoding of the file.
    pub encoding: Encoding,
    /// Encoding of the pages of a paged section.
    pub page_encoding: Encoding,
    /// Number of its pages; 0 for a section of one file.
    pub pages: u64,
    /// Length of all its pages together.
    pub page_bytes: u64,
    /// The file itself, if it is so short that the manifest contains it. The folder then has no such file.
    pub inline: Option<Vec<u8>>,
}

/// File that holds several others, one after the other, which are needed together and not in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackInfo {
    /// Its own name.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: [u8; 32],
    /// The files in it in order, each with its length.
    pub holds: Vec<(String, u64)>,
}

/// Counts of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Documents.
    pub documents: u64,
    /// Chunks.
    pub chunks: u64,
    /// Keywords.
    pub keywords: u64,
}

/// Model that made the vectors, so that questions can be embedded to match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmbedderInfo {
    /// `minilm`, or the name given for imported vectors.
    pub id: String,
    /// Number of components of a vector.
    pub dimension: u64,
    /// Storage of vectors: `int8`.
    pub quantisation: String,
    /// Pooling of token vectors: `mean`.
    pub pooling: String,
    /// Prefix of a question before it is embedded.
    pub query_prefix: String,
    /// Prefix of a passage before it was embedded.
    pub passage_prefix: String,
    /// Share of the cosine in the fused score, in percent; `None` for the default, 0 if words rank alone.
    pub weight: Option<u64>,
}

/// Names of files that a page may fetch before the engine asks for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ahead {
    /// Files that the first hits by words need for any question.
    pub first: Vec<String>,
    /// Files that rank hits by meaning before a model is loaded.
    pub next: Vec<String>,
    /// The chunks of a small corpus, nearly all of which a list of hits reads.
    pub passages: Vec<String>,
}

/// The manifest of a bundle.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The format version it was written in.
    pub format: u64,
    /// The oldest reader that can read it.
    pub oldest_reader: u64,
    /// Program and version that built it.
    pub built_by: String,
    /// Numbers of documents, chunks and keywords.
    pub counts: Counts,
    /// Options of the build as (name, value), for the reader's information.
    pub options: Vec<(String, String)>,
    /// Model that embeds the questions.
    pub embedder: EmbedderInfo,
    /// Sections in the order of writing.
    pub sections: Vec<SectionInfo>,
    /// Packs: files and pages that share a file.
    pub packs: Vec<PackInfo>,
}

/// Reads hexadecimal digits as builds write them: in upper case the same hash would have another manifest.
fn parse_hex(s: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16).filter(|_| !b.is_ascii_uppercase());
    s.as_bytes().chunks(2).map(|two| Some((digit(two[0])? << 4 | digit(*two.get(1)?)?) as u8)).collect()
}

fn hash_in(value: &Value) -> Option<[u8; 32]> {
    value.as_str().and_then(parse_hex)?.try_into().ok()
}

/// Returns true for a name inside the bundle's folder, so that a manifest cannot lead out of it.
fn safe_file(name: &str) -> bool {
    !name.is_empty()
        && name.len() < 200
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/'))
        && name.split('/').all(|part| !part.is_empty() && !part.starts_with('.'))
}

impl Manifest {
    /// Returns the section `name`.
    pub fn section(&self, name: &str) -> Option<&SectionInfo> {
        self.sections.iter().find(|s| s.name == name)
    }

    /// Returns the pack that holds `file`, and the file's offset in it.
    pub(super) fn pack_of(&self, file: &str) -> Option<(&PackInfo, u64)> {
        self.packs.iter().find_map(|pack| {
            let place = pack.holds.iter().position(|held| held.0 == file)?;
            Some((pack, pack.holds[..place].iter().fold(0u64, |sum, held| sum.saturating_add(held.1))))
        })
    }

    fn to_value(&self, ahead: &Ahead) -> Value {
        let e = &self.embedder;
        let names = |files: &[String]| Value::Array(files.iter().map(|f| f.as_str().into()).collect());
        let value = Value::object([
            ("format", self.format.into()),
            ("oldestReader", self.oldest_reader.into()),
            ("builtBy", self.built_by.as_str().into()),
            (
                "counts",
                Value::object([
                    ("documents", self.counts.documents.into()),
                    ("chunks", self.counts.chunks.into()),
                    ("keywords", self.counts.keywords.into()),
                ]),
            ),
            (
                "options",
                Value::Object(self.options.iter().map(|(k, v)| (k.clone(), v.as_str().into())).collect()),
            ),
            (
                "embedder",
                Value::Object(
                    [
                        ("id", e.id.as_str().into()),
                        ("dimension", e.dimension.into()),
                        ("quantisation", e.quantisation.as_str().into()),
                        ("pooling", e.pooling.as_str().into()),
                        ("queryPrefix", e.query_prefix.as_str().into()),
                        ("passagePrefix", e.passage_prefix.as_str().into()),
                    ]
                    .into_iter()
                    .chain(e.weight.map(|w| ("weight", w.into())))
                    .map(|(k, v): (&str, Value)| (k.to_owned(), v))
                    .collect(),
                ),
            ),
            ("first", names(&ahead.first)),
            ("next", names(&ahead.next)),
            ("passages", names(&ahead.passages)),
            (
                "sections",
                Value::Array(
                    self.sections
                        .iter()
                        .map(|s| {
                            let named = [
                                ("name", s.name.as_str().into()),
                                ("file", s.file.as_str().into()),
                                ("bytes", s.bytes.into()),
                                ("raw", s.raw.into()),
                                ("sha256", format_hex(&s.sha256).into()),
                                ("encoding", s.encoding.to_word().into()),
                                ("pageEncoding", s.page_encoding.to_word().into()),
                                ("pages", s.pages.into()),
                                ("pageBytes", s.page_bytes.into()),
                            ];
                            let inline = s.inline.as_ref().map(|bytes| ("inline", format_hex(bytes).into()));
                            Value::Object(
                                named
                                    .into_iter()
                                    .chain(inline)
                                    .map(|(k, v): (&str, Value)| (k.to_owned(), v))
                                    .collect(),
                            )
                        })
                        .collect(),
                ),
            ),
        ]);
        match value {
            // A bundle without packs is written in the earlier format.
            Value::Object(mut members) if !self.packs.is_empty() => {
                members.push(("packs".to_owned(), Value::Array(self.packs.iter().map(pack_value).collect())));
                Value::Object(members)
            }
            value => value,
        }
    }

    /// Returns the text of `manifest.json`. It has the SHA-256 of its own content, which reveals any change.
    pub fn to_json(&self) -> String {
        self.to_json_with(&Ahead::default())
    }

    /// Returns [`Manifest::to_json`] with the names of files that every question needs. Pages fetch them
    /// together; the engine does not read these lists.
    pub fn to_json_with(&self, ahead: &Ahead) -> String {
        let body = self.to_value(ahead);
        let sha: [u8; 32] = Sha256::digest(body.to_string().as_bytes()).into();
        Value::object([("pocketgraph", body), ("sha256", format_hex(&sha).into())]).to_string()
    }

    /// Reads `manifest.json`.
    ///
    /// # Errors
    /// [`BundleError::Manifest`] if it is not one, [`BundleError::Version`] if it is for another reader,
    /// [`BundleError::Hash`] if it was changed.
    pub fn from_json(bytes: &[u8]) -> Result<Self, BundleError> {
        let bad = |what: &str| BundleError::Manifest(what.to_owned());
        let text = std::str::from_utf8(bytes).map_err(|_| bad("it is not UTF-8"))?;
        let outer = json::parse(text).map_err(|e| bad(&e.to_string()))?;
        let body = outer.get("pocketgraph").ok_or_else(|| bad("it has no member pocketgraph"))?;
        // Check the version first: another format may hash otherwise.
        let oldest = body
            .get("oldestReader")
            .and_then(Value::as_u64)
            .ok_or_else(|| bad("oldestReader is no number"))?;
        if !(u64::from(FORMAT)..=u64::from(PACKED_FORMAT)).contains(&oldest) {
            let built_by =
                body.get("builtBy").and_then(Value::as_str).map_or(String::new(), |by| [" of ", by].concat());
            return Err(BundleError::Version {
                file: MANIFEST.to_owned(),
                built_by,
                found: oldest,
                supported: PACKED_FORMAT.into(),
            });
        }
        let sha = outer.get("sha256").and_then(hash_in).ok_or_else(|| bad("sha256 is no hash"))?;
        if sha != <[u8; 32]>::from(Sha256::digest(body.to_string().as_bytes())) {
            return Err(BundleError::Hash { file: MANIFEST.to_owned() });
        }
        let manifest =
            Self::from_value(body).ok_or_else(|| bad("a member is missing or has the wrong type"))?;
        if manifest.counts.chunks.max(manifest.counts.documents) > MOST_CHUNKS {
            return Err(bad("it counts more than a bundle can hold"));
        }
        Ok(manifest)
    }

    fn from_value(body: &Value) -> Option<Self> {
        let text = |v: &Value, k: &str| v.get(k).and_then(Value::as_str).map(str::to_owned);
        let number = |v: &Value, k: &str| v.get(k).and_then(Value::as_u64);
        let encoding = |v: &Value, k: &str| match v.get(k).and_then(Value::as_str) {
            Some("raw") => Some(Encoding::Raw),
            Some("gzip") => Some(Encoding::Gzip),
            _ => None,
        };
        let counts = body.get("counts")?;
        let e = body.get("embedder")?;
        let mut sections = Vec::new();
        for s in body.get("sections")?.as_array()? {
            sections.push(SectionInfo {
                name: text(s, "name")?,
                file: text(s, "file").filter(|f| safe_file(f))?,
                bytes: number(s, "bytes")?,
                raw: number(s, "raw")?,
                sha256: s.get("sha256").and_then(hash_in)?,
                encoding: encoding(s, "encoding")?,
                page_encoding: encoding(s, "pageEncoding")?,
                pages: number(s, "pages")?,
                page_bytes: number(s, "pageBytes")?,
                inline: match s.get("inline") {
                    Some(bytes) => Some(bytes.as_str().and_then(parse_hex)?),
                    None => None,
                },
            });
        }
        Some(Manifest {
            format: number(body, "format")?,
            oldest_reader: number(body, "oldestReader")?,
            built_by: text(body, "builtBy")?,
            counts: Counts {
                documents: number(counts, "documents")?,
                chunks: number(counts, "chunks")?,
                keywords: number(counts, "keywords")?,
            },
            options: body
                .get("options")?
                .as_object()?
                .iter()
                .map(|(k, v)| v.as_str().map(|v| (k.clone(), v.to_owned())))
                .collect::<Option<_>>()?,
            embedder: EmbedderInfo {
                id: text(e, "id")?,
                dimension: number(e, "dimension")?,
                quantisation: text(e, "quantisation")?,
                pooling: text(e, "pooling")?,
                query_prefix: text(e, "queryPrefix")?,
                passage_prefix: text(e, "passagePrefix")?,
                weight: number(e, "weight").map(|w| w.min(100)),
            },
            sections,
            packs: match body.get("packs") {
                Some(packs) => packs.as_array()?.iter().map(pack_in).collect::<Option<_>>()?,
                None => Vec::new(),
            },
        })
    }
}

fn pack_value(pack: &PackInfo) -> Value {
    Value::object([
        ("file", pack.file.as_str().into()),
        ("bytes", pack.bytes.into()),
        ("sha256", format_hex(&pack.sha256).into()),
        (
            "holds",
            Value::Array(
                pack.holds
                    .iter()
                    .map(|(file, bytes)| Value::Array(vec![file.as_str().into(), (*bytes).into()]))
                    .collect(),
            ),
        ),
    ])
}

fn pack_in(value: &Value) -> Option<PackInfo> {
    let held = |pair: &Value| match pair.as_array()? {
        [file, bytes] => Some((file.as_str()?.to_owned(), bytes.as_u64()?)),
        _ => None,
    };
    Some(PackInfo {
        file: value.get("file")?.as_str().filter(|f| safe_file(f))?.to_owned(),
        bytes: value.get("bytes")?.as_u64()?,
        sha256: value.get("sha256").and_then(hash_in)?,
        holds: value.get("holds")?.as_array()?.iter().map(held).collect::<Option<_>>()?,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn example() -> Manifest {
        Manifest {
            format: FORMAT.into(),
            oldest_reader: FORMAT.into(),
            built_by: "pocketgraph 0.1.0".into(),
            counts: Counts { documents: 1, chunks: 2, keywords: 3 },
            options: vec![("seed".into(), "0".into())],
            embedder: EmbedderInfo {
                id: "minilm".into(),
                dimension: 384,
                weight: Some(40),
                ..EmbedderInfo::default()
            },
            sections: vec![SectionInfo {
                name: "documents".into(),
                file: "documents-00.pgs".into(),
                bytes: 10,
                raw: 20,
                sha256: [7; 32],
                encoding: Encoding::Gzip,
                page_encoding: Encoding::Raw,
                pages: 0,
                page_bytes: 0,
                inline: Some(b"0123456789".to_vec()),
            }],
            packs: vec![PackInfo {
                file: "pack-0.pgs".into(),
                bytes: 7,
                sha256: [9; 32],
                holds: vec![("a.pgs".into(), 3), ("a/b.pgs".into(), 4)],
            }],
        }
    }

    #[test]
    fn a_manifest_reads_back() {
        assert_eq!(Manifest::from_json(example().to_json().as_bytes()).unwrap(), example());
    }

    #[test]
    fn what_shares_a_file_lies_behind_what_is_before_it() {
        let manifest = example();
        let place = |file| manifest.pack_of(file).map(|(pack, at)| (pack.file.as_str(), at));
        assert_eq!(
            (place("a.pgs"), place("a/b.pgs"), place("b.pgs")),
            (Some(("pack-0.pgs", 0)), Some(("pack-0.pgs", 3)), None)
        );
    }

    #[test]
    fn a_changed_digit_is_refused() {
        let text = example().to_json().replace("\"bytes\":10", "\"bytes\":11");
        assert_eq!(Manifest::from_json(text.as_bytes()).unwrap_err().code(), "hash-mismatch");
    }

    #[test]
    fn what_a_section_brings_along_is_hexadecimal_or_the_manifest_is_none() {
        assert_eq!(parse_hex("00ff7a").unwrap(), [0, 255, 0x7a]);
        for bad in ["0", "0g", "+1", "é", "0F"] {
            assert_eq!(parse_hex(bad), None, "{bad}");
        }
    }

    #[test]
    fn another_format_is_refused_by_its_version() {
        for version in [1, 2, 3, 4, 7] {
            let text =
                example().to_json().replace("\"oldestReader\":5", &format!("\"oldestReader\":{version}"));
            let error = Manifest::from_json(text.as_bytes()).unwrap_err();
            assert_eq!(error.code(), "unsupported-version");
            let message = error.to_string();
            assert!(message.contains("of pocketgraph 0.1.0; pocketgraph"), "{message}");
            assert!(
                message.contains("build the bundle again")
                    && message.contains("take the reader that it was built with"),
                "{message}"
            );
        }
    }

    #[test]
    fn no_file_name_leads_out_of_the_bundle() {
        assert!(safe_file("chunks/0af.pgs"));
        for name in ["../x", "/etc", "a//b", "a/../b", "", "a b", "https://x", ".hidden"] {
            assert!(!safe_file(name), "{name}");
        }
    }
}
