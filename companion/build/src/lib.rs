#![doc = include_str!("../README.md")]

pub mod assemble;
pub mod facts;
mod fields;
pub mod folder;
pub mod hosted;
pub mod licences;
pub mod merge;
mod options;
mod outcome;
pub mod pipeline;
pub mod prepare;
pub mod proof;
mod source;
mod stages;
mod synonyms;
pub mod verify;
