//! What the commands that train networks have in common: what computes, and what ends a run.

use clap::ValueEnum;
use miette::{IntoDiagnostic, Result, miette};
#[cfg(feature = "train")]
use pocketgraph_train::network::Burning;
use pocketgraph_train::network::{Cpu, Layout, Network};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The device that trains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// The processor
    Cpu,
    /// The processor, through the framework burn: to check the first
    Burn,
    /// An NVIDIA card, through burn
    Cuda,
}

impl Device {
    /// A network of this layout.
    ///
    /// # Errors
    /// When the program was built without it.
    pub fn network(self, layout: &Layout) -> Result<Box<dyn Network>> {
        match self {
            Device::Cpu => Ok(Box::new(Cpu::new(layout.clone()))),
            #[cfg(feature = "train")]
            Device::Burn => {
                use burn::backend::{Autodiff, Flex};
                Ok(Box::new(Burning::<Autodiff<Flex>>::new(layout.clone(), Default::default(), "burn on the processor")))
            }
            #[cfg(feature = "cuda")]
            Device::Cuda => {
                use burn::backend::{Autodiff, Cuda};
                Ok(Box::new(Burning::<Autodiff<Cuda>>::new(layout.clone(), Default::default(), "burn on CUDA")))
            }
            #[allow(unreachable_patterns)]
            other => {
                let feature = if other == Device::Burn { "train" } else { "cuda" };
                Err(miette!(
                    help = "build it with `cargo build --release -p pocketgraph-cli --features {feature}`, or train with --device cpu",
                    "this program was built without the feature {feature}"
                ))
            }
        }
    }
}

/// What Ctrl-C sets.
pub(super) fn stopped() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let stop_flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if stop_flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("\nending after this step; once more to end at once");
    })
    .into_diagnostic()?;
    Ok(stop)
}

/// Seconds as minutes and seconds.
pub(super) fn clock(seconds: f64) -> String {
    let seconds = seconds as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
