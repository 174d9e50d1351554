//! Embedding texts that were not embedded before.

use crate::embed_bulk::{MAX_TOKENS, NativeEmbedder};
use pocketgraph_cache::{Cache, Key, Kind};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of vectors that were asked for, and how many of them were there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct EmbeddingCounts {
    /// Vectors asked for.
    pub asked: usize,
    /// Number of these not computed: from the cache, or of a repeated text.
    pub reused: usize,
}

/// The embedder in front of a cache. Its vectors are those of the embedder alone, bit for bit.
pub struct CachedEmbedder<'a> {
    model: &'a NativeEmbedder,
    cache: Option<&'a Cache>,
    asked: AtomicUsize,
    reused: AtomicUsize,
}

impl<'a> CachedEmbedder<'a> {
    /// With no cache, only texts that come twice in one call are saved.
    pub fn new(model: &'a NativeEmbedder, cache: Option<&'a Cache>) -> Self {
        CachedEmbedder { model, cache, asked: AtomicUsize::new(0), reused: AtomicUsize::new(0) }
    }

    /// The embedder itself.
    pub fn model(&self) -> &'a NativeEmbedder {
        self.model
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> EmbeddingCounts {
        EmbeddingCounts {
            asked: self.asked.load(Ordering::Relaxed),
            reused: self.reused.load(Ordering::Relaxed),
        }
    }

    /// As [`NativeEmbedder::embed_all`]. New vectors are kept as they come, so that an interruption loses
    /// none.
    pub fn embed_all(&self, texts: &[String], progress: &(dyn Fn(usize) + Sync)) -> Vec<Vec<f32>> {
        let mut first_of: HashMap<&str, usize> = HashMap::new();
        let first: Vec<usize> =
            texts.iter().enumerate().map(|(i, t)| *first_of.entry(t).or_insert(i)).collect();
        let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); texts.len()];
        let keys: Vec<Key> = match self.cache {
            Some(_) => texts.iter().map(|t| self.key(t)).collect(),
            None => Vec::new(),
        };
        if let Some(cache) = self.cache {
            cache.get_many(&keys, |i, bytes| {
                if let (Some(slot), Some(vector)) = (vectors.get_mut(i), self.decoded(bytes)) {
                    *slot = vector;
                }
            });
        }
        let missing: Vec<usize> =
            (0..texts.len()).filter(|&i| first[i] == i && vectors[i].is_empty()).collect();
        let there = texts.len() - missing.len();
        self.asked.fetch_add(texts.len(), Ordering::Relaxed);
        self.reused.fetch_add(there, Ordering::Relaxed);
        progress(there);
        let new: Vec<String> = missing.iter().map(|&i| texts[i].clone()).collect();
        let keep = |at: usize, vector: &[f32]| {
            if let (Some(cache), Some(&i)) = (self.cache, missing.get(at)) {
                cache.put(keys[i], vector.iter().flat_map(|x| x.to_le_bytes()).collect());
            }
        };
        for (&i, vector) in
            missing.iter().zip(self.model.embed_each(&new, &keep, &|done| progress(there + done)))
        {
            vectors[i] = vector;
        }
        if let Some(cache) = self.cache.filter(|_| !missing.is_empty()) {
            cache.flush();
        }
        for i in 0..texts.len() {
            if vectors[i].is_empty() {
                vectors[i] = vectors[first[i]].clone();
            }
        }
        vectors
    }

    fn key(&self, text: &str) -> Key {
        Key::new(
            Kind::Embedding,
            &[self.model.fingerprint(), &(MAX_TOKENS as u64).to_le_bytes(), text.as_bytes()],
        )
    }

    /// A vector of the model's dimension; anything else is as good as absent.
    fn decoded(&self, bytes: &[u8]) -> Option<Vec<f32>> {
        let (numbers, rest) = bytes.as_chunks::<4>();
        (rest.is_empty() && numbers.len() == self.model.dim())
            .then(|| numbers.iter().map(|b| f32::from_le_bytes(*b)).collect())
    }
}
