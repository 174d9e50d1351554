#![doc = include_str!("../README.md")]

mod answer_metrics;
pub mod html;
mod labelled;
mod metrics;
pub mod records;
mod site;

pub use answer_metrics::{
    SetMeasures, contains_accepted, exact_match, extract_answer, normalise_answer, set_measures,
    split_answers, token_f1,
};
pub use labelled::{Labelled, Places, ResolvedPage, read_labelled};
pub use metrics::{
    Estimate, Intervals, Judged, MEASURES, Measures, bootstrap_interval, mean, measure_ranking, pages_of,
    quantile,
};
pub use site::{
    CAVEAT, FoundPage, QUOTE, SiteAnswer, SiteAnswers, SiteError, SiteMiss, SiteReport, SiteRow, UnknownPage,
    answer_without_model, describe_miss, evaluate_site,
};
