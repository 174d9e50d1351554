#![doc = include_str!("../README.md")]

#[macro_use]
pub mod terminal;

pub mod held_folder;
pub mod hosts;
pub mod html;
pub mod panics;
pub mod progress;
pub mod single_line;
pub mod today;
pub mod user_folders;
