//! Changes whole bundles in meaningful places, with correct hashes: what a malicious host can send.

use crate::mutate::{COUNTS, Random, bytes, put_varint};
use futures::executor::block_on;
use pocketgraph::answer::AskOptions;
use pocketgraph::bundle::{
    Bundle, Encoding, Kind, MANIFEST, Manifest, MemorySource, PAGE_HASH, PageRef, SectionInfo, content_hash,
    encode_vectors, inflate_gzip, page_file, section_file,
};
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph::entities::{decode_communities, decode_tree, encode_relations, encode_texts};
use pocketgraph::vector::QuantizedMatrix;
use pocketgraph_build::folder::FolderSource;
use pocketgraph_build::pipeline::{BuildOptions, Input, build};
use pocketgraph_build::prepare::Needs;
use pocketgraph_build::proof::with_proofs;
use pocketgraph_build::verify::verify_bundle;
use pocketgraph_ingest::rank::RankRule;
use pocketgraph_knowledge::kg::{ImportOptions, KgFiles};
use pocketgraph_native::progress::Silent;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// The files of a bundle that share one.
fn unpack_files(folder: &Path, manifest: &Manifest) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for pack in &manifest.packs {
        let whole = std::fs::read(folder.join(&pack.file)).unwrap();
        let mut rest = whole.as_slice();
        for (file, bytes) in &pack.holds {
            let (held, behind) = rest.split_at(usize::try_from(*bytes).unwrap());
            files.insert(file.clone(), held.to_vec());
            rest = behind;
        }
    }
    files
}

#[derive(Debug, Clone)]
struct Page {
    items: u32,
    data: Rc<Vec<u8>>,
    sha256: [u8; 32],
    /// Inflated length that its list claims, if it is false.
    raw: Option<u32>,
    lost: bool,
}

impl Page {
    fn of(items: u32, data: Vec<u8>) -> Page {
        Page { items, sha256: content_hash(&data), data: Rc::new(data), raw: None, lost: false }
    }
}

#[derive(Debug, Clone)]
struct Section {
    name: String,
    /// The file, inflated; of a section of pages its header alone, where the list of pages is still what it
    /// was.
    root: Vec<u8>,
    pages: Option<Vec<Page>>,
    /// Bytes after the list of pages.
    rest: Vec<u8>,
    /// True if `root` is the whole file although there are pages.
    whole: bool,
    /// Another section whose file is given out as this one's.
    alias: Option<usize>,
}

/// A bundle, taken apart.
#[derive(Debug, Clone)]
pub struct Parts {
    manifest: Manifest,
    sections: Vec<Section>,
}

fn read_varint(bytes: &[u8], at: &mut usize) -> u32 {
    let mut out = 0u64;
    for i in 0..5 {
        let byte = bytes.get(*at).copied().unwrap_or(0);
        *at += 1;
        out |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            break;
        }
    }
    out as u32
}

impl Parts {
    /// Builds a bundle of some documents and a knowledge graph, for every retriever, and takes it apart.
    pub fn build() -> Parts {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs");
        std::fs::create_dir_all(&docs).unwrap();
        for (name, text) in DOCUMENTS {
            std::fs::write(docs.join(name), text).unwrap();
        }
        // Enough chunks for sketches and a token table.
        let harbour = |i: u32| {
            format!(
                "{{\"title\":\"Harbour {i}\",\"text\":\"Harbour {i} was built in {} by Mara Kestrel.\"}}\n",
                1800 + i
            )
        };
        std::fs::write(docs.join("harbours.jsonl"), (0..40).map(harbour).collect::<String>()).unwrap();
        let triples = folder.path().join("kg.tsv");
        std::fs::write(&triples, TRIPLES).unwrap();
        let out = folder.path().join("bundle");
        let options = BuildOptions {
            autokg: Some(pocketgraph_keywords::autokg::AutoKgOptions::default()),
            knowledge: Some((
                KgFiles { triples: vec![triples], ..KgFiles::default() },
                ImportOptions::default(),
            )),
            kg_from_documents: true,
            rank: rank_rules(),
            needs: Needs { facts: true, ..Needs::of(pocketgraph::retrieve::NAMES).unwrap() },
            ..BuildOptions::bare(Input::Documents(docs), out.clone())
        };
        build(&options, &Silent).unwrap();
        let mut parts = Parts::load(&out);
        parts.write_as_a_model_would();
        parts
    }

    /// Adds the sections that need a language model, in the sizes of the rest of the bundle: relations with
    /// their statements, reports on communities, summaries of the tree.
    fn write_as_a_model_would(&mut self) {
        let dim = self.manifest.embedder.dimension as usize;
        let chunks = self.manifest.counts.chunks;
        let root = |name: &str| self.files_of(name).into_iter().next().unwrap();
        let communities = root("communities");
        let read = |names: usize| {
            decode_communities("communities", &communities, names, chunks, dim as u64)
                .ok()
                .map(|c| (names, c.all.len()))
        };
        let (entities, reports) = (0..100_000).find_map(read).unwrap();
        let summaries = decode_tree("tree", &root("tree"), chunks, dim as u64).unwrap().nodes.len();
        let row = vec![0.5f32; dim];
        let vectors = |n: usize| QuantizedMatrix::from_rows(dim, std::iter::repeat_n(row.as_slice(), n));
        let statement = |c: u64| vec![vec![c as u32 % entities as u32, (c as u32 + 1) % entities as u32]];
        let statements: Vec<Vec<Vec<u32>>> = (0..chunks).map(statement).collect();
        let lists: Vec<&[Vec<u32>]> = statements.iter().map(Vec::as_slice).collect();
        let labels: Vec<String> = (0..entities).map(|i| format!("Entity {i}")).collect();
        let texts = |n: usize| (0..n).map(|i| format!("What number {i} is about.")).collect::<Vec<_>>();
        let added = [
            ("relations", encode_relations(&labels, &vectors(entities), &lists, &vec![7; lists.len()])),
            ("statements", encode_vectors(Kind::Statements, &vectors(lists.len()))),
            ("reports", encode_texts(&texts(reports))),
            ("summaries", encode_texts(&texts(summaries))),
        ];
        let section = |(name, root): (&str, Vec<u8>)| Section {
            name: name.to_owned(),
            root,
            pages: None,
            rest: Vec::new(),
            whole: false,
            alias: None,
        };
        self.sections.extend(added.map(section));
    }

    fn load(folder: &Path) -> Parts {
        let manifest = Manifest::from_json(&std::fs::read(folder.join(MANIFEST)).unwrap()).unwrap();
        let stored = unpack_files(folder, &manifest);
        let read = |file: &str, inline: Option<&Vec<u8>>, encoding: Encoding, raw: u64| {
            let bytes = inline
                .or_else(|| stored.get(file))
                .cloned()
                .unwrap_or_else(|| std::fs::read(folder.join(file)).unwrap());
            if encoding == Encoding::Gzip { inflate_gzip(&bytes, raw).unwrap() } else { bytes }
        };
        let section = |s: &SectionInfo| {
            let root = read(&s.file, s.inline.as_ref(), s.encoding, s.raw);
            let mut section = Section {
                name: s.name.clone(),
                root,
                pages: None,
                rest: Vec::new(),
                whole: false,
                alias: None,
            };
            if s.pages > 0 {
                let (mut at, mut pages) = (8, Vec::new());
                for _ in 0..read_varint(&section.root, &mut at) {
                    let [items, bytes, raw] = [0; 3].map(|_| read_varint(&section.root, &mut at));
                    let mut sha256 = [0; PAGE_HASH];
                    sha256.copy_from_slice(&section.root[at..at + PAGE_HASH]);
                    at += PAGE_HASH;
                    let file = page_file(&s.name, &PageRef { sha256, bytes, raw });
                    pages.push(Page::of(items, read(&file, None, s.page_encoding, raw.into())));
                }
                section.rest = section.root[at..].to_vec();
                section.pages = Some(pages);
            }
            section
        };
        Parts { sections: manifest.sections.iter().map(section).collect(), manifest }
    }

    /// Returns the same without the models, whose megabytes each question would decode.
    pub fn without_models(&self) -> Parts {
        let mut out = self.clone();
        out.sections
            .retain(|s| !["layers", "words", "vocabulary", "table", "planner"].contains(&s.name.as_str()));
        out
    }

    /// The names of its sections.
    pub fn names(&self) -> Vec<String> {
        self.sections.iter().map(|s| s.name.clone()).collect()
    }

    /// The bytes of a section's own file and of its pages.
    pub fn files_of(&self, name: &str) -> Vec<Vec<u8>> {
        let of = self.sections.iter().filter(|s| s.name == name);
        of.flat_map(|s| std::iter::once(s.file()).chain(s.pages.iter().flatten().map(|p| p.data.to_vec())))
            .collect()
    }

    fn files(&self, alter: &dyn Fn(&mut Manifest)) -> BTreeMap<String, Vec<u8>> {
        let (mut files, mut manifest) = (BTreeMap::new(), self.manifest.clone());
        manifest.sections.clear();
        manifest.packs.clear();
        for s in &self.sections {
            let root = s.file();
            let sha256 = content_hash(&root);
            for p in s.pages.iter().flatten().filter(|p| !p.lost) {
                files.entry(page_file(&s.name, &p.named())).or_insert_with(|| p.data.to_vec());
            }
            manifest.sections.push(SectionInfo {
                name: s.name.clone(),
                file: section_file(&s.name, &sha256),
                bytes: root.len() as u64,
                raw: root.len() as u64,
                sha256,
                encoding: Encoding::Raw,
                page_encoding: Encoding::Raw,
                pages: s.pages.as_ref().map_or(0, |p| p.len() as u64),
                page_bytes: 0,
                inline: (root.len() <= 1200).then(|| root.clone()),
            });
            files.insert(section_file(&s.name, &sha256), root);
        }
        for (i, s) in self.sections.iter().enumerate() {
            if let Some(other) = s.alias.and_then(|o| manifest.sections.get(o).cloned()) {
                manifest.sections[i] = SectionInfo { name: s.name.clone(), ..other };
            }
        }
        alter(&mut manifest);
        files.insert(MANIFEST.to_owned(), manifest.to_json().into_bytes());
        files
    }

    /// Opens the bundle unchanged, and quotes from it with proofs.
    pub fn open_with_proof(&self) -> (Engine, String) {
        let source = Rc::new(MemorySource { files: self.files(&|_| {}) });
        let engine = block_on(Engine::open(source, 1 << 26)).unwrap();
        let answer = block_on(engine.quote(QUESTIONS[0], &AskOptions::default(), &mut |_| {})).unwrap();
        let printed = block_on(with_proofs(&engine, serde_json::to_value(answer).unwrap())).unwrap();
        (engine, printed.to_string())
    }

    /// The files of this bundle with a change or two; in the sections named `only`, where that is not empty.
    pub fn changed(&self, random: &mut Random, only: &str) -> BTreeMap<String, Vec<u8>> {
        let mut parts = self.clone();
        let eligible: Vec<usize> = (0..parts.sections.len())
            .filter(|&i| only.is_empty() || parts.sections[i].name == only)
            .collect();
        let mut altered: Option<(usize, u64, usize)> = None;
        for _ in 0..1 + random.below(2) * random.below(3) {
            let (i, other) = (*random.one(&eligible), random.below(parts.sections.len()));
            match random.below(10) {
                0..=3 => parts.sections[i].change_file(random),
                4 | 5 => parts.sections[i].change_page(random),
                6 | 7 => parts.sections[i].change_list(random),
                8 => {
                    let taken = parts.sections[other].clone();
                    let name = parts.sections[i].name.clone();
                    match random.below(3) {
                        0 => parts.sections[i] = Section { name, ..taken },
                        1 => parts.sections[i].alias = Some(other),
                        _ => parts.sections[i].name = format!("x-{name}"),
                    }
                }
                _ => {
                    let values = [
                        0u64,
                        1,
                        2,
                        3,
                        5,
                        10,
                        100,
                        512,
                        4096,
                        20_001,
                        65_536,
                        1 << 22,
                        (1 << 22) + 1,
                        u32::MAX.into(),
                        1 << 32,
                        1 << 52,
                    ];
                    altered = Some((random.below(7), *random.one(&values), i));
                }
            }
        }
        parts.files(&|m| {
            let Some((what, value, of)) = altered else { return };
            match what {
                0 => m.counts.chunks = value,
                1 => m.counts.documents = value,
                2 => m.counts.keywords = value,
                3 => m.embedder.dimension = value,
                4 => m
                    .sections
                    .iter_mut()
                    .skip(of)
                    .take(1)
                    .for_each(|s| (s.raw, s.encoding) = (value, Encoding::Gzip)),
                5 => m.sections.iter_mut().skip(of).take(1).for_each(|s| s.bytes = value),
                _ => (m.counts.chunks, m.counts.documents) = (value, value),
            }
        })
    }
}

impl Page {
    fn named(&self) -> PageRef {
        let mut sha256 = [0; PAGE_HASH];
        sha256.copy_from_slice(&self.sha256[..PAGE_HASH]);
        let bytes = self.data.len() as u32;
        PageRef { sha256, bytes, raw: self.raw.unwrap_or(bytes) }
    }
}

impl Section {
    fn file(&self) -> Vec<u8> {
        let Some(pages) = self.pages.as_ref().filter(|_| !self.whole) else { return self.root.clone() };
        let mut out = self.root[..8].to_vec();
        put_varint(&mut out, pages.len() as u32);
        for page in pages {
            let named = page.named();
            [page.items, named.bytes, named.raw].into_iter().for_each(|n| put_varint(&mut out, n));
            out.extend_from_slice(&named.sha256);
        }
        out.extend_from_slice(&self.rest);
        out
    }

    fn change_file(&mut self, random: &mut Random) {
        if self.pages.is_some() && !self.whole && random.below(2) == 0 {
            return bytes(random, &mut self.rest, 0);
        }
        self.root = self.file();
        self.whole = self.pages.is_some();
        bytes(random, &mut self.root, 8);
    }

    fn change_page(&mut self, random: &mut Random) {
        let Some(pages) = self.pages.as_mut().filter(|p| !p.is_empty()) else {
            return self.change_file(random);
        };
        let at = random.below(pages.len());
        let mut data = pages[at].data.to_vec();
        bytes(random, &mut data, 8);
        pages[at] = Page::of(pages[at].items, data);
    }

    fn change_list(&mut self, random: &mut Random) {
        let Some(pages) = self.pages.as_mut().filter(|p| !p.is_empty()) else {
            return self.change_file(random);
        };
        let (at, other) = (random.below(pages.len()), random.below(pages.len()));
        match random.below(8) {
            0 => pages[at] = Page { items: pages[at].items, ..pages[other].clone() },
            1 => pages[at].items = *random.one(&COUNTS),
            2 => pages[at].items = (pages[at].items.saturating_add(random.below(9) as u32)).saturating_sub(4),
            3 => {
                let moved = random.below(9) as u32;
                pages[at].items = pages[at].items.saturating_add(moved);
                pages[other].items = pages[other].items.saturating_sub(moved);
            }
            4 => pages[at].raw = Some(*random.one(&COUNTS)),
            5 => pages[at].lost = true,
            6 => {
                let again = pages[other].clone();
                pages.insert(at, again);
            }
            _ => _ = pages.remove(at),
        }
    }
}

const QUESTIONS: [&str; 6] = [
    "what is a keyword graph?",
    "Who directed The Silent Orchard and where was the director born?",
    "pocktgraf serch",
    "how many films did Mara Kestrel direct",
    "Mara Kestrel Tromsund",
    "Which films were directed by someone born in Tromsund?",
];

/// Opens a bundle and runs a reader's queries: every retriever, a quoted answer, the link of a name, the
/// check. Returns true if it opened.
pub fn trial(files: BTreeMap<String, Vec<u8>>, number: usize) -> bool {
    let question = |i: usize| QUESTIONS[(number + i) % QUESTIONS.len()];
    let source = Rc::new(MemorySource { files });
    let Ok(engine) = block_on(Engine::open(source.clone(), 1 << 26)) else { return false };
    for (i, name) in pocketgraph::retrieve::NAMES.iter().enumerate() {
        let options =
            SearchOptions { k: Some(5), retriever: Some((*name).to_owned()), ..SearchOptions::default() };
        if let Ok(found) = block_on(engine.search(question(i), &options)) {
            assert!(found.hits.iter().all(|h| h.score.is_finite()), "{name} gave a score that is no number");
        }
    }
    let _ =
        block_on(engine.quote(question(3), &AskOptions { k: Some(5), ..AskOptions::default() }, &mut |_| {}));
    let _ = block_on(engine.link("Mara Kestrel", 5));
    let _ = block_on(engine.passage((number % 60) as u32));
    if let Ok(bundle) = block_on(Bundle::open(source, 1 << 26)) {
        let _ = block_on(verify_bundle(&bundle));
    }
    true
}

/// The rules of every bundle here: only bundles with the same can be merged.
fn rank_rules() -> Vec<RankRule> {
    vec!["harbours.jsonl*=0.5".parse().unwrap()]
}

/// Writes the files of a bundle into a folder.
pub fn write_files(files: &BTreeMap<String, Vec<u8>>, folder: &Path) {
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// A bundle of one document, for others to be merged with.
pub struct Partner(tempfile::TempDir);

impl Partner {
    /// Builds it with the options of the changed bundle, on which bundles must agree.
    pub fn build() -> Partner {
        let folder = tempfile::tempdir().unwrap();
        let document = folder.path().join("ostvik.md");
        std::fs::write(&document, "# Ostvik\n\nOstvik is a town. Tomas Brenn was born in Ostvik.\n").unwrap();
        let options = BuildOptions {
            rank: rank_rules(),
            ..BuildOptions::bare(Input::Documents(document), folder.path().join("bundle"))
        };
        build(&options, &Silent).unwrap();
        Partner(folder)
    }

    /// Merges a bundle with this one, and demands that what comes of it is whole. Returns whether anything
    /// did.
    pub fn merge(&self, files: &BTreeMap<String, Vec<u8>>) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let [changed, out] = ["changed", "out"].map(|name| folder.path().join(name));
        write_files(files, &changed);
        let both = vec![changed, self.0.path().join("bundle")];
        if build(&BuildOptions::bare(Input::Bundles(both), out.clone()), &Silent).is_err() {
            return false;
        }
        let merged = block_on(Bundle::open(Rc::new(FolderSource::new(&out)), 1 << 26)).unwrap();
        let verdict = block_on(verify_bundle(&merged));
        assert!(verdict.faults.is_empty(), "the merged bundle is not whole: {:?}", verdict.faults);
        true
    }
}

const DOCUMENTS: [(&str, &str); 4] = [
    (
        "kestrel.md",
        "---\ntitle: Mara Kestrel\ntags: [director, film]\n---\n# Mara Kestrel\n\nMara Kestrel is a \
         film director. She was born in Tromsund in 1961. Mara Kestrel directed The Silent Orchard \
         and Winter Harbour.\n\n## Films\n\n| Film | Year | Country |\n|---|---|---|\n| The Silent \
         Orchard | 1988 | Norway |\n| Winter Harbour | 1994 | Norway |\n",
    ),
    (
        "orchard.md",
        "# The Silent Orchard\n\nThe Silent Orchard is a film of 1988. It was directed by [Mara \
         Kestrel](kestrel.md) and shows the harvest of a valley near Tromsund. Tomas Brenn plays the \
         gardener.\n\nThe film was shown in Tromsund first. Tomas Brenn was born in Ostvik.\n",
    ),
    (
        "tromsund.md",
        "# Tromsund\n\nTromsund is a town on the coast. [Mara Kestrel](kestrel.md) was born in \
         Tromsund. The harbour of Tromsund was built in 1802.\n\n## Harbour\n\nWinter Harbour was \
         filmed there by Mara Kestrel with Tomas Brenn.\n",
    ),
    (
        "graph.md",
        "# Keyword graphs\n\nA keyword graph joins keywords that share chunks of text. A retriever \
         reads the graph of keywords and answers from a bundle. The bundle holds chunks, vectors and \
         names.\n\n## Retrievers\n\nA retriever ranks chunks. The hybrid retriever joins words and \
         meaning.\n",
    ),
];

const TRIPLES: &str = "Mara Kestrel\tborn in\tTromsund\nMara Kestrel\tdirected\tThe Silent Orchard\nMara \
    Kestrel\tdirected\tWinter Harbour\nThe Silent Orchard\treleased\t1988\nWinter \
    Harbour\treleased\t1994\nTomas Brenn\tacted in\tThe Silent Orchard\nTomas Brenn\tborn in\tOstvik\n";
