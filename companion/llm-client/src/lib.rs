//! Language models over HTTP, asked by builds and by users: endpoints, kept replies, the caller's tools and prompts.

pub mod asker;
pub mod caller_tools;
pub mod chat;
pub mod prompt_files;
pub mod record;
