//! The one loop of inference that relaxed SIMD makes faster: rows of small integers times weights in four bits.
//!
//! A browser without relaxed SIMD refuses a module that has its instructions, so this is a module of its own, of a few kilobytes, which imports
//! the engine's memory and has no data and no stack there (`scripts/wasm.sh` looks that it has none). `js/relaxed.js` loads it where a probe finds the
//! browser able, and the engine calls it by its table of functions. What is relaxed about the instruction is what it does with a second factor of eight
//! bits; the factors here have four, so every browser gives the same sums, and they are those of the engine's other kernels.

#![cfg_attr(target_arch = "wasm32", no_std)]

mod arrange;
#[cfg(target_arch = "wasm32")]
mod multiply;

pub use arrange::{ARRANGED, PACKED, PANEL, RUN, arrange, prepare};
#[cfg(target_arch = "wasm32")]
pub use multiply::{arrange_panels, multiply};

#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
