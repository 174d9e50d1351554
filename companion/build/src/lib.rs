//! The stages of a build, and the bundle that they assemble.

pub mod assemble;
pub mod facts;
pub mod folder;
pub mod licences;
pub mod pipeline;
pub mod prepare;
pub mod verify;
