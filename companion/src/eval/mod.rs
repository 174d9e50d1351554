//! Measuring against labelled questions: retrieval, linking, planning, and the execution of plans.

mod answers;
mod data;
mod prolog;
mod logic;
mod geoquery;
mod evidence;
mod gold;
mod sparql;
mod world;
mod metrics;
mod execution;
mod linking;
mod plans;
mod retrieval;
mod walks;

pub use data::{DataError, Passage, Question, read_passages, read_questions};
pub use execution::{Miss, PlanRow, PlansError, PlansReport, Writer, evaluate_plans};
pub use linking::{LinkingRow, evaluate_linking};
pub use metrics::{Measures, interval, measure};
pub use plans::{PatternReport, evaluate_patterns};
pub use retrieval::{Encoders, EvalError, Missed, Paired, QuerySide, Report, Row, evaluate};
pub use walks::{WalksReport, evaluate_walks};
pub use world::graph_for;
