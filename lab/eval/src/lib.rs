#![doc = include_str!("../README.md")]

mod answers;
mod answer_metrics;
mod question_answers;
mod answering;
mod data;
mod protocol_options;
mod gold;
mod gold_fields;
mod cost;
mod counted_model;
mod groups;
pub mod html;
mod index_model;
mod kinds;
mod reply_cache;
mod labelled;
mod world;
mod metrics;
mod one_answer;
mod execution;
mod part;
mod retrieval;
mod set_bundle;
mod shown_passages;
mod site;
mod study;

pub use answer_metrics::{SetMeasures, bare, contains, exact_match, listed, normalised, set_measures, token_f1};
pub use answering::{
    ASK, AnswerPaired, AnswerRow, AnswerSetup, AnswersReport, CAVEAT, QUOTE, System, evaluate_answers, protocol_of, wants_model,
};
pub use answers::{Naming, loose_name};
pub use cost::{LlmCost, Prices};
pub use counted_model::{CountedModel, Tokens};
pub use data::{
    AnswersAre, DataError, Judged, Page, Passage, Passages, Question, Questions, lines, read_answered, read_passages, read_qrels,
    read_questions,
};
pub use execution::{Miss, PlanRow, PlansError, PlansReport, Writer, evaluate_plans, execute_plan};
pub use gold::{Gold, OPEN, OpenForm, QuestionSet, Tables, read_gold};
pub use gold_fields::{answers, text};
pub use groups::{Group, GroupRow};
pub use html::{Bar, HtmlPage, answers_page, retrieval_page, site_page};
pub use index_model::{IndexModel, IndexTokens};
pub use kinds::KindRow;
pub use labelled::{Labelled, Places, ResolvedPage, read_labelled};
pub use metrics::{Estimate, Intervals, Measures, interval, measure};
pub use one_answer::Answered;
pub use part::Part;
pub use protocol_options::{check_protocols, measured_with, named_options};
pub use question_answers::{AnsweredQuestion, read_answerable};
pub use reply_cache::KeptReplies;
pub use retrieval::{Missed, Paired, Report, Row, Whole, evaluate};
pub use set_bundle::{EvalError, MadeSet, QuerySide, SetBuild, SetBundle, make_set, open_set};
pub use site::{FoundPage, SiteAnswer, SiteAnswers, SiteError, SiteMiss, SiteReport, SiteRow, UnknownPage, describe_miss, evaluate_site};
pub use study::{
    Asker, BreakEven, Even, IndexRow, Indexing, Journal, OpenSet, RankRow, SetFigures, Study, StudyAnswer, StudyError, StudyProgress,
    StudyReport, StudyRow, StudySet, ask_all, csv_tables, make_indexes, markdown, report,
};
pub use world::graph_for;
