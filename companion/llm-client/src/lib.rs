#![doc = include_str!("../README.md")]

pub mod asker;
pub mod chat;
pub mod key;
pub mod record;
