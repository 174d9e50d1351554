#![doc = include_str!("../README.md")]

pub mod assemble;
pub mod facts;
pub mod folder;
pub mod licences;
pub mod merge;
pub mod pipeline;
pub mod prepare;
mod synonyms;
pub mod verify;
