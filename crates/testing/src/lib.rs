#![doc = include_str!("../README.md")]

pub mod films;
pub mod golden;
pub mod hits;
pub mod model;
pub mod models;
pub mod scripted_model;
