#![doc = include_str!("../README.md")]

mod answer_metrics;
pub mod html;
mod labelled;
mod metrics;
pub mod records;
mod site;

pub use answer_metrics::{
    SetMeasures, bare, contains, exact_match, listed, normalised, set_measures, token_f1,
};
pub use labelled::{Labelled, Places, ResolvedPage, read_labelled};
pub use metrics::{
    Estimate, Intervals, Judged, MEASURES, Measures, interval, mean, measure, pages_of, quantile,
};
pub use site::{
    CAVEAT, FoundPage, QUOTE, SiteAnswer, SiteAnswers, SiteError, SiteMiss, SiteReport, SiteRow, UnknownPage,
    answer_without_model, describe_miss, evaluate_site,
};
