//! HTML pages to blocks: the main content as text, in one pass over the tags, without a tree and without
//! recursion.

use super::block::{BlockKind, Draft};
use super::front_matter::Fields;
use super::html_elements::{
    Role, is_box, is_content, is_for_hearing, is_for_machines, is_mark_of_note_or_page, is_panel, is_void,
    role_of,
};
use super::html_lists;
use super::html_math::Formula;
use super::html_tables::{Rows, laid_out};
use super::html_tabs::Tabs;
use super::html_tokens::{Attributes, Token, Tokens, decode_entities};
use super::list_numbers::Lists;
use super::markdown_source::MASK;
use super::superscripts::Script;
use super::{Link, address, stopwatch};
use std::collections::{BTreeSet, VecDeque};
use std::mem;
use std::ops::Range;

/// Number of open elements among which an end tag looks for its start tag. No real page is deeper (browsers
/// stop at 512 open elements too), and the limit keeps hostile nesting linear.
const LOOK_UP: usize = 512;

/// Bits for the regions of the page that hold a block.
const IN_ARTICLE: u8 = 1;
const IN_MAIN: u8 = 2;
const IN_PAGEFIND_BODY: u8 = 4;
const IN_CONTENT: u8 = 8;

/// A page that sends its readers on after more seconds than this is one to be read.
const AT_ONCE: f64 = 10.0;

/// The content of an HTML page, or of a piece of HTML inside Markdown.
#[derive(Debug, Default)]
pub(crate) struct Extracted {
    pub drafts: Vec<Draft>,
    pub links: Vec<Link>,
    /// The text of `<title>`.
    pub title: String,
    /// True if it sends its readers to another page.
    pub redirect: bool,
    /// True if it asks robots not to index it.
    pub noindex: bool,
    /// The address that it says it has.
    pub canonical: Option<String>,
    /// The generator that it says it is from.
    pub generator: String,
    /// The classes of its outermost elements.
    pub classes: String,
    /// `description` and `keywords` of `<meta>`, `lang` of `<html>`.
    pub meta: Vec<(String, String)>,
    /// Fields that other `<meta>` elements and marks of elements name.
    pub fields: Fields,
    /// True if an element has the mark `data-pagefind-body`.
    pub pagefind_body: bool,
    /// For a piece inside Markdown: the element that hides text and is still open at its end.
    pub open_hidden: Option<String>,
}

/// Reads a page: the marked body, else `<main>`, else `<article>`, else `<body>`, without navigation,
/// headers, footers, asides, scripts.
pub(crate) fn page(source: &str) -> Extracted {
    extract_content(source, false)
}

/// The ids of a page's elements, and the names of its anchors.
pub fn ids(source: &str) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    let mut tokens = Tokens::new(source);
    while let Some((_, token)) = tokens.next() {
        if let Token::Start { name, attributes, .. } = token {
            tokens.enter(name);
            ids.extend(attributes.get("id").map(|id| id.trim().to_owned()));
            if name.eq_ignore_ascii_case("a") {
                ids.extend(attributes.get("name").map(|id| id.trim().to_owned()));
            }
        }
    }
    ids
}

/// Reads a piece of HTML that an author wrote inside Markdown: all of it is content, but for what is never
/// shown.
pub(crate) fn piece(source: &str) -> Extracted {
    extract_content(source, true)
}

/// Returns true if an element's attributes exclude it from the index.
pub(crate) fn is_ignored(attributes: &Attributes<'_>) -> bool {
    attributes.iter().any(|(n, _)| {
        n.eq_ignore_ascii_case("data-pocketgraph-ignore") || n.eq_ignore_ascii_case("data-pagefind-ignore")
    })
}

/// White space, and what stands for a masked template tag.
fn is_gap(c: char) -> bool {
    c.is_whitespace() || c == MASK
}

struct Open<'a> {
    name: &'a str,
    role: Role,
    effect: Effect,
}

/// Attribute that makes an element's text, or what stands behind its `=`, the value of a field.
const FIELD: &str = "data-pocketgraph-field";
/// Longer texts, in bytes, are no values.
const LONGEST_VALUE: usize = 200;

/// Act at the end of an element.
enum Effect {
    None,
    /// Its text stands above or below the line; whether it is a link into the page.
    Script {
        script: Script,
        place: Place,
        noted: bool,
    },
    /// Its text is the value of a field.
    Field(String, Place),
    /// It has a label, which is shown where it has no text.
    Label {
        label: String,
        place: Place,
    },
    List,
    /// It is a heading and what belongs to it, behind so many blocks.
    Headings(usize),
    /// It holds the names of tabs, as labels.
    TabLabels,
}

/// A place in the text, and in the source.
struct Place {
    draft: usize,
    at: usize,
    source: usize,
}

#[derive(Default)]
struct Depths {
    head: u32,
    code: u32,
    table: u32,
    item: u32,
    quote: u32,
    foreign: u32,
    main: u32,
    article: u32,
    paragraph: u32,
}

struct OpenLink {
    target: String,
    draft: usize,
    at: usize,
}

#[derive(Default)]
struct Reader<'a> {
    piece: bool,
    out: Extracted,
    regions: Vec<u8>,
    link_regions: Vec<u8>,
    stack: Vec<Open<'a>>,
    depths: Depths,
    /// Stack lengths at which these began.
    hidden_at: Option<usize>,
    body_at: Option<usize>,
    content_at: Option<usize>,
    /// The table that is open.
    rows: Rows,
    /// Parts of the heading that link to it.
    anchors: Vec<Range<usize>>,
    /// The level of the last heading that is one by its element.
    level: u8,
    draft: Option<Draft>,
    /// The regions of its first text, as bits.
    draft_region: u8,
    heading: Option<u8>,
    cells: usize,
    /// An id met since the last text: it names the heading that comes next.
    id: Option<String>,
    link: Option<OpenLink>,
    /// The byte of the source at which the tag or text begins that is being read.
    at: usize,
    lists: Lists,
    /// Numbers of items of the lists that count down and are still to come.
    reversed: VecDeque<i64>,
    /// The number of the item that begins.
    number: String,
    tabs: Tabs,
    /// The formula that is open, and where it begins.
    formula: Option<(Formula, usize)>,
    /// Set if a picture's text was written last, which no word is run into.
    after_picture: bool,
    /// Set if the picture that is open says in a title what it shows.
    titled_picture: bool,
}

fn extract_content(source: &str, piece: bool) -> Extracted {
    let mut reader =
        Reader { piece, level: 1, reversed: html_lists::lengths_of_reversed(source), ..Reader::default() };
    let mut tokens = Tokens::new(source);
    while let Some((range, token)) = tokens.next().filter(|_| !stopwatch::is_over()) {
        reader.at = range.start;
        match token {
            Token::Start { name, attributes, closed } => {
                if reader.depths.foreign == 0 {
                    tokens.enter(name);
                }
                reader.start(name, &attributes, closed, range);
            }
            Token::End { name } => reader.end(name),
            Token::Text { raw } => reader.text(source.get(range.clone()).unwrap_or(""), range.start, raw),
        }
    }
    reader.finish()
}

impl<'a> Reader<'a> {
    fn start(&mut self, name: &'a str, attributes: &Attributes<'a>, closed: bool, range: Range<usize>) {
        let lower = name.to_ascii_lowercase();
        let classes = attributes.get("class").unwrap_or_default();
        let mut role = self.role(&lower, attributes, &classes);
        if self.formula.is_some() {
            if matches!(role, Role::Inline | Role::Anchor | Role::Foreign | Role::Hidden) {
                self.formula.iter_mut().for_each(|(formula, _)| formula.start(name, attributes, closed));
                return;
            }
            self.end_formula();
        }
        if self.depths.foreign == 0 {
            self.close_implied(&lower, role);
        } else if closed {
            return;
        }
        // A formula's source may stand in a script.
        if lower == "script" && attributes.get("type").is_some_and(|t| t.starts_with("math/tex")) {
            role = Role::Inline;
        }
        self.note_about_page(&lower, attributes, &classes);
        if let Some((name, value)) = attributes.get(FIELD).as_deref().and_then(|field| field.split_once('='))
        {
            self.out.fields.push(name.trim(), value);
        }
        if self.hidden_at.is_none() {
            if let Some(id) = attributes
                .get("id")
                .or_else(|| if role == Role::Anchor { attributes.get("name") } else { None })
            {
                self.note_id(&id, role);
            }
            self.show_start(&lower, role, attributes, range.clone());
        }
        if is_void(&lower) {
            return;
        }
        let is_tab = self.has_role(attributes, "tab")
            || lower == "label" && self.stack.last().is_some_and(|o| matches!(o.effect, Effect::TabLabels));
        if is_tab {
            self.tabs.begin(attributes, self.stack.len());
        }
        if self.hidden_at.is_none() && (is_tab || self.hides(&lower, role, attributes, &classes)) {
            self.hidden_at = Some(self.stack.len());
        }
        if self.body_at.is_none() && attributes.get("data-pagefind-body").is_some() {
            self.body_at = Some(self.stack.len());
            self.out.pagefind_body = true;
        }
        if self.content_at.is_none() && !self.piece && is_content(&classes) {
            self.flush();
            self.content_at = Some(self.stack.len());
        }
        let effect = match self.hidden_at {
            None => {
                self.enter(&lower, role, attributes);
                self.effect(&lower, attributes, range)
            }
            Some(_) => Effect::None,
        };
        self.count(role, true);
        self.stack.push(Open { name, role, effect });
    }

    /// The role of an element, by its name and what its attributes say.
    fn role(&mut self, lower: &str, attributes: &Attributes<'_>, classes: &str) -> Role {
        let mut role = role_of(lower);
        if matches!(role, Role::Inline | Role::Block) && self.has_role(attributes, "main") {
            role = Role::Main;
        }
        if role == Role::Table && self.has_role(attributes, "presentation") {
            role = Role::Block;
        }
        // What Sphinx describes, such as a function or an option, is a section of its own.
        if lower == "dt"
            && attributes.get("id").is_some()
            && classes.split_ascii_whitespace().any(|c| c == "sig")
            && self.depths.table == 0
        {
            let inside = self.stack.iter().filter(|o| o.name.eq_ignore_ascii_case("dd")).count();
            role = Role::Heading(u8::try_from(inside).unwrap_or(6).saturating_add(self.level + 1).min(6));
        } else if let Role::Heading(level) = role {
            self.level = level;
        }
        role
    }

    /// Keeps what elements around the text say of the page.
    fn note_about_page(&mut self, lower: &str, attributes: &Attributes<'_>, classes: &str) {
        match lower {
            "meta" => self.meta(attributes),
            "link"
                if self.out.canonical.is_none()
                    && attributes.get("rel").is_some_and(|r| r.eq_ignore_ascii_case("canonical")) =>
            {
                self.out.canonical =
                    attributes.get("href").map(|h| h.trim().to_owned()).filter(|h| h.len() < 2048);
            }
            "body" => {
                self.out.classes.push(' ');
                self.out.classes.push_str(classes);
            }
            "html" => {
                self.out.classes.push_str(classes);
                if let Some(lang) = attributes
                    .get("lang")
                    .filter(|l| !l.is_empty() && l.len() < 40 && self.out.meta.len() < 100)
                {
                    self.out.meta.push(("lang".into(), lang.into_owned()));
                }
            }
            _ => {}
        }
    }

    /// Shows what stands for an element itself: a line's end, a picture's text, the border of a block.
    fn show_start(&mut self, lower: &str, role: Role, attributes: &Attributes<'_>, range: Range<usize>) {
        let is_hidden = attributes.get("aria-hidden").is_some_and(|v| v == "true");
        match lower {
            "br" => self.line_break(),
            // Of tabs, which stand one beside the other.
            "label" => {
                if let Some(d) = &mut self.draft {
                    d.separate(" ");
                }
            }
            "img" if !is_hidden => {
                if let Some(alt) = attributes.get("alt").or_else(|| attributes.get("title")) {
                    self.picture(&alt, range);
                }
            }
            "input"
                if attributes.get("type").is_some_and(|t| t == "checkbox")
                    && attributes.get("disabled").is_some() =>
            {
                let marks = if self.depths.table > 0 { ["✗", "✓"] } else { ["[ ]", "[x]"] };
                let checked = usize::from(attributes.get("checked").is_some());
                self.picture(marks.get(checked).unwrap_or(&""), range);
            }
            "svg" if !is_hidden => {
                if let Some(label) = attributes.get("aria-label").or_else(|| attributes.get("title")) {
                    self.picture(&label, range);
                } else {
                    self.titled_picture = self.has_role(attributes, "img");
                }
            }
            "img" | "svg" => {}
            _ => self.boundary(role),
        }
        let tabbed =
            attributes.get("class").is_some_and(|c| c.split_ascii_whitespace().any(|c| c == "tabbed-block"));
        if (tabbed || self.has_role(attributes, "tabpanel"))
            && let Some(name) = self.tabs.name_of(attributes)
        {
            self.flush();
            let at = self.at..self.at;
            let draft = self.open_draft();
            draft.push(&name, at.clone());
            if name.ends_with(char::is_alphanumeric) {
                draft.push(":", at);
            }
            self.flush();
        }
    }

    /// Begins a heading, a row, a cell, a table, an item or a link.
    fn enter(&mut self, lower: &str, role: Role, attributes: &Attributes<'_>) {
        match role {
            Role::Heading(level) => self.heading = Some(level),
            Role::Paragraph => self.resume_heading(),
            Role::Row if self.is_nested() => self.part_values("; "),
            Role::Row => {
                self.cells = 0;
                if self.depths.table == 1 {
                    let head = self
                        .stack
                        .iter()
                        .rev()
                        .take(LOOK_UP)
                        .take_while(|o| o.role != Role::Table)
                        .any(|o| o.name.eq_ignore_ascii_case("thead"));
                    self.rows.row(head);
                }
            }
            Role::Cell if self.is_nested() => self.part_values(", "),
            Role::Cell => {
                if let Some(d) = &mut self.draft {
                    d.end_values();
                }
                if self.cells > 0 {
                    self.cell_border();
                }
                self.cells += 1;
                if self.depths.table == 1 {
                    let span = |name: &str| {
                        attributes.get(name).and_then(|v| v.trim().parse::<usize>().ok()).unwrap_or(1)
                    };
                    let head = lower == "th"
                        && !attributes.get("scope").is_some_and(|s| s.eq_ignore_ascii_case("row"));
                    let at = self.draft.as_ref().map_or(0, |d| d.text.len());
                    self.rows.cell(at, span("colspan"), span("rowspan"), head);
                }
            }
            Role::Table if self.depths.table == 0 => self.rows = Rows::default(),
            Role::Item if lower == "li" => {
                let value = attributes.get("value").and_then(|v| v.trim().parse().ok());
                self.number = self.lists.item(value);
            }
            Role::Anchor => {
                if let Some(target) = attributes.get("href").filter(|t| !t.is_empty()) {
                    let target = target.trim().to_owned();
                    if let Some(Open { effect: Effect::Script { noted, .. }, .. }) = self.stack.last_mut() {
                        *noted = target.starts_with('#');
                    }
                    let Place { draft, at, .. } = self.place();
                    self.link = Some(OpenLink { target, draft, at });
                }
            }
            _ => {}
        }
    }

    /// Goes on with the heading that was written last: a paragraph beside it in a group is part of it.
    fn resume_heading(&mut self) {
        let Some(Open { effect: Effect::Headings(first), .. }) = self.stack.last() else { return };
        let last = self.out.drafts.last().filter(|_| *first < self.out.drafts.len());
        let Some(BlockKind::Heading(level)) = last.map(|d| d.kind) else { return };
        self.draft_region = self.regions.pop().unwrap_or_default();
        self.draft = self.out.drafts.pop();
        let sign = |d: &Draft| if d.text.ends_with(char::is_alphanumeric) { ": " } else { " " };
        self.draft.iter_mut().for_each(|d| d.separate(sign(d)));
        self.heading = Some(level);
    }

    fn place(&self) -> Place {
        Place {
            draft: self.out.drafts.len(),
            at: self.draft.as_ref().map_or(0, |d| d.text.len()),
            source: self.at,
        }
    }

    /// Returns the act at the end of an element that begins here.
    fn effect(&mut self, lower: &str, attributes: &Attributes<'_>, range: Range<usize>) -> Effect {
        let place = Place { source: range.end, ..self.place() };
        if let Some(field) = attributes.get(FIELD).filter(|field| !field.contains('=')) {
            return Effect::Field(field.into_owned(), place);
        }
        if let Some(script) = Script::of_element(lower) {
            let noted = self
                .link
                .as_ref()
                .is_some_and(|l| l.target.starts_with('#') && (l.draft, l.at) == (place.draft, place.at));
            return Effect::Script { script, place, noted };
        }
        if lower == "hgroup" {
            return Effect::Headings(self.out.drafts.len());
        }
        if lower == "math" {
            self.formula = Some((Formula::new(attributes), self.at));
        }
        if html_lists::is_list(lower) {
            html_lists::begin_list(&mut self.lists, lower, attributes, &mut self.reversed);
            return Effect::List;
        }
        if attributes.get("class").is_some_and(|c| c.split_ascii_whitespace().any(|c| c == "tabbed-labels")) {
            return Effect::TabLabels;
        }
        let pictures = matches!(lower, "i" | "span" | "em" | "b")
            || lower.contains('-')
            || self.has_role(attributes, "img");
        match attributes
            .get("aria-label")
            .or_else(|| attributes.get("title"))
            .filter(|l| pictures && !l.trim().is_empty())
        {
            Some(label) => Effect::Label { label: label.into_owned(), place },
            None => Effect::None,
        }
    }

    /// Does what an element's end asks for.
    fn end_effect(&mut self, effect: Effect) {
        match effect {
            Effect::None | Effect::Headings(_) | Effect::TabLabels => {}
            Effect::List => self.lists.end(),
            Effect::Field(name, place) => {
                // A block has ended before its element does.
                let block = self.out.drafts.get(place.draft).or(self.draft.as_ref());
                if let Some(text) =
                    block.and_then(|d| d.text.get(place.at..)).filter(|text| text.len() < LONGEST_VALUE)
                {
                    self.out.fields.push(&name, text);
                }
            }
            Effect::Label { label, place } => {
                let empty = self
                    .draft
                    .as_ref()
                    .is_none_or(|d| d.text.get(place.at..).is_none_or(|t| t.trim().is_empty()));
                if empty && place.draft == self.out.drafts.len() {
                    self.picture(&label, place.source..self.at);
                }
            }
            Effect::Script { script, place, noted } => {
                let source = place.source..self.at.max(place.source);
                let Some(draft) = self.draft.as_mut().filter(|_| place.draft == self.out.drafts.len()) else {
                    return;
                };
                let (Some(before), Some(text)) = (draft.text.get(..place.at), draft.text.get(place.at..))
                else {
                    return;
                };
                let written = if noted { String::new() } else { script.written(text, before) };
                let shown = text.trim();
                let its_link =
                    |l: &mut Link| l.target.starts_with('#') && l.block == place.draft && l.text == shown;
                if noted && self.out.links.pop_if(its_link).is_some() {
                    self.link_regions.pop();
                }
                draft.truncate(place.at);
                draft.push_script(&written, source);
            }
        }
    }

    fn end_formula(&mut self) {
        let Some((formula, start)) = self.formula.take() else { return };
        self.spaced_text(formula.source(), start, Some(self.at.saturating_sub(start)));
    }

    /// Shows the text of a picture, which no word beside it is run into.
    fn picture(&mut self, text: &str, range: Range<usize>) {
        if let Some(d) = self.draft.as_mut().filter(|d| d.text.ends_with(char::is_alphanumeric)) {
            d.separate(" ");
        }
        self.spaced_text(text, range.start, Some(range.len()));
        self.after_picture = true;
    }

    /// Returns `true` if a table stands in a cell of one that has a head: its text is the values of that
    /// cell.
    fn is_nested(&self) -> bool {
        self.depths.table > 1 && self.rows.has_head()
    }

    /// Parts values in a cell; a head's cell holds one name, whatever its lines.
    fn part_values(&mut self, sign: &'static str) {
        let head = self.rows.in_head();
        if let Some(d) = self.draft.as_mut().filter(|d| d.kind == BlockKind::Table) {
            if head { d.separate(" ") } else { d.part_values(sign) }
        }
    }

    fn has_role(&self, attributes: &Attributes<'_>, role: &str) -> bool {
        attributes.get("role").is_some_and(|r| r.eq_ignore_ascii_case(role))
    }

    fn hides(&self, lower: &str, role: Role, attributes: &Attributes<'_>, classes: &str) -> bool {
        let for_others = is_for_machines(classes, self.depths.code > 0)
            || is_for_hearing(classes) && self.depths.table == 0;
        let marks = is_mark_of_note_or_page(attributes, classes) || !self.piece && for_others;
        if marks || matches!(role, Role::Hidden | Role::Foreign) || is_ignored(attributes) {
            return true;
        }
        let attribute = attributes.get("role").unwrap_or_default();
        let unshown = attributes.get("hidden").is_some_and(|v| !v.eq_ignore_ascii_case("until-found"))
            || attributes.get("aria-hidden").is_some_and(|v| v == "true");
        // The panels of tabs that are not open are content all the same.
        if unshown && !is_panel(lower, attributes, classes) {
            return true;
        }
        let inside = self.depths.main + self.depths.article > 0 || self.body_at.is_some();
        !self.piece
            && (role == Role::Chrome && !(lower == "aside" && is_box(attributes, classes))
                || (role == Role::Header && !inside)
                || matches!(
                    attribute.as_ref(),
                    "navigation" | "search" | "contentinfo" | "complementary" | "banner"
                ))
    }

    /// Ends the elements whose end tags HTML lets authors leave out.
    fn close_implied(&mut self, name: &str, role: Role) {
        let starts_block = !matches!(
            role,
            Role::Inline
                | Role::Anchor
                | Role::Hidden
                | Role::Foreign
                | Role::Title
                | Role::Cell
                | Role::Row
                | Role::Caption
        );
        if starts_block && self.depths.paragraph > 0 {
            self.pop_to(
                |o| o.role == Role::Paragraph,
                |o| matches!(o.role, Role::Cell | Role::Table | Role::Caption | Role::Hidden),
            );
        }
        let is = |names: &'static [&'static str]| {
            move |o: &Open<'_>| names.iter().any(|n| n.eq_ignore_ascii_case(o.name))
        };
        match name {
            "li" => self.pop_to(is(&["li"]), is(&["ul", "ol", "menu", "dir", "td", "th", "table"])),
            "dt" | "dd" => self.pop_to(is(&["dt", "dd"]), is(&["dl", "td", "th", "table"])),
            "td" | "th" => self.pop_to(is(&["td", "th"]), is(&["tr", "table"])),
            "tr" => self.pop_to(is(&["tr"]), is(&["table", "tbody", "thead", "tfoot"])),
            "tbody" | "thead" | "tfoot" => self.pop_to(is(&["tbody", "thead", "tfoot"]), is(&["table"])),
            "rb" | "rt" | "rp" | "rtc" => {
                self.pop_to(is(&["rb", "rt", "rp"]), is(&["ruby", "td", "th", "table"]))
            }
            _ => {}
        }
        if matches!(role, Role::Heading(_)) && self.heading.is_some() {
            self.pop_to(
                |o| matches!(o.role, Role::Heading(_)),
                |o| matches!(o.role, Role::Cell | Role::Table),
            );
        }
        // The end tag of the head may be left out, and so may the body's start tag.
        if self.depths.head > 0 && (starts_block || role == Role::Anchor) {
            self.pop_to(|o| o.role == Role::Head, |_| false);
        }
    }

    fn end(&mut self, name: &str) {
        let role = role_of(&name.to_ascii_lowercase());
        if self.formula.as_mut().is_some_and(|(formula, _)| formula.end(name) || role != Role::Inline) {
            self.end_formula();
        } else if self.formula.is_some() {
            return;
        }
        let in_table = matches!(role, Role::Cell | Role::Row | Role::Table)
            || ["tbody", "thead", "tfoot"].iter().any(|n| n.eq_ignore_ascii_case(name));
        if name.eq_ignore_ascii_case("br") {
            self.line_break();
        } else {
            self.pop_to(
                |o| o.name.eq_ignore_ascii_case(name),
                // Nothing inside a table's cell closes what is around the table.
                |o| !in_table && matches!(o.role, Role::Cell | Role::Table),
            );
        }
    }

    /// Pops up to and with the nearest open element that `wanted` accepts, unless `border` accepts one before
    /// it.
    fn pop_to(&mut self, wanted: impl Fn(&Open<'_>) -> bool, border: impl Fn(&Open<'_>) -> bool) {
        let mut found = None;
        for (i, open) in self.stack.iter().enumerate().rev().take(LOOK_UP) {
            if wanted(open) {
                found = Some(i);
                break;
            }
            if border(open) {
                break;
            }
        }
        let Some(keep) = found else { return };
        while self.stack.len() > keep {
            let Some(open) = self.stack.pop() else { break };
            self.close(open);
        }
    }

    fn close(&mut self, Open { role, effect, name }: Open<'a>) {
        let length = self.stack.len();
        self.count(role, false);
        self.tabs.close(length);
        if self.hidden_at.is_none() {
            match role {
                Role::Anchor => self.end_link(),
                Role::Table if self.depths.table == 0 => self.end_table(),
                Role::Table if self.rows.has_head() => self.part_values("; "),
                Role::Table => self.flush(),
                Role::Cell if self.depths.table == 1 => {
                    let at = self.draft.as_ref().map_or(0, |d| d.text.len());
                    self.rows.end_cell(at);
                }
                _ => self.boundary(role),
            }
            if matches!(role, Role::Heading(_)) {
                self.heading = None;
            }
            if name.eq_ignore_ascii_case("li") {
                self.number.clear();
            }
            self.end_effect(effect);
        }
        if self.hidden_at.is_some_and(|at| length <= at) {
            self.hidden_at = None;
        }
        if self.body_at.is_some_and(|at| length <= at) {
            self.flush();
            self.body_at = None;
        }
        if self.content_at.is_some_and(|at| length <= at) {
            self.flush();
            self.content_at = None;
        }
    }

    fn count(&mut self, role: Role, opens: bool) {
        let d = &mut self.depths;
        let counter = match role {
            Role::Head => &mut d.head,
            Role::Code => &mut d.code,
            Role::Table => &mut d.table,
            Role::Item => &mut d.item,
            Role::Quote => &mut d.quote,
            Role::Foreign => &mut d.foreign,
            Role::Main => &mut d.main,
            Role::Article => &mut d.article,
            Role::Paragraph => &mut d.paragraph,
            _ => return,
        };
        *counter = if opens { *counter + 1 } else { counter.saturating_sub(1) };
    }

    /// Starts or ends the block under construction as the start or end of an element requires.
    fn boundary(&mut self, role: Role) {
        match role {
            Role::Inline | Role::Anchor | Role::Hidden | Role::Foreign | Role::Head | Role::Title => {}
            Role::Heading(_) => self.flush(),
            Role::Main | Role::Article => self.flush(),
            Role::Row | Role::Cell if self.is_nested() => {}
            Role::Row | Role::Caption if self.depths.table > 0 => {
                if let Some(d) = &mut self.draft {
                    d.new_line();
                }
            }
            Role::Cell if self.depths.table > 0 => {}
            _ if self.depths.table > 0 && self.is(BlockKind::Table) => self.part_values("; "),
            _ if self.depths.code > 0 && role != Role::Code && self.is(BlockKind::Code) => {
                if let Some(d) = &mut self.draft {
                    d.new_line();
                }
            }
            _ => {
                if self.draft.is_some() {
                    // A heading without its end tag does not swallow the page.
                    self.heading = None;
                }
                self.flush();
            }
        }
    }

    fn is(&self, kind: BlockKind) -> bool {
        self.draft.as_ref().is_some_and(|d| d.kind == kind)
    }

    fn cell_border(&mut self) {
        if let Some(d) = self.draft.as_mut().filter(|d| d.kind == BlockKind::Table && !d.text.ends_with('\n'))
        {
            d.truncate(d.text.trim_end_matches(' ').len());
            d.text.push_str(" | ");
        }
    }

    fn line_break(&mut self) {
        let code = self.depths.code > 0;
        if self.is(BlockKind::Table) {
            return self.part_values("; ");
        }
        if self.hidden_at.is_none()
            && let Some(d) = &mut self.draft
        {
            match d.kind {
                BlockKind::Heading(_) => d.separate(" "),
                _ if code => d.text.push('\n'),
                _ => d.new_line(),
            }
        }
    }

    fn note_id(&mut self, id: &str, role: Role) {
        let Some(id) = address::fragment(id) else { return };
        match (&mut self.draft, self.heading) {
            // An anchor inside a heading names it, unless the heading has an id of its own.
            (draft, Some(_)) => match draft {
                Some(d) if d.fragment.is_none() => d.fragment = Some(id),
                None if self.id.is_none() => self.id = Some(id),
                _ => {}
            },
            _ if matches!(role, Role::Heading(_)) => {
                self.flush();
                self.id = Some(id);
            }
            (None, None) => self.id = Some(id),
            // An inline id in running text names no heading, but a block's id ends that text.
            (Some(_), None)
                if !matches!(role, Role::Inline | Role::Anchor)
                    && self.depths.table + self.depths.code == 0 =>
            {
                self.flush();
                self.id = Some(id);
            }
            _ => {}
        }
    }

    fn region(&self) -> u8 {
        let bit = |on: bool, bit: u8| if on { bit } else { 0 };
        bit(self.depths.article > 0, IN_ARTICLE)
            | bit(self.depths.main > 0, IN_MAIN)
            | bit(self.body_at.is_some(), IN_PAGEFIND_BODY)
            | bit(self.content_at.is_some(), IN_CONTENT)
    }

    /// Lays out the rows of a table whose end was reached.
    fn end_table(&mut self) {
        let rows = mem::take(&mut self.rows);
        if let Some(written) = self.draft.take_if(|d| d.kind == BlockKind::Table && !rows.is_empty()) {
            let (caption, mut table) = laid_out(&written, &rows);
            table.fragment = written.fragment;
            self.draft = caption;
            self.flush();
            // Cells without any text are no table.
            self.draft = Some(table).filter(|t| t.text.contains(|c: char| c != '|' && !c.is_whitespace()));
        }
        self.flush();
    }

    fn flush(&mut self) {
        let anchors = mem::take(&mut self.anchors);
        if let Some(mut draft) = self.draft.take()
            && !draft.text.trim().is_empty()
        {
            // Between the parts of a table nothing is lost where nothing was written yet.
            if self.depths.table > 0 {
                self.rows.broken = true;
            }
            // What links a heading to itself is not part of it, unless it is all of it.
            if !anchors.is_empty() && matches!(draft.kind, BlockKind::Heading(_)) {
                let rest = draft.without(&anchors);
                if !rest.text.trim().is_empty() {
                    draft = rest;
                }
            }
            self.regions.push(self.draft_region);
            self.out.drafts.push(draft);
        }
    }

    fn end_link(&mut self) {
        let Some(link) = self.link.take() else { return };
        let in_heading = self.heading.is_some();
        let same = link.draft == self.out.drafts.len();
        let mut text = String::new();
        let own = |fragment: Option<&String>| {
            let decoded = |s: &str| percent_encoding::percent_decode_str(s).decode_utf8_lossy().into_owned();
            let wanted = link.target.split_once('#').map(|(_, f)| decoded(f));
            wanted.is_some_and(|w| !w.is_empty() && fragment.is_some_and(|f| decoded(f) == w))
        };
        let last = self.out.drafts.last().filter(|d| !in_heading && matches!(d.kind, BlockKind::Heading(_)));
        // Directly behind a heading.
        if same && link.at == 0 && last.is_some_and(|d| own(d.fragment.as_ref())) {
            self.draft = None;
            return;
        }
        if let Some(d) = self.draft.as_mut().filter(|_| same) {
            text = d.text.get(link.at..).unwrap_or("").trim().to_owned();
            let sign = link.target.contains('#')
                && matches!(text.as_str(), "#" | "¶" | "§" | "🔗" | "\u{f0c1}" | "\u{200b}" | "");
            let unnamed = d.fragment.is_none()
                && link.target.starts_with('#')
                && !d.text.get(..link.at).unwrap_or("").trim().is_empty();
            if in_heading && (sign || unnamed || own(d.fragment.as_ref().or(self.id.as_ref()))) {
                let end = d.text.len();
                self.anchors.push(link.at.min(end)..end);
                return;
            }
        }
        self.link_regions.push(self.region());
        self.out.links.push(Link { target: link.target, text, block: link.draft });
    }

    fn text(&mut self, text: &str, at: usize, raw: bool) {
        if self.stack.last().is_some_and(|o| o.role == Role::Title) && self.depths.foreign == 0 {
            if self.out.title.is_empty() {
                let words: Vec<_> = text.split_whitespace().collect();
                self.out.title = htmlize::unescape(words.join(" ")).into_owned();
            }
            return;
        }
        let in_title = self.stack.last().is_some_and(|o| o.role == Role::Title);
        if in_title
            && self.hidden_at == self.stack.len().checked_sub(2)
            && mem::take(&mut self.titled_picture)
        {
            return self.picture(&htmlize::unescape(text), at..at + text.len());
        }
        if self.depths.head > 0
            && self.stack.last().is_some_and(|o| o.role == Role::Head)
            && !text.trim().is_empty()
        {
            self.pop_to(|o| o.role == Role::Head, |_| false);
        }
        if self.tabs.is_open() {
            self.tabs.text(&htmlize::unescape(text));
        }
        if self.hidden_at.is_some() || self.depths.head > 0 {
            return;
        }
        if let Some((formula, _)) = &mut self.formula {
            return formula.text(&htmlize::unescape(text));
        }
        if raw {
            return self.spaced_text(text, at, Some(text.len()));
        }
        for (piece, range) in decode_entities(text) {
            let verbatim = range.len() == piece.len();
            let (start, length) = (at + range.start, range.len());
            if self.depths.code > 0 && self.heading.is_none() && self.depths.table == 0 {
                self.preformatted(&piece, start, length);
            } else {
                self.spaced_text(&piece, start, (!verbatim).then_some(length));
            }
        }
    }

    fn preformatted(&mut self, text: &str, at: usize, length: usize) {
        if self.draft.is_none() && text.trim().is_empty() && !text.contains(' ') {
            return;
        }
        let verbatim = text.len() == length;
        let draft = self.open_draft();
        let mut offset = 0;
        for piece in text.split(['\r', MASK]) {
            let end = if verbatim { at + offset + piece.len() } else { at + length };
            draft.push(piece, (if verbatim { at + offset } else { at })..end);
            offset += piece.len() + 1;
        }
    }

    /// Appends text with its white space collapsed. `whole` is the source's length where text and source do
    /// not run in step.
    fn spaced_text(&mut self, text: &str, at: usize, whole: Option<usize>) {
        let mut offset = 0;
        while let Some(rest) = text.get(offset..).filter(|r| !r.is_empty()) {
            let white = rest.len() - rest.trim_start_matches(is_gap).len();
            if white > 0 {
                if let Some(d) = &mut self.draft {
                    d.separate(" ");
                }
                offset += white;
                continue;
            }
            if mem::take(&mut self.after_picture)
                && rest.starts_with(char::is_alphanumeric)
                && let Some(d) = &mut self.draft
            {
                d.separate(" ");
            }
            let word = rest.get(..rest.find(is_gap).unwrap_or(rest.len())).unwrap_or(rest);
            let range = match whole {
                Some(length) => at..at + length,
                None => at + offset..at + offset + word.len(),
            };
            self.open_draft().push(word, range);
            offset += word.len();
        }
    }

    fn open_draft(&mut self) -> &mut Draft {
        let region = self.region();
        let kind = match self.heading {
            Some(level) => BlockKind::Heading(level),
            None if self.depths.table > 0 => BlockKind::Table,
            None if self.depths.code > 0 => BlockKind::Code,
            None if self.depths.item > 0 => match self.stack.iter().rev().find(|o| o.role == Role::Item) {
                Some(o) if o.name.eq_ignore_ascii_case("dt") => BlockKind::Term,
                _ => BlockKind::ListItem,
            },
            None if self.depths.quote > 0 => BlockKind::Quote,
            None => BlockKind::Paragraph,
        };
        let (id, number) = (&mut self.id, &mut self.number);
        let draft_region = &mut self.draft_region;
        self.draft.get_or_insert_with(|| {
            *draft_region = region;
            let id = id.take();
            let mut draft = Draft::new(kind);
            draft.fragment = id.filter(|_| matches!(kind, BlockKind::Heading(_)));
            if kind == BlockKind::ListItem {
                draft.note = mem::take(number);
            }
            draft
        })
    }

    fn meta(&mut self, attributes: &Attributes<'_>) {
        let content = attributes.get("content").unwrap_or_default();
        if attributes.get("http-equiv").is_some_and(|h| h.eq_ignore_ascii_case("refresh")) {
            let (after, to) = content.split_once([';', ',']).unwrap_or((content.as_ref(), ""));
            let names = to.trim_start().get(..3).is_some_and(|t| t.eq_ignore_ascii_case("url"));
            self.out.redirect |= names && after.trim().parse::<f64>().unwrap_or(0.0) <= AT_ONCE;
        }
        let Some(name) = attributes.get("name").or_else(|| attributes.get("property")) else { return };
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "robots" | "googlebot" => {
                let directives = content.to_ascii_lowercase();
                self.out.noindex |=
                    directives.split([',', ' ']).any(|w| matches!(w.trim(), "noindex" | "none"));
            }
            "generator" if self.out.generator.is_empty() => {
                self.out.generator = content.chars().take(100).collect()
            }
            "docsearch:version" | "readthedocs-version-slug"
                if !matches!(content.trim(), "" | "current" | "latest") && content.len() < 40 =>
            {
                self.out.meta.push(("version".to_owned(), content.trim().to_owned()));
            }
            _ => {}
        }
        let name = match name.strip_prefix("docsearch:").unwrap_or(&name) {
            known @ ("description" | "keywords" | "author" | "date") => known,
            "article:modified_time" | "og:updated_time" | "last-modified" | "dcterms.modified" => "modified",
            "article:published_time" | "dcterms.date" | "dc.date" => "date",
            other => return self.out.fields.push(other, &content),
        };
        if self.out.meta.len() < 100 && !content.trim().is_empty() {
            self.out.meta.push((name.to_owned(), content.trim().to_owned()));
        }
    }

    fn finish(mut self) -> Extracted {
        self.end_formula();
        self.flush();
        if let Some(at) = self.hidden_at {
            self.out.open_hidden = self.stack.get(at).map(|o| o.name.to_ascii_lowercase());
        }
        if !self.piece {
            // The narrowest region that holds any text is the page's content.
            let best = [IN_PAGEFIND_BODY, IN_CONTENT, IN_MAIN, IN_ARTICLE]
                .into_iter()
                .find(|bit| self.regions.iter().any(|r| r & bit != 0));
            if let Some(bit) = best {
                let mut at = 0;
                self.out.drafts.retain(|_| (self.regions.get(at).is_some_and(|r| r & bit != 0), at += 1).0);
                at = 0;
                self.out
                    .links
                    .retain(|_| (self.link_regions.get(at).is_some_and(|r| r & bit != 0), at += 1).0);
            } else if self.out.pagefind_body {
                self.out.drafts.clear();
                self.out.links.clear();
            }
        }
        self.out
    }
}
