//! Computes the cost of a language model.

use super::counted_model::Tokens;

/// Prices of a language model for a million tokens, in any currency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Price of tokens read.
    pub prompt: f64,
    /// Price of tokens written.
    pub completion: f64,
}

impl Prices {
    /// Returns the cost of tokens.
    pub fn of(&self, read: f64, written: f64) -> f64 {
        (read * self.prompt + written * self.completion) / 1e6
    }
}

/// Work of a language model.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct LlmCost {
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Cost at the given prices; `None` without prices.
    pub cost: Option<f64>,
}

impl LlmCost {
    /// Sums tokens. The cost of no tokens is 0, even without prices.
    pub(super) fn of(tokens: &[Tokens], prices: Option<Prices>) -> LlmCost {
        let (prompt_tokens, completion_tokens) =
            (tokens.iter().map(|t| t.prompt).sum(), tokens.iter().map(|t| t.completion).sum());
        let cost = match (prompt_tokens + completion_tokens, prices) {
            (0, _) => Some(0.0),
            (_, prices) => prices.map(|p| p.of(prompt_tokens as f64, completion_tokens as f64)),
        };
        LlmCost { prompt_tokens, completion_tokens, cost }
    }
}
