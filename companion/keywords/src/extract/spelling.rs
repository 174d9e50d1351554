//! Spelling of phrases.

use super::corpus::{Corpus, is_identifier, is_ideograph};
use std::collections::HashMap;

/// A phrase as written: the written form of each word, and true if a hyphen joins it to the one before.
pub type Form = Vec<(u32, bool)>;

/// Returns the form to show: the most frequent in mid-sentence, else the most frequent, in lower case unless
/// it is a name; the singular if it is nearly as frequent.
pub fn choose_form(corpus: &Corpus, words: &[u32], forms: HashMap<Form, (u32, u32)>) -> String {
    let mut forms: Vec<(Form, (u32, u32))> = forms.into_iter().collect();
    forms.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let Some((best, (mid, _))) = forms.first().cloned() else { return String::new() };
    let ideograph = words.first().and_then(|&w| corpus.keys.get(w).chars().next()).is_some_and(is_ideograph);
    let join = |form: &Form| {
        let mut text = String::new();
        for (i, &(surface, hyphen)) in form.iter().enumerate() {
            match (i, hyphen) {
                (0, _) => {}
                (_, true) => text.push('-'),
                _ if ideograph => {}
                _ => text.push(' '),
            }
            text.push_str(corpus.surfaces.get(surface));
        }
        text
    };
    let is_singular = |form: &Form| {
        form.last().zip(words.last()).is_some_and(|(&(s, _), &w)| {
            let text = corpus.surfaces.get(s);
            text.to_lowercase() == corpus.keys.get(w)
        })
    };
    let mut chosen = best;
    if !is_singular(&chosen)
        && let Some((one, _)) = forms.iter().find(|(f, (m, _))| is_singular(f) && *m * 4 >= mid && *m > 0)
    {
        chosen = one.clone();
    }
    let text = join(&chosen);
    // If every occurrence starts a sentence, an ordinary word's capital means nothing.
    let first = chosen.first().map_or("", |f| corpus.surfaces.get(f.0));
    if mid == 0 && !is_identifier(first) && words.len() == 1 && corpus.chunks.len() >= 40 {
        text.to_lowercase()
    } else {
        text
    }
}
