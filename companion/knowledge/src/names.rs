//! Finds the names of a corpus and, if it is about named things, the mentions and sentence vectors for hops.

use crate::caseless::{count_phrase, recurring_caseless};
use crate::hop_policy::mark_hopped;
use pocketgraph_bundle::{Chunk, Document};
use pocketgraph_ingest::namesakes::{place_words, titled};
use pocketgraph_kernels::vector::QuantizedMatrix;
use pocketgraph_search::lexical::idf;
use pocketgraph_search::names::{
    ChunkMentions, NAME_LIKE_WORDS, NOT_HOPPED, NameEntry, NameTable, NameWord, capital_spans, is_name_like,
    lead_name, most_rare, name_words, names_of_title, opens_with_title, scan_words,
};
use pocketgraph_text::{is_stop_word, sentences, terms};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Maximum number of sentences kept of a chunk; a chunk of 200 tokens has fewer.
const SENTENCES: usize = 64;

/// Maximum number of sentences kept of all chunks, with one more for so many bytes of text: where sentences
/// are of a word or two, their vectors would take many times the size of the text.
const ALL_SENTENCES: usize = 1024;
const BYTES_A_SENTENCE: usize = 28;

/// Result of [`find_with`].
#[derive(Debug, Clone, PartialEq)]
pub struct FoundNames {
    /// The table, chunks numbered as given.
    pub table: NameTable,
    /// Share of documents that open with what their title names.
    pub opening: f32,
    /// Sentences of each chunk with their mentions; empty if no document is hopped. Chunks of documents that
    /// are not hopped have no sentences.
    pub mentions: Vec<ChunkMentions>,
}

/// Turns texts into unit vectors.
pub type Embed<'a> = dyn Fn(&[String]) -> Vec<Vec<f32>> + Sync + 'a;

/// A name of a document that comes from its content rather than its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extra {
    /// The name as written.
    pub name: String,
    /// The document.
    pub document: u32,
    /// Certainty that the name asks for this document, in hundredths.
    pub strength: u8,
}

/// Finds the names of a corpus. A name of `extra` that is also a title's is ignored: whoever names a title
/// asks for that document. In the [parts](hopped) whose documents are about what their titles name, every
/// sentence is scanned for mentions and embedded by `embed`; without `embed` no document is hopped.
/// `everywhere` scans and embeds the sentences of all documents, for retrievers that need them; the hopped
/// documents stay the same.
pub fn find_with(
    documents: &[Document],
    chunks: &[Chunk],
    extra: &[Extra],
    embed: Option<&Embed<'_>>,
    everywhere: bool,
) -> FoundNames {
    let mut first_chunk: Vec<Option<usize>> = vec![None; documents.len()];
    for (i, chunk) in chunks.iter().enumerate() {
        if let Some(first) = first_chunk.get_mut(chunk.document as usize) {
            first.get_or_insert(i);
        }
    }
    let opening_of = |d: usize| {
        let text =
            first_chunk.get(d).copied().flatten().and_then(|i| chunks.get(i)).map_or("", |c| c.text.as_str());
        sentences(text).into_iter().next().map_or("", |range| &text[range])
    };
    let places = place_words(documents);
    // If several pages share a title, a mention of it means none of them.
    let opens: Vec<bool> = (0..documents.len())
        .map(|d| places[d].is_empty() && opens_with_title(&documents[d].title, opening_of(d)))
        .collect();
    let opening = opens.iter().filter(|o| **o).count() as f32 / documents.len().max(1) as f32;
    let hopped = mark_hopped(documents, &opens);
    let hop = embed.is_some() && hopped.contains(&true);
    let embed = embed.filter(|_| hop || everywhere);
    let scanned: Vec<bool> =
        chunks.iter().map(|c| everywhere || hopped.get(c.document as usize) == Some(&true)).collect();

    let mut of: BTreeMap<String, BTreeMap<u32, u8>> = BTreeMap::new();
    for (d, document) in documents.iter().enumerate().filter(|(_, document)| is_name_like(&document.title)) {
        let names =
            names_of_title(&document.title).into_iter().chain(lead_name(&document.title, opening_of(d)));
        for (key, strength) in names {
            let best = of.entry(key).or_default().entry(d as u32).or_default();
            *best = strength.max(*best);
        }
    }
    let titles: HashSet<String> = of.keys().cloned().collect();
    for x in extra.iter().filter(|x| (x.document as usize) < documents.len()) {
        let words = name_words(&x.name);
        let key = words.iter().map(|w| w.key.as_str()).collect::<Vec<_>>().join(" ");
        if !words.is_empty()
            && words.len() <= NAME_LIKE_WORDS
            && !titles.contains(&key)
            && !is_stop_word(&key)
        {
            let best = of.entry(key).or_default().entry(x.document).or_default();
            *best = x.strength.max(*best);
        }
    }
    let words: Vec<Vec<Vec<NameWord>>> =
        if embed.is_some() { sentence_words(chunks, &scanned) } else { Vec::new() };
    let mut keys: BTreeSet<String> = of.keys().cloned().collect();
    keys.extend(recurring_capitals(&words));
    keys.extend(recurring_caseless(&words));
    let frequency = term_frequency(chunks);
    let in_chunks = word_frequency(chunks, &keys);
    let entries: Vec<NameEntry> = keys
        .into_iter()
        .map(|key| NameEntry {
            common: in_chunks.get(&key).copied().unwrap_or(0) > most_rare(chunks.len()),
            of: of.remove(&key).unwrap_or_default().into_iter().collect(),
            key,
        })
        .collect();
    let title_weight = documents
        .iter()
        .zip(&places)
        .map(|(d, place)| weight_of(&d.title, place, &frequency, chunks.len()))
        .collect();
    let document_of = chunks.iter().map(|c| c.document).collect();
    let links_in = hopped.iter().map(|h| if *h { 0 } else { NOT_HOPPED }).collect();
    let mut table = NameTable { entries, document_of, title_weight, links_in, hop };
    let mentions = embed.map_or_else(Vec::new, |embed| find_mentions(&mut table, chunks, &words, embed));
    FoundNames { table, opening, mentions }
}

/// Splits the sentences of scanned chunks into words; other chunks have no sentences.
fn sentence_words(chunks: &[Chunk], scanned: &[bool]) -> Vec<Vec<Vec<NameWord>>> {
    let of = |c: &Chunk| {
        sentences(&c.text).into_iter().take(SENTENCES).map(|range| name_words(&c.text[range])).collect()
    };
    let of = |(c, scanned): (&Chunk, &bool)| if *scanned { of(c) } else { Vec::new() };
    let mut words: Vec<Vec<_>> = chunks.par_iter().zip(scanned).map(of).collect();
    let mut left = ALL_SENTENCES + chunks.iter().map(|c| c.text.len()).sum::<usize>() / BYTES_A_SENTENCE;
    for sentences in &mut words {
        sentences.truncate(left);
        left -= sentences.len();
    }
    words
}

/// Returns capitalised phrases ("University of Leeds") that occur in at least two chunks.
fn recurring_capitals(words: &[Vec<Vec<NameWord>>]) -> Vec<String> {
    let mut seen = HashMap::new();
    for (chunk, sentences) in words.iter().enumerate() {
        for sentence in sentences {
            for span in capital_spans(sentence) {
                count_phrase(&mut seen, &sentence[span], chunk);
            }
        }
    }
    seen.into_iter().filter(|(_, (_, n))| *n >= 2).map(|(key, _)| key).collect()
}

/// Counts the chunks with each word. Only the words of some chunks are in memory beside the counts.
fn count_chunks_with(
    chunks: &[Chunk],
    words: impl Fn(&Chunk) -> BTreeSet<String> + Sync,
) -> HashMap<String, u32> {
    let count = |mut out: HashMap<String, u32>, chunk: &Chunk| {
        words(chunk).into_iter().for_each(|word| *out.entry(word).or_default() += 1);
        out
    };
    let merge = |one: HashMap<String, u32>, other: HashMap<String, u32>| {
        let (mut large, small) = if one.len() < other.len() { (other, one) } else { (one, other) };
        small.into_iter().for_each(|(word, n)| *large.entry(word).or_default() += n);
        large
    };
    chunks.par_iter().fold(HashMap::new, count).reduce(HashMap::new, merge)
}

/// Counts the chunks with each stemmed term.
fn term_frequency(chunks: &[Chunk]) -> HashMap<String, u32> {
    count_chunks_with(chunks, |c| terms(&c.text).into_iter().map(|t| t.0).collect())
}

/// Counts the chunks with each name of one word.
fn word_frequency(chunks: &[Chunk], keys: &BTreeSet<String>) -> HashMap<String, u32> {
    let single: HashSet<&str> = keys.iter().map(String::as_str).filter(|k| !k.contains(' ')).collect();
    count_chunks_with(chunks, |c| {
        name_words(&c.text).into_iter().map(|w| w.key).filter(|w| single.contains(w.as_str())).collect()
    })
}

/// Returns the summed rarity of a title's terms in 1/256; 0 if the title does not look like a name.
fn weight_of(title: &str, place: &str, frequency: &HashMap<String, u32>, chunks: usize) -> u32 {
    if !is_name_like(title) {
        return 0;
    }
    let sum: f32 =
        titled(title, place).iter().map(|t| idf(frequency.get(t).copied().unwrap_or(0), chunks)).sum();
    (sum * 256.0) as u32
}

fn find_mentions(
    table: &mut NameTable,
    chunks: &[Chunk],
    words: &[Vec<Vec<NameWord>>],
    embed: &Embed<'_>,
) -> Vec<ChunkMentions> {
    let keys: HashMap<&str, u32> =
        table.entries.iter().enumerate().map(|(i, e)| (e.key.as_str(), i as u32)).collect();
    let found: Vec<Vec<Vec<u32>>> = words
        .par_iter()
        .map(|sentences| {
            sentences
                .iter()
                .map(|s| {
                    let accept = |_: u32, _: &str, n: usize, capital: bool| n > 1 || capital;
                    scan_words(s, &|key| keys.get(key).copied(), &accept)
                        .into_iter()
                        .map(|m| m.entry)
                        .collect()
                })
                .collect()
        })
        .collect();
    drop(keys);
    let mut linking: BTreeSet<(u32, u32)> = BTreeSet::new();
    let hops = |d: u32| table.links_in.get(d as usize).is_some_and(|&n| n != NOT_HOPPED);
    for (chunk, sentences) in chunks.iter().zip(&found).filter(|(chunk, _)| hops(chunk.document)) {
        for &m in sentences.iter().flatten() {
            let entry = &table.entries[m as usize];
            if !entry.of.iter().any(|&(d, _)| d == chunk.document) {
                linking.extend(
                    entry.of.iter().map(|&(d, _)| d).filter(|&d| hops(d)).map(|d| (d, chunk.document)),
                );
            }
        }
    }
    linking.iter().for_each(|&(to, _)| table.links_in[to as usize] += 1);
    // A chunk that is not scanned has no sentences in `found`.
    let kept = |c: &Chunk, n: usize| {
        sentences(&c.text).into_iter().take(n).map(|range| c.text[range].to_owned()).collect::<Vec<_>>()
    };
    let texts: Vec<String> =
        chunks.iter().zip(&found).flat_map(|(c, sentences)| kept(c, sentences.len())).collect();
    let vectors = embed(&texts);
    let dim = vectors.first().map_or(0, Vec::len);
    let mut at = 0;
    found
        .into_iter()
        .map(|sentences| {
            let rows = vectors.get(at..at + sentences.len()).unwrap_or_default();
            at += sentences.len();
            ChunkMentions {
                vectors: QuantizedMatrix::from_rows(dim, rows.iter().map(Vec::as_slice)),
                sentences,
            }
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn corpus(passages: &[(&str, &str)]) -> (Vec<Document>, Vec<Chunk>) {
        let documents = passages
            .iter()
            .map(|(title, _)| Document {
                title: (*title).into(),
                url: String::new(),
                path: (*title).into(),
                language: String::new(),
            })
            .collect();
        let chunks = passages
            .iter()
            .enumerate()
            .map(|(i, (_, text))| Chunk {
                document: i as u32,
                heading_path: Vec::new(),
                fragment: String::new(),
                text: (*text).into(),
                start: 0,
                end: text.len() as u32,
            })
            .collect();
        (documents, chunks)
    }

    fn lengths(texts: &[String]) -> Vec<Vec<f32>> {
        texts.iter().map(|t| vec![1.0, t.len() as f32]).collect()
    }

    #[test]
    fn sentences_of_a_word_or_two_are_kept_in_step_with_their_text() {
        let kept = |sentence: &str, chunks: usize| {
            let text = format!("Ada Bly wrote. {}", sentence.repeat(60));
            let (mut documents, mut chunks) = corpus(&vec![("Ada Bly", text.as_str()); chunks]);
            documents.truncate(1);
            chunks.iter_mut().for_each(|c| c.document = 0);
            let found = find_with(&documents, &chunks, &[], Some(&lengths), true);
            found.mentions.iter().map(|m| m.vectors.rows()).sum::<usize>()
        };
        assert_eq!(kept("She wrote often, and to many friends. ", 100), 6100);
        assert!(kept("Ada x. ", 100) < 3000);
    }

    #[test]
    fn an_encyclopaedia_is_hopped_and_its_mentions_are_links() {
        let (documents, chunks) = corpus(&[
            ("Ada Lovelace", "Ada Lovelace was a mathematician. She wrote to Charles Babbage often."),
            ("Charles Babbage", "Charles Babbage was an inventor. He built the Difference Engine."),
            ("Difference Engine", "The Difference Engine is a machine by Charles Babbage."),
        ]);
        let found = find_with(&documents, &chunks, &[], Some(&lengths), false);
        assert!(found.table.hop && found.opening == 1.0);
        let babbage = found.table.find("charles babbage").unwrap();
        assert_eq!(found.table.entries[babbage as usize].of, [(1, 100)]);
        assert_eq!(found.mentions[0].sentences.len(), 2);
        assert!(found.mentions[0].sentences[1].contains(&babbage));
        assert_eq!(found.table.links_in, [0, 2, 1]);
        assert_eq!(found.mentions[0].vectors.rows(), 2);
    }

    #[test]
    fn documentation_is_not_hopped_and_embeds_no_sentences() {
        let (documents, chunks) = corpus(&[
            ("Installation", "Run the installer."),
            ("Configuration", "Edit the file. It is in your home."),
        ]);
        let found =
            find_with(&documents, &chunks, &[], Some(&|_| unreachable!("no sentence is embedded")), false);
        assert!(!found.table.hop && found.mentions.is_empty());
        assert!(found.table.find("installation").is_some());
        assert!(found.table.title_weight.iter().all(|&w| w > 0));
    }

    #[test]
    fn documentation_beside_an_encyclopaedia_is_neither_scanned_nor_linked_whatever_other_retrievers_ask_for()
    {
        let article =
            |i: usize| (format!("Article {i}"), format!("Article {i} is about Article {}.", (i + 1) % 20));
        let page = |i: usize| {
            (format!("Task {i}"), format!("Open the window. Then read Article {} and Task 3.", i % 20))
        };
        let all: Vec<(String, String)> = (0..20).map(article).chain((0..20).map(page)).collect();
        let (mut documents, chunks) =
            corpus(&all.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect::<Vec<_>>());
        documents
            .iter_mut()
            .enumerate()
            .for_each(|(i, d)| d.path = format!("{}/{i}.md", if i < 20 { "wiki" } else { "docs" }));
        let found = find_with(&documents, &chunks, &[], Some(&lengths), false);
        assert!(found.table.hop);
        assert_eq!(
            found.table.links_in[..20],
            [1; 20],
            "each is mentioned by the article before it, and by no page that counts"
        );
        assert_eq!(found.table.links_in[20..], [NOT_HOPPED; 20]);
        assert!(found.mentions[..20].iter().all(|m| m.sentences.len() == 1 && m.vectors.rows() == 1));
        assert!(found.mentions[20..].iter().all(|m| m.sentences.is_empty() && m.vectors.rows() == 0));
        let everywhere = find_with(&documents, &chunks, &[], Some(&lengths), true);
        assert!(everywhere.mentions[20..].iter().all(|m| m.sentences.len() == 2));
        assert_eq!(everywhere.table.links_in, found.table.links_in);
    }

    #[test]
    fn what_a_page_defines_is_one_of_its_names_unless_it_is_a_title() {
        let (documents, chunks) = corpus(&[("Settings", "See buildStats below."), ("Build", "Build it.")]);
        let extra = |name: &str| Extra { name: name.into(), document: 0, strength: 60 };
        let named = [extra("buildStats"), extra("Build"), extra(" "), Extra { document: 9, ..extra("x y") }];
        let found = find_with(&documents, &chunks, &named, None, false);
        let of = |key: &str| found.table.find(key).map(|i| found.table.entries[i as usize].of.clone());
        assert_eq!(of("buildstats"), Some(vec![(0, 60)]));
        assert_eq!(of("build"), Some(vec![(1, 100)]));
        assert_eq!(of("x y"), None);
    }

    #[test]
    fn documentation_is_scanned_where_a_retriever_asks_for_it_and_still_not_hopped() {
        let (documents, chunks) = corpus(&[
            ("Installation", "Please open the Acme Installer."),
            ("Configuration", "The Acme Installer has a file."),
        ]);
        let found = find_with(&documents, &chunks, &[], Some(&lengths), true);
        assert!(!found.table.hop);
        let acme = found.table.find("acme installer").unwrap();
        assert!(found.mentions.iter().all(|m| m.sentences.concat().contains(&acme)));
    }

    #[test]
    fn scripts_without_capitals_have_entities_too() {
        let (documents, chunks) = corpus(&[
            ("東京", "東京は日本の首都です。渋谷は東京にあります。"),
            ("渋谷", "渋谷は東京の街です。ハチ公像があります。"),
            ("ハチ公像", "ハチ公像は渋谷にあります。"),
            ("القاهرة", "القاهرة عاصمة مصر الجميلة."),
            ("النيل", "النيل نهر يمر في القاهرة."),
        ]);
        let found = find_with(&documents, &chunks, &[], Some(&lengths), true);
        for name in ["東 京", "渋 谷", "القاهرة"].map(pocketgraph_text::fold) {
            let entry = found.table.find(&name).unwrap_or_else(|| panic!("{name}"));
            let n =
                found.mentions.iter().filter(|m| m.sentences.iter().flatten().any(|&e| e == entry)).count();
            assert!(n >= 2, "{name} {n}");
        }
    }

    #[test]
    fn nothing_and_untitled_passages_do_no_harm() {
        assert!(find_with(&[], &[], &[], Some(&lengths), true).table.entries.is_empty());
        let (documents, chunks) = corpus(&[("", ""), ("", "x")]);
        assert!(find_with(&documents, &chunks, &[], Some(&lengths), false).table.entries.is_empty());
    }
}
