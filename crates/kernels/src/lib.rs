#![doc = include_str!("../README.md")]

pub mod vector;
pub mod nn;
