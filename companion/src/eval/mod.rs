//! Measuring retrieval against labelled questions.

mod data;
mod metrics;
mod retrieval;

pub use data::{DataError, Passage, Question, read_passages, read_questions};
pub use metrics::{Measures, interval, measure};
pub use retrieval::{EvalError, Report, Row, evaluate};
