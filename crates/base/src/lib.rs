#![doc = include_str!("../README.md")]

pub mod compact;
pub mod csr;
pub mod elementary;
pub mod json;
mod usage;

pub use usage::Usage;
