//! Finds candidate phrases of a corpus: noun-like groups of words with their statistics.

use super::corpus::{Corpus, Token, is_identifier};
use super::spelling::{Form, choose_form};
use super::word_use::{Class, Usage, classify_word};
use super::wordclass::Before;
use pocketgraph_text::lexicon::{Language, SPOKEN};
use std::collections::HashMap;

/// Maximum number of words of any phrase.
pub const MAX_WORDS: usize = 5;

/// Maximum number of Chinese or Japanese characters of a phrase: a word there has two to four.
const IDEOGRAPHS: usize = 4;

/// Number of chunks below which a name may be in most chunks and still be a keyword.
const FEW_CHUNKS: u32 = 100;

/// A phrase by its word keys; unused places are `u32::MAX`.
type Key = [u32; MAX_WORDS];

/// A candidate.
#[derive(Debug, Clone)]
pub struct Phrase {
    /// Its words' keys.
    pub words: Vec<u32>,
    /// Spelling: its most frequent form away from sentence starts, if there is one.
    pub text: String,
    /// The chunks whose prose has it, ascending.
    pub chunks: Vec<u32>,
    /// Number of occurrences in prose.
    pub occurrences: u32,
    /// Worth as a term, from 0 to about 3: by its use as a noun, its place in headings, its capitals.
    pub worth: f32,
}

/// Candidates of a corpus and of each chunk, and the frequency of each word.
pub struct Phrases {
    /// All candidates, in a fixed order.
    pub list: Vec<Phrase>,
    /// Candidates in each chunk, ascending.
    pub in_chunk: Vec<Vec<u32>>,
    /// Number of chunks with each word key.
    pub word_chunks: Vec<u32>,
}

struct Finder<'a> {
    corpus: &'a Corpus,
    classes: Vec<Class>,
    usage: Vec<Usage>,
    /// Minimum number of chunks for a word in a phrase.
    minimum: u32,
    words: usize,
}

impl Phrases {
    /// Finds the candidates of at most `words` words.
    ///
    /// The first pass learns the use of each word, the second counts groups of words that may form a phrase.
    /// Only groups of recurring words count, so that memory is in proportion to repeated text.
    pub fn find(corpus: &Corpus, words: usize) -> Self {
        let n = corpus.chunks.len();
        // In a corpus of a few passages a single mention may matter; in a large one it is noise.
        let minimum = match n {
            0..40 => 1,
            40..5000 => 2,
            _ => 3,
        };
        let class = |k| classify_word(corpus.keys.get(k as u32), &corpus.function_words);
        let classes: Vec<Class> = (0..corpus.keys.len()).map(class).collect();
        let mut finder = Finder {
            corpus,
            classes,
            usage: vec![Usage::default(); corpus.keys.len()],
            minimum,
            words: words.clamp(1, MAX_WORDS),
        };
        finder.learn_words();
        let counted = finder.count();
        finder.choose(counted)
    }
}

impl Finder<'_> {
    fn class_of(&self, t: &Token) -> Class {
        self.classes[t.key as usize]
    }

    fn is_content(&self, t: &Token) -> bool {
        let c = self.class_of(t);
        !c.function && !c.describes
    }

    fn learn_words(&mut self) {
        let corpus = self.corpus;
        for (chunk, tokens) in corpus.chunks.iter().enumerate() {
            for (i, t) in tokens.iter().enumerate() {
                let before = if t.joined { i.checked_sub(1).map(|b| tokens[b]) } else { None };
                let announced = before.map_or(Before::Other, |b| self.class_of(&b).before);
                let after_content = before.is_some_and(|b| self.is_content(&b));
                let capital = corpus.surfaces.get(t.surface).starts_with(char::is_uppercase);
                let u = &mut self.usage[t.key as usize];
                u.count += 1;
                if u.chunks == 0 || u.last_chunk != chunk as u32 {
                    u.chunks += 1;
                    u.last_chunk = chunk as u32;
                }
                u.determiner += u32::from(announced == Before::Determiner);
                u.preposition += u32::from(announced == Before::Preposition);
                u.verb += u32::from(announced == Before::Verb);
                u.after_content += u32::from(after_content);
                if !t.initial {
                    u.telling += 1;
                    u.capital += u32::from(capital);
                }
            }
        }
        // Which words continue a noun phrase depends on the counts above.
        for pair in corpus.chunks.iter().flat_map(|tokens| tokens.windows(2)) {
            if let [t, after] = pair
                && after.joined
                && self.is_content(after)
                && !self.is_verbal(after.key)
            {
                self.usage[t.key as usize].inside += 1;
            }
        }
    }

    /// Returns true if the corpus uses a word as a verb more than as a noun.
    fn is_verbal(&self, key: u32) -> bool {
        let (c, u) = (self.classes[key as usize], self.usage[key as usize]);
        // A gerund after a preposition ("by using") is still a verb.
        let noun = u.determiner + if c.ing { 0 } else { u.preposition };
        // A possible verb is a noun only if often used like one; other words are nouns until they prove to be
        // verbs.
        if c.verb || c.ing {
            u.verb >= noun || noun * 4 < u.count
        } else {
            u.verb >= 3 && u.verb > 2 * (noun + u.after_content / 2)
        }
    }

    /// Returns true if a word mostly has a capital where that is not due to its position.
    fn is_proper(&self, key: u32) -> bool {
        let u = self.usage[key as usize];
        u.telling > 0 && u.capital * 10 >= u.telling * 7
    }

    fn can_start(&self, t: &Token) -> bool {
        let c = self.class_of(t);
        if t.member
            || c.debris
            || c.function
            || c.number
            || (c.short && !c.ideograph)
            || self.usage[t.key as usize].chunks < self.minimum
        {
            return false;
        }
        // "associated type" may start with a participle, "using traits" not.
        !c.describes && (c.ed || !self.is_verbal(t.key) || self.is_proper(t.key))
    }

    fn can_end(&self, t: &Token, alone: bool) -> bool {
        let c = self.class_of(t);
        if t.member
            || c.debris
            || c.function
            || c.describes
            || c.number
            || c.short
            || self.usage[t.key as usize].chunks < self.minimum
        {
            return false;
        }
        if self.is_proper(t.key) || c.identifier {
            return true;
        }
        if c.ed || (c.adjective && alone) {
            return false;
        }
        !self.is_verbal(t.key) || (c.ing && !alone)
    }

    /// Returns true for a single capital after a capitalised word: "Cafe A".
    fn is_designator(&self, previous: &Token, t: &Token) -> bool {
        let capital = |t: &Token| self.corpus.surfaces.get(t.surface).starts_with(char::is_uppercase);
        t.joined
            && capital(t)
            && self.class_of(t).short
            && !t.initial
            && capital(previous)
            && !self.class_of(previous).function
    }

    /// Returns true if a name begins after an ordinary word ("before leaving home Alex looked").
    fn name_begins(&self, previous: &Token, t: &Token) -> bool {
        let surface = |t: &Token| self.corpus.surfaces.get(t.surface);
        let name = surface(t).starts_with(char::is_uppercase)
            && !is_identifier(surface(t))
            && !self.class_of(t).short
            && self.is_proper(t.key);
        name && !t.hyphen
            && !self.is_proper(previous.key)
            && !surface(previous).contains(char::is_uppercase)
            && !SPOKEN.name_particles().has(surface(previous), "particle")
    }

    /// Calls `found` with the range of every group of words that may form a phrase.
    fn groups(&self, tokens: &[Token], mut found: impl FnMut(std::ops::Range<usize>)) {
        for start in 0..tokens.len() {
            let first = tokens[start];
            let class = self.class_of(&first);
            if class.ideograph {
                if class.kana {
                    continue;
                }
                let more = tokens.iter().enumerate().skip(start + 1).take(IDEOGRAPHS - 1);
                for (end, _) in
                    more.take_while(|(_, t)| t.joined && self.class_of(t).ideograph && !self.class_of(t).kana)
                {
                    found(start..end + 1);
                }
                continue;
            }
            if !self.can_start(&first) {
                continue;
            }
            if self.can_end(&first, true) && !class.vague {
                found(start..start + 1);
            }
            for end in start + 1..(start + self.words).min(tokens.len()) {
                let t = tokens[end];
                if !t.joined
                    || t.owner
                    || tokens[end - 1].owner
                    || self.class_of(&t).ideograph
                    || self.name_begins(&tokens[end - 1], &t)
                {
                    break;
                }
                if self.is_designator(&tokens[end - 1], &t) {
                    found(start..end + 1);
                    break;
                }
                if self.class_of(&t).function {
                    // "University of Leeds": a preposition inside a name.
                    let name = self.corpus.keys.get(t.key) == "of" && self.is_proper(tokens[end - 1].key);
                    if name && tokens.get(end + 1).is_some_and(|n| n.joined && self.is_proper(n.key)) {
                        continue;
                    }
                    break;
                }
                if self.can_end(&t, false) {
                    found(start..end + 1);
                } else if self.class_of(&t).number || self.usage[t.key as usize].chunks < self.minimum {
                    break;
                }
            }
        }
    }

    fn key(&self, tokens: &[Token]) -> Key {
        let mut key = [u32::MAX; MAX_WORDS];
        key.iter_mut().zip(tokens).for_each(|(k, t)| *k = t.key);
        key
    }

    /// Counts all groups, with the words before and after them.
    fn count(&self) -> HashMap<Key, Usage> {
        let mut counted: HashMap<Key, Usage> = HashMap::new();
        for (chunk, tokens) in self.corpus.chunks.iter().enumerate() {
            self.groups(tokens, |range| {
                let u = counted.entry(self.key(&tokens[range.clone()])).or_default();
                let first = &tokens[range.start];
                let before = if first.joined { range.start.checked_sub(1).map(|b| tokens[b]) } else { None };
                let after = tokens.get(range.end).filter(|a| a.joined);
                u.count += 1;
                if u.chunks == 0 || u.last_chunk != chunk as u32 {
                    u.chunks += 1;
                    u.last_chunk = chunk as u32;
                }
                match before.map_or(Before::Other, |b| self.class_of(&b).before) {
                    Before::Determiner => u.determiner += 1,
                    Before::Preposition => u.preposition += 1,
                    Before::Verb => u.verb += 1,
                    Before::Other => {}
                }
                u.inside += u32::from(after.is_some_and(|a| self.is_content(a) && !self.is_verbal(a.key)));
                u.after_content +=
                    u32::from(before.is_some_and(|b| self.is_content(&b) && !self.is_verbal(b.key)));
                if !first.initial {
                    u.telling += 1;
                    u.capital +=
                        u32::from(self.corpus.surfaces.get(first.surface).starts_with(char::is_uppercase));
                }
            });
        }
        counted
    }

    /// Drops groups that are too rare, too common, accidental, or always part of a longer one.
    fn choose(&self, counted: HashMap<Key, Usage>) -> Phrases {
        let n = self.corpus.chunks.len() as u32;
        // A word in more than three of ten chunks distinguishes none. A handful of chunks shows nothing.
        let common = if n >= 20 { n * 3 / 10 } else { n };
        // Nor do a few dozen about names: a story's hero is in most passages, and is its subject.
        let known_name = |u: &Usage| n < FEW_CHUNKS && u.telling > 0 && u.capital * 10 >= u.telling * 7;
        let mut headings: HashMap<Key, u32> = HashMap::new();
        for tokens in &self.corpus.headings {
            let mut seen = Vec::new();
            self.groups(tokens, |range| seen.push(self.key(&tokens[range])));
            seen.sort_unstable();
            seen.dedup();
            seen.into_iter().for_each(|k| *headings.entry(k).or_default() += 1);
        }
        // Longer phrases come first, to count how often a shorter one is part of a kept longer one.
        let mut order: Vec<(&Key, &Usage)> = counted
            .iter()
            .filter(|(_, u)| u.chunks >= self.minimum && (u.chunks <= common.max(1) || known_name(u)))
            .collect();
        order.sort_unstable_by_key(|x| x.0);
        let length = |k: &Key| k.iter().take_while(|&&w| w != u32::MAX).count();
        order.sort_by_key(|x| std::cmp::Reverse(length(x.0)));
        let mut covered: HashMap<Key, u32> = HashMap::new();
        let mut kept: HashMap<Key, u32> = HashMap::new();
        let mut list = Vec::new();
        for (key, usage) in order {
            let len = length(key);
            let words = &key[..len];
            let in_headings = headings.get(key).copied().unwrap_or(0);
            let ideograph = self.classes[words[0] as usize].ideograph;
            if !self.is_plausible(words, usage, in_headings) {
                continue;
            }
            // A phrase that nearly always occurs inside one longer phrase is that phrase.
            let name = len == 1 && self.is_proper(words[0]);
            if covered
                .get(key)
                .is_some_and(|&c| f64::from(c) >= if name { 0.9 } else { 0.7 } * f64::from(usage.count))
            {
                continue;
            }
            for size in 1..len {
                for part in words.windows(size) {
                    let mut k = [u32::MAX; MAX_WORDS];
                    k[..size].copy_from_slice(part);
                    let c = covered.entry(k).or_default();
                    *c = (*c).max(usage.count);
                }
            }
            let worth = self.worth(words, usage, in_headings, ideograph);
            kept.insert(*key, list.len() as u32);
            list.push(Phrase {
                words: words.to_vec(),
                text: String::new(),
                chunks: Vec::new(),
                occurrences: usage.count,
                worth,
            });
        }
        self.collect(list, &kept)
    }

    fn is_plausible(&self, words: &[u32], u: &Usage, headings: u32) -> bool {
        let len = words.len();
        let n = self.corpus.chunks.len() as f64;
        // A group mostly after "to" or "we" is a verb phrase. One "to" is no proof: it is a preposition as
        // well.
        let capitalised = u.telling > 0 && u.capital == u.telling;
        if !capitalised && u.verb >= 2 && u.verb * 2 > u.count && u.verb > u.determiner + u.preposition {
            return false;
        }
        if len == 1 {
            let class = self.classes[words[0] as usize];
            let name = self.is_proper(words[0]) || class.identifier;
            // A word that mostly stands before other nouns describes them.
            return name || headings > 0 || u.inside * 10 <= u.count * 6;
        }
        // A group that is mostly part of a longer one is a fragment: "draft blog" of "draft blog post".
        let ideograph = self.classes[words[0] as usize].ideograph;
        if !ideograph && u.inside * 10 > u.count * 6 {
            return false;
        }
        if headings > 1 || n < 40.0 {
            return true;
        }
        // The words must meet more often than by chance: normalised pointwise mutual information over chunks.
        let first = f64::from(self.usage[words[0] as usize].chunks) / n;
        let last = f64::from(self.usage[words[len - 1] as usize].chunks) / n;
        let together = f64::from(u.chunks) / n;
        let npmi = (together / (first * last)).ln() / -together.ln().min(-1e-9);
        npmi > if ideograph { 0.45 } else { 0.3 }
    }

    /// Returns true for one of several words that differ only in their last digit: "step1", but not "BM25".
    fn is_numbered(&self, word: u32) -> bool {
        let text = self.corpus.keys.get(word);
        let Some(stem) =
            text.strip_suffix(|c: char| c.is_ascii_digit()).filter(|s| s.ends_with(char::is_alphabetic))
        else {
            return false;
        };
        (b'0'..=b'9')
            .map(|d| format!("{stem}{}", char::from(d)))
            .any(|other| other != text && self.corpus.keys.find(&other).is_some())
    }

    fn worth(&self, words: &[u32], u: &Usage, headings: u32, ideograph: bool) -> f32 {
        let count = u.count.max(1) as f32;
        let mut worth = 1.0 + (1.0 + headings as f32).ln() * 0.5;
        if !ideograph {
            let noun = (u.determiner + u.preposition) as f32 / count;
            worth *= 0.6 + 0.8 * noun.min(0.6);
            worth *= 1.0 - 0.5 * (u.inside as f32 / count).min(1.0);
            worth *= 1.0 - 0.4 * (u.after_content as f32 / count).min(1.0);
        }
        if u.telling > 0 && u.capital * 10 >= u.telling * 7 {
            worth *= 1.3;
        }
        // Everyday words make poor keywords alone, and fair ones together.
        let specific =
            words.iter().map(|&w| self.classes[w as usize].specificity).sum::<f32>() / words.len() as f32;
        worth *= if words.len() == 1 { 0.3 + 0.7 * specific } else { 0.6 + 0.4 * specific };
        // Names with underscores in prose are mostly made up for an example.
        if words.iter().any(|&w| self.corpus.keys.get(w).contains('_') || self.is_numbered(w)) {
            worth *= 0.4;
        }
        let vague = words
            .iter()
            .filter(|&&w| self.classes[w as usize].vague || self.classes[w as usize].describes)
            .count();
        let common = self.corpus.chunks.len() as u32 / 5;
        let few = self.corpus.chunks.len() < FEW_CHUNKS as usize;
        let everywhere = words
            .iter()
            .filter(|&&w| self.usage[w as usize].chunks > common && !(few && self.is_proper(w)))
            .count();
        worth *= 0.6f32.powi((vague + everywhere) as i32);
        match words.len() {
            2 => worth * 1.25,
            _ => worth,
        }
    }

    /// Finds the places and the spelling of each kept phrase, in the last pass.
    fn collect(&self, mut list: Vec<Phrase>, kept: &HashMap<Key, u32>) -> Phrases {
        let mut in_chunk: Vec<Vec<u32>> = Vec::with_capacity(self.corpus.chunks.len());
        // Written forms by phrase: their count in mid-sentence, and in all.
        let mut forms: Vec<HashMap<Form, (u32, u32)>> = vec![HashMap::new(); list.len()];
        for (chunk, tokens) in self.corpus.chunks.iter().enumerate() {
            let mut here = Vec::new();
            self.groups(tokens, |range| {
                let Some(&id) = kept.get(&self.key(&tokens[range.clone()])) else { return };
                here.push(id);
                let surface: Form = tokens[range.clone()].iter().map(|t| (t.surface, t.hyphen)).collect();
                let form = forms[id as usize].entry(surface).or_default();
                form.0 += u32::from(!tokens[range.start].initial);
                form.1 += 1;
            });
            here.sort_unstable();
            here.dedup();
            here.iter().for_each(|&id| list[id as usize].chunks.push(chunk as u32));
            in_chunk.push(here);
        }
        for (phrase, forms) in list.iter_mut().zip(forms) {
            phrase.text = choose_form(self.corpus, &phrase.words, forms);
        }
        let word_chunks = self.usage.iter().map(|u| u.chunks).collect();
        Phrases { list, in_chunk, word_chunks }
    }
}
