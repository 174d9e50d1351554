//! Assigns roles to columns of tables and fields of records: naming a thing, describing it, or joining two.

use super::ImportError;
use pocketgraph_text::lexicon::COLUMN_NAMES;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Content of a table's column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The triple's head.
    Head,
    /// The triple's relation.
    Relation,
    /// The triple's tail.
    Tail,
    /// Source of the triple.
    Provenance,
    /// A type of the head.
    HeadType,
    /// A type of the tail.
    TailType,
    /// The tail's datatype, which makes the tail a literal.
    Datatype,
    /// The tail's unit, which makes the tail a literal.
    Unit,
    /// The id of the thing that the row describes.
    Id,
    /// Its label; a second label column gives an alias.
    Label,
    /// Aliases, separated by `|`.
    Aliases,
    /// Types, separated by `|` or a comma.
    Types,
    /// A description.
    Description,
    /// In a table of relations: the type of every head.
    Domain,
    /// In a table of relations: the type of every tail that is an entity.
    Range,
    /// The relation's label, where another column holds its name.
    RelationLabel,
    /// The head's label, where another column holds its id.
    HeadLabel,
    /// The tail's label, where another column holds its id.
    TailLabel,
    /// The kind of value that a node is, in our own exports.
    Kind,
    /// The day or year from which the row holds.
    From,
    /// The last day or year in which it holds.
    Until,
    /// A relation of the thing that the row describes, named like the column.
    Property,
    /// Nothing that triples can hold.
    Skip,
}

impl Column {
    fn named(name: &str) -> Option<Column> {
        Some(match name.trim().to_lowercase().as_str() {
            "head" | "subject" => Column::Head,
            "relation" | "predicate" => Column::Relation,
            "tail" | "object" => Column::Tail,
            "provenance" | "source" => Column::Provenance,
            "head_type" | "head-type" | "subject_type" => Column::HeadType,
            "tail_type" | "tail-type" | "object_type" => Column::TailType,
            "datatype" => Column::Datatype,
            "unit" => Column::Unit,
            "id" => Column::Id,
            "label" | "name" | "alias" => Column::Label,
            "aliases" | "synonyms" => Column::Aliases,
            "types" | "type" => Column::Types,
            "description" => Column::Description,
            "domain" => Column::Domain,
            "range" => Column::Range,
            "-" | "skip" => Column::Skip,
            _ => return None,
        })
    }
}

/// Parses columns from their names, separated by commas: head, relation, tail, provenance, head-type,
/// tail-type, datatype, unit; id, label, alias, aliases, types, description, domain, range; `-` for a column
/// to skip.
///
/// # Errors
/// [`ImportError::Columns`] for an unknown name.
pub fn parse_columns(names: &str) -> Result<Vec<Column>, ImportError> {
    names
        .split(',')
        .map(|n| {
            Column::named(n).ok_or_else(|| {
                ImportError::Columns(format!(
                    "{n:?} is no column: write \
            head, relation, tail, provenance, head-type, tail-type, datatype, \
            unit, id, label, aliases, types, description, domain, range or -"
                ))
            })
        })
        .collect()
}

/// Returns the columns of a header line if every cell names one and `needed` is among them.
pub(super) fn strict_header(cells: &[String], needed: Column) -> Option<Vec<Column>> {
    let columns: Option<Vec<Column>> = cells.iter().map(|c| Column::named(c)).collect();
    columns.filter(|c| c.contains(&needed))
}

/// The names that columns of each role have in any language, the usual ones first.
static NAMES: LazyLock<BTreeMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in COLUMN_NAMES.iter().flat_map(|table| table.rows()) {
        names.entry(row.word).or_default().extend(row.list(0));
    }
    names
});

fn names_of(role: &'static str) -> impl Iterator<Item = &'static str> {
    NAMES.get(role).into_iter().flatten().copied()
}

/// Returns true if columns of a role have this name.
fn is_named(role: &'static str, name: &str) -> bool {
    names_of(role).any(|of_role| of_role == name)
}

/// Reduces a column's name to its letters and digits, in lower case.
fn letters_of(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns `From` or `Until` if a column's name says that it holds when a row begins or ceases to hold; the
/// name may be less plain if rows join two things.
pub(super) fn find_bound(name: &str, joins: bool) -> Option<Column> {
    let name = letters_of(name);
    let is = |sure, other| is_named(sure, &name) || joins && is_named(other, &name);
    let bounds = [("valid from", "edge from", Column::From), ("valid until", "edge until", Column::Until)];
    bounds.into_iter().find(|(sure, other, _)| is(sure, other)).map(|bound| bound.2)
}

/// Columns with their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub columns: Vec<Column>,
    pub names: Vec<String>,
    /// Datatypes that the names declare, as those of neo4j-admin do; empty for none.
    pub datatypes: Vec<String>,
    /// `true` if the ends are ids of things that are described elsewhere.
    pub ends_are_ids: bool,
}

impl Layout {
    /// Returns a layout of columns without names.
    pub fn unnamed(columns: &[Column]) -> Layout {
        Layout { columns: columns.to_vec(), ..Layout::named(&vec![""; columns.len()]) }
    }

    fn named(names: &[&str]) -> Layout {
        let mut layout = Layout { columns: vec![Column::Property; names.len()], ..Layout::default() };
        for (i, name) in names.iter().enumerate() {
            let name = name.trim();
            // neo4j-admin: `name:TYPE`, `id:ID(Space)`, `:START_ID`; Neptune: `~from`, `name:String`.
            let (own, mark) =
                name.rsplit_once(':').filter(|(own, _)| !own.contains(['/', ' '])).unwrap_or((name, ""));
            let mark = mark.split(['(', '{']).next().unwrap_or(mark);
            let is_mark = is_named("mark", &mark.trim_end_matches("[]").to_lowercase());
            let (own, mark) = if is_mark { (own, mark) } else { (name, "") };
            let of_mark = match mark {
                "ID" => Some(Column::Id),
                "START_ID" => Some(Column::Head),
                "END_ID" => Some(Column::Tail),
                "TYPE" => Some(Column::Relation),
                "LABEL" => Some(Column::Types),
                "IGNORE" => Some(Column::Skip),
                _ if name == "~label" => Some(Column::Types),
                _ => None,
            };
            layout.columns[i] = of_mark.unwrap_or(Column::Property);
            layout.ends_are_ids |= of_mark == Some(Column::Head);
            layout.names.push(if of_mark.is_some() && own.is_empty() { name } else { own }.to_owned());
            layout.datatypes.push(if of_mark.is_some() { String::new() } else { mark.to_lowercase() });
        }
        layout
    }

    /// Assigns roles to columns by their names. `is_text` is true for a column without numbers and dates.
    pub fn of(names: &[&str], is_text: &[bool]) -> Layout {
        let mut layout = Layout::named(names);
        let known: Vec<String> = layout.names.iter().map(|n| letters_of(n)).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        if layout.ends_are_ids || layout.find_ends(&known) {
            layout.name_edge(&known, is_text);
        } else {
            layout.name_thing(&known);
        }
        layout
    }

    /// Makes the first column the name of what a row describes if no other column is.
    pub fn with_key(mut self) -> Layout {
        if !self.columns.iter().any(|c| matches!(c, Column::Id | Column::Label))
            && let Some(first) = self.columns.first_mut()
        {
            *first = Column::Label;
        }
        self
    }

    /// Returns true if rows join two things.
    pub fn joins(&self) -> bool {
        self.columns.contains(&Column::Head) && self.columns.contains(&Column::Tail)
    }

    /// Returns true if some name alone determines what its column holds.
    pub fn is_marked(&self) -> bool {
        self.joins()
            || self.datatypes.iter().any(|d| !d.is_empty())
            || self.columns.first() == Some(&Column::Id)
    }

    fn find_ends(&mut self, known: &[&str]) -> bool {
        let at = |name: &str| known.iter().position(|k| *k == name);
        let pair = names_of("ends").find_map(|ends| {
            let (head, tail) = ends.split_once(' ')?;
            let mut endings = std::iter::once("").chain(names_of("end"));
            endings.find_map(|of| Some((at(&format!("{head}{of}"))?, at(&format!("{tail}{of}"))?, of, head)))
        });
        // Time spans and journeys have these ends too, so there a relation column is required.
        let spans = |(_, _, of, head): &(usize, usize, &str, &str)| {
            of.is_empty() && matches!(*head, "from" | "start")
        };
        let related = names_of("relation").chain(["type", "kind", "label"]).any(|r| at(r).is_some());
        let numbered = || {
            known.iter().enumerate().find_map(|(i, name)| {
                let (stem, last) = name.split_at_checked(name.len().checked_sub(1)?)?;
                let other = match last {
                    "1" if stem.len() > 1 => "2",
                    "a" if stem.len() > 3 => "b",
                    _ => return None,
                };
                Some((i, at(&format!("{stem}{other}"))?))
            })
        };
        let middle = || (known.len() == 3 && is_named("relation", known[1])).then_some((0, 2));
        let two = known.len() == 2;
        let found = pair
            .filter(|p| related || two || !spans(p))
            .map(|p| (p.0, p.1))
            .or_else(numbered)
            .or_else(middle);
        if let Some((head, tail)) = found {
            // A list of ends has a field for each.
            for (i, name) in known.iter().enumerate() {
                let end = if *name == known[head] { Column::Head } else { Column::Tail };
                self.columns[i] =
                    if i == head || i == tail || *name == known[tail] { end } else { self.columns[i] };
            }
        }
        found.is_some()
    }

    fn name_edge(&mut self, known: &[&str], is_text: &[bool]) {
        self.columns.iter_mut().filter(|c| **c == Column::Types).for_each(|c| *c = Column::Relation);
        let stem = |end: Column, of: &Layout| {
            let name = of.columns.iter().position(|c| *c == end).map_or("", |i| known[i]);
            names_of("end").find_map(|e| name.strip_suffix(e)).unwrap_or(name).to_owned()
        };
        let (head, tail) = (stem(Column::Head, self), stem(Column::Tail, self));
        let free = |of: &Layout, i: usize| of.columns[i] == Column::Property;
        let mut relations = names_of("relation").chain(names_of("edge kind"));
        if !self.columns.contains(&Column::Relation)
            && let Some(i) =
                relations.find_map(|r| known.iter().position(|k| *k == r).filter(|&i| free(self, i)))
        {
            self.columns[i] = Column::Relation;
        }
        for (i, &name) in
            known.iter().enumerate().filter(|(i, _)| self.columns[*i] == Column::Property).collect::<Vec<_>>()
        {
            let of_head = name.strip_prefix(&head).filter(|_| !head.is_empty());
            let of_tail = name.strip_prefix(&tail).filter(|_| !tail.is_empty());
            self.columns[i] = match (of_head, of_tail, name) {
                (Some("type" | "category" | "kind"), ..) => Column::HeadType,
                (_, Some("type" | "category" | "kind"), _) => Column::TailType,
                (Some("label" | "name" | "title"), ..) => Column::HeadLabel,
                (_, Some("label" | "name" | "title"), _) => Column::TailLabel,
                (.., "label" | "relationlabel" | "predicatelabel") => Column::RelationLabel,
                (.., "datatype") => Column::Datatype,
                (.., "unit") => Column::Unit,
                (.., n) if is_named("provenance", n) => Column::Provenance,
                (.., n) if is_named("description", n) => Column::Description,
                (.., "aliases") => Column::Skip,
                _ => find_bound(name, true).unwrap_or(Column::Property),
            };
        }
        // The only remaining column of words holds the relation, whatever its name.
        let left: Vec<usize> = (0..known.len()).filter(|&i| free(self, i)).collect();
        let words: Vec<usize> = left
            .iter()
            .copied()
            .filter(|&i| {
                is_text.get(i) == Some(&true)
                    && !["bookkeeping", "id"].iter().any(|role| is_named(role, known[i]))
            })
            .collect();
        if let ([only], false) = (words.as_slice(), self.columns.contains(&Column::Relation)) {
            self.columns[*only] = Column::Relation;
        }
        left.into_iter()
            .filter(|&i| self.columns[i] == Column::Property)
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|i| self.columns[i] = Column::Skip);
    }

    fn name_thing(&mut self, known: &[&str]) {
        let free = |i: &usize| self.columns[*i] == Column::Property;
        let has = |role| names_of(role).find_map(|n| known.iter().position(|k| *k == n).filter(free));
        let label = has("label");
        let types = has("type").map(|i| known[i]);
        for (i, &name) in known.iter().enumerate() {
            if self.columns[i] != Column::Property {
                continue;
            }
            self.columns[i] = match name {
                _ if label == Some(i) => Column::Label,
                _ if self.names[i] == "Kind" => Column::Kind,
                n if types == Some(n) => Column::Types,
                "label" => Column::Label,
                "datatype" => Column::Datatype,
                "unit" => Column::Unit,
                n if is_named("id", n) => Column::Id,
                n if is_named("alias", n) => Column::Aliases,
                n if is_named("description", n) => Column::Description,
                n if is_named("bookkeeping", n) || n.is_empty() || self.names[i].starts_with(['_', '@']) => {
                    Column::Skip
                }
                n => find_bound(n, false).unwrap_or(Column::Property),
            };
        }
    }

    /// Describes how rows are read.
    pub fn describe(&self) -> String {
        let named = |wanted: Column| {
            let all = self.columns.iter().zip(&self.names).filter(|(c, n)| **c == wanted && !n.is_empty());
            let mut names: Vec<&str> = all.map(|(_, n)| n.as_str()).collect();
            names.dedup();
            names.join(", ")
        };
        let mut out = if self.joins() {
            let relation = Some(named(Column::Relation))
                .filter(|r| !r.is_empty())
                .map_or("no column of relations".to_owned(), |r| format!("relations in {r}"));
            format!("edges from {} to {}, {relation}", named(Column::Head), named(Column::Tail))
        } else {
            let called =
                Some(named(Column::Label)).filter(|l| !l.is_empty()).unwrap_or_else(|| named(Column::Id));
            let properties = Some(named(Column::Property)).filter(|p| !p.is_empty());
            format!(
                "things called by {called}{}",
                properties.map_or(String::new(), |p| format!("; unknown columns become relations: {p}"))
            )
        };
        let bounds = [named(Column::From), named(Column::Until)].join(" ");
        if bounds.len() > 1 {
            out.push_str(&format!("; rows hold by {}", bounds.trim()));
        }
        let skipped = named(Column::Skip);
        if !skipped.is_empty() {
            out.push_str(&format!("; left out: {skipped}"));
        }
        out
    }
}
