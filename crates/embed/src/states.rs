//! Late interaction: the similarity of two texts' tokens (Khattab and Zaharia, "ColBERT", 2020), on the
//! states that the embedding model computes anyway.

use crate::vector::dot_f32;

/// Text as the embedding model reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadText {
    /// Its unit vector.
    pub vector: Vec<f32>,
    /// Last state of each token except the marks at both ends, each of length one.
    states: Vec<f32>,
}

impl ReadText {
    /// Makes it of a text's vector and the states of its tokens, with those of the marks at both ends.
    pub fn new(vector: Vec<f32>, states: &[f32]) -> ReadText {
        let dim = vector.len().max(1);
        let mut states = states.get(dim..states.len().saturating_sub(dim)).unwrap_or_default().to_vec();
        for state in states.chunks_exact_mut(dim) {
            let length = dot_f32(state, state).sqrt();
            state.iter_mut().filter(|_| length > 0.0).for_each(|x| *x /= length);
        }
        ReadText { vector, states }
    }

    /// Cosine of the two texts' vectors.
    pub fn cosine(&self, other: &ReadText) -> f32 {
        dot_f32(&self.vector, &other.vector)
    }

    /// Mean over this text's tokens of the best cosine with a token of `other`; 0 if either has none.
    pub fn late_interaction(&self, other: &ReadText) -> f32 {
        let dim = self.vector.len().max(1);
        let best = |state| {
            other.states.chunks_exact(dim).map(|o| dot_f32(state, o)).fold(f32::NEG_INFINITY, f32::max)
        };
        let tokens = self.states.len() / dim;
        let sum: f32 = self.states.chunks_exact(dim).map(best).sum();
        if tokens > 0 && sum.is_finite() { sum / tokens as f32 } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a text of tokens with these states, between two marks whose states are left out.
    fn text(states: &[[f32; 2]]) -> ReadText {
        let all: Vec<[f32; 2]> = [&[[9.0, 9.0]], states, &[[9.0, -9.0]]].concat();
        ReadText::new(vec![1.0, 0.0], &all.concat())
    }

    #[test]
    fn each_token_of_the_question_finds_its_nearest_whatever_its_length() {
        let (question, block) =
            (text(&[[2.0, 0.0], [0.0, 1.0]]), text(&[[0.0, 3.0], [1.0, 1.0], [0.0, -1.0]]));
        let nearest = [0.5_f32.sqrt(), 1.0];
        assert!((question.late_interaction(&block) - nearest.iter().sum::<f32>() / 2.0).abs() < 1e-6);
        assert!((question.cosine(&block) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_text_without_tokens_is_like_nothing() {
        let (none, some) = (text(&[]), text(&[[1.0, 0.0]]));
        assert_eq!((none.late_interaction(&some), some.late_interaction(&none)), (0.0, 0.0));
        assert_eq!(ReadText::new(Vec::new(), &[]).late_interaction(&some), 0.0);
    }
}
