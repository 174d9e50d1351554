//! Measuring against labelled questions: retrieval, linking, planning, and the execution of plans.

mod data;
mod gold;
mod metrics;
mod execution;
mod plans;
mod retrieval;
mod walks;

pub use data::{DataError, Passage, Question, read_passages, read_questions};
pub use execution::{LinkingRow, Miss, PlanRow, PlansError, PlansReport, evaluate_linking, evaluate_plans};
pub use metrics::{Measures, interval, measure};
pub use plans::{PatternReport, PlannerRow, evaluate_patterns, evaluate_rules};
pub use retrieval::{EvalError, Missed, Paired, Report, Row, evaluate};
pub use walks::{WalksReport, evaluate_walks};
