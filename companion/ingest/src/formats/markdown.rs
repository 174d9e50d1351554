//! Markdown to blocks.

mod inline_html;

use super::block::{Block, BlockKind, CharIndex, Draft};
use super::front_matter::{field, front_matter};
use super::html_math::Formula;
use super::html_tokens::{Token, Tokens};
use super::includes::{self, Includer};
use super::list_numbers::{Lists, Numerals};
use super::markdown_indented::{Moved, moved_left};
use super::markdown_source::{MASK, alert, mask_source, split_parts};
use super::slug::{HeadingIds, Slugs};
use super::{Format, FoundFile, Link, Outcome, ReadDocument, ReadMethod, Reading, SourceDocument};
use super::{html, mdx, name_of, name_words, stopwatch, title_of, vault};
use inline_html::Inline;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// The publisher's rules for a Markdown text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Dialect {
    /// Rule for the ids of headings.
    pub ids: HeadingIds,
    /// Set for MDX, in which headings in HTML have no ids.
    pub is_mdx: bool,
    /// Extensions of Python-Markdown that are in use.
    pub pymdown: PyMdown,
}

impl Dialect {
    pub fn with_ids(ids: HeadingIds) -> Dialect {
        Dialect { ids, ..Dialect::default() }
    }
}

/// Signs in running text that extensions of Python-Markdown replace.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PyMdown {
    /// `:name:` is a picture.
    pub emoji: bool,
    /// `(c)` is a sign.
    pub symbols: bool,
    /// `++ctrl+c++` are keys.
    pub keys: bool,
}

/// Reads a Markdown text that starts at byte `from` of `source` (after its front matter).
pub(crate) fn read_markdown(source: &str, from: usize, dialect: Dialect) -> (Vec<Block>, Vec<Link>) {
    read_made(source.get(from..).unwrap_or(""), &Moved::default(), source, from, dialect)
}

/// Reads the Markdown text `made` that was made of `source` from byte `from` on, as `origin` says.
pub(crate) fn read_made(
    made: &str,
    origin: &Moved,
    source: &str,
    from: usize,
    dialect: Dialect,
) -> (Vec<Block>, Vec<Link>) {
    let (text, moved) = moved_left(made);
    let masked = mask_source(&text, false);
    let index = CharIndex::new(source);
    let mut reader = Reader::new(source, &index, dialect);
    let given =
        if dialect.ids.can_be_given() { Options::ENABLE_HEADING_ATTRIBUTES } else { Options::empty() };
    // Where nothing is TeX, dollars are money: "**$5** and **$10**".
    let is_tex = ["$$", "$\\", "^{", "_{"].iter().any(|sign| masked.contains(sign));
    let formulas = if is_tex { Options::ENABLE_MATH } else { Options::empty() };
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_GFM
        | formulas
        | given;
    for part in split_parts(&masked) {
        let base = part.start;
        let text = masked.get(part).unwrap_or("");
        for (event, range) in
            Parser::new_ext(text, options).into_offset_iter().take_while(|_| !stopwatch::is_over())
        {
            let (event, shown) = match event {
                // A formula is shown as its source; its marks keep "$5 and $6" what it is.
                Event::InlineMath(_) | Event::DisplayMath(_) => {
                    (Event::Code(text.get(range.clone()).unwrap_or("").into()), range)
                }
                event => {
                    let shown = shown_of(&event, range);
                    (event, shown)
                }
            };
            let here = moved.range(base + shown.start..base + shown.end);
            if let Event::Text(text) | Event::Code(text) = &event
                && text.len() == here.len()
            {
                // In pieces, each of which is of one place.
                for piece in origin.pieces(here.clone()) {
                    let part =
                        text.get(piece.start - here.start..piece.end - here.start).unwrap_or("").into();
                    let there = origin.range(piece);
                    let part =
                        if matches!(event, Event::Text(_)) { Event::Text(part) } else { Event::Code(part) };
                    reader.event(part, from + there.start..from + there.end);
                }
                continue;
            }
            let range = origin.range(here);
            reader.event(event, from + range.start..from + range.end);
        }
        reader.end_part();
    }
    (reader.blocks, reader.links)
}

/// The bytes of what an event shows. The marks around code are not part of its text, and not always of one
/// length; they are left out here, where what follows them still stands beside them.
fn shown_of(event: &Event<'_>, range: Range<usize>) -> Range<usize> {
    match event {
        Event::Code(text) => {
            let start = range.start + range.len().saturating_sub(text.len()) / 2;
            start..start + text.len()
        }
        _ => range,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Item,
    Quote,
    Term,
    Other,
}

/// An element of HTML that hides the Markdown inside it, and how many of its name are open.
struct Hidden {
    name: String,
    depth: u32,
    inline: bool,
}

/// The heading that is being read.
struct Heading {
    level: u8,
    /// Its id, where the author gave it one.
    given: Option<String>,
    /// The text that an id is made of.
    text: String,
    /// True if its publisher takes it for a heading.
    is_one: bool,
}

struct Reader<'i, 's> {
    source: &'s str,
    index: &'i CharIndex<'s>,
    dialect: Dialect,
    blocks: Vec<Block>,
    links: Vec<Link>,
    slugs: Slugs,
    containers: Vec<Container>,
    draft: Option<Draft>,
    lists: Lists,
    /// The number of the item that begins.
    number: String,
    heading: Option<Heading>,
    images: usize,
    /// Number of each footnote, in the order in which the text names them.
    footnotes: HashMap<String, usize>,
    in_table: bool,
    cells: usize,
    link: Option<(String, usize, usize)>,
    html: Option<(String, Vec<(usize, usize)>)>,
    hidden: Option<Hidden>,
    /// Set if the row of a table is its head.
    in_head: bool,
    /// Elements that are open in running text.
    inline: Vec<Inline>,
    /// Mark that may begin a power or an index, with its bytes in the block's text and in the source.
    script: Option<(String, usize, usize)>,
    /// The formula that is open, and where it begins.
    formula: Option<(Formula, usize)>,
}

impl<'i, 's> Reader<'i, 's> {
    fn new(source: &'s str, index: &'i CharIndex<'s>, dialect: Dialect) -> Self {
        let mut slugs = Slugs::new(dialect.ids);
        if source.contains("[^") {
            slugs.numbers_are_uncertain();
        }
        Reader {
            source,
            index,
            dialect,
            blocks: Vec::new(),
            links: Vec::new(),
            slugs,
            containers: Vec::new(),
            draft: None,
            lists: Lists::default(),
            number: String::new(),
            heading: None,
            images: 0,
            footnotes: HashMap::new(),
            in_table: false,
            cells: 0,
            link: None,
            html: None,
            hidden: None,
            in_head: false,
            inline: Vec::new(),
            script: None,
            formula: None,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => {
                self.heading_text(&text, &range);
                self.shown_text(&text, range);
            }
            Event::Code(text) => {
                if let Some(heading) = &mut self.heading {
                    heading.text.push_str(&text);
                }
                self.text(&text, range);
            }
            Event::Html(text) => {
                if let Some((html, pieces)) = &mut self.html {
                    pieces.push((html.len(), range.start));
                    html.push_str(&text);
                }
            }
            Event::InlineHtml(text) => self.inline_html(&text, range),
            Event::SoftBreak => {
                // The title of a box is no part of the sentence below it.
                let line = self.source.get(..range.start).and_then(|before| before.rsplit('\n').next());
                self.separate(if line.is_some_and(|l| alert(l).is_some()) { "\n" } else { " " });
            }
            Event::HardBreak => self.separate(if self.in_table { " " } else { "\n" }),
            Event::Rule => self.flush(),
            Event::FootnoteReference(name) => self.footnote(name.into_string()),
            Event::TaskListMarker(done) => self.text(if done { "[x] " } else { "[ ] " }, range),
            Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph => self.open(None),
            Tag::Heading { level, id, .. } => {
                self.open(Some(BlockKind::Heading(level_of(level))));
                let given = id
                    .map(|s| s.into_string())
                    .or_else(|| self.id_above(range.start))
                    .or_else(|| self.id_below(range.end));
                self.heading = Some(Heading {
                    level: level_of(level),
                    given,
                    text: String::new(),
                    is_one: self.is_heading(range.start),
                });
            }
            Tag::CodeBlock(kind) => {
                self.open(Some(BlockKind::Code));
                if let (CodeBlockKind::Fenced(info), Some(d)) = (kind, &mut self.draft) {
                    d.note = language_of(&info);
                }
            }
            Tag::Table(_) => {
                self.open(Some(BlockKind::Table));
                self.in_table = true;
                if let Some(d) = &mut self.draft {
                    d.header = true;
                }
            }
            Tag::TableHead | Tag::TableRow => {
                self.in_head = matches!(tag, Tag::TableHead);
                self.cells = 0;
                if let Some(d) = &mut self.draft {
                    d.new_line();
                }
            }
            Tag::TableCell => {
                if let Some(d) = &mut self.draft {
                    d.end_values();
                    if self.cells > 0 {
                        d.text.push_str(" | ");
                    }
                }
                self.cells += 1;
            }
            Tag::HtmlBlock => {
                self.flush();
                self.html = Some((String::new(), Vec::new()));
            }
            Tag::Item => {
                self.enter(Container::Item);
                self.number = self.lists.item(None);
            }
            Tag::BlockQuote(_) => self.enter(Container::Quote),
            Tag::DefinitionListDefinition => self.enter(Container::Item),
            Tag::DefinitionListTitle => self.enter(Container::Term),
            Tag::FootnoteDefinition(_) => self.enter(Container::Other),
            Tag::List(first) => {
                self.flush();
                match first {
                    Some(first) => {
                        self.lists.begin(Numerals::Decimal, i64::try_from(first).unwrap_or(i64::MAX), 1)
                    }
                    None => self.lists.begin_bullets(),
                }
            }
            Tag::DefinitionList | Tag::MetadataBlock(_) => self.flush(),
            Tag::Link { dest_url, .. } => {
                let at = self.draft.as_ref().map_or(0, |d| d.text.len());
                self.link = Some((dest_url.into_string(), self.blocks.len(), at));
            }
            Tag::Image { .. } => self.images += 1,
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::List(_) => {
                self.flush();
                self.lists.end();
            }
            TagEnd::Paragraph | TagEnd::CodeBlock | TagEnd::DefinitionList | TagEnd::MetadataBlock(_) => {
                self.flush()
            }
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::TableHead => {
                // A table without headers has a row of empty ones.
                if let Some(d) =
                    self.draft.as_mut().filter(|d| d.text.chars().all(|c| c.is_whitespace() || c == '|'))
                {
                    d.truncate(0);
                    d.header = false;
                }
            }
            TagEnd::Table => {
                self.flush();
                self.in_table = false;
            }
            TagEnd::HtmlBlock => self.end_html(),
            TagEnd::Item
            | TagEnd::BlockQuote(_)
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition => {
                self.flush();
                self.containers.pop();
            }
            TagEnd::Link => self.end_link(),
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            _ => {}
        }
    }

    fn open(&mut self, kind: Option<BlockKind>) {
        self.flush();
        self.draft = Some(Draft::new(kind.unwrap_or_else(|| self.text_kind())));
    }

    fn enter(&mut self, container: Container) {
        self.flush();
        self.containers.push(container);
    }

    fn text_kind(&self) -> BlockKind {
        match self.containers.last() {
            Some(Container::Item) => BlockKind::ListItem,
            Some(Container::Quote) => BlockKind::Quote,
            Some(Container::Term) => BlockKind::Term,
            _ => BlockKind::Paragraph,
        }
    }

    /// Returns true if a heading that begins at this byte is one to its publisher.
    fn is_heading(&self, at: usize) -> bool {
        const STEP: usize = 4;
        let before = self.source.get(..at).unwrap_or("");
        let line = before.rsplit('\n').next().unwrap_or("");
        !self.dialect.ids.need_an_edge()
            || !line.bytes().all(|b| b == b' ')
            || line.len().is_multiple_of(STEP)
    }

    /// The id that a line of attributes directly above gives to a heading, in MyST.
    fn id_above(&self, at: usize) -> Option<String> {
        if self.dialect.ids != HeadingIds::Docutils {
            return None;
        }
        let line = self.source.get(..at)?.trim_end().rsplit('\n').next()?.trim();
        let listed = line.strip_prefix('{')?.strip_suffix('}')?;
        listed.split_whitespace().find_map(|word| word.strip_prefix('#')).map(str::to_owned)
    }

    /// The id that a line of attributes directly below gives to a heading, in kramdown.
    fn id_below(&self, at: usize) -> Option<String> {
        if self.dialect.ids != HeadingIds::Kramdown {
            return None;
        }
        let rest = self.source.get(at..)?;
        let line = rest.strip_prefix('\n').unwrap_or(rest).lines().next()?.trim();
        let listed = line.strip_prefix("{:")?.strip_suffix('}')?;
        listed.split_whitespace().find_map(|word| word.strip_prefix('#')).map(str::to_owned)
    }

    /// Adds text to that of which the heading's id will be made.
    fn heading_text(&mut self, text: &str, range: &Range<usize>) {
        let Some(heading) = &mut self.heading else { return };
        let ids = self.dialect.ids;
        if self.images > 0 && !ids.have_images() {
            return;
        }
        let written = self.source.get(range.clone()).unwrap_or("");
        let text = if ids.keep_references() && written.starts_with('&') && written.len() != text.len() {
            written
        } else {
            text
        };
        let mut text = text.replace([MASK, '\r'], "");
        if ids.are_of_smart_text() {
            // Dashes and an ellipsis, which no id has.
            text = text.replace("---", "").replace("--", "");
        }
        if ids.drop_emoji() || self.dialect.pymdown.emoji {
            text = without_emoji(&text);
        }
        if self.dialect.pymdown.symbols {
            text = text.replace("(c)", "").replace("(r)", "");
        }
        heading.text.push_str(&text);
    }

    fn footnote(&mut self, name: String) {
        let next = self.footnotes.len() + 1;
        let number = *self.footnotes.entry(name).or_insert(next);
        if let Some(heading) = self.heading.as_mut().filter(|_| self.dialect.ids.have_footnotes()) {
            heading.text.push_str(&number.to_string());
        }
    }

    /// Appends text as its publisher shows it: keys without their marks, no names of icons.
    fn shown_text(&mut self, text: &str, range: Range<usize>) {
        let PyMdown { emoji, keys, .. } = self.dialect.pymdown;
        let verbatim = text.len() == range.len();
        let code = self.draft.as_ref().is_some_and(|d| d.kind == BlockKind::Code);
        if !verbatim || code || !(text.contains([':', '^', '~']) || keys && text.contains("++")) {
            return self.text(text, range);
        }
        let mut from = 0;
        for mark in marks(text, emoji, keys) {
            self.text(text.get(from..mark.start).unwrap_or(""), range.start + from..range.start + mark.start);
            let source = range.start + mark.start..range.start + mark.end;
            match text.get(mark.clone()).unwrap_or("") {
                script @ ("^" | "~") => self.script_mark(script, source),
                name => self.text(check_sign(name).unwrap_or(""), source),
            }
            from = mark.end;
        }
        self.text(text.get(from..).unwrap_or(""), range.start + from..range.end);
    }

    /// Appends text that stands at these bytes of the source, without what was masked.
    fn text(&mut self, text: &str, range: Range<usize>) {
        if self.hidden.is_some() {
            return;
        }
        if let Some((formula, _)) = &mut self.formula {
            return formula.text(text);
        }
        let kind = self.text_kind();
        let draft = self.draft.get_or_insert_with(|| Draft::new(kind));
        let verbatim = text.len() == range.len();
        let mut at = 0;
        for piece in text.split([MASK, '\r']) {
            let source =
                if verbatim { range.start + at..range.start + at + piece.len() } else { range.clone() };
            at += piece.len() + 1;
            // Where an element of HTML or a tag was left out, one space is enough.
            let spaces = match draft.kind {
                BlockKind::Code => 0,
                _ if !draft.text.ends_with([' ', '\n']) => 0,
                _ => piece.len() - piece.trim_start_matches(' ').len(),
            };
            let source = if verbatim { source.start + spaces..source.end } else { source };
            draft.push(piece.get(spaces..).unwrap_or(""), source);
        }
    }

    fn separate(&mut self, separator: &str) {
        if let Some(heading) = &mut self.heading {
            heading.text.push(' ');
        }
        if let Some(d) = self.draft.as_mut().filter(|_| self.hidden.is_none()) {
            d.separate(separator);
        }
    }

    fn flush(&mut self) {
        if let Some(mut draft) = self.draft.take() {
            if draft.kind == BlockKind::ListItem && !draft.text.trim().is_empty() {
                draft.note = std::mem::take(&mut self.number);
            }
            self.blocks.extend(draft.finish(self.index));
        }
        if self.hidden.as_ref().is_some_and(|h| h.inline) {
            self.hidden = None;
        }
        self.inline.clear();
        (self.formula, self.script) = (None, None);
    }

    fn end_heading(&mut self) {
        if let Some(heading) = self.heading.take()
            && let Some(draft) = &mut self.draft
            && heading.is_one
        {
            let given = heading.given.and_then(|id| self.slugs.explicit(&id));
            draft.fragment = given
                .or_else(|| self.slugs.of_heading(&heading.text))
                .filter(|_| self.dialect.ids.has_level(heading.level));
        }
        self.flush();
    }

    fn end_link(&mut self) {
        if let Some((target, block, at)) = self.link.take()
            && self.hidden.is_none()
            && !target.trim().is_empty()
        {
            let text = self
                .draft
                .as_ref()
                .filter(|_| block == self.blocks.len())
                .and_then(|d| d.text.get(at..))
                .unwrap_or("");
            self.links.push(Link { target, text: text.trim().to_owned(), block });
        }
    }

    /// Counts an end tag against the element that hides; whether it ended the hiding.
    fn close_hidden(&mut self, name: &str) -> bool {
        let Some(h) = self.hidden.as_mut().filter(|h| h.name.eq_ignore_ascii_case(name)) else {
            return false;
        };
        h.depth -= 1;
        let ended = h.depth == 0;
        if ended {
            self.hidden = None;
        }
        ended
    }

    fn end_html(&mut self) {
        let Some((html, pieces)) = self.html.take() else { return };
        let mut from = 0;
        if self.hidden.is_some() {
            let mut ended = None;
            for (range, token) in Tokens::new(&html) {
                match token {
                    Token::Start { name, .. } => {
                        if let Some(h) = &mut self.hidden {
                            h.depth += u32::from(h.name.eq_ignore_ascii_case(name));
                        }
                    }
                    Token::End { name } if self.close_hidden(name) => {
                        ended = Some(range.end);
                        break;
                    }
                    _ => {}
                }
            }
            match ended {
                Some(end) => from = end,
                None => return,
            }
        }
        let extracted = html::piece(html.get(from..).unwrap_or(""));
        let before = self.blocks.len();
        for mut draft in extracted.drafts {
            draft.relocate(|at| {
                let at = at + from;
                let i = pieces.partition_point(|&(t, _)| t <= at);
                i.checked_sub(1).and_then(|i| pieces.get(i)).map_or(at, |&(t, s)| s + (at - t))
            });
            if matches!(draft.kind, BlockKind::Heading(_))
                && draft.fragment.is_none()
                && self.dialect.ids.are_given_to_html()
                && !self.dialect.is_mdx
            {
                draft.fragment = self.slugs.of_heading(&draft.text);
            }
            self.blocks.extend(draft.finish(self.index));
        }
        self.links
            .extend(extracted.links.into_iter().map(|link| Link { block: before + link.block, ..link }));
        if let Some(name) = extracted.open_hidden {
            self.hidden = Some(Hidden { name, depth: 1, inline: false });
        }
    }

    fn end_part(&mut self) {
        self.flush();
        self.containers.clear();
        self.in_table = false;
        self.link = None;
        self.images = 0;
        self.heading = None;
        self.html = None;
    }
}

/// The language that a fence names: its first word, as far as that is one.
fn language_of(info: &str) -> String {
    info.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '+' | '#' | '_')).take(24).collect()
}

/// Text without `:names:` of pictures.
fn without_emoji(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find(':')) {
        let at = from + found;
        out.push_str(text.get(from..at).unwrap_or(""));
        let length = emoji(text.get(at..).unwrap_or(""));
        if length == 0 {
            out.push(':');
        }
        from = at + length.max(1);
    }
    out + text.get(from..).unwrap_or("")
}

/// The check mark or the cross that a `:name:` of a picture stands for.
fn check_sign(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix(':')?.strip_suffix(':')?;
    let icon = name
        .rsplit_once("material-")
        .or(name.rsplit_once("octicons-"))
        .or(name.rsplit_once("fontawesome-"))
        .map(|(_, icon)| icon);
    match name {
        "white_check_mark" | "heavy_check_mark" | "ballot_box_with_check" => Some("✓"),
        "x" | "heavy_multiplication_x" | "negative_squared_cross_mark" | "no_entry" | "no_entry_sign" => {
            Some("✗")
        }
        _ if icon?.split('-').any(|part| part == "check") => Some("✓"),
        _ if icon?.split('-').any(|part| matches!(part, "close" | "x" | "xmark" | "cancel")) => Some("✗"),
        _ => None,
    }
}

/// Returns the bytes of the `:name:` with which a text begins; 0 if it begins with none.
fn emoji(text: &str) -> usize {
    let name = text.get(1..).map_or(0, |r| {
        r.bytes()
            .take(64)
            .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_+-".contains(b))
            .count()
    });
    let closed = text.as_bytes().get(name + 1) == Some(&b':');
    let digits = text.get(1..=name).is_none_or(|n| n.bytes().all(|b| b.is_ascii_digit()));
    if closed && (name > 1 || text.starts_with(":x:")) && !digits { name + 2 } else { 0 }
}

/// Returns the marks in a text that its publisher does not show: those around keys, powers and indices, names
/// of icons.
fn marks(text: &str, icons: bool, keys: bool) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find([':', '+', '^', '~'])) {
        let start = at + found;
        let rest = text.get(start..).unwrap_or("");
        let named = ["material-", "octicons-", "fontawesome-", "simple-"]
            .iter()
            .any(|set| rest.get(1..).is_some_and(|r| r.starts_with(set)));
        let key = rest
            .strip_prefix("++")
            .and_then(|r| r.find("++").filter(|&n| n > 0 && n < 60).and_then(|n| r.get(..n)));
        at = start + 1;
        let shown = icons && named || rest.get(..emoji(rest)).is_some_and(|name| check_sign(name).is_some());
        if rest.starts_with(['^', '~']) {
            out.push(start..at);
        } else if rest.starts_with(':') && shown && emoji(rest) > 0 {
            out.push(start..start + emoji(rest));
            at = start + emoji(rest);
        } else if let Some(key) =
            key.filter(|k| keys && k.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-_\"".contains(&b)))
        {
            let end = start + 2 + key.len();
            out.extend([start..start + 2, end..end + 2]);
            at = end + 2;
        }
    }
    out
}

fn level_of(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

pub(super) const FORMAT: Format = Format::new("md", &["md", "markdown"], ReadMethod::Text(read_file));

/// Reads a file; one without text of its own has its description.
pub(super) fn read_file(
    source: &str,
    found: &FoundFile,
    reading: &Reading<'_>,
    includer: &Includer<'_>,
    _: &mut Outcome,
) -> ReadDocument {
    let mut document = read_page(source, found, reading, includer)?;
    if document.blocks.iter().all(|b| matches!(b.kind, BlockKind::Heading(_))) {
        document.blocks.extend(description(&document.front_matter, source));
    }
    Ok(document)
}

fn read_note(
    source: &str,
    from: usize,
    fields: Vec<(String, String)>,
    found: &FoundFile,
    reading: &Reading<'_>,
) -> SourceDocument {
    let url = reading.url(&found.path, &fields);
    let note = vault::convert_note(source.get(from..).unwrap_or(""), reading.site.dialect.ids);
    let dialect = Dialect { is_mdx: false, ..reading.site.dialect };
    let (mut blocks, mut links) = read_made(&note.text, &note.origin, source, from, dialect);
    let title = match field(&fields, "title") {
        None if name_words(&found.path).is_some() => name_of(&found.path).replace("___", "/"),
        given => title_of(given, &blocks, &found.path),
    };
    let properties = vault::properties(source, &title, fields, note.tags);
    if let Some(names) = properties.names {
        // Below the title, where it is written.
        let at = usize::from(blocks.first().is_some_and(|b| b.kind == BlockKind::Heading(1)));
        blocks.insert(at, names);
        links.iter_mut().filter(|l| l.block >= at).for_each(|l| l.block += 1);
    }
    links.extend(properties.links);
    SourceDocument { url, title, blocks, links, front_matter: properties.fields, ..SourceDocument::default() }
}

pub(super) fn read_page(
    source: &str,
    found: &FoundFile,
    reading: &Reading<'_>,
    includer: &Includer<'_>,
) -> ReadDocument {
    let (fields, from) = front_matter(source);
    if let Some(reason) = reading.site.unread(&found.path, &fields) {
        return Err(reason.into());
    }
    if let Some(reason) = reading.site.unopened(from > 0) {
        return Err(reason.into());
    }
    let body = source.get(from..).unwrap_or("");
    let expanded = includes::markdown(body, includer);
    let is_mdx = found.format.name == mdx::FORMAT.name
        || reading.site.dialect.is_mdx
        || reading.site.name().is_none() && mdx::looks_like(body);
    let dialect = Dialect { is_mdx, ..reading.site.dialect };
    if reading.site.is_vault {
        return Ok(read_note(source, from, fields, found, reading));
    }
    let (blocks, links) = match (expanded, is_mdx) {
        (Cow::Borrowed(body), true) => {
            let (text, origin) = mdx::convert_page(body, includer);
            read_made(&text, &origin, source, from, dialect)
        }
        (Cow::Owned(text), true) => {
            let (made, origin) = mdx::convert_page(&text, includer);
            read_made(&made, &origin, &text, 0, dialect)
        }
        // Nothing was brought in: places are those of the file.
        (Cow::Borrowed(_), false) => read_markdown(source, from, dialect),
        (Cow::Owned(text), false) => read_markdown(&text, 0, dialect),
    };
    Ok(SourceDocument {
        url: reading.url(&found.path, &fields),
        title: title_of(field(&fields, "title"), &blocks, &found.path),
        blocks,
        links,
        front_matter: fields,
        ..SourceDocument::default()
    })
}

/// Description of a page without text: the pages that open a site's sections often have nothing else but a
/// title.
fn description(front_matter: &[(String, String)], source: &str) -> Option<Block> {
    let text = field(front_matter, "description").or_else(|| field(front_matter, "summary"))?;
    // One that the source spells otherwise, folded over lines or with marks, stands for the file from its
    // beginning.
    let start = source.find(text).map_or(0, |at| source[..at].chars().count());
    Some(Block::verbatim(BlockKind::Paragraph, text, u32::try_from(start).unwrap_or(u32::MAX)))
}
