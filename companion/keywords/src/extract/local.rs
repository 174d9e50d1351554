//! Extracts keywords by statistics, without a language model.

use super::corpus::{Corpus, is_ideograph};
use super::phrases::{MAX_WORDS, Phrases};
use super::refine::{contains_words, normalise_keyword, stem_keyword};
use super::{ChunkView, Embed, ExtractError, Extractor, Request};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Number of candidates of a cluster that are embedded, for each keyword wanted.
const EMBEDDED: usize = 4;

/// Cosine above which two phrases with a common word mean the same.
const SAME: f32 = 0.92;

/// Ranks a corpus' phrases by their relevance to a cluster.
///
/// A phrase's score is the root of its log-likelihood ratio (Dunning, 1993: how surprising its frequency in
/// the cluster is), times its worth as a term, times its cosine to the cluster's centre. The best are chosen
/// one by one; likeness to chosen ones lowers a score (maximal marginal relevance; Carbonell and Goldstein,
/// 1998).
pub struct LocalExtractor<'a> {
    phrases: Phrases,
    chunks: usize,
    by_text: HashMap<String, u32>,
    embed: &'a Embed<'a>,
    vectors: HashMap<u32, Vec<f32>>,
}

impl<'a> LocalExtractor<'a> {
    /// Reads the corpus and finds its phrases of at most `words` words (and at most five).
    pub fn new(chunks: &[ChunkView<'_>], words: usize, embed: &'a Embed<'a>) -> Self {
        let corpus = Corpus::new(chunks);
        let phrases = Phrases::find(&corpus, words.min(MAX_WORDS));
        let mut by_text = HashMap::new();
        for (id, phrase) in phrases.list.iter().enumerate() {
            by_text.entry(normalise_keyword(&phrase.text)).or_insert(id as u32);
        }
        LocalExtractor { phrases, chunks: chunks.len(), by_text, embed, vectors: HashMap::new() }
    }

    /// Returns the number of candidate phrases that the corpus has.
    pub fn candidates(&self) -> usize {
        self.phrases.list.len()
    }

    /// Embeds the phrases that have no vector yet.
    fn embed(&mut self, ids: &[u32]) {
        let missing: Vec<u32> = ids.iter().copied().filter(|id| !self.vectors.contains_key(id)).collect();
        if missing.is_empty() {
            return;
        }
        let texts: Vec<String> =
            missing.iter().map(|&id| self.phrases.list[id as usize].text.clone()).collect();
        let vectors = (self.embed)(&texts);
        self.vectors.extend(missing.into_iter().zip(vectors));
    }

    fn vector(&self, id: u32) -> &[f32] {
        self.vectors.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Returns the importance of a phrase for the whole corpus.
    fn importance(&self, id: u32) -> f32 {
        let phrase = &self.phrases.list[id as usize];
        let rarity = (1.0 + self.chunks as f32 / phrase.chunks.len().max(1) as f32).ln();
        phrase.worth * (phrase.occurrences as f32).sqrt() * rarity
    }

    /// Ranks phrases of the shown chunks by score, best first.
    fn rank_phrases(&self, request: &Request<'_>) -> Vec<(u32, f32)> {
        let mut in_cluster: BTreeMap<u32, u32> = BTreeMap::new();
        for &chunk in request.members {
            self.phrases
                .in_chunk
                .get(chunk as usize)
                .into_iter()
                .flatten()
                .for_each(|&id| *in_cluster.entry(id).or_default() += 1);
        }
        let shown: HashSet<u32> = request
            .shown
            .iter()
            .filter_map(|&c| self.phrases.in_chunk.get(c as usize))
            .flatten()
            .copied()
            .collect();
        let avoid: HashSet<String> = request.avoid.iter().map(|a| normalise_keyword(a)).collect();
        let mut ranked: Vec<(u32, f32)> = in_cluster
            .into_iter()
            .filter(|(id, _)| shown.contains(id))
            .filter(|&(id, _)| {
                let phrase = &self.phrases.list[id as usize];
                phrase.words.len()
                    <= request.words.max(if phrase.text.starts_with(is_ideograph) { MAX_WORDS } else { 0 })
                    && !avoid.contains(&normalise_keyword(&phrase.text))
            })
            .map(|(id, inside)| {
                let phrase = &self.phrases.list[id as usize];
                let ratio = log_likelihood(
                    inside,
                    request.members.len() as u32,
                    phrase.chunks.len() as u32,
                    self.chunks as u32,
                );
                (id, (ratio.sqrt() + 0.5 * (1.0 + inside as f32).ln()) * phrase.worth)
            })
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked
    }
}

impl Extractor for LocalExtractor<'_> {
    fn extract(&mut self, request: &Request<'_>) -> Result<Vec<String>, ExtractError> {
        let mut ranked = self.rank_phrases(request);
        ranked.truncate(request.keywords.saturating_mul(EMBEDDED));
        let ids: Vec<u32> = ranked.iter().map(|x| x.0).collect();
        self.embed(&ids);
        for (id, score) in &mut ranked {
            *score *= 0.3 + cosine(self.vector(*id), request.centre).max(0.0);
        }
        let mut chosen: Vec<u32> = Vec::new();
        while chosen.len() < request.keywords {
            let mut best: Option<(usize, f32)> = None;
            for (at, &(id, score)) in ranked.iter().enumerate() {
                let likeness =
                    chosen.iter().map(|&c| cosine(self.vector(id), self.vector(c))).fold(0.0f32, f32::max);
                let score = score * (1.0 - 0.6 * likeness.max(0.0));
                if best.is_none_or(|b| score > b.1) {
                    best = Some((at, score));
                }
            }
            let Some((at, _)) = best else { break };
            let (id, _) = ranked.remove(at);
            let words = &self.phrases.list[id as usize].words;
            let repeats = chosen.iter().any(|&c| {
                let other = &self.phrases.list[c as usize].words;
                (contains_words(words, other) || contains_words(other, words))
                    && cosine(self.vector(id), self.vector(c)) > 0.85
            });
            if !repeats {
                chosen.push(id);
            }
        }
        Ok(chosen.into_iter().map(|id| self.phrases.list[id as usize].text.clone()).collect())
    }

    fn refine(&mut self, keywords: Vec<String>) -> Result<Vec<String>, ExtractError> {
        let mut ids: Vec<u32> =
            keywords.iter().filter_map(|k| self.by_text.get(&normalise_keyword(k)).copied()).collect();
        ids.sort_unstable();
        ids.dedup();
        self.embed(&ids);
        ids.sort_by(|&a, &b| self.importance(b).total_cmp(&self.importance(a)).then(a.cmp(&b)));
        let mut kept: Vec<u32> = Vec::new();
        let mut by_stems: HashSet<Vec<String>> = HashSet::new();
        let common = self.chunks as u32 / 5;
        for &id in &ids {
            let phrase = &self.phrases.list[id as usize];
            if !by_stems.insert(stem_keyword(&phrase.text)) {
                continue;
            }
            let redundant = kept.iter().any(|&k| {
                let other = &self.phrases.list[k as usize];
                if !(contains_words(&phrase.words, &other.words)
                    || contains_words(&other.words, &phrase.words))
                {
                    return shares_stem(&phrase.text, &other.text)
                        && cosine(self.vector(id), self.vector(k)) > SAME;
                }
                // A compound of a kept keyword is redundant if its other words are everywhere, or it means
                // the same.
                let extra_is_common = phrase.words.len() > other.words.len()
                    && phrase
                        .words
                        .iter()
                        .filter(|w| !other.words.contains(w))
                        .all(|&w| self.phrases.word_chunks.get(w as usize).is_some_and(|&c| c > common));
                extra_is_common || cosine(self.vector(id), self.vector(k)) > SAME
            });
            if !redundant {
                kept.push(id);
            }
        }
        Ok(kept.into_iter().map(|id| self.phrases.list[id as usize].text.clone()).collect())
    }
}

fn shares_stem(a: &str, b: &str) -> bool {
    let a = stem_keyword(a);
    stem_keyword(b).iter().any(|s| a.binary_search(s).is_ok())
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + x * y)
}

/// Returns Dunning's log-likelihood ratio for a phrase in `inside` of `members` chunks of a cluster, and in
/// `anywhere` of `all` chunks; 0 if it is no more frequent inside than outside.
fn log_likelihood(inside: u32, members: u32, anywhere: u32, all: u32) -> f32 {
    let (a, c) = (f64::from(inside), f64::from(members));
    let (b, d) = (f64::from(anywhere.saturating_sub(inside)), f64::from(all.saturating_sub(members)));
    if c == 0.0 || d == 0.0 || a / c <= b / d {
        return 0.0;
    }
    let cell = |observed: f64, expected: f64| {
        if observed > 0.0 { observed * (observed / expected).ln() } else { 0.0 }
    };
    let rate = (a + b) / (c + d);
    let both =
        cell(a, c * rate) + cell(b, d * rate) + cell(c - a, c * (1.0 - rate)) + cell(d - b, d * (1.0 - rate));
    (2.0 * both).max(0.0) as f32
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Letters as a vector: enough for likeness of spelling.
    fn letters(texts: &[String]) -> Vec<Vec<f32>> {
        texts
            .iter()
            .map(|t| {
                let mut v = [0.0f32; 26];
                t.to_lowercase()
                    .bytes()
                    .filter(u8::is_ascii_lowercase)
                    .for_each(|b| v[(b - b'a') as usize] += 1.0);
                let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-6);
                v.iter().map(|x| x / norm).collect()
            })
            .collect()
    }

    fn top(texts: &[&str], members: &[u32], avoid: &[String], keywords: usize) -> Vec<String> {
        let views: Vec<ChunkView<'_>> =
            texts.iter().map(|text| ChunkView { text, title: "", headings: &[], language: "" }).collect();
        let mut extractor = LocalExtractor::new(&views, 3, &letters);
        let centre = vec![0.2; 26];
        let request = Request { shown: members, members, centre: &centre, avoid, keywords, words: 3 };
        extractor.extract(&request).unwrap()
    }

    const GARDEN: &[&str] = &[
        "The greenhouse holds tomato seedlings. A tomato seedling needs light, and the greenhouse \
         keeps the frost away.",
        "We water each tomato seedling in the greenhouse before noon, quickly and often.",
        "In the greenhouse a tomato seedling grows; the greenhouse stays warm.",
        "The steam engine pulls the night train. A steam engine needs coal and water.",
        "Every night train has a steam engine at its head, and the station master waits.",
        "The station master of the night train knows the steam engine well.",
    ];

    #[test]
    fn each_cluster_gets_its_own_phrases() {
        let garden = top(GARDEN, &[0, 1, 2], &[], 4);
        assert!(
            garden.contains(&"tomato seedling".to_owned()) && garden.contains(&"greenhouse".to_owned()),
            "{garden:?}"
        );
        let trains = top(GARDEN, &[3, 4, 5], &[], 3);
        assert!(
            trains.contains(&"steam engine".to_owned()) && trains.contains(&"night train".to_owned()),
            "{trains:?}"
        );
    }

    #[test]
    fn what_is_to_avoid_is_avoided() {
        let found = top(GARDEN, &[0, 1, 2], &["Green-House".to_owned()], 9);
        assert!(!found.contains(&"greenhouse".to_owned()) && !found.is_empty());
    }

    #[test]
    fn names_keep_their_capitals_and_designators() {
        let found = top(
            &[
                "Then Alex went to Cafe A for coffee. At Cafe A the coffee is strong.",
                "After Cafe A, Alex went to Company B by bus.",
            ],
            &[0, 1],
            &[],
            9,
        );
        for name in ["Alex", "Cafe A", "Company B"] {
            assert!(found.iter().any(|f| f == name), "{name} is not in {found:?}");
        }
    }

    #[test]
    fn no_debris_of_function_words_verbs_and_numbers() {
        let found = top(GARDEN, &[0, 1, 2, 3, 4, 5], &[], 50);
        for debris in ["the", "needs", "quickly", "we water", "often", "every", "well", "keeps", "grows"] {
            assert!(!found.iter().any(|f| f == debris), "{debris} is in {found:?}");
        }
    }

    #[test]
    fn numbered_places_of_an_example_come_after_names_with_a_number() {
        let texts = [
            "In the plan Ans1 feeds Ans2. The scores of BM25 rank what Ans1 found.",
            "BM25 ranks. The result Ans1 is joined with Ans2, as BM25 does.",
        ];
        let found = top(&texts, &[0, 1], &[], 9);
        let at = |name: &str| found.iter().position(|f| f == name);
        assert!(at("BM25").is_some_and(|bm25| at("Ans1").is_none_or(|ans| bm25 < ans)), "{found:?}");
        assert!(!found.contains(&"does".to_owned()));
    }

    #[test]
    fn chinese_and_empty_texts_do_no_harm() {
        assert!(top(&["", "  ", "123 456"], &[0, 1, 2], &[], 5).is_empty());
        let found = top(&["机器学习是人工智能的分支", "机器学习需要数据"], &[0, 1], &[], 5);
        assert!(found.iter().any(|f| f.contains("机器学习")), "{found:?}");
    }

    #[test]
    fn refinement_drops_repetitions() {
        let views: Vec<ChunkView<'_>> =
            GARDEN.iter().map(|text| ChunkView { text, title: "", headings: &[], language: "" }).collect();
        let mut extractor = LocalExtractor::new(&views, 3, &letters);
        let kept = extractor
            .refine(vec![
                "greenhouse".into(),
                "Greenhouse".into(),
                "steam engine".into(),
                "unheard of".into(),
            ])
            .unwrap();
        assert_eq!(kept.len(), 2, "{kept:?}");
    }

    #[test]
    fn surprise_is_symmetric_evidence() {
        assert_eq!(log_likelihood(1, 10, 10, 100), 0.0, "as frequent inside as anywhere");
        assert!(log_likelihood(10, 10, 10, 100) > log_likelihood(5, 10, 10, 100));
    }
}
