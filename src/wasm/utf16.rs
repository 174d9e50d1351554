//! Byte offsets to UTF-16 code units, which JavaScript strings are indexed by.

#[cfg(feature = "full")]
mod full;

use crate::answer::{Answer, AskEvent};
use crate::compact::Map;
use crate::retrieve::{Hit, SearchResult, Span};

/// Rewrites byte spans of `text` as UTF-16 spans; one pass over the text, however many spans there are.
fn rewrite(text: &str, spans: Vec<&mut Span>) {
    if text.is_ascii() {
        return;
    }
    let mut units = Vec::with_capacity(text.len() + 1);
    let mut count = 0u32;
    for c in text.chars() {
        units.extend(std::iter::repeat_n(count, c.len_utf8()));
        count += c.len_utf16() as u32;
    }
    units.push(count);
    let unit = |byte: u32| units.get(byte as usize).copied().unwrap_or(count);
    for s in spans {
        *s = Span { start: unit(s.start), end: unit(s.end) };
    }
}

/// Rewrites a hit's highlights.
pub fn hit(h: &mut Hit) {
    rewrite(&h.text, h.highlights.iter_mut().collect());
}

/// Rewrites all spans of a result.
pub fn result(r: &mut SearchResult) {
    r.hits.iter_mut().for_each(hit);
}

/// The passages of an answer's hits: its citations have spans in texts that the answer itself does not carry.
#[derive(Default)]
pub struct Texts {
    by_chunk: Map<u32, String>,
}

impl Texts {
    /// Rewrites an event's spans, and remembers the hits' texts.
    pub fn event(&mut self, event: AskEvent) -> AskEvent {
        match event {
            AskEvent::Hits { result: mut r } => {
                self.by_chunk.extend(r.hits.iter().map(|h| (h.chunk, h.text.clone())));
                result(&mut r);
                AskEvent::Hits { result: r }
            }
            AskEvent::Done { answer } => AskEvent::Done { answer: self.answer(answer) },
            other => other,
        }
    }

    /// Rewrites an answer's spans.
    pub fn answer(&self, mut answer: Answer) -> Answer {
        for c in &mut answer.citations {
            if let Some(text) = c.chunk().and_then(|n| self.by_chunk.get(&n)) {
                rewrite(text, vec![&mut c.span]);
            }
        }
        let chunk = |citation: u32| answer.citations.get(citation as usize)?.chunk();
        for b in &mut answer.blocks {
            if let Some(text) = chunk(b.citation).and_then(|n| self.by_chunk.get(&n)) {
                rewrite(text, vec![&mut b.span]);
            }
            rewrite(&b.text, b.highlights.iter_mut().collect());
        }
        let places = answer
            .citations
            .iter_mut()
            .map(|c| &mut c.at)
            .chain(answer.sentences.iter_mut().map(|s| &mut s.at));
        rewrite(&answer.text, places.collect());
        answer
    }
}
