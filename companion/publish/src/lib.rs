#![doc = include_str!("../README.md")]

pub mod check;
pub mod contradictions;
pub mod llms;
pub mod pages;
pub mod site_files;
