#![doc = include_str!("../README.md")]

pub mod draw;
mod collect;
mod parts;
mod write;

pub use collect::{CollectError, What, collect_table};
pub use parts::connected_parts;
pub use write::{Written, write_csv, write_graphml, write_json};

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

/// Type of a column, for formats that state it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Text, or several.
    Text,
    /// A whole number.
    Whole,
}

/// Name and type of a column.
pub type Column = (&'static str, Sort);

/// A graph ready to be written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// True if edges have a direction.
    pub directed: bool,
    /// Columns of nodes, after the id.
    pub node_columns: Vec<Column>,
    /// Unique ids, with one field for each column.
    pub nodes: Vec<(String, Vec<Field>)>,
    /// Columns of edges, after the ends.
    pub edge_columns: Vec<Column>,
    /// Indexes of both ends in `nodes`, with one field for each column.
    pub edges: Vec<(usize, usize, Vec<Field>)>,
}
