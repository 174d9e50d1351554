//! The options that name what a language model costs.

use pocketgraph_eval::Prices;

/// Options for the price of tokens.
#[derive(Debug, Clone, clap::Args)]
pub struct PriceArgs {
    /// Price of a million tokens that the model reads
    #[arg(long, value_name = "PRICE", requires = "price_out")]
    price_in: Option<f64>,
    /// Price of a million tokens that the model writes
    #[arg(long, value_name = "PRICE", requires = "price_in")]
    price_out: Option<f64>,
}

impl PriceArgs {
    /// Returns the prices, if they are set.
    pub fn prices(&self) -> Option<Prices> {
        self.price_in.zip(self.price_out).map(|(prompt, completion)| Prices { prompt, completion })
    }
}
