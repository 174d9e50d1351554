#![doc = include_str!("../README.md")]

pub mod draw;
mod collect;
mod write;

pub use collect::{CollectError, What, collect};
pub use write::{Written, csv, graphml, json};

/// A value of a node or an edge.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// Text.
    Text(String),
    /// A whole number.
    Whole(i64),
    /// Several texts: a list in JSON; joined by ` | ` elsewhere.
    Texts(Vec<String>),
    /// Nothing.
    None,
}

/// What a column holds, for formats that say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Text, or several.
    Text,
    /// A whole number.
    Whole,
}

/// A column: its name and what it holds.
pub type Column = (&'static str, Sort);

/// A graph ready to be written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// Whether edges have a direction.
    pub directed: bool,
    /// What each node says, besides its id.
    pub node_columns: Vec<Column>,
    /// Ids, unique, and a field a column.
    pub nodes: Vec<(String, Vec<Field>)>,
    /// What each edge says, besides its ends.
    pub edge_columns: Vec<Column>,
    /// Places of both ends in `nodes`, and a field a column.
    pub edges: Vec<(usize, usize, Vec<Field>)>,
}
