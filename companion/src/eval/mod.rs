//! Measuring against labelled questions: retrieval, linking, planning, and the execution of plans.

mod data;
mod gold;
mod metrics;
mod planners;
mod plans;
mod retrieval;

pub use data::{DataError, Passage, Question, read_passages, read_questions};
pub use metrics::{Measures, interval, measure};
pub use planners::{PatternReport, PlannerEvalError, PlannerRow, evaluate_patterns, evaluate_rules, piped_graph};
pub use plans::{LinkingRow, Miss, PlanRow, PlansError, PlansReport, evaluate_linking, evaluate_plans};
pub use retrieval::{EvalError, Report, Row, evaluate};
