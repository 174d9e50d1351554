//! Commands that make the weights under `models/`.

pub mod calibrate;
pub mod gptq;
pub mod minilm;
