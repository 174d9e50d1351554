//! Turns records (rows of tables, objects of JSON, elements of XML) into things and rows that join two.

use super::ImportError;
use super::columns::{Column, Layout};
use super::literals::{Row, Rows, Tail, kind_of_datatype};
use super::report::Reporter;
use super::validity::interval_between;
use pocketgraph_kg::{KgBuilder, LiteralKind, date, number};

/// Maximum words and bytes of a name; longer values are prose.
const LONGEST_NAME: (usize, usize) = (12, 120);

/// A field of a record: its column, its name, and its value.
pub(super) type Field<'a> = (Column, &'a str, Tail);

/// Reader of the records of one file.
pub(super) struct Records<'a> {
    pub kg: &'a mut KgBuilder,
    pub rows: &'a mut Rows,
    pub file: u32,
    /// The file to which numbered ids belong; empty if all files share their ids.
    pub scope: String,
    /// `true` if numbers at the ends of edges are ids.
    pub numbers_are_ids: bool,
    /// `true` if the ends of edges are described elsewhere.
    pub ends_are_ids: bool,
}

fn first_of<'a>(fields: &'a [Field<'_>], wanted: Column) -> &'a str {
    fields.iter().find(|(c, _, v)| *c == wanted && !v.text.is_empty()).map_or("", |(_, _, v)| v.text.as_str())
}

fn all_of<'a>(fields: &'a [Field<'_>], wanted: Column) -> impl Iterator<Item = &'a str> {
    fields.iter().filter(move |(c, _, v)| *c == wanted && !v.text.is_empty()).map(|(_, _, v)| v.text.as_str())
}

/// Splits a cell that lists several parts; Neo4j writes a colon before each.
fn split_parts<'a>(text: &'a str, separators: &'a [char]) -> impl Iterator<Item = &'a str> {
    text.split(separators).map(|t| t.trim().trim_start_matches(':')).filter(|t| !t.is_empty())
}

/// Returns the first of several descriptions that LightRAG joined.
fn first_description(text: &str) -> &str {
    text.split("<SEP>").next().unwrap_or(text).trim()
}

/// Returns true if a value is a number or a date.
pub(super) fn is_measured(text: &str) -> bool {
    number(text).is_some() || date(text).is_some()
}

impl Records<'_> {
    /// Takes a record whose columns are known by the names of its fields alone.
    pub fn named(
        &mut self,
        line: u64,
        fields: Vec<(String, Tail)>,
        report: &mut Reporter,
    ) -> Result<(), ImportError> {
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        let is_text: Vec<bool> =
            fields.iter().map(|(_, v)| v.kind.is_none() && !is_measured(&v.text)).collect();
        let layout = Layout::of(&names, &is_text);
        let fields = fields.iter().enumerate().map(|(i, (_, value))| {
            let name = layout.names.get(i).map_or("", String::as_str);
            (layout.columns.get(i).copied().unwrap_or(Column::Skip), name, value.clone())
        });
        report.understood(&layout);
        self.take(line, &fields.collect::<Vec<_>>(), report)
    }

    /// Takes a record, and reports its fault if it has one.
    pub fn take(
        &mut self,
        line: u64,
        fields: &[Field<'_>],
        report: &mut Reporter,
    ) -> Result<(), ImportError> {
        let joins = fields.iter().any(|(c, ..)| matches!(c, Column::Head | Column::Tail));
        let fault = if joins { self.take_edge(line, fields) } else { self.take_thing(line, fields)? };
        match fault {
            None => report.used(),
            Some(what) => report.malformed(line, what)?,
        }
        Ok(())
    }

    /// Returns the key of a thing. Numbered ids are scoped to their file.
    fn key_of(&self, id: &str) -> String {
        let numbered = id
            .strip_prefix(|c: char| c.is_ascii_lowercase())
            .unwrap_or(id)
            .bytes()
            .all(|b| b.is_ascii_digit());
        if numbered && !self.scope.is_empty() { format!("{}#{id}", self.scope) } else { id.to_owned() }
    }

    fn take_edge(&mut self, line: u64, fields: &[Field<'_>]) -> Option<&'static str> {
        let [head, tail] = [first_of(fields, Column::Head), first_of(fields, Column::Tail)];
        let has_relations = fields.iter().any(|(c, ..)| *c == Column::Relation);
        // Graph programs write an edge's directedness into the same column.
        let undirected =
            |r: &&str| !["directed", "undirected", "mutual"].contains(&r.to_lowercase().as_str());
        let mut names = all_of(fields, Column::Relation).filter(undirected);
        let relation =
            names.next().unwrap_or(first_of(fields, Column::RelationLabel)).trim_start_matches(':');
        for (missing, what) in [
            (head.is_empty(), "it has no head"),
            (
                has_relations && first_of(fields, Column::Relation).is_empty() && relation.is_empty(),
                "it has no relation",
            ),
            (tail.is_empty(), "it has no tail"),
        ] {
            if missing {
                return Some(what);
            }
        }
        let stated = first_description(first_of(fields, Column::Description));
        let text = |column| first_of(fields, column).to_owned();
        for (_, name, value) in fields.iter().filter(|(c, _, v)| *c == Column::Tail && !v.text.is_empty()) {
            // A number is a value at the end of a triple, and an id at the end of an edge.
            let is_id = !["tail", "object"].contains(&name.to_lowercase().as_str());
            let is_number = self.numbers_are_ids && is_id && value.datatype.is_empty();
            let value = &Tail { kind: value.kind.filter(|_| !is_number), ..value.clone() };
            let mut tail = Tail {
                text: if value.is_value() { value.text.clone() } else { self.key_of(&value.text) },
                ..value.clone()
            };
            if tail.datatype.is_empty() {
                tail.datatype = text(Column::Datatype);
            }
            if tail.unit.is_empty() {
                tail.unit = text(Column::Unit);
            }
            let cited =
                Some(text(Column::Provenance)).filter(|c| !c.is_empty()).unwrap_or_else(|| stated.to_owned());
            let held = interval_between(first_of(fields, Column::From), first_of(fields, Column::Until));
            let row = Row {
                head: self.key_of(head),
                relation: relation.to_owned(),
                tail,
                cited,
                held,
                line,
                ..Row::default()
            };
            self.rows.push(
                self.file,
                Row {
                    head_type: text(Column::HeadType),
                    tail_type: text(Column::TailType),
                    head_label: text(Column::HeadLabel),
                    tail_label: text(Column::TailLabel),
                    relation_label: text(Column::RelationLabel),
                    ends_are_ids: self.ends_are_ids && is_id,
                    ..row
                },
            );
        }
        None
    }

    fn take_thing(&mut self, line: u64, fields: &[Field<'_>]) -> Result<Option<&'static str>, ImportError> {
        let label = first_of(fields, Column::Label);
        // An id that other graphs use is preferred to a number of this file.
        let own = fields.iter().find(|(c, name, v)| {
            *c == Column::Id && name.eq_ignore_ascii_case("ImportedId") && !v.text.is_empty()
        });
        let id = own.map_or(first_of(fields, Column::Id), |(_, _, v)| v.text.as_str());
        if id.is_empty() && fields.iter().any(|(c, ..)| *c == Column::Id) {
            return Ok(Some("it has no id"));
        }
        let id = if id.is_empty() { label } else { id };
        if id.is_empty() {
            return Ok(Some("neither a triple (head, relation, tail) nor an entity (id)"));
        }
        let kind = match first_of(fields, Column::Kind) {
            "number" => Some(LiteralKind::Number),
            "date" => Some(LiteralKind::Date),
            "truth value" => Some(LiteralKind::Boolean),
            "text" => Some(LiteralKind::Text),
            _ => None,
        };
        let text = |column| first_of(fields, column).to_owned();
        let key = self.key_of(id);
        self.ends_are_ids |= self.numbers_are_ids;
        if kind.is_some() {
            let value = Tail {
                text: label.to_owned(),
                kind,
                datatype: text(Column::Datatype),
                unit: text(Column::Unit),
            };
            self.rows.is_value(key, value);
            return Ok(None);
        }
        let entity = self.kg.entity(&key)?;
        for handle in all_of(fields, Column::Id).filter(|h| *h != key) {
            let handle = self.key_of(handle);
            self.rows.is_thing(handle, &key);
        }
        if !label.is_empty() && label != key {
            self.rows.is_called(label, &key);
        }
        all_of(fields, Column::Label).try_for_each(|label| self.kg.label(entity, label))?;
        let held = interval_between(first_of(fields, Column::From), first_of(fields, Column::Until));
        for (column, name, value) in fields.iter().filter(|(.., v)| !v.text.is_empty()) {
            match column {
                Column::Aliases => {
                    split_parts(&value.text, &['|', ';']).try_for_each(|a| self.kg.alias(entity, a))?
                }
                Column::Description => self.kg.describe(entity, first_description(&value.text))?,
                Column::Kind if value.text == "entity" => {}
                Column::Types | Column::Kind => {
                    for name in split_parts(&value.text, &['|', ',', ';'])
                        .flat_map(|t| t.split(if t.contains('/') { '\0' } else { ':' }))
                    {
                        let t = self.kg.entity_type(name.trim())?;
                        self.kg.entity_has_type(entity, t)?;
                    }
                }
                Column::Property => self.add_property((&key, name, value), &held, line),
                Column::From | Column::Until if held.is_empty() => {
                    self.add_property((&key, name, value), &held, line)
                }
                _ => {}
            }
        }
        Ok(None)
    }

    fn add_property(&mut self, (thing, relation, value): (&str, &str, &Tail), held: &str, line: u64) {
        for text in value.text.split('|').map(str::trim).filter(|t| !t.is_empty()) {
            let is_prose = text.len() > LONGEST_NAME.1 || text.split_whitespace().count() > LONGEST_NAME.0;
            let kind = value.kind.or(is_prose.then_some(LiteralKind::Text));
            let tail = Tail { text: text.to_owned(), kind, ..value.clone() };
            let row =
                Row { head: thing.to_owned(), relation: relation.to_owned(), tail, line, ..Row::default() };
            self.rows.push(self.file, Row { held: held.to_owned(), is_property: true, ..row });
        }
    }
}

/// Returns a cell as a value of the datatype that its column declares.
pub(super) fn parse_cell(text: &str, datatype: &str) -> Tail {
    let list = datatype.ends_with("[]");
    let kind = kind_of_datatype(datatype.trim_end_matches("[]")).filter(|k| *k != LiteralKind::Text);
    Tail {
        text: if list { text.replace(';', "|") } else { text.to_owned() },
        kind: kind.filter(|_| !text.is_empty()),
        ..Tail::default()
    }
}
