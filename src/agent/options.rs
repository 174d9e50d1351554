//! Options of all calls, for the package's types and checks, the program's `--options` and the handbook's
//! tables.
//!
//! `pocketgraph-lab interface` writes the files, and its test fails if one differs from this table. A second
//! test compares the table with the Rust types. Nothing of it is in the wasm.

use pocketgraph_agent::NAMES as PROTOCOLS;
use std::sync::LazyLock;

/// Call or object that an option belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// `PocketGraph.open`.
    Open,
    /// `search`, and all that answers.
    Ranking,
    /// `search` alone.
    Search,
    /// `ask`, `plan` and `execute`.
    Answering,
    /// `execute` alone.
    Execute,
    /// The option `filter`.
    Filter,
    /// The option `llm`.
    Endpoint,
}

impl Group {
    /// All that there are.
    pub const ALL: &[Group] = &[
        Group::Open,
        Group::Ranking,
        Group::Search,
        Group::Answering,
        Group::Execute,
        Group::Filter,
        Group::Endpoint,
    ];

    /// Its name in JavaScript.
    pub fn name(self) -> &'static str {
        match self {
            Group::Open => "open",
            Group::Ranking => "ranking",
            Group::Search => "search",
            Group::Answering => "answering",
            Group::Execute => "execute",
            Group::Filter => "filter",
            Group::Endpoint => "llm",
        }
    }

    /// Returns the names of the calls that take it, for messages.
    pub fn calls(self) -> &'static str {
        match self {
            Group::Open => "`PocketGraph.open`",
            Group::Ranking => "`search`, `ask`, `plan` and `execute`",
            Group::Search => "`search`",
            Group::Answering => "`ask`, `plan` and `execute`",
            Group::Execute => "`execute`",
            Group::Filter => "the option `filter`",
            Group::Endpoint => "the option `llm`",
        }
    }
}

/// Type of an option's value.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A positive whole number.
    Positive,
    /// A whole number, 0 or more.
    Whole,
    /// Any number.
    Number,
    /// True or false.
    Flag,
    /// A text.
    Text,
    /// One of these.
    Choice(Vec<&'static str>),
    /// A type of TypeScript that the facade checks itself.
    Own(&'static str),
}

/// One option.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionSpec {
    /// Its name, the same in JavaScript and in `--options`.
    pub name: &'static str,
    /// Group that it belongs to.
    pub group: Group,
    /// Type of its value.
    pub kind: Kind,
    /// Argument in the terminal; `None` if only a page has it.
    pub terminal: Option<&'static str>,
    /// Meaning and default.
    pub says: &'static str,
    /// The protocols that read it, [`NO_PROTOCOL`] among them where it is read without one; empty where
    /// nearly all do.
    pub protocols: Vec<&'static str>,
}

/// Name for no protocol in [`OptionSpec::protocols`].
pub const NO_PROTOCOL: &str = "";

impl OptionSpec {
    /// Returns true if `--options` takes it.
    pub fn is_in_json(&self) -> bool {
        self.terminal.is_some()
            && matches!(self.group, Group::Ranking | Group::Answering)
            && !matches!(self.kind, Kind::Own(_))
            || matches!(self.name, "retriever" | "filter")
    }

    /// Returns true if one of these protocols reads it.
    pub fn is_read_by(&self, protocols: &[&str]) -> bool {
        self.protocols.is_empty() || protocols.iter().any(|protocol| self.protocols.contains(protocol))
    }
}

/// All options: a line of `options.tsv` each, with its group, name, kind, argument of the terminal, protocols
/// (`-` for none) and meaning.
pub static OPTIONS: LazyLock<Vec<OptionSpec>> =
    LazyLock::new(|| include_str!("options.tsv").lines().filter_map(read_option).collect());

fn read_option(line: &'static str) -> Option<OptionSpec> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [group, name, kind, terminal, protocols, meaning] = *columns.as_slice() else { return None };
    let group = Group::ALL.iter().copied().find(|known| known.name() == group)?;
    let kind = match kind {
        "positive" => Kind::Positive,
        "whole" => Kind::Whole,
        "number" => Kind::Number,
        "flag" => Kind::Flag,
        "text" => Kind::Text,
        other => other
            .strip_prefix("choice ")
            .map_or(Kind::Own(other), |names| Kind::Choice(names.split(' ').collect())),
    };
    let terminal = Some(terminal).filter(|argument| !argument.is_empty());
    let protocols =
        protocols.split_terminator(' ').map(|name| if name == "-" { NO_PROTOCOL } else { name }).collect();
    Some(OptionSpec { name, group, kind, terminal, says: meaning, protocols })
}

/// The names of all protocols, that of quoting first.
pub fn protocols() -> Vec<&'static str> {
    std::iter::once("quote").chain(PROTOCOLS.iter().copied()).collect()
}
