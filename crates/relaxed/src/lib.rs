#![doc = include_str!("../README.md")]
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
