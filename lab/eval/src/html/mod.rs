//! Reports of answers and of retrieval as one HTML file.

mod answers;
mod retrieval;

pub use answers::answers_page;
pub use retrieval::retrieval_page;

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
