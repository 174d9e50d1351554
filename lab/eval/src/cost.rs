//! What a language model costs.

use super::counted_model::Tokens;

/// Prices of a language model, in any currency, for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Read.
    pub prompt: f64,
    /// Written.
    pub completion: f64,
}

impl Prices {
    /// What tokens cost.
    pub fn of(&self, read: f64, written: f64) -> f64 {
        (read * self.prompt + written * self.completion) / 1e6
    }
}

/// What a language model had to do.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct LlmCost {
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// What that costs at the prices that were given; absent where none were.
    pub cost: Option<f64>,
}

impl LlmCost {
    /// What tokens come to. Where nothing was read or written nothing is to be paid, whatever the prices.
    pub(super) fn of(tokens: &[Tokens], prices: Option<Prices>) -> LlmCost {
        let (prompt_tokens, completion_tokens) = (tokens.iter().map(|t| t.prompt).sum(), tokens.iter().map(|t| t.completion).sum());
        let cost = match (prompt_tokens + completion_tokens, prices) {
            (0, _) => Some(0.0),
            (_, prices) => prices.map(|p| p.of(prompt_tokens as f64, completion_tokens as f64)),
        };
        LlmCost { prompt_tokens, completion_tokens, cost }
    }
}
