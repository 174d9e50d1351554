//! `pocketgraph-gpu`: the lab's commands, which can here train on an NVIDIA card too.

mod network;

use burn::backend::{Autodiff, Cuda, Flex};
use clap::Parser;
use network::Burning;
use pocketgraph_lab::commands::{Cli, run_command};
use pocketgraph_train::network::{Device, Layout, Network};

/// burn on the processor: to check the derivatives that are derived by hand.
struct OnProcessor;

impl Device for OnProcessor {
    fn name(&self) -> &'static str {
        "burn"
    }

    fn network(&self, layout: &Layout) -> Box<dyn Network> {
        Box::new(Burning::<Autodiff<Flex>>::new(layout.clone(), Default::default(), "burn on the processor"))
    }
}

/// burn on an NVIDIA card.
struct OnCuda;

impl Device for OnCuda {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn network(&self, layout: &Layout) -> Box<dyn Network> {
        Box::new(Burning::<Autodiff<Cuda>>::new(layout.clone(), Default::default(), "burn on CUDA"))
    }
}

fn main() -> miette::Result<()> {
    let outcome = run_command(Cli::parse(), &[&OnProcessor, &OnCuda]);
    outcome.map_err(|error| pocketgraph_native::terminal::SafeError::of(&error).into())
}
