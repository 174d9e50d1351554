//! The options that commands which train networks share: the device, and the end of a run.

use miette::{IntoDiagnostic, Result, miette};
use pocketgraph_train::network::{Cpu, Device, Layout, Network};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const CPU: &str = "cpu";

/// The option for the device that computes a network.
#[derive(Debug, Clone, clap::Args)]
pub struct DeviceArgs {
    /// The device that computes the network: cpu, or with the program of gpu/ cuda (an NVIDIA card) and burn
    /// (the processor, to check the first)
    #[arg(long, default_value = CPU)]
    device: String,
}

impl DeviceArgs {
    /// Returns whether it is the processor, with derivatives of our own.
    pub fn is_cpu(&self) -> bool {
        self.device == CPU
    }

    /// Returns a network of this layout. Fails if this program has no such device.
    pub fn network(&self, layout: &Layout, devices: Devices<'_>) -> Result<Box<dyn Network>> {
        if self.is_cpu() {
            return Ok(Box::new(Cpu::new(layout.clone())));
        }
        let device = devices.iter().find(|device| device.name() == self.device);
        device.map(|device| device.network(layout)).ok_or_else(|| {
            let help = "NVIDIA cards are for `cargo run --release --manifest-path gpu/Cargo.toml -- train \
                …`; every program has --device cpu";
            miette!(help = help, "this program has no device {:?}", self.device)
        })
    }
}

/// Devices that a program adds to the processor.
pub type Devices<'a> = &'a [&'a dyn Device];

pub(super) fn handle_interrupt() -> Result<Arc<AtomicBool>> {
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
