//! Reads one document and returns its facts, ordered by kind of triple.

use super::links::Targets;
use super::places::{Place, Places};
use super::vocabulary::{Kind, Rel};
use super::{DocumentFacts, End, Fact, Relation, end_of, front, leads, tables};
use pocketgraph_bundle::Chunk;
use pocketgraph_ingest::{BlockKind, SourceDocument};
use pocketgraph_kg::{LiteralKind, name_key};
use pocketgraph_native::single_line::{cut_text, one_line};
use pocketgraph_text::sentences;
use std::collections::HashMap;

/// Maximum number of triples of a document, with [`OF_A_CHUNK`] more for each chunk. Further ones, in reading
/// order, are counted and left out.
pub(super) const OF_A_PAGE: usize = 64;
pub(super) const OF_A_CHUNK: usize = 8;
/// Number of bytes, besides four times its text, that may be searched for misplaced link texts of a document.
const SEARCHED_IN_VAIN: usize = 1 << 20;
/// Maximum length of a heading in bytes; longer ones are prose.
const LONGEST_HEADING: usize = 200;
/// Maximum length of a definition in bytes; longer ones are cut.
const LONGEST_DEFINITION: usize = 160;
/// Number of bytes within which the first sentence below a heading is read.
const LONGEST_LEAD: usize = 600;

pub(super) struct Reader<'a> {
    d: usize,
    document: &'a SourceDocument,
    places: Places<'a>,
    /// Heading above each block; the document's title does not count.
    under: Vec<Option<usize>>,
    title: Option<usize>,
    stated: DocumentFacts,
    budget: usize,
    /// Number of bytes that may still be searched without success for texts of links.
    in_vain: usize,
}

impl<'a> Reader<'a> {
    pub fn new(d: usize, document: &'a SourceDocument, chunks: &'a [Chunk], first: u32) -> Self {
        let heading = |b: &pocketgraph_ingest::Block| {
            matches!(b.kind, BlockKind::Heading(_)) && b.text.len() <= LONGEST_HEADING
        };
        let first_heading = document.blocks.iter().position(heading);
        let is_title = |i: &usize| {
            document.blocks.get(*i).is_some_and(|b| name_key(&b.text) == name_key(&document.title))
        };
        let title = first_heading.filter(is_title);
        let mut under = Vec::with_capacity(document.blocks.len());
        let mut open = None;
        for (i, b) in document.blocks.iter().enumerate() {
            if heading(b) {
                open = (title != Some(i)).then_some(i);
            }
            under.push(open);
        }
        let budget = OF_A_PAGE + OF_A_CHUNK * chunks.len();
        let in_vain = SEARCHED_IN_VAIN + 4 * document.blocks.iter().map(|b| b.text.len()).sum::<usize>();
        Reader {
            d,
            document,
            places: Places::new(document, chunks, first),
            under,
            title,
            stated: DocumentFacts::default(),
            budget,
            in_vain,
        }
    }

    pub fn read(mut self, targets: &Targets) -> DocumentFacts {
        let has_tables = self.document.blocks.iter().any(|b| b.kind == BlockKind::Table && b.header);
        let has_values =
            has_tables || self.document.front_matter.iter().any(|(name, _)| name.starts_with("property:"));
        let read = if has_values { self.document.document().language } else { String::new() };
        // The page's tag may name the country too; it is used if its language is that of the text.
        let language =
            self.document.language().filter(|tag| tag.starts_with(&read)).map_or(read.clone(), str::to_owned);
        self.read_sections();
        self.read_leads();
        self.read_definitions();
        self.front_matter(&language);
        self.read_links(targets);
        self.read_tables(&language);
        self.stated
    }

    /// Returns true if no more triples are kept. Searching for the place of another would be useless.
    fn is_full(&self) -> bool {
        self.stated.facts.len() >= self.budget
    }

    fn add_fact(&mut self, fact: Fact) {
        if self.is_full() {
            self.stated.dropped += 1;
        } else {
            self.stated.facts.push(fact);
        }
    }

    fn add_triple(&mut self, head: End, rel: Rel, tail: End, place: Place) {
        self.add_fact(Fact { head, relation: Relation::Known(rel), tail, place, held: String::new() });
    }

    /// Returns the section of a block, or the page.
    fn owner_of(&self, block: usize) -> End {
        self.under.get(block).copied().flatten().map_or(End::Page(self.d), |h| End::Section(self.d, h))
    }

    fn read_sections(&mut self) {
        let mut open: Vec<(usize, u8)> = Vec::new();
        for i in 0..self.document.blocks.len() {
            let Some(BlockKind::Heading(level)) = self.document.blocks.get(i).map(|b| b.kind) else {
                continue;
            };
            if self.under.get(i) != Some(&Some(i)) {
                continue;
            }
            open.retain(|&(_, l)| l < level);
            let outer = open.last().map_or(End::Page(self.d), |&(h, _)| End::Section(self.d, h));
            open.push((i, level));
            // A section with text of its own is placed at that text.
            let has_text = self.under.get(i + 1) == Some(&Some(i));
            let place = self.places.block(if has_text { i + 1 } else { i });
            self.add_triple(outer, Rel::Contains, End::Section(self.d, i), place);
        }
    }

    /// Reads the first sentences below the title and below each heading.
    fn read_leads(&mut self) {
        let blocks = &self.document.blocks;
        let first = self.title.map_or(0, |t| t + 1);
        let below = (0..blocks.len()).filter(|&i| self.under.get(i) == Some(&Some(i))).map(|i| i + 1);
        let starts: Vec<usize> = std::iter::once(first).chain(below).collect();
        for i in starts {
            let Some(block) = blocks.get(i).filter(|b| b.kind == BlockKind::Paragraph) else { continue };
            let whole = self.owner_of(i);
            let name = match whole {
                End::Section(_, h) => blocks.get(h).map_or("", |b| b.text.as_str()),
                _ => self.document.title.as_str(),
            };
            let Some(range) = sentences(cut_text(&block.text, LONGEST_LEAD)).into_iter().next() else {
                continue;
            };
            let lead = leads::read_lead(name, block.text.get(range.clone()).unwrap_or(""));
            let place = self.places.bytes(i, range);
            if let Some(alias) = lead.alias {
                self.stated.aliases.push((whole.clone(), alias));
            }
            if let Some(class) = &lead.class {
                let class = End::Thing(class.clone(), Some(Kind::Class));
                self.add_triple(whole.clone(), Rel::IsA, class.clone(), place);
                if let Some(head) = lead.head {
                    self.add_triple(class, Rel::IsA, End::Thing(head, Some(Kind::Class)), place);
                }
            }
            for (rel, written) in [(Rel::Born, lead.born), (Rel::Died, lead.died)] {
                if let Some(text) = written {
                    self.add_triple(whole.clone(), rel, date_literal(text), place);
                }
            }
        }
    }

    fn read_definitions(&mut self) {
        let blocks = &self.document.blocks;
        let mut i = 0;
        while i < blocks.len() {
            let terms = blocks.iter().skip(i).take_while(|b| b.kind == BlockKind::Term).count();
            let Some(definition) =
                blocks.get(i + terms).filter(|b| terms > 0 && b.kind == BlockKind::ListItem)
            else {
                i += terms.max(1);
                continue;
            };
            let range =
                sentences(cut_text(&definition.text, LONGEST_LEAD)).into_iter().next().unwrap_or(0..0);
            let sentence = one_line(definition.text.get(range.clone()).unwrap_or(""));
            let place = self.places.bytes(i + terms, range);
            for t in i..i + terms {
                let Some(term) = blocks.get(t) else { continue };
                let term_end = End::Thing(one_line(&term.text), Some(Kind::Term));
                self.add_triple(self.owner_of(t), Rel::Defines, term_end.clone(), self.places.block(t));
                if !sentence.is_empty() {
                    let text = match cut_text(&sentence, LONGEST_DEFINITION) {
                        whole if whole.len() == sentence.len() => sentence.clone(),
                        part => format!("{}…", part.trim_end()),
                    };
                    let literal = End::Literal(text, LiteralKind::Text, "", String::new());
                    self.add_triple(term_end, Rel::Definition, literal, place);
                }
            }
            i += terms + 1;
        }
    }

    fn front_matter(&mut self, language: &str) {
        let place = self.places.page();
        for fact in front::read_front_facts(&self.document.front_matter) {
            let tail = match fact.rel {
                Rel::Published | Rel::Modified => date_literal(fact.text),
                Rel::Author => End::Thing(fact.text, Some(Kind::Person)),
                Rel::Category => End::Thing(fact.text, Some(Kind::Category)),
                _ => End::Thing(fact.text, Some(Kind::Tag)),
            };
            self.add_triple(End::Page(self.d), fact.rel, tail, place);
        }
        // Properties of a note.
        for (name, value) in &self.document.front_matter {
            if let Some(name) = name.strip_prefix("property:") {
                let (relation, tail) =
                    (Relation::Column(name.to_owned()), end_of_cell(tables::read_cell(value, language)));
                self.add_fact(Fact { head: End::Page(self.d), relation, tail, place, held: String::new() });
            }
        }
    }

    fn read_links(&mut self, targets: &Targets) {
        let mut from: HashMap<usize, usize> = HashMap::new();
        for link in &self.document.links {
            let Some(target) = targets.of(self.d, self.document, &link.target) else { continue };
            // Links of a page to its own sections form a table of contents.
            if target.document == self.d {
                continue;
            }
            if self.is_full() {
                self.stated.dropped += 1;
                continue;
            }
            let place = self.link_place(link.block, &one_line(&link.text), &mut from);
            self.add_triple(End::Page(self.d), Rel::LinksTo, end_of(target), place);
        }
    }

    /// Finds the place of a link's text. Links come in order, so the second "here" of a block follows the
    /// first.
    fn link_place(&mut self, block: usize, text: &str, from: &mut HashMap<usize, usize>) -> Place {
        if !text.is_empty() {
            // The block's number may be too high, because blocks without text are left out of the document.
            let near = std::iter::once(block).chain((1..=8).filter_map(|back| block.checked_sub(back)));
            for b in near {
                let Some(of_block) = self.document.blocks.get(b) else { continue };
                let start = from.get(&b).copied().unwrap_or(0);
                let rest = of_block.text.get(start..).unwrap_or("");
                if rest.len() < text.len() || rest.len() > self.in_vain {
                    continue;
                }
                if let Some(at) = rest.find(text) {
                    let range = start + at..start + at + text.len();
                    from.insert(b, range.end);
                    return self.places.bytes(b, range);
                }
                self.in_vain -= rest.len();
            }
        }
        let last = self.document.blocks.len().saturating_sub(1);
        Place { end: 0, start: 0, ..self.places.block(block.min(last)) }
    }

    fn read_tables(&mut self, language: &str) {
        for (i, block) in self.document.blocks.iter().enumerate().filter(|(_, b)| b.kind == BlockKind::Table)
        {
            let Some(table) = tables::read_table(&block.text, language).filter(|_| block.header) else {
                continue;
            };
            for row in table.rows {
                if self.is_full() {
                    self.stated.dropped += 1 + row.cells.len();
                    continue;
                }
                let place = self.places.bytes(i, row.span);
                let subject = End::Subject(row.subject, table.first.clone());
                self.add_triple(self.owner_of(i), Rel::Lists, subject.clone(), place);
                for (header, cell) in row.cells {
                    let (head, relation, held) =
                        (subject.clone(), Relation::Column(header), row.held.clone());
                    self.add_fact(Fact { head, relation, tail: end_of_cell(cell), place, held });
                }
            }
        }
    }
}

fn end_of_cell(cell: tables::Cell) -> End {
    match cell {
        tables::Cell::Name(name) => End::Thing(name, None),
        tables::Cell::Literal { text, kind, unit } => End::Literal(text, kind, "", unit),
    }
}

fn date_literal(text: String) -> End {
    let datatype = if text.contains(['T', 't']) && text.starts_with(|c: char| c.is_ascii_digit()) {
        "xsd:dateTime"
    } else {
        "xsd:date"
    };
    End::Literal(text, LiteralKind::Date, datatype, String::new())
}
