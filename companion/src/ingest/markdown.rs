//! Markdown to blocks.

use super::Link;
use super::block::{Block, BlockKind, CharIndex, Draft};
use super::html::{self, is_ignored};
use super::html_elements::is_void;
use super::html_tokens::{Token, Tokens};
use super::markdown_indented::moved_left;
use super::markdown_source::{MASK, mask, parts};
use super::slug::{HeadingIds, Slugs};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// What a Markdown text is written for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Dialect {
    /// How headings get their ids.
    pub ids: HeadingIds,
    /// Whether text in double braces is an expression.
    pub interpolates: bool,
}

/// Reads a Markdown text that starts at byte `from` of `source` (after its front matter).
pub(super) fn read(source: &str, from: usize, dialect: Dialect) -> (Vec<Block>, Vec<Link>) {
    let body = source.get(from..).unwrap_or("");
    let (text, moved) = moved_left(body);
    let masked = mask(&text, false, dialect.interpolates);
    let index = CharIndex::new(source);
    let mut reader = Reader::new(&index, dialect.ids);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_GFM;
    for part in parts(&masked) {
        let base = part.start;
        for (event, range) in Parser::new_ext(masked.get(part).unwrap_or(""), options).into_offset_iter() {
            let range = moved.range(base + range.start..base + range.end);
            reader.event(event, from + range.start..from + range.end);
        }
        reader.end_part();
    }
    (reader.blocks, reader.links)
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

struct Reader<'i, 's> {
    index: &'i CharIndex<'s>,
    blocks: Vec<Block>,
    links: Vec<Link>,
    slugs: Slugs,
    containers: Vec<Container>,
    draft: Option<Draft>,
    /// The next number of each list that is open; none of one with bullets.
    numbers: Vec<Option<u64>>,
    /// The number of the item that begins.
    number: String,
    heading_id: Option<String>,
    in_table: bool,
    cells: usize,
    link: Option<(String, usize, usize)>,
    html: Option<(String, Vec<(usize, usize)>)>,
    hidden: Option<Hidden>,
}

impl<'i, 's> Reader<'i, 's> {
    fn new(index: &'i CharIndex<'s>, ids: HeadingIds) -> Self {
        Reader {
            index,
            blocks: Vec::new(),
            links: Vec::new(),
            slugs: Slugs::new(ids),
            containers: Vec::new(),
            draft: None,
            numbers: Vec::new(),
            number: String::new(),
            heading_id: None,
            in_table: false,
            cells: 0,
            link: None,
            html: None,
            hidden: None,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text, range),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                // The marks around it are not part of the text, and not always of one length.
                let marks = range.len().saturating_sub(text.len()) / 2;
                self.text(&text, range.start + marks..range.start + marks + text.len());
            }
            Event::Html(text) => {
                if let Some((html, pieces)) = &mut self.html {
                    pieces.push((html.len(), range.start));
                    html.push_str(&text);
                }
            }
            Event::InlineHtml(text) => self.inline_html(&text, range),
            Event::SoftBreak => self.separate(" "),
            Event::HardBreak => self.separate(if self.in_table { " " } else { "\n" }),
            Event::Rule => self.flush(),
            Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.open(None),
            Tag::Heading { level, id, .. } => {
                self.open(Some(BlockKind::Heading(level_of(level))));
                self.heading_id = id.map(|s| s.into_string());
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
                self.cells = 0;
                if let Some(d) = &mut self.draft {
                    d.new_line();
                }
            }
            Tag::TableCell => {
                if self.cells > 0
                    && let Some(d) = &mut self.draft
                {
                    d.text.push_str(" | ");
                }
                self.cells += 1;
            }
            Tag::HtmlBlock => {
                self.flush();
                self.html = Some((String::new(), Vec::new()));
            }
            Tag::Item => {
                self.enter(Container::Item);
                if let Some(Some(next)) = self.numbers.last_mut() {
                    self.number = format!("{next}.");
                    *next = next.saturating_add(1);
                }
            }
            Tag::BlockQuote(_) => self.enter(Container::Quote),
            Tag::DefinitionListDefinition => self.enter(Container::Item),
            Tag::DefinitionListTitle => self.enter(Container::Term),
            Tag::FootnoteDefinition(_) => self.enter(Container::Other),
            Tag::List(first) => {
                self.flush();
                self.numbers.push(first);
            }
            Tag::DefinitionList | Tag::MetadataBlock(_) => self.flush(),
            Tag::Link { dest_url, .. } => {
                let at = self.draft.as_ref().map_or(0, |d| d.text.len());
                self.link = Some((dest_url.into_string(), self.blocks.len(), at));
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript | Tag::Image { .. } => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::List(_) => {
                self.flush();
                self.numbers.pop();
            }
            TagEnd::Paragraph | TagEnd::CodeBlock | TagEnd::DefinitionList | TagEnd::MetadataBlock(_) => self.flush(),
            TagEnd::Heading(_) => self.end_heading(),
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

    /// Appends text that stands at these bytes of the source, without what was masked.
    fn text(&mut self, text: &str, range: Range<usize>) {
        if self.hidden.is_some() {
            return;
        }
        let kind = self.text_kind();
        let draft = self.draft.get_or_insert_with(|| Draft::new(kind));
        let verbatim = text.len() == range.len();
        let mut at = 0;
        for piece in text.split([MASK, '\r']) {
            let source = if verbatim { range.start + at..range.start + at + piece.len() } else { range.clone() };
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
    }

    fn end_heading(&mut self) {
        if let Some(draft) = &mut self.draft {
            let given = self.heading_id.take().and_then(|id| self.slugs.explicit(&id));
            draft.fragment = given.or_else(|| self.slugs.of_heading(&draft.text));
        }
        self.flush();
    }

    fn end_link(&mut self) {
        if let Some((target, block, at)) = self.link.take()
            && self.hidden.is_none()
            && !target.trim().is_empty()
        {
            let text = self.draft.as_ref().filter(|_| block == self.blocks.len()).and_then(|d| d.text.get(at..)).unwrap_or("");
            self.links.push(Link { target, text: text.trim().to_owned(), block });
        }
    }

    fn inline_html(&mut self, text: &str, range: Range<usize>) {
        for (_, token) in Tokens::new(text) {
            match token {
                Token::Start { name, attributes, closed } => {
                    if let Some(h) = &mut self.hidden {
                        h.depth += u32::from(!closed && h.name.eq_ignore_ascii_case(name));
                    } else if !closed && !is_void(name) && is_ignored(&attributes) {
                        self.hidden = Some(Hidden { name: name.to_owned(), depth: 1, inline: true });
                    } else if name.eq_ignore_ascii_case("br") {
                        self.separate(if self.in_table { " " } else { "\n" });
                    } else if name.eq_ignore_ascii_case("img")
                        && let Some(alt) = attributes.get("alt")
                    {
                        self.text(&alt, range.clone());
                    }
                }
                Token::End { name } => {
                    self.close_hidden(name);
                }
                Token::Text { .. } => {}
            }
        }
    }

    /// Counts an end tag against the element that hides; whether it ended the hiding.
    fn close_hidden(&mut self, name: &str) -> bool {
        let Some(h) = self.hidden.as_mut().filter(|h| h.name.eq_ignore_ascii_case(name)) else { return false };
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
            if matches!(draft.kind, BlockKind::Heading(_)) && draft.fragment.is_none() {
                draft.fragment = self.slugs.of_heading(&draft.text);
            }
            self.blocks.extend(draft.finish(self.index));
        }
        self.links.extend(extracted.links.into_iter().map(|link| Link { block: before + link.block, ..link }));
        if let Some(name) = extracted.open_hidden {
            self.hidden = Some(Hidden { name, depth: 1, inline: false });
        }
    }

    fn end_part(&mut self) {
        self.flush();
        self.containers.clear();
        self.in_table = false;
        self.link = None;
        self.html = None;
    }
}

/// The language that a fence names: its first word, as far as that is one.
fn language_of(info: &str) -> String {
    info.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '+' | '#' | '_')).take(24).collect()
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
