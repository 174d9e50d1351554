//! Collects rows of tables, decides which of their tails are literals, and adds triples.

use super::numbers::read_value;
use super::report::Reporter;
use super::{ImportError, ImportOptions};
use pocketgraph_kg::{
    BuildNode, KgBuilder, LiteralKind, Provenance, RelationId, date, label_of_name, number,
};
use pocketgraph_planner::is_verb_form;
use pocketgraph_text::lexicon::{Language, SPOKEN};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Rule for which tails of tables are literals. A row that names a datatype or a unit has a literal under
/// every rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiteralRule {
    /// A relation has literals if all its tails read as numbers, measures or dates, and hardly any is also a
    /// head. A tail that a table of entities lists is no literal. A graph whose heads are mostly numbers has
    /// none, since these are ids.
    Auto,
    /// None.
    Nothing,
    /// The tails of these relations, by their imported names.
    Relations(Vec<String>),
}

/// A tail as in a record.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail {
    pub text: String,
    pub datatype: String,
    pub unit: String,
    /// Kind of literal, if the format states it.
    pub kind: Option<LiteralKind>,
}

impl Tail {
    /// Returns true if the format says that this is a literal.
    pub fn is_value(&self) -> bool {
        self.kind.is_some() || !self.datatype.is_empty() || !self.unit.is_empty()
    }
}

/// A triple as in a row. Without a relation, the cited text may contain the words for it.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    pub head: String,
    pub relation: String,
    pub tail: Tail,
    pub head_type: String,
    pub tail_type: String,
    pub head_label: String,
    pub tail_label: String,
    pub relation_label: String,
    pub cited: String,
    /// The interval in which it holds; empty if the row names none.
    pub held: String,
    pub line: u64,
    /// `true` if the tail is a value of the head's property, which no id is.
    pub is_property: bool,
    /// `true` if the ends are ids of things that are described elsewhere.
    pub ends_are_ids: bool,
}

/// Thing or value of an id that is used only in the files.
#[derive(Debug)]
enum Named {
    Thing(String),
    Value(Tail),
    /// Several things with this name.
    Several,
}

/// All rows, in reading order.
#[derive(Debug, Default)]
pub(super) struct Rows {
    files: Vec<String>,
    rows: Vec<(u32, Row)>,
    /// Types of each relation's heads and tails, from a table of relations.
    ends: HashMap<String, (String, String)>,
    /// Things and values that have names other than the graph's id.
    named: HashMap<String, Named>,
}

impl Rows {
    /// Registers a file and returns its number.
    pub fn file(&mut self, path: &std::path::Path) -> u32 {
        self.files.push(
            path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned()),
        );
        self.files.len() as u32 - 1
    }

    /// Sets the types of all heads and all tails of a relation; empty for none.
    pub fn ends(&mut self, relation: &str, domain: &str, range: &str) {
        if !(domain.is_empty() && range.is_empty()) {
            self.ends.insert(relation.to_owned(), (domain.to_owned(), range.to_owned()));
        }
    }

    pub fn push(&mut self, file: u32, row: Row) {
        self.rows.push((file, row));
    }

    /// Sets the thing that a file's id means.
    pub fn is_thing(&mut self, id: String, thing: &str) {
        self.named.insert(id, Named::Thing(thing.to_owned()));
    }

    /// Sets the value that a file's id means.
    pub fn is_value(&mut self, id: String, value: Tail) {
        self.named.insert(id, Named::Value(value));
    }

    /// Adds a label by which rows may name a thing.
    pub fn is_called(&mut self, label: &str, thing: &str) {
        let same = |n: &Named| matches!(n, Named::Thing(t) if t == thing);
        let named = self.named.entry(label.to_owned()).or_insert_with(|| Named::Thing(thing.to_owned()));
        if !same(named) {
            *named = Named::Several;
        }
    }

    /// Returns the graph's id of a thing that a row names; `None` for a value.
    fn id<'a>(&'a self, kg: &KgBuilder, name: &'a str) -> Option<&'a str> {
        match self.named.get(name).filter(|_| !kg.knows(name)) {
            Some(Named::Thing(id)) => Some(id),
            Some(Named::Value(_)) => None,
            Some(Named::Several) | None => Some(name),
        }
    }

    fn report_unknown_ends(&self, kg: &KgBuilder, report: &mut Reporter) {
        let ends =
            self.rows.iter().filter(|(_, r)| r.ends_are_ids).flat_map(|(_, r)| [&r.head, &r.tail.text]);
        let is_unknown = |end: &&String| !self.named.contains_key(*end) && !kg.knows(end);
        report.unknown_ends.extend(ends.filter(is_unknown).cloned());
    }

    /// Adds the rows to the graph.
    pub fn add_to(
        self,
        kg: &mut KgBuilder,
        options: &ImportOptions,
        report: &mut Reporter,
    ) -> Result<(), ImportError> {
        let literal = self.literal_relations(kg, options, report);
        self.report_unknown_ends(kg, report);
        for (file, row) in &self.rows {
            let Some(head) = self.id(kg, &row.head).map(str::to_owned) else { continue };
            let head = kg.entity(&head)?;
            let tail =
                match (self.id(kg, &row.tail.text).map(str::to_owned), literal.get(row.relation.as_str())) {
                    _ if row.tail.is_value() => literal_of(kg, &row.tail, None, &options.language)?,
                    (None, _) => match self.named.get(&row.tail.text) {
                        Some(Named::Value(value)) => literal_of(kg, value, None, &options.language)?,
                        _ => continue,
                    },
                    (Some(_), Some(kind)) => literal_of(kg, &row.tail, *kind, &options.language)?,
                    (Some(id), None) => kg.entity(&id)?,
                };
            for (node, label) in [(head, &row.head_label), (tail, &row.tail_label)] {
                if !label.is_empty() && matches!(node, BuildNode::Entity(_)) {
                    kg.label(node, label)?;
                }
            }
            let nothing = (String::new(), String::new());
            let (domain, range) = self.ends.get(&row.relation).unwrap_or(&nothing);
            for (node, name) in
                [(head, &row.head_type), (tail, &row.tail_type), (head, domain), (tail, range)]
            {
                if !name.is_empty() && matches!(node, BuildNode::Entity(_)) {
                    let t = kg.entity_type(name)?;
                    kg.entity_has_type(node, t)?;
                }
            }
            let file = self.files.get(*file as usize).map_or("", String::as_str);
            let line = u32::try_from(row.line).unwrap_or(u32::MAX);
            let (head, relation, tail) = triple_of(kg, row, head, tail)?;
            kg.triple(head, relation, tail, Provenance::Line { file, line })?;
            for text in [&row.cited, &row.held].into_iter().filter(|text| !text.is_empty()) {
                kg.triple(head, relation, tail, Provenance::Cited(text))?;
            }
        }
        Ok(())
    }

    /// Returns the relations with literals, with the kind if all are dates.
    fn literal_relations(
        &self,
        kg: &KgBuilder,
        options: &ImportOptions,
        report: &mut Reporter,
    ) -> HashMap<&str, Option<LiteralKind>> {
        match &options.literals {
            LiteralRule::Nothing => HashMap::new(),
            LiteralRule::Relations(named) => {
                let named: HashSet<&str> = named.iter().map(String::as_str).collect();
                let all: BTreeSet<&str> = self
                    .rows
                    .iter()
                    .map(|(_, r)| r.relation.as_str())
                    .filter(|r| named.contains(r))
                    .collect();
                all.into_iter().map(|r| (r, self.date_kind(r))).collect()
            }
            LiteralRule::Auto => {
                let heads: HashSet<&str> = self.rows.iter().map(|(_, r)| r.head.as_str()).collect();
                let are_ids = heads.iter().filter(|h| number(h).is_some()).count() * 2 > heads.len();
                // For each relation: number of rows, and of tails that are also heads; `None` if a tail is
                // text.
                let mut seen: HashMap<&str, Option<(usize, usize)>> = HashMap::new();
                let mut order = Vec::new();
                for (_, row) in &self.rows {
                    let entry = seen.entry(row.relation.as_str()).or_insert_with(|| {
                        order.push(row.relation.as_str());
                        Some((0, 0))
                    });
                    let tail = row.tail.text.as_str();
                    let reads = read_value(tail, &options.language).1 != LiteralKind::Text;
                    let is_id =
                        !row.is_property && (are_ids || kg.knows(tail) || self.named.contains_key(tail));
                    *entry = match *entry {
                        Some((rows, also)) if reads && row.tail_type.is_empty() && !is_id => {
                            Some((rows + 1, also + usize::from(!row.is_property && heads.contains(tail))))
                        }
                        _ => None,
                    };
                }
                let mut out = HashMap::new();
                for relation in order {
                    if let Some(Some((rows, also))) = seen.get(relation)
                        && also * 10 <= *rows
                    {
                        report.literal_relations.push(relation.to_owned());
                        out.insert(relation, self.date_kind(relation));
                    }
                }
                out
            }
        }
    }

    /// A bare year reads as a number. It becomes a date if the relation's name contains "year" or "date", or
    /// says that something happened ("built in", "founded") and all values are years.
    fn date_kind(&self, relation: &str) -> Option<LiteralKind> {
        let label = label_of_name(relation).to_lowercase();
        let named_as_date = label.split(' ').any(|w| matches!(w, "year" | "date" | "born" | "died"));
        let (first, last) =
            (label.split(' ').next().unwrap_or_default(), label.split(' ').next_back().unwrap_or_default());
        let happened =
            is_verb_form(first) && (first == last || matches!(last, "in" | "on" | "since" | "until"));
        let years = || {
            self.rows.iter().filter(|(_, r)| r.relation == relation).all(|(_, r)| reads_as_year(&r.tail.text))
        };
        (named_as_date || (happened && years())).then_some(LiteralKind::Date)
    }
}

/// Returns the triple of a row: by its relation, or by the words between both names in the cited text.
/// Relation names in capitals get labels in lower case.
fn triple_of(
    kg: &mut KgBuilder,
    row: &Row,
    head: BuildNode,
    tail: BuildNode,
) -> Result<(BuildNode, RelationId, BuildNode), ImportError> {
    if !row.relation.is_empty() {
        let relation = kg.relation(&row.relation)?;
        let shouted =
            row.relation.len() > 3 && row.relation.chars().all(|c| c.is_uppercase() || c == '_' || c == ' ');
        if !row.relation_label.is_empty() {
            kg.relation_label(relation, &row.relation_label)?;
        } else if shouted {
            kg.relation_label(relation, &label_of_name(&row.relation.to_lowercase()))?;
        }
        return Ok((head, relation, tail));
    }
    let label = |node| kg.label_of(node).unwrap_or_default().to_lowercase();
    let (cited, from, to) = (row.cited.to_lowercase(), label(head), label(tail));
    let found = words_between(&cited, &from, &to).map(|w| (w, head, tail));
    let found = found.or_else(|| words_between(&cited, &to, &from).map(|w| (w, tail, head)));
    let (name, head, tail) = found.unwrap_or_else(|| ("related to".to_owned(), head, tail));
    let relation = kg.relation(&name)?;
    Ok((head, relation, tail))
}

/// Returns the few words that lead from one name to the other, without articles and forms of "be".
fn words_between(sentence: &str, from: &str, to: &str) -> Option<String> {
    const MOST: usize = 4;
    let after = sentence.find(from).filter(|_| !from.is_empty())? + from.len();
    let rest = sentence.get(after..)?;
    let between = rest.get(..rest.find(to).filter(|_| !to.is_empty())?)?;
    let words: Vec<&str> = between.split_whitespace().collect();
    let is_plain = between.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-'));
    let is_filler = |w: &&str| SPOKEN.auxiliaries().contains(w) || SPOKEN.before_nouns().has(w, "article");
    let words: Vec<&str> = words.into_iter().filter(|w| !is_filler(w)).collect();
    (is_plain && (1..=MOST).contains(&words.len())).then(|| words.join(" "))
}

pub(super) fn reads_as_year(text: &str) -> bool {
    text.len() == 4 && text.parse::<u16>().is_ok_and(|year| (1000..2200).contains(&year))
}

/// Creates the literal of a tail, its kind by the format, the datatype's name, the relation, or the text.
fn literal_of(
    kg: &mut KgBuilder,
    tail: &Tail,
    of_relation: Option<LiteralKind>,
    language: &str,
) -> Result<BuildNode, ImportError> {
    let text = tail.text.as_str();
    let dated = of_relation.filter(|_| date(text).is_some());
    if let Some(kind) = tail.kind.or_else(|| kind_of_datatype(&tail.datatype)).or(dated) {
        return Ok(kg.literal(text, kind, &tail.datatype, &tail.unit)?);
    }
    let (value, kind, unit) = read_value(text, language);
    if unit.is_empty() || tail.unit.is_empty() {
        let unit = if unit.is_empty() { &tail.unit } else { &unit };
        return Ok(kg.literal(&value, kind, &tail.datatype, unit)?);
    }
    Ok(kg.literal(text, LiteralKind::Text, &tail.datatype, &tail.unit)?)
}

/// Returns the kind of an XML Schema datatype (IRI or `xsd:` name); `None` for others.
pub(super) fn kind_of_datatype(datatype: &str) -> Option<LiteralKind> {
    let local = datatype
        .strip_prefix("http://www.w3.org/2001/XMLSchema#")
        .or_else(|| datatype.strip_prefix("xsd:"))
        .unwrap_or(datatype);
    Some(match local {
        "integer" | "decimal" | "double" | "float" | "int" | "long" | "short" | "byte"
        | "nonNegativeInteger" | "positiveInteger" | "nonPositiveInteger" | "negativeInteger"
        | "unsignedLong" | "unsignedInt" | "unsignedShort" | "unsignedByte" | "number" => LiteralKind::Number,
        "date" | "dateTime" | "dateTimeStamp" | "gYear" | "gYearMonth" => LiteralKind::Date,
        "boolean" => LiteralKind::Boolean,
        "string" | "text" | "langString" | "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString" => {
            LiteralKind::Text
        }
        _ => return None,
    })
}
