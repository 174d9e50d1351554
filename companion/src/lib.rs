//! The companion's library: what builds, evaluates and serves bundles. The program `pocketgraph` is its command line.

// First, so that its macros are those of all other modules.
#[macro_use]
pub mod terminal;

pub mod asker;
pub mod assemble;
pub mod autokg;
pub mod cache;
pub mod caseless;
pub mod chat;
pub mod check;
pub mod chunk;
pub mod cli;
pub mod cluster;
pub mod draw;
pub mod e5;
pub mod communities;
pub mod embed_bulk;
pub mod eval;
pub mod export;
pub mod extract;
pub mod facts;
pub mod folder;
pub mod gmm;
pub mod ingest;
pub mod kg;
pub mod languages;
pub mod laplace;
pub mod llm_keywords;
pub mod llms;
pub mod leiden;
pub mod licences;
mod line;
pub mod mcp;
pub mod models;
pub mod names;
pub mod native_planners;
pub mod pages;
mod panics;
pub mod parts;
pub mod pipeline;
pub mod plan_data;
pub mod planner_model;
pub mod prepare;
pub mod progress;
pub mod prompt_files;
pub mod rank;
pub mod raptor;
pub mod record;
pub mod relations;
pub mod serve;
pub mod site_files;
pub mod sketch;
pub mod summaries;
pub mod train;
pub mod verify;
