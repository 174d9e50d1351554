#![doc = include_str!("../README.md")]

mod answers;
mod question_answers;
mod answering;
mod data;
mod gold;
mod gold_fields;
mod cost;
mod counted_model;
mod groups;
mod index_model;
mod kinds;
mod reply_cache;
mod world;
mod one_answer;
mod execution;
mod part;
mod retrieval;
mod set_bundle;
mod shown_passages;
mod study;

pub use answering::{
    ASK, AnswerPaired, AnswerRow, AnswerSetup, AnswersReport, System, evaluate_answers, list_ways,
    protocol_of, wants_model,
};
pub use answers::{Naming, loose_name};
pub use cost::{LlmCost, Prices};
pub use counted_model::{CountedModel, Tokens};
pub use data::{
    Page, Passage, Passages, Question, Questions, read_answered, read_passages, read_qrels, read_questions,
};
pub use execution::{Miss, PlanRow, PlansError, PlansReport, Writer, evaluate_plans, execute_plan};
pub use gold::{Gold, OpenForm, QuestionSet, Tables, read_gold};
pub use gold_fields::{read_answers, text};
pub use groups::{Group, GroupRow};
pub use index_model::{IndexModel, IndexTokens};
pub use kinds::KindRow;
pub use one_answer::Answered;
pub use part::Part;
pub use question_answers::AnsweredQuestion;
pub use reply_cache::KeptReplies;
pub use retrieval::{Missed, Paired, Report, Row, Whole, evaluate_retrievers};
pub use set_bundle::{EvalError, MadeSet, QuerySide, SetBuild, SetBundle, make_set, open_set};
pub use study::{
    Asker, IndexRow, Indexing, Journal, OpenSet, Study, StudyAnswer, StudyError, StudyProgress, StudySet,
    ask_all, make_indexes,
};
pub use world::graph_for;
