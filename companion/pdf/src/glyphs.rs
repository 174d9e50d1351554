//! Finds the letters of a page and their places by executing the page's instructions for text.

use hayro_font::hayro_cmap::{BfString, load_embedded};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, UNITS_PER_EM};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};
use hayro_syntax::page::{Page, Resources};
use std::collections::HashMap;
use std::sync::Arc;

/// Forms inside forms.
const DEEPEST: usize = 12;

/// States of graphics that are kept at once.
const MOST_STATES: usize = 512;

/// Letters of a page that run in one direction: a hundred pages of a book.
const MOST_LETTERS: usize = 1 << 18;

/// A letter, or a few that are one sign, in points from the page's lower left corner as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Glyph {
    pub text: String,
    pub left: f64,
    pub right: f64,
    /// Its baseline.
    pub y: f64,
    /// The size of its font as it is shown.
    pub size: f64,
    pub look: FontStyle,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FontStyle {
    pub bold: bool,
    /// True if all letters are of one width, as in code.
    pub fixed: bool,
}

/// Letters and pictures of a page.
#[derive(Debug, Default)]
pub(super) struct PageGlyphs {
    pub glyphs: Vec<Glyph>,
    /// Number of letters without a known meaning.
    pub unnamed: usize,
    /// True if there is a picture.
    pub pictures: bool,
}

/// Limit on the work for a document. A form can be shown often, and nested forms exponentially often.
#[derive(Debug)]
pub(super) struct Budget {
    /// Instructions and letters.
    steps: u64,
    /// Bytes of instructions, unpacked.
    bytes: u64,
}

/// Steps that finding a font or a form by its name takes.
const LOOKUP: u64 = 16;

/// More work was asked for than there is.
#[derive(Debug)]
pub(super) struct Spent;

impl Budget {
    /// Returns the budget for a file of `file` bytes: many times the need of real ones.
    pub fn of(file: usize) -> Budget {
        let file = file as u64;
        Budget { steps: (1 << 20) + file.saturating_mul(64), bytes: (4 << 20) + file.saturating_mul(256) }
    }

    fn take(&mut self, steps: u64, bytes: u64) -> Result<(), Spent> {
        self.steps = self.steps.checked_sub(steps).ok_or(Spent)?;
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Spent)?;
        Ok(())
    }
}

pub(super) struct Fonts<'a> {
    cache: FontCache<'a>,
    programs: FontResolverFn,
    maps: CMapResolverFn,
    /// Texts and widths of each font's letters.
    known: HashMap<(usize, u32), (Option<String>, f64)>,
    all: Vec<(Dict<'a>, Option<(Font<'a>, FontStyle)>)>,
}

impl Default for Fonts<'_> {
    fn default() -> Self {
        Fonts {
            cache: FontCache::new(),
            // A code without text is drawn by fonts of the same widths: only these matter.
            programs: Arc::new(|query| {
                Some(match query {
                    FontQuery::Standard(font) => font.get_font_data(),
                    FontQuery::Fallback(font) => font.pick_standard_font().get_font_data(),
                })
            }),
            maps: Arc::new(load_embedded),
            known: HashMap::new(),
            all: Vec::new(),
        }
    }
}

impl<'a> Fonts<'a> {
    fn number(&mut self, dict: Dict<'a>) -> usize {
        // A dictionary inside another object has that one's number.
        if let Some(at) = self.all.iter().position(|(d, _)| d.obj_id() == dict.obj_id() && *d == dict) {
            return at;
        }
        let font = self.cache.font(&dict, &self.programs, &self.maps).map(|f| (f, font_style(&dict)));
        self.all.push((dict, font));
        self.all.len() - 1
    }

    fn get(&self, number: usize) -> Option<&(Font<'a>, FontStyle)> {
        self.all.get(number)?.1.as_ref()
    }

    /// Returns the text of a font's code, and its width in units of the font's size.
    fn letter(&mut self, number: usize, font: &Font<'a>, code: u32) -> (Option<String>, f64) {
        if let Some(known) = self.known.get(&(number, code)) {
            return known.clone();
        }
        let text = match font.glyph(font.map_code(code), code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let text = text.map(|t| match t {
            BfString::Char(c) => plain_text(&c.to_string()),
            BfString::String(s) => plain_text(&s),
        });
        let width = font.code_advance(code).x / f64::from(UNITS_PER_EM);
        let letter = (text.filter(|t| !t.chars().all(|c| c.is_control() || c == '\u{fffd}')), width);
        self.known.insert((number, code), letter.clone());
        letter
    }
}

/// Replaces each sign for several letters by these letters.
fn plain_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{fb00}' => out.push_str("ff"),
            '\u{fb01}' => out.push_str("fi"),
            '\u{fb02}' => out.push_str("fl"),
            '\u{fb03}' => out.push_str("ffi"),
            '\u{fb04}' => out.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => out.push_str("st"),
            '\u{a0}' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Reads the style of a font from its name and flags.
fn font_style(dict: &Dict<'_>) -> FontStyle {
    let below = || dict.get::<Array<'_>>("DescendantFonts").and_then(|a| a.iter::<Dict<'_>>().next());
    let descriptor =
        dict.get::<Dict<'_>>("FontDescriptor").or_else(|| below()?.get::<Dict<'_>>("FontDescriptor"));
    let name = dict.get::<Name<'_>>("BaseFont").map(|n| n.as_str().to_lowercase()).unwrap_or_default();
    let has = |words: &[&str]| words.iter().any(|w| name.contains(w));
    let flags = descriptor.and_then(|d| d.get::<u32>("Flags")).unwrap_or(0);
    FontStyle {
        bold: has(&["bold", "black", "heavy", "cmbx", "sfbx", "ecbx", "demi"]) || flags & 1 << 18 != 0,
        fixed: has(&["mono", "courier", "cmtt", "sltt", "sftt", "ectt", "typewriter", "consol", "menlo"])
            || flags & 1 != 0,
    }
}

/// A map of the plane: six numbers as PDF writes them.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Matrix([f64; 6]);

impl Matrix {
    const NONE: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// This one first, then another.
    fn then(self, other: Matrix) -> Matrix {
        let (Matrix(a), Matrix(b)) = (self, other);
        Matrix([
            a[0] * b[0] + a[1] * b[2],
            a[0] * b[1] + a[1] * b[3],
            a[2] * b[0] + a[3] * b[2],
            a[2] * b[1] + a[3] * b[3],
            a[4] * b[0] + a[5] * b[2] + b[4],
            a[4] * b[1] + a[5] * b[3] + b[5],
        ])
    }
}

fn moved_by(x: f64, y: f64) -> Matrix {
    Matrix([1.0, 0.0, 0.0, 1.0, x, y])
}

/// State in which text is shown.
#[derive(Debug, Clone, Copy)]
struct State {
    page: Matrix,
    font: Option<usize>,
    size: f64,
    between_letters: f64,
    between_words: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

/// The letters of a page, turned so that most of its text runs from left to right.
pub(super) fn of_page<'a>(
    page: &Page<'a>,
    fonts: &mut Fonts<'a>,
    budget: &mut Budget,
) -> Result<PageGlyphs, Spent> {
    let state = State {
        page: Matrix(page.initial_transform(false).as_coeffs()),
        font: None,
        size: 1.0,
        between_letters: 0.0,
        between_words: 0.0,
        stretch: 1.0,
        leading: 0.0,
        rise: 0.0,
    };
    let mut walker = Walker {
        fonts,
        budget,
        state,
        turned: Default::default(),
        shown: PageGlyphs::default(),
        artifacts: Vec::new(),
    };
    let content = page_content(page);
    walker.run(&content, page.resources(), 0)?;
    let mut shown = walker.shown;
    // Text across the page is a stamp in its margin, unless it is what the page has.
    if let Some(most) = walker.turned.into_iter().max_by_key(Vec::len) {
        shown.glyphs = most;
    }
    Ok(shown)
}

/// The instructions of a page. They are not kept: all pages' together are many times the file.
fn page_content(page: &Page<'_>) -> Vec<u8> {
    let dict = page.raw();
    if let Some(stream) = dict.get::<Stream<'_>>("Contents") {
        return stream.decoded_data().map(|d| d.into_owned()).unwrap_or_default();
    }
    let mut all = Vec::new();
    for stream in dict.get::<Array<'_>>("Contents").iter().flat_map(|a| a.iter::<Stream<'_>>()) {
        if let Ok(data) = stream.decoded_data() {
            all.extend_from_slice(&data);
            all.push(b' ');
        }
    }
    all
}

struct Walker<'w, 'a> {
    fonts: &'w mut Fonts<'a>,
    budget: &'w mut Budget,
    state: State,
    /// Letters by the direction that they run in: right, up, left, down.
    turned: [Vec<Glyph>; 4],
    shown: PageGlyphs,
    /// For each marked part that is open, whether it is none of the text.
    artifacts: Vec<bool>,
}

impl<'a> Walker<'_, 'a> {
    fn run(&mut self, content: &[u8], resources: &Resources<'a>, depth: usize) -> Result<(), Spent> {
        self.budget.take(0, content.len() as u64)?;
        let mut states: Vec<State> = Vec::new();
        let (mut text, mut line) = (Matrix::NONE, Matrix::NONE);
        let marked = self.artifacts.len();
        let mut instructions = TypedIter::new(content);
        while let Some(instruction) = instructions.next() {
            self.budget.take(1, 0)?;
            let mut next_line = |x: f64, y: f64| {
                line = moved_by(x, y).then(line);
                line
            };
            match instruction {
                TypedInstruction::SaveState(_) if states.len() < MOST_STATES => states.push(self.state),
                TypedInstruction::RestoreState(_) => self.state = states.pop().unwrap_or(self.state),
                TypedInstruction::Transform(m) => {
                    self.state.page = matrix_of([m.0, m.1, m.2, m.3, m.4, m.5]).then(self.state.page)
                }
                TypedInstruction::BeginText(_) => (text, line) = (Matrix::NONE, Matrix::NONE),
                TypedInstruction::CharacterSpacing(n) => self.state.between_letters = n.0.as_f64(),
                TypedInstruction::WordSpacing(n) => self.state.between_words = n.0.as_f64(),
                TypedInstruction::HorizontalScaling(n) => self.state.stretch = n.0.as_f64() / 100.0,
                TypedInstruction::TextLeading(n) => self.state.leading = n.0.as_f64(),
                TypedInstruction::TextRise(n) => self.state.rise = n.0.as_f64(),
                TypedInstruction::TextFont(font) => {
                    self.budget.take(LOOKUP, 0)?;
                    self.state.size = font.1.as_f64();
                    self.state.font = resources.get_font(font.0).map(|dict| self.fonts.number(dict));
                }
                TypedInstruction::NextLine(by) => text = next_line(by.0.as_f64(), by.1.as_f64()),
                TypedInstruction::NextLineAndSetLeading(by) => {
                    self.state.leading = -by.1.as_f64();
                    text = next_line(by.0.as_f64(), by.1.as_f64());
                }
                TypedInstruction::NextLineUsingLeading(_) => text = next_line(0.0, -self.state.leading),
                TypedInstruction::SetTextMatrix(m) => {
                    line = matrix_of([m.0, m.1, m.2, m.3, m.4, m.5]);
                    text = line;
                }
                TypedInstruction::ShowText(string) => self.show(&mut text, string.0.as_bytes())?,
                TypedInstruction::NextLineAndShowText(string) => {
                    text = next_line(0.0, -self.state.leading);
                    self.show(&mut text, string.0.as_bytes())?;
                }
                TypedInstruction::ShowTextWithParameters(string) => {
                    (self.state.between_words, self.state.between_letters) =
                        (string.0.as_f64(), string.1.as_f64());
                    text = next_line(0.0, -self.state.leading);
                    self.show(&mut text, string.2.as_bytes())?;
                }
                TypedInstruction::ShowTexts(list) => {
                    for object in list.0.iter::<Object<'_>>() {
                        match object {
                            Object::String(string) => self.show(&mut text, string.as_bytes())?,
                            Object::Number(n) => {
                                text = moved_by(
                                    -n.as_f64() / 1000.0 * self.state.size * self.state.stretch,
                                    0.0,
                                )
                                .then(text);
                            }
                            _ => {}
                        }
                    }
                }
                TypedInstruction::BeginMarkedContent(mark) => {
                    self.artifacts.push(mark.0.as_str() == "Artifact")
                }
                TypedInstruction::BeginMarkedContentWithProperties(mark) => {
                    self.artifacts.push(mark.0.as_str() == "Artifact")
                }
                TypedInstruction::EndMarkedContent(_) if self.artifacts.len() > marked => {
                    self.artifacts.pop();
                }
                TypedInstruction::XObject(name) => {
                    self.budget.take(LOOKUP, 0)?;
                    if let Some(stream) = resources.get_x_object(name.0) {
                        self.object(&stream, resources, depth)?;
                    }
                }
                TypedInstruction::InlineImage(_) => self.shown.pictures = true,
                _ => {}
            }
            self.artifacts.truncate(MOST_STATES);
        }
        if let Some(first) = states.first() {
            self.state = *first;
        }
        self.artifacts.truncate(marked);
        Ok(())
    }

    /// Shows a form or a picture.
    fn object(&mut self, stream: &Stream<'a>, resources: &Resources<'a>, depth: usize) -> Result<(), Spent> {
        let dict = stream.dict();
        if dict.get::<Name<'_>>("Subtype").is_none_or(|name| name.as_str() != "Form") {
            self.shown.pictures = true;
            return Ok(());
        }
        if depth >= DEEPEST {
            return Ok(());
        }
        let Ok(content) = stream.decoded_data() else { return Ok(()) };
        let before = self.state;
        if let Some(m) = dict.get::<[f64; 6]>("Matrix") {
            self.state.page = Matrix(m).then(self.state.page);
        }
        let own = dict.get::<Dict<'a>>("Resources").map(Resources::new);
        self.run(&content, own.as_ref().unwrap_or(resources), depth + 1)?;
        self.state = before;
        Ok(())
    }

    fn show(&mut self, text: &mut Matrix, bytes: &[u8]) -> Result<(), Spent> {
        let Some(number) = self.state.font else { return Ok(()) };
        let Some((font, look)) = self.fonts.get(number).map(|(f, l)| (f.clone(), *l)) else { return Ok(()) };
        let state = self.state;
        let upright = font.is_horizontal();
        let mut at = 0;
        while at < bytes.len() {
            self.budget.take(1, 0)?;
            let (code, length) = font.read_code(bytes, at);
            at += length.max(1);
            let (letter, width) = self.fonts.letter(number, &font, code);
            // One code may show as many letters as its font defines.
            self.budget.take(letter.as_ref().map_or(0, |l| l.len() as u64), 0)?;
            let shown = Matrix([state.size * state.stretch, 0.0, 0.0, state.size, 0.0, state.rise])
                .then(*text)
                .then(state.page);
            self.place(letter, shown, if upright { width } else { 1.0 }, look)?;
            let spaces =
                state.between_letters + if code == 32 && length == 1 { state.between_words } else { 0.0 };
            *text = match upright {
                true => moved_by((width * state.size + spaces) * state.stretch, 0.0),
                false => {
                    moved_by(0.0, font.code_advance(code).y / f64::from(UNITS_PER_EM) * state.size + spaces)
                }
            }
            .then(*text);
        }
        Ok(())
    }

    fn place(
        &mut self,
        letter: Option<String>,
        Matrix(m): Matrix,
        width: f64,
        look: FontStyle,
    ) -> Result<(), Spent> {
        if self.artifacts.contains(&true) {
            return Ok(());
        }
        let Some(text) = letter else {
            self.shown.unnamed += 1;
            return Ok(());
        };
        let (x, y) = (m[4], m[5]);
        let size = m[2].hypot(m[3]);
        let run = m[0].hypot(m[1]);
        if !(x.is_finite()
            && y.is_finite()
            && size > 0.5
            && size < 2000.0
            && run > 0.0
            && x.abs() < 1e6
            && y.abs() < 1e6)
        {
            return Ok(());
        }
        // The direction that it runs in, and its place with the page turned so that this is to the right.
        let (towards, start, height) = match (m[0].abs() > 10.0 * m[1].abs(), m[1].abs() > 10.0 * m[0].abs())
        {
            (true, _) if m[0] > 0.0 => (0, x, y),
            (_, true) if m[1] > 0.0 => (1, y, -x),
            (true, _) => (2, -x, -y),
            (_, true) => (3, -y, x),
            _ => return Ok(()),
        };
        let glyph = Glyph { text, left: start, right: start + width * run, y: height, size, look };
        if let Some(list) = self.turned.get_mut(towards) {
            if list.len() >= MOST_LETTERS {
                return Err(Spent);
            }
            list.push(glyph);
        }
        Ok(())
    }
}

fn matrix_of(numbers: [Number; 6]) -> Matrix {
    Matrix(numbers.map(|n| n.as_f64()))
}
