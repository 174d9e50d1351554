#![doc = include_str!("../README.md")]

use pocketgraph_text as text;

mod closed;
mod forms;
mod frame;
mod spelling;
mod time;
mod voice;

pub use closed::{asks_whether, is_denial};
pub use forms::{is_akin, is_compound, is_derived, is_function_word, name_words, reduce_word, stem_of};
pub use frame::strip_frame;
pub use spelling::{singular, singulars};
pub use time::{
    Period, Time, VERSIONS, asks_of_the_present, cut_period, find_time, is_over, read_moment, read_release,
    write_moment,
};
pub use voice::{End, is_article, is_be, is_other_role, is_verb_form, named_end};
