#![doc = include_str!("../README.md")]

pub mod asker;
pub mod caller_tools;
pub mod chat;
pub mod key;
pub mod prompt_files;
pub mod record;
