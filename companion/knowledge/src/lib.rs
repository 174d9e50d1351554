//! Knowledge graphs: imports, documents' own facts, extraction by a model, names, communities, summaries.

pub mod caseless;
pub mod communities;
pub mod everyday;
pub mod kg;
pub mod names;
pub mod parts;
pub mod raptor;
pub mod relations;
pub mod summaries;
