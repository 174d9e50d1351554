//! Targets for every decoder of foreign input.

use crate::bundles::{Partner, Parts, trial, write_files};
use crate::mutate::{self, Random};
use futures::executor::block_on;
use pocketgraph::bundle::{
    Ahead, ChunkPage, Fields, Manifest, PAGE_HASH, PageRef, PagedIndex, SketchIndex, TermIndex, Times,
    Translated, Translations, VectorIndex, decode_chunks, decode_document_order, decode_documents,
    decode_fields, decode_function_words, decode_layouts, decode_list, decode_range, decode_sketches,
    decode_times, decode_weights, encode_document_order, encode_fields, encode_function_words, encode_list,
    encode_times,
};
use pocketgraph::embed::{
    LayersDecoder, Pieces, TableIndex, UnigramVocabulary, VocabularyIndex, decode_pieces,
};
use pocketgraph::entities::{
    Facts, StatedFact, Titles, decode_communities, decode_entities, decode_facts, decode_relations,
    decode_synonyms, decode_texts, decode_tree, encode_facts, encode_relations, encode_texts,
};
use pocketgraph::llm::{ChatDecoder, SseDecoder};
use pocketgraph::names::{ChunkDocuments, decode_links, decode_mentions};
use pocketgraph::plan::{Surface, check::Limits};
use pocketgraph::planner::model::PlannerModel;
use pocketgraph::planner::{PhraseIndex, Phrases};
use pocketgraph::sparse::{Csr, Lists};
use pocketgraph::text::{Folding, Tokenizer, Unigram, fold, sentences, stem, terms, words};
use pocketgraph::vector::QuantizedMatrix;
use pocketgraph::{json, keyword, kg};
use pocketgraph_build::proof::prove_answer;
use pocketgraph_ingest::chunk::split_document;
use pocketgraph_ingest::{IngestOptions, ingest_bytes, read_outside_chunks};
use pocketgraph_knowledge::kg::{ImportOptions, KgFiles, import};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

type Change = Box<dyn Fn(&mut Random, &mut Vec<u8>)>;
type Read = Box<dyn Fn(&[u8]) -> bool>;

/// A decoder under test.
pub struct Target {
    /// Name of the target, and of the folder with its kept inputs.
    pub name: String,
    /// Inputs before changes.
    pub seeds: Vec<Vec<u8>>,
    /// Kind of changes to a seed.
    pub change: Change,
    /// Reads an input; whether it is what the target reads.
    pub read: Read,
    /// Number of bytes that an input may make the program allocate: per byte of its own, and in addition.
    pub allowed: (usize, usize),
}

impl Target {
    fn of(name: &str, seeds: Vec<Vec<u8>>, change: Change, read: Read) -> Target {
        Target { name: name.to_owned(), seeds, change, read, allowed: (600, 16 << 20) }
    }

    /// Bytes that an input of this length may take.
    pub fn memory(&self, length: usize) -> usize {
        self.allowed.0.saturating_mul(length).saturating_add(self.allowed.1)
    }
}

const DIM: u64 = 384;
const CHUNKS: u64 = 64;

/// All targets.
pub fn all() -> Vec<Target> {
    let parts = Rc::new(Parts::build());
    let mut out = Vec::new();
    add_sections(&parts, &mut out);
    out.extend(text_targets());
    out.extend(document_targets());
    out.extend(graph_targets());
    out.extend(plan_targets());
    out.extend(bundle_targets(&parts));
    out
}

fn binary(keep: usize) -> Change {
    Box::new(move |random, input| mutate::bytes(random, input, keep))
}

fn written(marks: &'static [&'static str]) -> Change {
    Box::new(move |random, input| mutate::text(random, input, marks))
}

/// A target for each kind of file of a bundle, with the files of a bundle as seeds.
fn add_sections(parts: &Parts, out: &mut Vec<Target>) {
    let mut add = |name: &str, section: &str, which: fn(usize) -> bool, read: Read| {
        let all = parts.files_of(section).into_iter().enumerate();
        // Files of models are megabytes: their beginnings hold what is decoded, the rest are weights.
        let mut seeds: Vec<Vec<u8>> = all
            .filter(|(i, _)| which(*i))
            .map(|(_, b)| b[..b.len().min(32 << 10)].to_vec())
            .take(20)
            .collect();
        seeds.extend(made_seeds(name));
        if seeds.is_empty() {
            return;
        }
        out.push(Target::of(&format!("section-{name}"), seeds, binary(8), read));
    };
    let root: fn(usize) -> bool = |i| i == 0;
    let page: fn(usize) -> bool = |i| i > 0;
    add("documents", "documents", root, Box::new(|b| decode_documents("f", b).is_ok()));
    add(
        "chunks",
        "chunks",
        page,
        Box::new(|b| {
            decode_chunks("f", b, 64)
                .is_ok_and(|p: ChunkPage| p.document(0).is_some() || !p.chunks.is_empty())
        }),
    );
    add("list", "chunks", root, Box::new(|b| decode_list(CHUNKS as u32, "f", b).is_ok()));
    add(
        "vectors",
        "vectors",
        root,
        Box::new(|b| (0..40).any(|n| VectorIndex::decode("f", b, n, DIM).is_ok())),
    );
    add(
        "cell",
        "vectors",
        page,
        Box::new(|b| {
            (0..9).any(|n| {
                pocketgraph::bundle::decode_vectors("f", b, pocketgraph::bundle::Kind::Vectors, n, DIM)
                    .is_ok()
            })
        }),
    );
    add(
        "sketches",
        "sketches",
        root,
        Box::new(|b| {
            (32..80).any(|n| {
                SketchIndex::decode("f", b, n, DIM)
                    .is_ok_and(|s| !s.against(&[0.5; 384]).product(&[7; 48]).is_nan())
            })
        }),
    );
    add(
        "sketch-page",
        "sketches",
        page,
        Box::new(|b| (8..80).any(|n| decode_sketches("f", b, n, 48).is_ok())),
    );
    add("layout", "layout", page, Box::new(|b| decode_layouts("f", b).is_ok()));
    add(
        "document-order",
        "document-order",
        root,
        Box::new(|b| decode_document_order("f", b).is_ok_and(|all| !all.is_empty())),
    );
    add(
        "function-words",
        "function-words",
        root,
        Box::new(|b| decode_function_words("f", b).is_ok_and(|all| !all.is_empty())),
    );
    add(
        "translations",
        "translations",
        root,
        Box::new(|b| Translations::decode("f", b).is_ok_and(|all| all.of(3).is_some())),
    );
    add(
        "weights",
        "weights",
        root,
        Box::new(|b| decode_weights("f", b).is_ok_and(|all| all.iter().any(|g| g.holds(7)))),
    );
    add(
        "times",
        "times",
        root,
        Box::new(|b| decode_times("f", b).is_ok_and(|times| !times.labels.is_empty())),
    );
    let condition = ["price=9..".to_owned()];
    let met =
        move |fields: Fields| fields.matching(&condition, 3)[0] && fields.compare("-price", 0, 1).is_ne();
    add("fields", "fields", root, Box::new(move |b| decode_fields("f", b).is_ok_and(&met)));
    add("terms", "lexical", page, Box::new(|b| decode_range("f", b, 64).is_ok()));
    add(
        "term-index",
        "lexical",
        root,
        Box::new(|b| TermIndex::decode("f", b).is_ok_and(|t| !t.ranges_of_prefix("ke").is_empty())),
    );
    add(
        "chunk-documents",
        "chunk-documents",
        root,
        Box::new(|b| (0..20).any(|n| ChunkDocuments::decode("f", b, n).is_ok())),
    );
    add("links", "links", root, Box::new(|b| decode_links("f", b).is_ok()));
    add(
        "mentions",
        "mentions",
        page,
        Box::new(|b| (1..9).any(|n| decode_mentions("f", b, n, 64, DIM).is_ok())),
    );
    add("synonyms", "synonyms", root, Box::new(|b| decode_synonyms("f", b).is_ok()));
    add("facts", "facts", root, Box::new(|b| decode_facts("f", b, CHUNKS, DIM).is_ok()));
    add("relations", "relations", root, Box::new(|b| decode_relations("f", b, CHUNKS, DIM).is_ok()));
    add(
        "communities",
        "communities",
        root,
        Box::new(|b| (0..40).any(|n| decode_communities("f", b, n, CHUNKS, DIM).is_ok())),
    );
    add("tree", "tree", root, Box::new(|b| decode_tree("f", b, CHUNKS, DIM).is_ok()));
    add("texts", "reports", root, Box::new(|b| decode_texts("f", b, 3).is_ok()));
    add(
        "entities",
        "entities",
        root,
        Box::new(|b| {
            let rows = b
                .get(8..12)
                .and_then(|r| r.first_chunk::<4>())
                .map_or(0, |r| u32::from_le_bytes(*r) as usize);
            let titles = |n: u32| {
                Titles::new(
                    [vec![0, 1], vec![]].into_iter().collect::<Lists>(),
                    (0..n).map(|c| c % 2).collect(),
                )
            };
            (0..16).any(|n| {
                decode_entities("f", b, rows, &titles(n), DIM)
                    .is_ok_and(|i| i.passages().edges() < usize::MAX)
            })
        }),
    );
    add("table", "table", root, Box::new(|b| TableIndex::decode("f", b).is_ok()));
    add(
        "vocabulary",
        "vocabulary",
        root,
        Box::new(|b| {
            VocabularyIndex::decode("f", b).is_ok_and(|v| {
                Tokenizer::in_ranges((v.total as usize).min(40_000), &v.common, v.first).is_ok()
            })
        }),
    );
    add(
        "pieces",
        "vocabulary",
        page,
        Box::new(|b| [1, 2, 17, 100, 500, 1000].iter().any(|&n| decode_pieces("f", b, n, 40_000).is_ok())),
    );
    add("phrases", "kg-phrases", root, Box::new(|b| PhraseIndex::decode("f", b).is_ok()));
    add("phrase-page", "kg-phrases", page, Box::new(|b| Phrases::decode("f", b, 2, DIM).is_ok()));
    add(
        "layers",
        "layers",
        root,
        Box::new(|b| {
            let mut decoder = LayersDecoder::default();
            (0..10_000).find_map(|_| decoder.step(b).transpose()).is_some_and(|done| done.is_ok())
        }),
    );
    add("planner", "planner", root, Box::new(|b| PlannerModel::decode(b).is_ok()));
    // Sections that are read together, one after the other, after their lengths.
    let joined = |names: &[&str]| {
        let all: Vec<Vec<u8>> =
            names.iter().map(|n| parts.files_of(n).into_iter().next().unwrap_or_default()).collect();
        all.iter()
            .flat_map(|b| (b.len() as u32).to_le_bytes().into_iter().chain(b.iter().copied()))
            .collect::<Vec<u8>>()
    };
    let seeds = vec![joined(&["kg", "kg-nodes", "kg-triples", "kg-sources"])];
    out.push(Target::of(
        "section-kg",
        seeds,
        binary(0),
        Box::new(|b| {
            let [v, n, t, s] = split_parts(b);
            kg::decode_graph([v, n, t, s]).is_ok()
        }),
    ));
    out.push(Target::of(
        "section-keywords",
        vec![joined(&["keywords", "keyword-graph"])],
        binary(0),
        Box::new(|b| {
            let [labels, graph] = split_parts(b);
            keyword::decode_keywords(labels, graph, CHUNKS).is_ok()
        }),
    ));
}

/// Returns seeds of sections that a small bundle lacks: those of a language model, and lists of many pages.
fn made_seeds(section: &str) -> Vec<Vec<u8>> {
    let vectors = QuantizedMatrix::from_rows(
        DIM as usize,
        [[0.5f32; DIM as usize], [0.25; DIM as usize]].iter().map(|r| &r[..]),
    );
    match section {
        "list" => {
            let mut list = PagedIndex::empty();
            (0..4).for_each(|i| list.push(PageRef { sha256: [i; PAGE_HASH], bytes: 900, raw: 2000 }, 16));
            vec![encode_list(&list)]
        }
        "relations" => {
            let sentences = [vec![vec![0, 1], vec![1]], vec![], vec![vec![0]]];
            let mut lists: Vec<&[Vec<u32>]> = sentences.iter().map(Vec::as_slice).collect();
            lists.resize(CHUNKS as usize, &[]);
            vec![encode_relations(&["Mara".to_owned(), "Tomas".to_owned()], &vectors, &lists, &[3, 4, 5])]
        }
        "texts" => vec![encode_texts(&["A report.".to_owned(), String::new(), "Größe".to_owned()])],
        "facts" => {
            let fact = StatedFact { subject: 0, relation: 0, object: 1, chunks: vec![0, 3] };
            let synonyms = Csr::from_rows(2, vec![vec![(1, 0.9)], vec![]]);
            let vector =
                QuantizedMatrix::from_rows(DIM as usize, [[0.5f32; DIM as usize]].iter().map(|r| &r[..]));
            vec![encode_facts(&Facts::new(
                vec!["mara".to_owned(), "film".to_owned()],
                vec!["directed".to_owned()],
                vec![fact],
                synonyms,
                vector,
            ))]
        }
        "phrases" => {
            let mut pages = PagedIndex::empty();
            pages.push(PageRef { sha256: [1; PAGE_HASH], bytes: 900, raw: 900 }, 2);
            vec![PhraseIndex { pages, about: vec!["film".to_owned()] }.encode()]
        }
        "document-order" => vec![encode_document_order(&[2, 0, 1, 300])],
        "function-words" => {
            vec![encode_function_words(&["der\ts\nwie\tsm\n".to_owned(), "\u{4ec0}\ts\n".to_owned()])]
        }
        "translations" => {
            let of = |document, original, language| Translated { document, original, language };
            vec![
                Translations {
                    languages: vec!["de".to_owned(), "en".to_owned()],
                    documents: vec![of(0, 0, 1), of(3, 0, 0), of(300, 1, 1)],
                }
                .encode(),
            ]
        }
        "times" => {
            vec![encode_times(&Times { labels: vec![String::new()], statements: vec![7, 3, 300, 5, 0, 1] })]
        }
        "fields" => {
            let texts = |all: &[&str]| all.iter().map(|&text| text.to_owned()).collect();
            vec![encode_fields(&Fields {
                names: texts(&["author", "price"]),
                kinds: texts(&["word", "number"]),
                values: texts(&["Ann", "9.5", "12"]),
                cells: vec![0, 0, 0, 0, 1, 1, 1, 1, 2],
            })]
        }
        "phrase-page" => vec![Phrases { texts: vec!["a".to_owned(), "b".to_owned()], vectors }.encode()],
        _ => Vec::new(),
    }
}

/// Splits pieces that follow their lengths; pieces that do not fit are empty.
fn split_parts<const N: usize>(mut bytes: &[u8]) -> [&[u8]; N] {
    [0; N].map(|_| {
        let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return &[][..] };
        let (piece, rest) = rest.split_at((u32::from_le_bytes(*length) as usize).min(rest.len()));
        bytes = rest;
        piece
    })
}

fn of_text(read: impl Fn(&str) -> bool + 'static) -> Read {
    Box::new(move |b| read(&String::from_utf8_lossy(b)))
}

fn seeds(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|t| t.as_bytes().to_vec()).collect()
}

const JSON: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "null",
    "true",
    "1e308",
    "-0",
    "1e-999",
    "\\ud800",
    "\\u0000",
    "9007199254740993",
    "\"a\":",
    "[[[[",
    "{\"a\":{",
];

const UNIGRAM_PIECES: &[(&str, i32)] = &[
    ("", 0),
    ("", 0),
    ("", 0),
    (" ", -100),
    ("a", -300),
    ("b", -320),
    (" ma", -200),
    ("ra", -210),
    (" film", -180),
    ("s", -150),
    ("東", -400),
    ("東京", -350),
    ("é", -420),
    (".", -90),
    ("ss", -260),
];

/// Folds a ligature into letters, drops a sign, and joins a letter with the mark after it.
fn unigram_folding() -> Folding {
    Folding::new(
        &[(0xad, vec![]), (0xdf, vec![0x73, 0x73]), (0xfb03, vec![0x66, 0x66, 0x69])],
        &[[0x65, 0x301, 0xe9]],
    )
}

fn unigram_section() -> Vec<u8> {
    let pieces = UNIGRAM_PIECES.iter().map(|(text, score)| ((*text).to_owned(), *score)).collect();
    UnigramVocabulary { folding: unigram_folding(), unknown: -1500, mean: vec![0.25; 4], pieces }.encode()
}

/// JSON, the manifest, replies of a model, and what cuts text.
fn text_targets() -> Vec<Target> {
    let manifest = {
        use pocketgraph::bundle::{Counts, EmbedderInfo, Encoding, FORMAT, PackInfo, SectionInfo};
        let section = SectionInfo {
            name: "s".into(),
            file: "s-0.pgs".into(),
            bytes: 9,
            raw: 9,
            sha256: [1; 32],
            encoding: Encoding::Raw,
            page_encoding: Encoding::Gzip,
            pages: 0,
            page_bytes: 0,
            inline: Some(b"PGS123456".to_vec()),
        };
        let counts = Counts { documents: 1, chunks: 2, keywords: 3 };
        Manifest {
            format: FORMAT.into(),
            oldest_reader: FORMAT.into(),
            built_by: "p".into(),
            counts,
            options: vec![("seed".into(), "0".into())],
            embedder: EmbedderInfo::default(),
            sections: vec![section],
            packs: vec![PackInfo {
                file: "pack-0.pgs".into(),
                bytes: 9,
                sha256: [2; 32],
                holds: vec![("s-0.pgs".into(), 9)],
            }],
        }
        .to_json_with(&Ahead { first: vec!["s-0.pgs".to_owned()], ..Ahead::default() })
    };
    let reply = "data: {\"choices\":[{\"delta\":{\"content\":\"Mara \"},\"index\":0}]}\n\ndata: \
        {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"sea\
        rch\",\"arguments\":\"{\\\"q\\\":1}\"}}]},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_token\
        s\":3,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n";
    let whole = "{\"choices\":[{\"message\":{\"content\":\"Mara\",\"tool_calls\":[]},\"finish_reason\":\"length\
        \"}],\"usage\":{\"prompt_tokens\":1}}";
    let error = "event: error\r\ndata: {\"error\":{\"message\":\"too many\",\"code\":429}}\r\n\r\n: \
        comment\r\ndata:x\rdata\n\n";
    const STREAM: &[&str] = &[
        "data:",
        "data: ",
        "event: ",
        "id: 1\n",
        ": c\n",
        "\r",
        "\n\n",
        "\r\n\r\n",
        "[DONE]",
        "{\"choices\":[",
        "\"delta\":{",
        "\"content\":\"",
        "\"error\":",
        "\u{feff}",
        "}}]}",
        "\"index\":99999999,",
        "\"tool_calls\":[{",
    ];
    let prose = "Dr. Mara Kestrel's film (1988) was shown at 3 p.m. It's good! Größe: 3,5 km. 東京は日本の首都です。他说。 \
        foo_bar::baz() isn't HTTPServer2 e.g. this… \"Quoted.\" Next";
    const PROSE: &[&str] = &[
        ". ",
        "? ",
        "。",
        "'s",
        "e.g.",
        "Dr.",
        "…",
        "\"",
        "\n\n",
        "\u{301}",
        "\u{200d}",
        "ß",
        "İ",
        "ﬃ",
        "_",
        "::",
        "##",
        "日本",
        "가",
        "\u{0}",
        "     ",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ];
    let mut vocabulary = String::from("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n");
    ["a", "b", "##a", "##b", "ma", "##ra", "film", "##s", "東", "京", "##京", ".", ",", "gro", "##ße", "the"]
        .iter()
        .for_each(|p| vocabulary.push_str(&format!("{p}\n")));
    let tokenizer = Tokenizer::from_vocab(&vocabulary).unwrap();
    let unigram = Unigram::new(unigram_folding(), UNIGRAM_PIECES, (2, -1500));
    vec![
        Target::of(
            "json",
            seeds(&["{\"a\":[1,2.5e3,{\"b\":null}],\"c\":\"\\u00e9\\n\"}", "[]", "[[[]]]", "\"x\"", whole]),
            written(JSON),
            of_text(|t| {
                // The value is written, and must read back as the same.
                let Ok(value) = json::parse(t) else { return false };
                let again = value.to_string();
                assert_eq!(
                    json::parse(&again).map(|v| v.to_string()),
                    Ok(again.clone()),
                    "JSON does not read back"
                );
                true
            }),
        ),
        Target::of(
            "manifest",
            seeds(&[&manifest]),
            written(JSON),
            Box::new(|b| Manifest::from_json(b).is_ok()),
        ),
        Target::of(
            "reply",
            seeds(&[reply, whole, error]),
            written(STREAM),
            Box::new(|b| {
                let mut decoder = ChatDecoder::new(1 << 20);
                let mut deltas = Vec::new();
                // In pieces, as they arrive.
                let size = 1 + b.first().map_or(0, |&f| f as usize % 40);
                b.chunks(size).all(|piece| decoder.push(piece, &mut deltas).is_ok())
                    && decoder.finish(&mut deltas).is_ok()
            }),
        ),
        Target::of(
            "sse",
            seeds(&[reply, error]),
            written(STREAM),
            Box::new(|b| {
                let (mut whole, mut pieces, mut all, mut parted) =
                    (SseDecoder::new(1 << 16), SseDecoder::new(1 << 16), Vec::new(), Vec::new());
                let one = whole.push(b, &mut all).is_ok();
                let other = b.chunks(3).all(|p| pieces.push(p, &mut parted).is_ok());
                if one && other {
                    assert_eq!(all.len(), parted.len(), "where a stream is cut changes what it says");
                }
                one && whole.finish().is_ok()
            }),
        ),
        Target::of(
            "words",
            seeds(&[prose]),
            written(PROSE),
            of_text(|t| {
                let _ = (fold(t), terms(t), stem(t));
                let spans = sentences(t).into_iter().chain(words(t).into_iter().map(|w| w.span));
                spans.into_iter().all(|s| t.get(s).is_some())
            }),
        ),
        Target::of(
            "tokenizer",
            seeds(&[prose]),
            written(PROSE),
            of_text(move |t| {
                assert!(tokenizer.encode(t, 64).len() <= 64, "more tokens than were asked for");
                tokenizer.count(t) == tokenizer.content(t).len()
            }),
        ),
        Target::of(
            "unigram",
            seeds(&[prose]),
            written(PROSE),
            of_text(move |t| {
                let ids = unigram.cut(t, usize::MAX);
                assert!(unigram.cut(t, 64) == ids[..ids.len().min(64)], "a text cut short is cut otherwise");
                ids.iter().all(|&id| id < UNIGRAM_PIECES.len() as u32)
            }),
        ),
        Target::of(
            "unigram-vocabulary",
            vec![unigram_section()],
            binary(8),
            Box::new(|b| {
                Pieces::decode("f", b)
                    .is_ok_and(|p| p.question("query: ", "mara ﬃ films 東京 e\u{301}", 20).len() <= 20)
            }),
        ),
        Target::of(
            "tokenizer-vocabulary",
            seeds(&[&vocabulary]),
            written(PROSE),
            of_text(|t| Tokenizer::from_vocab(t).is_ok_and(|k| k.count("mara films 東京") < 100)),
        ),
    ]
}

const MARKDOWN: &[&str] = &[
    "# ",
    "\n## ",
    "**",
    "_",
    "`",
    "```\n",
    "~~~",
    "[a](b)",
    "[a]: b\n",
    "[a]",
    "![",
    "](",
    "> ",
    "- ",
    "1. ",
    "| a | b |\n|---|---|\n",
    "\n\n",
    "<div>",
    "</div>",
    "<!--",
    "-->",
    "{#id}",
    "---\n",
    "+++\n",
    "title: ",
    "tags: [a, ",
    ":::",
    "{{< x >}}",
    "<a href=",
    "&#x",
    "&amp;",
    "\\",
    "[^1]",
    "$$",
    "\t",
    "    ",
    "import x from 'y'\n",
    "{/*",
];
const HTML: &[&str] = &[
    "<p>",
    "</p>",
    "<h1 id=a>",
    "</h1>",
    "<a href=b>",
    "</a>",
    "<table><tr><td>",
    "</table>",
    "<script>",
    "</script>",
    "<style>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<svg>",
    "<math>",
    "<template>",
    "<ul><li>",
    "&lt;",
    "&#x10ffff;",
    "&",
    "<",
    ">",
    "\"",
    "'",
    "<main>",
    "<nav>",
    "<pre>",
    "<meta name=keywords content=",
    " data-pagefind-body",
    "<title>",
    "<body>",
    "<br>",
    "<div role=table>",
    "\0",
];
const RST: &[&str] = &[
    "\n====\n",
    "\n----\n",
    "``",
    "`",
    "`_",
    "_",
    "|a|",
    ".. |a| replace:: b\n",
    ".. _a: b\n",
    ".. note::\n\n   ",
    ".. code-block:: x\n\n   ",
    "+---+---+\n| a | b |\n+---+---+\n",
    "=== ===\na   b\n=== ===\n",
    "::\n\n  ",
    ":field: ",
    "* ",
    "#. ",
    "   ",
    "\n\n",
    ":ref:`",
    "[1]_",
    "| line\n",
    ">>> x\n",
    ".. [1] ",
    "\\",
    "**",
    ".. list-table::\n",
];
const ASCIIDOC: &[&str] = &[
    "= ",
    "\n== ",
    ":a: b\n",
    "{a}",
    "{",
    "}",
    "*",
    "_",
    "`",
    "+",
    "#",
    "<<",
    ">>",
    "xref:a[b]",
    "link:a[b]",
    "image::a[b]\n",
    "[source]\n----\n",
    "----\n",
    "|===\n",
    "| a ",
    "a|",
    "====\n",
    "[[id]]",
    "[.role]#",
    "* ",
    ". ",
    "term:: ",
    "include::x[]\n",
    "ifdef::a[]\n",
    "endif::[]\n",
    "//\n",
    "////\n",
    "\"`",
    "`\"",
    "kbd:[",
    "+\n",
    ":idprefix: x\n",
    "\\",
];
const NOTEBOOK: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"cells\":[",
    "\"cell_type\":\"markdown\"",
    "\"cell_type\":\"code\"",
    "\"source\":",
    "\"metadata\":{",
    "\"# a\\n\"",
    ",",
    ":",
    "null",
    "1e9",
    "\"level\":7",
    "\"outputs\":[",
    "\\u0000",
    "\"worksheets\":[",
];

/// Reads a document with that name, and splits its text into chunks: all of it, within the tokens.
fn read_document(path: &'static str) -> Read {
    Box::new(move |bytes| {
        let Ok(corpus) = ingest_bytes(path, bytes.to_vec(), &IngestOptions::default()) else { return false };
        let count = |t: &str| t.split_whitespace().map(|w| w.len().div_ceil(4)).sum::<usize>();
        for (i, document) in corpus.documents.iter().enumerate() {
            let chunks = split_document(i as u32, document, &count, 50);
            assert!(chunks.iter().all(|c| c.start <= c.end), "a chunk ends before it begins");
            let text: usize = document.blocks.iter().map(|b| b.text.len()).sum();
            assert!(text <= 4 * bytes.len() + (128 << 10), "{text} bytes of text from {}", bytes.len());
        }
        !corpus.documents.is_empty()
    })
}

/// Marks of RDF and of other files of graphs.
const GRAPHS: &[&str] = &[
    "@prefix e: <http://e/> .\n",
    "@base <http://e/> .\n",
    "e:a ",
    "<a> ",
    "_:b ",
    " a ",
    " ; ",
    " , ",
    " .\n",
    "( ",
    ") ",
    "[ ",
    "] ",
    "\"a\"@en ",
    "^^e:t ",
    "{\"@context\":",
    "{\"@id\":\"e:a\",\"e:p\":",
    "{\"a\":\"b:a\"},",
    "\"@vocab\":\"a\",",
    "\"@graph\":[",
    "}",
    "]",
    "<rdf:Description rdf:about='a'>",
    "<e:p rdf:parseType='Collection'>",
    "</e:p>",
    "<node id='a'/>",
    "<edge source='a' target='b'/>",
    "a\tb\tc\n",
    "a,\"b\",c\n",
];

/// Targets for files of knowledge graphs, and one for names of files, which become addresses.
fn graph_targets() -> Vec<Target> {
    let turtle = "@prefix e: <http://e/> .\ne:a a e:T ; e:p e:b, \"x\"@en ; e:q ( e:c 1 ) .\n";
    let json_ld = r#"{"@context":[{"e":"http://e/","p":{"@id":"e:p","@type":"@id"}}],"@id":"e:a","p":["e:b",{"@id":"e:c"}]}"#;
    let xml = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e/'><e:T \
        rdf:about='http://e/a'><e:p>x</e:p></e:T></rdf:RDF>";
    let graph = "<graphml><graph><node id='a'/><node id='b'/><edge source='a' target='b'><data \
        key='label'>p</data></edge></graph></graphml>";
    let json = r#"{"nodes":[{"id":"a","name":"A"}],"links":[{"source":"a","target":"b","relation":"p"}]}"#;
    let table = "head,relation,tail\nA,p,B\nA,\"q, r\",1\n";
    let of = |name: &str, ending: &'static str, seed: &str| Target {
        allowed: (3000, 64 << 20),
        ..Target::of(name, seeds(&[seed]), written(GRAPHS), Box::new(move |bytes| is_graph(ending, bytes)))
    };
    vec![
        of("turtle", "ttl", turtle),
        of("json-ld", "jsonld", json_ld),
        of("rdf-xml", "rdf", xml),
        of("graph-markup", "graphml", graph),
        of("graph-json", "json", json),
        of("graph-table", "csv", table),
        Target::of(
            "file-name",
            seeds(&["a", "a/b c", "http:/a", "data:a"]),
            written(&[":", "/", "%3a", "javascript", "."]),
            {
                of_text(|name| {
                    let corpus = ingest_bytes(
                        &format!("{name}.md"),
                        b"# A\n\nText.".to_vec(),
                        &IngestOptions::default(),
                    );
                    let Ok(corpus) = corpus else { return false };
                    for document in &corpus.documents {
                        let first = document.url.split(['/', '?', '#']).next().unwrap_or_default();
                        assert!(
                            !first.contains(':'),
                            "the name {name:?} has become a scheme: {}",
                            document.url
                        );
                    }
                    !corpus.documents.is_empty()
                })
            },
        ),
    ]
}

fn is_graph(ending: &str, bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a").with_extension(ending);
    std::fs::write(&file, bytes).unwrap();
    let files = KgFiles { triples: vec![file], ..KgFiles::default() };
    import(&files, &ImportOptions::default()).is_ok()
}

fn document_targets() -> Vec<Target> {
    let golden =
        [include_str!("../../docs/getting-started.md"), include_str!("../../docs/how-documents-are-read.md")];
    let markdown = [
        "---\ntitle: \"A\"\ntags: [a, 'b']\nlist:\n  - x\n---\n# One {#id}\n\nText *a* [b](c.md) and \
         `d`.\n\n- x\n- y\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nfn main() {}\n```\n\n> \
         quote\n",
        golden[0],
        golden[1],
    ];
    let html = "<!doctype html><html lang=en><head><title>T</title><meta name=keywords content='a, \
        b'></head><body><main data-pagefind-body><h1 id=a>One</h1><p>Text <b>b</b> <a \
        href='c.html'>link</a>.</p><table><tr><th>a<th>b<tr><td>1<td>2</table><pre>code\n</pre><ul><li>x\
        <li>y</ul></main></body></html>";
    let rst = ".. _target: https://example.org\n.. |name| replace:: Mara\n\nTitle\n=====\n\n:author: \
        Ada\n\nText with |name|, `a link <b.html>`_ and target_.\n\n.. note::\n\n   \
        Inside.\n\nCode::\n\n   x = 1\n\n+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n\n* \
        item\n";
    let adoc = "= Title\nAda Lind <a@b>\n:name: Mara\n:idprefix: x-\n\n== Section\n\nText {name} *bold* \
        <<id,there>> https://example.org[link].\n\n[[id]]\n|===\n| a | b\n\n| 1 | \
        2\n|===\n\n----\ncode\n----\n\n* item\n. one\n\nterm:: what\n";
    let notebook = "{\"cells\":[{\"cell_type\":\"markdown\",\"source\":[\"# \
        One\\n\",\"Text\"],\"metadata\":{}},{\"cell_type\":\"code\",\"source\":\"x = \
        1\",\"outputs\":[],\"metadata\":{}}],\"metadata\":{\"title\":\"N\",\"authors\":[{\"name\":\"Ada\
        \"}]},\"nbformat\":4,\"nbformat_minor\":5}";
    let lines = "{\"title\":\"A\",\"url\":\"/a\",\"text\":\"Text one.\"}\n{\"id\":\"x\",\"text\":\"Two\"}\n\nnot \
        json\n{\"text\":3}\n";
    let plain = "TITLE\n\nA paragraph of text.\nGoes on.\n\n  - item\n\nLast.";
    let front = [
        "---\ntitle: \"A \\\"q\\\": b\" # c\ntags: [a, 'b, c', \"d\"]\naliases:\n  - \
         /old/\nparams:\n  level: 3\nsummary: >\n  two\n  lines\n---\nx",
        "+++\ntitle = 'It''s'\ntags = [\n  \"x\",\n]\nlong = \
         \"\"\"\nmany\nlines\"\"\"\n[extra]\nauthor = \"Ann\"\n+++\nx",
    ];
    const FRONT: &[&str] = &[
        "---\n",
        "+++\n",
        "...\n",
        ": ",
        "- ",
        "[",
        "]",
        ",",
        "\"",
        "'",
        "\\",
        "|\n  ",
        ">\n  ",
        "'''",
        "\"\"\"",
        " = ",
        "#",
        "{",
        "&a",
        "*a",
        "!t",
        "\n",
        "  ",
        "title: ",
        "draft: true\n",
    ];
    let of = |name: &str, path, all: &[&str], marks| Target {
        allowed: (3000, 24 << 20),
        ..Target::of(name, seeds(all), written(marks), read_document(path))
    };
    vec![
        of("markdown", "a/b.md", &markdown, MARKDOWN),
        of("mdx", "a/b.mdx", &markdown, MARKDOWN),
        of("html", "a/b.html", &[html], HTML),
        of("rst", "a/b.rst", &[rst], RST),
        of("asciidoc", "a/b.adoc", &[adoc], ASCIIDOC),
        of("notebook", "a/b.ipynb", &[notebook], NOTEBOOK),
        of("json-lines", "a/b.jsonl", &[lines], JSON),
        of("plain", "a/b.txt", &[plain], MARKDOWN),
        of("front-matter", "a/b.md", &front, FRONT),
        of("openapi", "a/openapi.yaml", &OPENAPI, OPENAPI_MARKS),
        // A form shown often gives more text than bytes.
        Target {
            allowed: (3000, 256 << 20),
            ..Target::of(
                "pdf",
                seeds(&[PDF]),
                written(PDF_MARKS),
                Box::new(|bytes| {
                    let corpus = ingest_bytes("a/b.pdf", bytes.to_vec(), &IngestOptions::default());
                    corpus.is_ok_and(|c| !c.documents.is_empty())
                }),
            )
        },
        packed_target("word", "a/b.docx", WORD, |text| {
            vec![("word/document.xml", text), ("word/styles.xml", WORD_STYLES)]
        }),
        packed_target("word-notes", "a/b.docx", WORD_NUMBERS, |text| {
            vec![("word/document.xml", WORD), ("word/numbering.xml", text), ("word/footnotes.xml", text)]
        }),
        packed_target("sheets", "a/b.xlsx", SHEET, |text| {
            vec![
                ("xl/workbook.xml", WORKBOOK),
                ("xl/_rels/workbook.xml.rels", WORKBOOK_FILES),
                ("xl/sheet1.xml", text),
                ("xl/styles.xml", text),
            ]
        }),
        packed_target("slides", "a/b.pptx", SLIDE, |text| {
            vec![
                ("ppt/presentation.xml", SLIDES),
                ("ppt/_rels/presentation.xml.rels", SLIDES_FILES),
                ("ppt/slide1.xml", text),
            ]
        }),
        packed_target("open-document", "a/b.odt", OPEN_TEXT, |text| vec![("content.xml", text)]),
        of(
            "table",
            "a/b.csv",
            &["a,b\n\"x, y\",2\n", "a;b\tc\n"],
            &[",", ";", "\t", "\"", "\"\"", "\n", "|"],
        ),
        packed_target("book", "a/b.epub", BOOK, |text| {
            vec![
                ("META-INF/container.xml", BOOK_CONTAINER),
                ("OPS/book.opf", text),
                ("OPS/a.xhtml", BOOK_CHAPTER),
            ]
        }),
        Target {
            allowed: (3000, 24 << 20),
            ..Target::of(
                "archive",
                vec![zipped(&[("word/document.xml", WORD), ("word/styles.xml", WORD_STYLES)])],
                binary(4),
                read_document("a/b.docx"),
            )
        },
        Target {
            allowed: (3000, 64 << 20),
            ..Target::of("shards", PARQUET.map(<[u8]>::to_vec).to_vec(), binary(4), Box::new(are_shards))
        },
    ]
}

/// Tables of chunks with vectors, as several programs write them.
const PARQUET: [&[u8]; 3] = [
    include_bytes!("../../tests/data/parquet/duckdb-f64-snappy.parquet"),
    include_bytes!("../../tests/data/parquet/pyarrow-f16-zstd.parquet"),
    include_bytes!("../../tests/data/parquet/pyarrow-f32-gzip.parquet"),
];

fn are_shards(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    std::fs::write(&file, bytes).unwrap();
    read_outside_chunks(&file, None).is_ok()
}

const WORD_NUMBERS: &str = "<n><abstractNum abstractNumId='0'><lvl ilvl='0'><start val='1'/><numFmt val='lowerRoman'/><lvlText val='%1.'/></lvl></abstractNum>\
    <num numId='1'><abstractNumId val='0'/><lvlOverride ilvl='0'><startOverride \
    val='3'/></lvlOverride></num><footnote id='2'><p><r><t>Note.</t></r></p></footnote></n>";

const WORKBOOK: &str = "<workbook><workbookPr/><sheets><sheet name='Boats' r:id='r1'/></sheets></workbook>";
const WORKBOOK_FILES: &str =
    "<Relationships><Relationship Id='r1' Type='x/worksheet' Target='sheet1.xml'/></Relationships>";
const SHEET: &str = "<worksheet><numFmts><numFmt numFmtId='170' formatCode='yyyy-mm'/></numFmts><cellXfs><xf numFmtId='0'/><xf numFmtId='170'/></cellXfs><sheetData>\
    <row r='1'><c r='A1' t='inlineStr'><is><t>Boat</t></is></c><c r='B1' \
    t='str'><v>since</v></c></row><row><c r='A2' t='b'><v>1</v></c><c r='AB2' \
    s='1'><v>45000.5</v></c></row></sheetData></worksheet>";

const SLIDES: &str =
    "<p:presentation><p:sldIdLst><p:sldId id='256' r:id='r1'/></p:sldIdLst></p:presentation>";
const SLIDES_FILES: &str =
    "<Relationships><Relationship Id='r1' Type='x/slide' Target='slide1.xml'/></Relationships>";
const SLIDE: &str = "<p:sld><p:sp><p:ph type='title'/><a:p><a:r><a:t>Fees</a:t></a:r></a:p></p:sp><p:sp><p:ph idx='1'/><a:p><a:pPr lvl='1'><a:buAutoNum type='arabicPeriod'/></a:pPr><a:r><a:t>One</a:t></a:r></a:p>\
    </p:sp><a:tbl><a:tr><a:tc gridSpan='2' \
    rowSpan='3'><a:p><a:r><a:t>Cell</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:sld>";

const OPEN_TEXT: &str = "<o><style:style style:name='S'><style:text-properties style:text-position='super 58%'/></style:style><text:h text:outline-level='2'>Head</text:h>\
    <text:p>10<text:span text:style-name='S'>4</text:span><text:note><text:note-body><text:p>Note.</text:p></\
    text:note-body></text:note></text:p>\
    <text:list><text:list-item text:start-value='3'><text:p>Third</text:p></text:list-item></text:list><offic\
    e:spreadsheet><table:table table:name='T'>\
    <table:table-row table:number-rows-repeated='9'><table:table-cell table:number-columns-repeated='3' \
    table:number-columns-spanned='2'><text:p>x</text:p></table:table-cell></table:table-row></table:table></o\
    ffice:spreadsheet></o>";

/// Returns a target that packs its input into a complete archive, so that changes reach the inner reader.
fn packed_target(name: &str, path: &'static str, seed: &str, files: fn(&str) -> Vec<(&str, &str)>) -> Target {
    let read = read_document(path);
    let inside: Read = Box::new(move |bytes| read(&zipped(&files(&String::from_utf8_lossy(bytes)))));
    Target { allowed: (3000, 24 << 20), ..Target::of(name, seeds(&[seed]), written(HTML), inside) }
}

/// An archive of files as they are.
pub fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in files {
        let stored =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file(*name, stored).unwrap();
        std::io::Write::write_all(&mut zip, text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Returns a PDF of one page that draws `content`.
pub fn page_of_pdf(content: &str) -> String {
    let (before, rest) = PDF.split_once("q 1 0 0 1 0 0 cm").unwrap();
    let (_, after) = rest.split_once("\nendstream").unwrap();
    format!(
        "{}{content}\nendstream{after}",
        before.replace("/Length 150", &format!("/Length {}", content.len()))
    )
}

/// Its table of places is missing, so that changes keep it readable.
const PDF: &str = "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n\
    3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 5 0 R /F2 6 0 R \
    >> /XObject << /X 4 0 R >> >> /Contents 4 0 R >>\nendobj\n\
    5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [65 /A /B \
    /uni0043] >> >>\nendobj\n\
    6 0 obj\n<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 7 0 R \
    /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 500 /W [1 [300 400]] >>] \
    >>\nendobj\n\
    7 0 obj\n<< /Length 90 >>\nstream\nbegincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 1 \
    beginbfrange <0000> <00ff> <0041> endbfrange endcmap\nendstream\nendobj\n\
    4 0 obj\n<< /Type /XObject /Subtype /Form /Length 150 >>\nstream\nq 1 0 0 1 0 0 cm BT /F1 20 Tf 60 700 \
    Td (Title) Tj /F1 10 Tf 12 TL T* [(Some) -300 (text)] TJ (more) ' /F2 9 Tf <00010002> Tj ET \
    Q\nendstream\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n";
const PDF_MARKS: &[&str] = &[
    "/X Do ",
    "BT ",
    "ET ",
    "q ",
    "Q ",
    "0 1 -1 0 0 0 cm ",
    "99999999 0 0 1e30 0 0 Tm ",
    "<< ",
    ">> ",
    "[ ",
    "] ",
    "( ",
    ") ",
    "4 0 R ",
    "/Filter /FlateDecode ",
    "/Filter [/LZWDecode /ASCIIHexDecode] ",
    "/Matrix [0 0 0 0 0 0] ",
    "/Artifact BMC ",
    "EMC ",
    "/Encrypt << /Filter /Standard /V 4 /R 4 >> ",
    "/Type /ObjStm /N 9 /First 4 ",
    "stream\n",
    "endstream\n",
    "endobj\n",
    "/Rotate 90 ",
];
const OPENAPI: [&str; 2] = [
    "openapi: 3.1.0\ninfo: {title: Pets, description: \"All *pets*\"}\npaths:\n  /a/{id}:\n    \
     parameters:\n      - {name: id, in: path, schema: {$ref: '#/components/schemas/Id'}}\n    \
     get:\n      summary: Find\n      tags: [pets]\n      responses: {'200': {description: ok, \
     content: {application/json: {schema: {type: object, properties: {a: {type: \
     string}}}}}}}\ncomponents:\n  schemas:\n    Id: {$ref: '#/components/schemas/Id'}\n",
    "{\"swagger\": \"2.0\", \"info\": {\"title\": \"Old\"}, \"paths\": {\"/a\": {\"get\": \
     {\"operationId\": \"find\", \"parameters\": [{\"name\": \"q\"}]}}}}",
];
const OPENAPI_MARKS: &[&str] = &[
    "$ref: '#/",
    "&a ",
    "*a",
    "<<: *a",
    "- ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    "\n  ",
    "\n",
    "'",
    "\"",
    "|\n",
    "get:",
    "paths:",
    "!!binary ",
    "---\n",
    "parameters:",
];
const WORD: &str = "<w:document><w:body><w:p><w:pPr><w:pStyle \
    w:val='h1'/></w:pPr><w:r><w:t>Install</w:t></w:r></w:p><w:p><w:r><w:t>Run</w:t><w:tab/><w:t>it.</w:t\
    ></w:r><w:del><w:r><w:delText>Gone</w:delText></w:r></w:del></w:p><w:p><w:pPr><w:numPr/></w:pPr><w:r\
    ><w:t>One</w:t></w:r></w:p><w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc><w:tcPr><w:gridSpan \
    w:val='2'/></w:tcPr><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:tcPr><w:vMerge \
    w:val='restart'/></w:tcPr><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr><w:tr><\
    w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl></w:body></w:documen\
    t>";
const WORD_STYLES: &str =
    "<w:styles><w:style w:styleId='h1'><w:name w:val='heading 1'/></w:style></w:styles>";
const BOOK: &str = "<package><metadata><dc:title>Loom</dc:title></metadata><manifest><item id='a' href='a.xhtml' \
    media-type='application/xhtml+xml'/></manifest><spine><itemref idref='a'/><itemref \
    idref='a'/></spine></package>";
const BOOK_CONTAINER: &str =
    "<container><rootfiles><rootfile full-path='OPS/book.opf'/></rootfiles></container>";
const BOOK_CHAPTER: &str = "<html><head><title>x</title></head><body><h1>One</h1><p>First.</p></body></html>";

const PLANS: &[&str] = &[
    "#1 = ",
    "SearchKG(",
    "Search(",
    "Intersect(",
    "Union(",
    "Count(",
    "Filter(",
    "Max(",
    "#1",
    ",",
    ")",
    "(",
    "\"",
    "\n",
    "Step 1: ",
    "sub_question_1: ",
    "ans_1 = ",
    "Finish_The_Plan()",
    "{\"statements\":[",
    "{\"op\":\"",
    "\"relation\":\"",
    "]",
    "}",
    "1988",
    "<=",
    "-",
    "[",
    "head",
    "tail",
    "Compare(",
];

/// The three surfaces of plans: read, and what was read is written and reads back.
fn plan_targets() -> Vec<Target> {
    let golden = plan_files();
    let surfaces = [("rft", Surface::Lines), ("lpkg", Surface::Code), ("json", Surface::Json)];
    let target = |(name, surface): (&str, Surface)| {
        let read = of_text(move |t| {
            let _ = Surface::of(t);
            let Ok(parsed) = surface.read(t, &Limits::default()) else { return false };
            // A meaningful plan reads back, if it can be written at all: no surface has everything.
            let sense =
                pocketgraph::plan::check::check(&parsed.plan, &parsed.positions, &Limits::default()).is_ok();
            if let Ok(text) = surface.print(&parsed.plan)
                && sense
            {
                assert!(
                    surface.read(&text, &Limits::default()).is_ok(),
                    "what was written does not read back: {text:?}"
                );
            }
            true
        });
        Target::of(
            &format!("plan-{name}"),
            golden.get(name).cloned().unwrap_or_else(|| seeds(&[""])),
            written(PLANS),
            read,
        )
    };
    surfaces.into_iter().map(target).collect()
}

/// Plans that the rules make of questions, in each surface.
fn plan_files() -> BTreeMap<&'static str, Vec<Vec<u8>>> {
    let lines = "#1 = SearchKG(\"Mara Kestrel\", \"directed\", tail)\n#2 = Filter(#1, \"released\", < 1990)\n#3 \
        = Count(#2)\n";
    let mut out = BTreeMap::new();
    let mut of: BTreeMap<&'static str, Vec<Vec<u8>>> = BTreeMap::from([(
        "rft",
        seeds(&[
            lines,
            include_str!("../../docs/plans.md"),
            include_str!("../../crates/planner/src/golden/lines.txt"),
        ]),
    )]);
    of.insert(
        "lpkg",
        seeds(&[
            "Original_Question: str = \"q\"\nSub_Question_1: str = \"who directed it?\"\nInfo_1: str = \
             Search(query = Sub_Question_1)\nAns_1: str = Get_Answer(query = Sub_Question_1, info = \
             Info_1)\nFinal_Answer: str = Finish_The_Plan(Answer = Ans_1)\n",
            include_str!("../../docs/plans.md"),
            include_str!("../../crates/agent/src/prompts/lpkg.examples.txt"),
        ]),
    );
    of.insert(
        "json",
        seeds(&[
            "{\"statements\":[{\"op\":\"relate\",\"head\":\"Mara Kestrel\",\"relation\":\"directed\"}]}",
            include_str!("../../docs/plans.md"),
        ]),
    );
    for (name, texts) in of {
        let surface = Surface::by_name(name).unwrap_or(Surface::Lines);
        let mut all = texts.clone();
        // Whatever piece of these texts reads as a plan is a seed, too.
        for text in &texts {
            let text = String::from_utf8_lossy(text);
            let pieces =
                text.split("```").chain(text.split("\n\n").map(|t| {
                    t.split_once("Question: ").map_or(t, |q| q.1.split_once('\n').map_or("", |q| q.1))
                }));
            all.extend(
                pieces.filter(|t| surface.read(t, &Limits::default()).is_ok()).map(|t| t.as_bytes().to_vec()),
            );
        }
        all.retain(|t| t.len() < 4000);
        out.insert(name, all);
    }
    out
}

/// Returns targets for whole bundles: one changes any section, one for each section alone, and one merges the
/// changed bundle with a sound one. A changed bundle follows from a number, the input.
fn bundle_targets(parts: &Rc<Parts>) -> Vec<Target> {
    let small = Rc::new(parts.without_models());
    // Its bundle has half a megabyte, which is held several times over.
    let target = |name: &str, read: Read| {
        let number: Change =
            Box::new(|random, input| *input = (0..8).map(|_| random.below(256) as u8).collect());
        Target { allowed: (0, 256 << 20), ..Target::of(name, vec![vec![0; 8]], number, read) }
    };
    let seed_of = |bytes: &[u8]| bytes.first_chunk::<8>().map_or(0, |b| u64::from_le_bytes(*b));
    let asked = |only: String| {
        let (parts, name) =
            (Rc::clone(&small), if only.is_empty() { "bundle".to_owned() } else { format!("bundle-{only}") });
        let read = move |bytes: &[u8]| {
            let seed = seed_of(bytes);
            trial(parts.changed(&mut Random::new(seed), &only), (seed % 97) as usize)
        };
        target(&name, Box::new(read))
    };
    let mut out: Vec<Target> = std::iter::once(String::new()).chain(small.names()).map(asked).collect();
    let (engine, answer) = small.open_with_proof();
    let is_answer = move |bytes: &[u8]| {
        serde_json::from_slice(bytes).is_ok_and(|printed| block_on(prove_answer(&engine, printed)).is_ok())
    };
    out.push(Target::of("proof", vec![answer.into_bytes()], written(JSON), Box::new(is_answer)));
    let (parts, partner) = (Rc::clone(&small), Partner::build());
    out.push(target(
        "merged",
        Box::new(move |bytes| partner.merge(&parts.changed(&mut Random::new(seed_of(bytes)), ""))),
    ));
    out
}

/// Writes a number of changed bundles into folders of their own.
pub fn write_bundles(folder: &Path, bundles: u64, seed: u64) {
    let parts = Parts::build().without_models();
    for number in 0..bundles {
        write_files(&parts.changed(&mut Random::new(seed + number), ""), &folder.join(number.to_string()));
    }
}
