#![doc = include_str!("../README.md")]

pub mod caseless;
pub mod communities;
pub mod everyday;
pub mod kg;
pub mod names;
pub mod hop_policy;
pub mod raptor;
pub mod relations;
pub mod summaries;
