//! Reads RDF: statements whose predicate names or describes become labels, aliases, types and descriptions;
//! all others become triples.

use super::ImportError;
use super::both_ways::Declared;
use super::columns::{Column, find_bound};
use super::json_ld::{self, BESIDES, MOST_TIMES};
use super::lines::{each_line, open_file};
use super::literals::kind_of_datatype;
use super::report::Reporter;
use super::validity::interval_between;
use super::vocabularies::{load_context, short_name};
use oxrdf::{GraphName, NamedNode, NamedOrBlankNode, Quad, Term, Triple};
use oxrdfio::{RdfFormat, RdfParseError, RdfParser};
use pocketgraph_kg::{BuildNode, KgBuilder, LiteralKind, Provenance, label_of_name, number};
use std::collections::{HashMap, HashSet};
use std::io;
use std::mem;
use std::path::{Path, PathBuf};

/// Maximum number of malformed statements of a file; more end its reading, since its syntax is lost.
const LOST: u64 = 1000;

#[derive(Debug, Clone)]
struct Statement {
    subject: String,
    predicate: String,
    object: Object,
    /// Its named graph; empty for none.
    graph: String,
    /// The interval in which it holds; empty if nothing says one.
    held: String,
    file: u32,
    line: u32,
}

#[derive(Debug, Clone)]
enum Object {
    Node(String),
    Literal { text: String, datatype: String, language: String },
}

/// All statements, in the order of reading: what names a relation is known only at the end.
#[derive(Debug, Default)]
pub(super) struct Statements {
    files: Vec<String>,
    all: Vec<Statement>,
    /// Bytes that further statements may take.
    left: usize,
}

/// Reads a file of RDF. N-Triples and N-Quads are read line by line, so that statements and faults have line
/// numbers.
pub(super) fn read_rdf(
    path: &Path,
    format: RdfFormat,
    out: &mut Statements,
    report: &mut Reporter,
) -> Result<(), ImportError> {
    out.files.push(
        path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned()),
    );
    let file = out.files.len() as u32 - 1;
    let read_error = |reason| ImportError::Read { path: path.to_owned(), reason };
    let bytes = usize::try_from(std::fs::metadata(path).map_err(read_error)?.len()).unwrap_or(usize::MAX);
    out.left = out.left.max(BESIDES).saturating_add(bytes.saturating_mul(MOST_TIMES));
    if matches!(format, RdfFormat::NTriples | RdfFormat::NQuads) {
        return each_line(path, report, |line, text, report| {
            io::copy(&mut Shallow::new(text.as_bytes()), &mut io::sink()).map_err(read_error)?;
            for quad in RdfParser::from_format(format).for_slice(text.as_bytes()) {
                match quad {
                    Ok(quad) => out.push(quad, file, line, report).map_err(read_error)?,
                    Err(e) => return report.malformed(line, e.to_string()),
                }
            }
            Ok(())
        });
    }
    if matches!(format, RdfFormat::JsonLd { .. })
        && let Err(fault) = json_ld::check_document(open_file(path)?, json_ld::LARGEST)
    {
        return report.malformed(0, fault.to_string());
    }
    let mut faults = 0;
    for quad in RdfParser::from_format(format)
        .for_reader(Shallow::new(open_file(path)?))
        .with_document_loader(load_context)
    {
        match quad {
            Ok(quad) => out.push(quad, file, 0, report).map_err(read_error)?,
            Err(RdfParseError::Io(reason)) => return Err(read_error(reason)),
            Err(RdfParseError::Syntax(e)) => {
                report.malformed(e.location().map_or(0, |l| l.start.line + 1), e.to_string())?;
                faults += 1;
                if faults >= LOST {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// Maximum depth of statements about statements.
const DEEPEST: usize = 100;

/// Reads RDF, and fails where statements about statements nest deeper than [`DEEPEST`]: to drop what a parser
/// makes of them would overflow the stack.
struct Shallow<R> {
    inner: R,
    /// Number of `>` with nothing else between them.
    closed: usize,
    in_comment: bool,
}

impl<R> Shallow<R> {
    fn new(inner: R) -> Shallow<R> {
        Shallow { inner, closed: 0, in_comment: false }
    }
}

impl<R: io::Read> io::Read for Shallow<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        for byte in &buffer[..read] {
            match byte {
                b'>' => self.closed += 1,
                b'\n' => self.in_comment = false,
                b'#' if self.closed > 0 => self.in_comment = true,
                b')' | b' ' | b'\t' | b'\r' => {}
                _ if self.in_comment => {}
                _ => self.closed = 0,
            }
            if self.closed > 2 * DEEPEST {
                return Err(io::Error::other("its statements about statements nest too deep"));
            }
        }
        Ok(read)
    }
}

const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
/// Names of the properties of a reified statement.
const PARTS: [&str; 3] = ["subject", "predicate", "object"];
const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
const OWL: &str = "http://www.w3.org/2002/07/owl#";
/// Statements about relations rather than things.
const OF_RELATIONS: &[&str] = &["domain", "range", "subPropertyOf", "inverseOf", "isDefinedBy"];
const LABELS: &[&str] = &["rdfs:label", "skos:prefLabel", "schema:name", "foaf:name", "dcterms:title"];
const ALIASES: &[&str] = &["skos:altLabel", "schema:alternateName"];
const DESCRIPTIONS: &[&str] = &["rdfs:comment", "schema:description", "dcterms:description"];

/// Beginning of the properties by which Wikidata joins a thing to the nodes of its statements.
const WIKIDATA: &str = "http://www.wikidata.org/prop/";

/// Returns the last part of an address.
fn local_name(id: &str) -> &str {
    id.rsplit(['#', '/']).next().unwrap_or(id)
}

fn is_one_of(predicate: &str, names: &[&str]) -> bool {
    short_name(predicate).is_some_and(|(name, _)| names.contains(&name.as_str()))
}

impl Statements {
    /// Takes the bytes of a statement from those that are left.
    fn charge(&mut self, Statement { subject, predicate, object, graph, .. }: &Statement) -> io::Result<()> {
        let object = match object {
            Object::Node(id) => id.len(),
            Object::Literal { text, datatype, language } => text.len() + datatype.len() + language.len(),
        };
        let bytes = size_of::<Statement>() + subject.len() + predicate.len() + graph.len() + object;
        let too_much = || io::Error::other("its names and lists expand to far more text than it holds");
        self.left = self.left.checked_sub(bytes).ok_or_else(too_much)?;
        Ok(())
    }

    /// Reads RDF-star as the reification that it stands for: a node that states a triple, in a graph.
    fn push_reified(
        &mut self,
        (node, triple, graph): (NamedOrBlankNode, Triple, GraphName),
        file: u32,
        line: u64,
        report: &mut Reporter,
    ) -> io::Result<()> {
        let parts = [Term::from(triple.subject), Term::from(triple.predicate), triple.object];
        for (part, term) in PARTS.into_iter().zip(parts).filter(|(_, term)| !term.is_triple()) {
            let predicate = NamedNode::new_unchecked(format!("{RDF}{part}"));
            self.push(Quad::new(node.clone(), predicate, term, graph.clone()), file, line, report)?;
        }
        Ok(())
    }

    fn push(&mut self, quad: Quad, file: u32, line: u64, report: &mut Reporter) -> io::Result<()> {
        let object = match quad.object {
            Term::NamedNode(n) => Object::Node(n.into_string()),
            Term::BlankNode(b) => Object::Node(b.to_string()),
            Term::Literal(l) => Object::Literal {
                text: l.value().to_owned(),
                datatype: l.datatype().as_str().to_owned(),
                language: l.language().unwrap_or("").to_owned(),
            },
            Term::Triple(inner) => {
                return self.push_reified((quad.subject, *inner, quad.graph_name), file, line, report);
            }
        };
        let subject = match quad.subject {
            NamedOrBlankNode::NamedNode(n) => n.into_string(),
            NamedOrBlankNode::BlankNode(b) => b.to_string(),
        };
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let graph = match quad.graph_name {
            GraphName::NamedNode(n) => n.into_string(),
            GraphName::BlankNode(b) => b.to_string(),
            GraphName::DefaultGraph => String::new(),
        };
        let predicate = quad.predicate.into_string();
        let statement = Statement { subject, predicate, object, graph, held: String::new(), file, line };
        self.charge(&statement)?;
        self.all.push(statement);
        report.used();
        Ok(())
    }

    /// Takes out declarations about relations and the cells of lists: a statement about a list becomes one
    /// about each of its members, in order.
    fn take_declared(&mut self) -> Result<Declared, ImportError> {
        let mut declared = Declared::default();
        let mut cells: HashMap<String, (Option<Object>, Option<String>)> = HashMap::new();
        for s in mem::take(&mut self.all) {
            let name =
                s.predicate.strip_prefix(OWL).or_else(|| s.predicate.strip_prefix(RDFS)).unwrap_or_default();
            let list = s.predicate.strip_prefix(RDF).unwrap_or_default();
            match (name, list, &s.object) {
                ("inverseOf", _, Object::Node(other)) => {
                    _ = declared.inverse.insert((s.subject, other.clone()))
                }
                ("subPropertyOf", _, Object::Node(other)) => {
                    _ = declared.wider.insert((s.subject, other.clone()))
                }
                (name, ..) if OF_RELATIONS.contains(&name) => {}
                (_, "type", Object::Node(t)) if [OWL, RDFS, RDF].iter().any(|space| t.starts_with(space)) => {
                    if t.ends_with("#SymmetricProperty") {
                        declared.symmetric.insert(s.subject);
                    }
                }
                (_, "first", _) => cells.entry(s.subject).or_default().0 = Some(s.object),
                (_, "rest", Object::Node(rest)) => cells.entry(s.subject).or_default().1 = Some(rest.clone()),
                _ => self.all.push(s),
            }
        }
        for s in mem::take(&mut self.all) {
            let Object::Node(mut at) = s.object.clone() else {
                self.all.push(s);
                continue;
            };
            let is_list = at.strip_prefix(RDF) == Some("nil") || cells.contains_key(&at);
            // A cyclic list ends where it repeats.
            let mut seen = HashSet::new();
            while let Some((first, rest)) = cells.get(&at).filter(|_| seen.insert(at.clone())) {
                if let Some(object) = first {
                    let member = Statement { object: object.clone(), ..s.clone() };
                    if let Err(reason) = self.charge(&member) {
                        let path = self.files.get(s.file as usize).map(PathBuf::from).unwrap_or_default();
                        return Err(ImportError::Read { path, reason });
                    }
                    self.all.push(member);
                }
                at = rest.clone().unwrap_or_default();
            }
            if !is_list {
                self.all.push(s);
            }
        }
        Ok(declared)
    }

    /// Returns the interval that is stated of each subject, if any is.
    fn read_intervals(&self) -> HashMap<String, String> {
        let mut ends: HashMap<&str, [&str; 2]> = HashMap::new();
        for s in &self.all {
            let bound = find_bound(local_name(&s.predicate), true);
            if let (Some(bound), Object::Literal { text, .. }) = (bound, &s.object) {
                ends.entry(&s.subject).or_default()[usize::from(bound == Column::Until)] = text;
            }
        }
        ends.into_iter().map(|(id, [from, until])| (id.to_owned(), interval_between(from, until))).collect()
    }

    /// Returns the subject and the predicate of the statement that each node states: a reified one, or one of
    /// Wikidata.
    fn read_statement_nodes(&self) -> HashMap<String, [String; 2]> {
        let mut nodes: HashMap<String, [String; 2]> = HashMap::new();
        for s in &self.all {
            let Object::Node(object) = &s.object else { continue };
            let part = PARTS[..2].iter().position(|part| s.predicate.strip_prefix(RDF) == Some(part));
            let property = s.predicate.strip_prefix(WIKIDATA).filter(|name| !name.contains('/'));
            if let Some(part) = part {
                nodes.entry(s.subject.clone()).or_default()[part].clone_from(object);
            } else if let Some(name) = property {
                nodes.insert(object.clone(), [s.subject.clone(), format!("{WIKIDATA}direct/{name}")]);
            }
        }
        nodes
    }

    /// Gives statements the interval that is stated of their named graph, or of the node that states them,
    /// which is then left out.
    fn date_statements(&mut self) {
        let (held, mut nodes) = (self.read_intervals(), self.read_statement_nodes());
        nodes.retain(|node, parts| held.contains_key(node) && parts.iter().all(|part| !part.is_empty()));
        for s in mem::take(&mut self.all) {
            let interval = |of: &str| held.get(of).cloned().unwrap_or_default();
            if let Some([subject, predicate]) = nodes.get(&s.subject) {
                if ["object", local_name(predicate)].contains(&local_name(&s.predicate)) {
                    let (subject, predicate, held) =
                        (subject.clone(), predicate.clone(), interval(&s.subject));
                    self.all.push(Statement { subject, predicate, held, ..s });
                }
            } else if !matches!(&s.object, Object::Node(node) if nodes.contains_key(node))
                && s.predicate.strip_prefix(RDF).is_none_or(|name| !PARTS.contains(&name))
            {
                self.all.push(Statement { held: interval(&s.graph), ..s });
            }
        }
    }

    /// Adds the statements to the graph. Labels in `language` or without one come first; others become
    /// aliases.
    pub fn add_to(mut self, kg: &mut KgBuilder, language: &str) -> Result<Declared, ImportError> {
        let declared = self.take_declared()?;
        self.date_statements();
        let descriptive =
            |p: &str| p == TYPE || [LABELS, ALIASES, DESCRIPTIONS].iter().any(|names| is_one_of(p, names));
        let predicates: HashSet<&str> =
            self.all.iter().map(|s| s.predicate.as_str()).filter(|p| !descriptive(p)).collect();
        let typed = self.all.iter().filter(|s| s.predicate == TYPE);
        let types: HashSet<&str> = typed
            .filter_map(|s| if let Object::Node(t) = &s.object { Some(t.as_str()) } else { None })
            .collect();
        let mut later = Vec::new();
        for s in &self.all {
            match &s.object {
                Object::Node(t) if s.predicate == TYPE => {
                    let (e, t) = (kg.entity(&s.subject)?, kg.entity_type(t)?);
                    kg.entity_has_type(e, t)?;
                }
                Object::Literal { text, language: of, .. } if descriptive(&s.predicate) => {
                    let own = of.is_empty()
                        || of.eq_ignore_ascii_case(language)
                        || of.to_lowercase().starts_with(&format!("{language}-"));
                    later.push((!own, of.is_empty(), s, text));
                }
                object => {
                    let head = kg.entity(&s.subject)?;
                    let relation = kg.relation(&s.predicate)?;
                    let tail = node_of(kg, object)?;
                    let file = self.files.get(s.file as usize).map_or("", String::as_str);
                    kg.triple(head, relation, tail, Provenance::Line { file, line: s.line })?;
                    if !s.held.is_empty() {
                        kg.triple(head, relation, tail, Provenance::Cited(&s.held))?;
                    }
                }
            }
        }
        // The reader's language first, then other languages, each in the order of the file.
        later.sort_by_key(|(foreign, untagged, ..)| (*foreign, *untagged));
        let mut labelled = HashSet::new();
        for (foreign, _, s, text) in later {
            let is_label = is_one_of(&s.predicate, LABELS);
            if is_one_of(&s.predicate, DESCRIPTIONS) {
                if !foreign && !predicates.contains(s.subject.as_str()) && !types.contains(s.subject.as_str())
                {
                    let e = kg.entity(&s.subject)?;
                    kg.describe(e, text)?;
                }
            } else if predicates.contains(s.subject.as_str()) {
                let r = kg.relation(&s.subject)?;
                // A relation with labels in other languages alone is first named by its id.
                if is_label
                    && labelled.insert(r)
                    && foreign
                    && !s.subject.ends_with(|c: char| c.is_ascii_digit())
                {
                    kg.relation_label(r, &label_of_name(&s.subject))?;
                }
                if is_label { kg.relation_label(r, text)? } else { kg.relation_alias(r, text)? }
            } else if types.contains(s.subject.as_str()) {
                let t = kg.entity_type(&s.subject)?;
                kg.type_label(t, text)?;
            } else {
                let e = kg.entity(&s.subject)?;
                if is_label { kg.label(e, text)? } else { kg.alias(e, text)? }
            }
        }
        Ok(declared)
    }
}

fn node_of(kg: &mut KgBuilder, object: &Object) -> Result<BuildNode, ImportError> {
    Ok(match object {
        Object::Node(id) => kg.entity(id)?,
        Object::Literal { text, language, .. } if !language.is_empty() => {
            kg.literal(text, LiteralKind::Text, &format!("@{language}"), "")?
        }
        Object::Literal { text, datatype, .. } => match kind_of_datatype(datatype) {
            Some(kind) => kg.literal(text, kind, datatype, "")?,
            // A datatype outside XML Schema with a number is a unit, as in DBpedia.
            None if number(text).is_some() => {
                kg.literal(text, LiteralKind::Number, datatype, &label_of_name(datatype))?
            }
            None => kg.literal(text, LiteralKind::Text, datatype, "")?,
        },
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::kg::tests::{node, of, refused};
    use pocketgraph_kg::{NodeId, Provenance, TripleId};

    const TURTLE: &str = r#"
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:denali a ex:Mountain ; rdfs:label "Denali"@en,
    "Denali (Berg)"@de ; ex:highPoint "6190.5"^^xsd:decimal ; ex:partOf ex:Alaska .
ex:Mountain rdfs:label "mountain" .
ex:highPoint rdfs:label "elevation" .
"#;

    #[test]
    fn turtle_gives_labels_types_and_typed_literals() {
        let (g, report) = of("x.ttl", TURTLE);
        assert_eq!((g.entities(), g.literals(), g.triples(), report.malformed), (2, 1, 2, 0));
        let denali = node(&g, "Denali");
        assert_eq!(g.aliases(denali).collect::<Vec<_>>(), ["Denali (Berg)"]);
        let v = g.vocabulary();
        assert_eq!(v.types()[g.types(denali)[0].index()].label, "mountain");
        assert_eq!(
            v.relations().iter().map(|r| r.label.as_str()).collect::<Vec<_>>(),
            ["elevation", "part of"]
        );
        assert_eq!(
            g.literal(node(&g, "6190.5")).unwrap().datatype,
            "http://www.w3.org/2001/XMLSchema#decimal"
        );
        assert_eq!(g.label(node(&g, "Alaska")), "Alaska");
    }

    #[test]
    fn n_triples_have_lines_and_a_bad_one_is_passed_over() {
        let (g, report) = of(
            "x.nt",
            "<http://a/x> <http://a/r> <http://a/y> .\n<http://a/x> oops .\n<http://a/x> \
             <http://a/r> \"1\" .\n",
        );
        assert_eq!((g.triples(), report.problems.len(), report.problems[0].line), (2, 1, 2));
        assert_eq!(g.provenance(TripleId(0)).next(), Some(Provenance::Line { file: "x.nt", line: 1 }));
    }

    #[test]
    fn a_relation_that_is_labelled_in_another_language_alone_keeps_its_own_name() {
        let text = "@prefix e: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
            e:a e:mayorOf e:b ; e:P7 e:c . e:mayorOf rdfs:label \"Bürgermeister\"@de . e:P7 rdfs:label \
            \"Fluss\"@de .";
        let relations = of("x.ttl", text).0;
        let names: Vec<String> = relations
            .vocabulary()
            .relations()
            .iter()
            .map(|r| format!("{}/{}", r.label, r.aliases.join("/")))
            .collect();
        assert!(
            names[0].starts_with("mayor of/Bürgermeister") && names[1].starts_with("Fluss/"),
            "{names:?}"
        );
    }

    #[test]
    fn statements_about_statements_nest_a_hundred_deep_and_no_deeper() {
        for (depth, gap) in [(90, ""), (200, ""), (200_000, "# >\n")] {
            let text = format!(
                "<e:a> <e:b> {} <e:c> {} .",
                "<<( <e:a> <e:b> ".repeat(depth),
                format!(")>> {gap}").repeat(depth)
            );
            if depth < 100 {
                of("x.ttl", &text);
            } else {
                assert!(refused("x.ttl", &text).contains("nest too deep"));
            }
        }
    }

    #[test]
    fn names_and_lists_that_expand_to_gigabytes_are_refused() {
        let long = format!("http://e/{}/", "n".repeat(500_000));
        let many = |line: &dyn Fn(usize) -> String, count: usize| (0..count).map(line).collect::<String>();
        let prefixed =
            format!("@prefix e: <{long}> .\n{}", many(&|i| format!("e:a{i} e:p e:b{i} .\n"), 20_000));
        let base = format!("@base <{long}> .\n{}", many(&|i| format!("<a{i}> <p> <b{i}> .\n"), 20_000));
        let members = many(&|i| format!("_:l{i} rdf:first e:m{i} ; rdf:rest _:l{} .\n", i + 1), 10_000);
        let listed = many(&|i| format!("e:s{i} e:p _:l0 .\n"), 10_000);
        let prefixes = format!("@prefix e: <http://e/> .\n@prefix rdf: <{}> .\n", super::RDF);
        let lists = format!("{prefixes}{members}{listed}");
        for text in [prefixed, base, lists] {
            let why = refused("x.ttl", &text);
            assert!(why.contains("expand to far more text than it holds"), "{why}");
        }
    }

    #[test]
    fn json_ld_reads() {
        let (g, report) = of(
            "x.jsonld",
            r#"{"@id":"http://a/x","http://schema.org/name":"X","http://a/knows":{"@id":"http://a/y"}}"#,
        );
        assert_eq!((g.triples(), g.label(NodeId(0)), report.malformed), (1, "X", 0));
    }

    #[test]
    fn json_ld_reads_the_contexts_of_common_vocabularies_offline() {
        for (context, name, relation) in [
            ("https://schema.org", "name", "worksFor"),
            ("http://schema.org/", "name", "schema:worksFor"),
            ("https://schema.org/docs/jsonldcontext.jsonld", "name", "foaf:knows"),
            ("http://www.w3.org/2004/02/skos/core", "prefLabel", "inScheme"),
            ("http://xmlns.com/foaf/0.1/", "name", "knows"),
            ("http://www.w3.org/2000/01/rdf-schema#", "label", "seeAlso"),
            ("https://www.w3.org/ns/prov.jsonld", "rdfs:label", "wasDerivedFrom"),
            ("https://www.w3.org/ns/dcat.jsonld", "title", "distribution"),
            ("http://purl.org/dc/terms/", "title", "relation"),
            ("http://www.w3.org/2002/07/owl#", "rdfs:label", "priorVersion"),
        ] {
            let text = format!(
                r#"{{"@context":"{context}","id":"http://a/x","{name}":"Mill","{relation}":{{"@id":"http://a/y"}}}}"#
            );
            let (g, report) = of("x.jsonld", &text);
            assert_eq!((g.triples(), g.label(NodeId(0)), report.malformed), (1, "Mill", 0), "{context}");
        }
        let unknown =
            r#"{"@context":"https://a.example/c.jsonld","@id":"http://a/x","knows":{"@id":"http://a/y"}}"#;
        assert!(refused("x.jsonld", unknown).contains("is not known offline"));
    }
}
