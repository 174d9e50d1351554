//! Styles and numberings of DOCX: which paragraphs are headings or hidden, and what stands before the items
//! of lists.

use super::list_numbers::Numerals;
use super::story::Marker;
use super::xml;
use pocketgraph_native::single_line::cut_text;
use std::cmp;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Levels that a list may have.
const LEVELS: usize = 9;

/// Maximum length of a label's pattern in bytes: every item of its list repeats it.
const LONGEST_LABEL: usize = 256;

/// Styles, and numberings, that a document may have.
const MOST: usize = 10_000;

/// Styles that a style may be based on, one on the other.
const DEEPEST: usize = 16;

/// The properties that a style gives its paragraphs or letters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Style {
    /// The level of a heading, from 1.
    pub level: Option<u8>,
    /// A numbering, and the level in it.
    pub numbering: Option<String>,
    pub list_level: Option<usize>,
    /// True for lines of code.
    pub code: bool,
    /// True for hidden text.
    pub hidden: bool,
    /// True for lines of a table of contents.
    pub contents: bool,
    based_on: Option<String>,
}

/// Reads the styles of a document by their ids, with its table of fonts. Their names are the same in every
/// language.
pub(crate) fn styles(text: &str, fonts: &str) -> HashMap<String, Style> {
    let fixed = fixed_fonts(fonts);
    let mut styles: HashMap<String, Style> = HashMap::new();
    let mut id = None;
    xml::elements(text, |name, e| {
        let value = || xml::attribute(e, "val").unwrap_or_default();
        if name == "style" {
            id = xml::attribute(e, "styleId");
        }
        let known = |id: &&String| styles.len() < MOST || styles.contains_key(*id);
        let Some(id) = id.as_ref().filter(known) else { return };
        let style = styles.entry(id.clone()).or_default();
        match name {
            "name" => {
                let name = value().to_ascii_lowercase();
                let heading = name
                    .strip_prefix("heading ")
                    .and_then(|n| n.trim().parse::<u8>().ok())
                    .filter(|l| (1..=9).contains(l));
                style.level = style.level.or(heading).or((name == "title").then_some(1));
                style.code = name.ends_with("code") || name.contains("preformatted");
                style.contents = name.strip_prefix("toc ").is_some_and(|n| n.parse::<u8>().is_ok());
            }
            "basedOn" => style.based_on = Some(value()),
            "outlineLvl" => style.level = style.level.or_else(|| outline(&value())),
            "numId" => style.numbering = Some(value()),
            "ilvl" => style.list_level = value().parse().ok(),
            "vanish" => style.hidden = is_on(&value()),
            "rFonts" => style.code |= xml::attribute(e, "ascii").is_some_and(|font| fixed.contains(&font)),
            _ => {}
        }
    });
    let whole = |mut style: Style| {
        let mut next = style.based_on.clone();
        for _ in 0..DEEPEST {
            let Some(base) = next.as_ref().and_then(|id| styles.get(id)) else { break };
            style.level = style.level.or(base.level);
            style.numbering = style.numbering.or_else(|| base.numbering.clone());
            style.list_level = style.list_level.or(base.list_level);
            style.hidden |= base.hidden;
            style.code |= base.code;
            next.clone_from(&base.based_on);
        }
        style
    };
    styles.iter().map(|(id, style)| (id.clone(), whole(style.clone()))).collect()
}

/// Reads which fonts have letters of equal width, as code has.
fn fixed_fonts(text: &str) -> HashSet<String> {
    let (mut fixed, mut font) = (HashSet::new(), None);
    xml::elements(text, |name, e| match name {
        "font" => font = xml::attribute(e, "name"),
        "pitch" if xml::attribute(e, "val").as_deref() == Some("fixed") => fixed.extend(font.take()),
        _ => {}
    });
    fixed
}

/// The level of a heading, from 1, for a level of an outline, from 0; the tenth is that of text.
pub(crate) fn outline(value: &str) -> Option<u8> {
    value.parse::<u8>().ok().filter(|level| *level < 9).map(|level| level + 1)
}

pub(crate) fn is_on(value: &str) -> bool {
    !matches!(value, "0" | "false" | "off" | "none")
}

#[derive(Debug, Clone, Default)]
struct Level {
    start: u32,
    format: String,
    text: String,
}

/// The numberings of a document, and how far each has come.
#[derive(Debug, Default)]
pub(crate) struct Numberings {
    /// Levels by the ids of what they are defined in.
    abstracts: HashMap<String, Vec<Level>>,
    /// The definition of each numbering, and the numbers that it begins with in place of that one's.
    all: HashMap<String, (String, [Option<u32>; LEVELS])>,
    /// The last numbers, by definition.
    last: HashMap<String, [Option<u32>; LEVELS]>,
    begun: BTreeSet<String>,
}

impl Numberings {
    /// Reads the definitions.
    pub fn read(text: &str) -> Numberings {
        let mut out = Numberings::default();
        // What is being defined, and the level of it.
        let (mut definition, mut numbering, mut at) = (None::<String>, None::<String>, 0);
        xml::elements(text, |name, e| {
            let value = || xml::attribute(e, "val").unwrap_or_default();
            let level = |out: &mut Numberings, change: &dyn Fn(&mut Level)| {
                let levels = definition.as_ref().and_then(|id| out.abstracts.get_mut(id));
                if let Some(level) = levels.and_then(|l| l.get_mut(at)) {
                    change(level);
                }
            };
            match name {
                "start" => level(&mut out, &|l| l.start = value().parse().unwrap_or(1)),
                "numFmt" => level(&mut out, &|l| l.format = value()),
                "lvlText" => level(&mut out, &|l| l.text = cut_text(&value(), LONGEST_LABEL).to_owned()),
                "abstractNum" => {
                    definition = xml::attribute(e, "abstractNumId").filter(|_| out.abstracts.len() < MOST);
                    numbering = None;
                    out.abstracts.extend(
                        definition
                            .clone()
                            .map(|id| (id, vec![Level { start: 1, ..Level::default() }; LEVELS])),
                    );
                }
                "num" => (definition, numbering) = (None, xml::attribute(e, "numId")),
                "lvl" | "lvlOverride" => at = xml::count(e, "ilvl").unwrap_or(0),
                "abstractNumId" if out.all.len() < MOST => {
                    out.all.extend(numbering.clone().map(|id| (id, (value(), [None; LEVELS]))))
                }
                "startOverride" => {
                    if let Some(slot) =
                        numbering.as_ref().and_then(|id| out.all.get_mut(id)).and_then(|n| n.1.get_mut(at))
                    {
                        *slot = value().parse().ok();
                    }
                }
                _ => {}
            }
        });
        out
    }

    /// Returns what stands before the next item of a numbering at a level, and counts it.
    pub fn next(&mut self, numbering: &str, level: usize) -> Marker {
        let level = level.min(LEVELS - 1);
        let Some((definition, starts)) = self.all.get(numbering) else { return Marker::Bullet };
        let Some(levels) = self.abstracts.get(definition) else { return Marker::Bullet };
        let last = self.last.entry(definition.clone()).or_default();
        if self.begun.insert(numbering.to_owned()) {
            for (slot, start) in last.iter_mut().zip(starts) {
                if start.is_some() {
                    *slot = None;
                }
            }
        }
        let start =
            |at: usize| starts.get(at).copied().flatten().or(levels.get(at).map(|l| l.start)).unwrap_or(1);
        for (at, slot) in last.iter_mut().enumerate() {
            *slot = match at.cmp(&level) {
                cmp::Ordering::Less => slot.or(Some(start(at))),
                cmp::Ordering::Equal => Some(slot.map_or(start(at), |n| n.saturating_add(1))),
                cmp::Ordering::Greater => None,
            };
        }
        let Some(own) = levels.get(level).filter(|l| !matches!(l.format.as_str(), "bullet" | "none" | ""))
        else {
            return Marker::Bullet;
        };
        let value = last.get(level).copied().flatten().unwrap_or(1);
        let plain = format!("%{}", level + 1);
        if own.text.replace(&plain, "").trim_matches(['.', ')', '(', ' ']).is_empty() {
            return Marker::Number(value, kind(&own.format));
        }
        let mut label = own.text.clone();
        for (at, number) in last.iter().enumerate() {
            let numerals =
                Numerals::named(kind(levels.get(at).map_or("", |l| &l.format)).encode_utf8(&mut [0; 4]));
            let number = numerals.unwrap_or_default().of(number.unwrap_or(1).into());
            label = label.replace(&format!("%{}", at + 1), &number);
        }
        Marker::Label(label.trim().to_owned())
    }
}

/// Returns HTML's type of list for a format of numbers.
fn kind(format: &str) -> char {
    match format {
        "lowerLetter" => 'a',
        "upperLetter" => 'A',
        "lowerRoman" => 'i',
        "upperRoman" => 'I',
        _ => '1',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numberings_count_by_level_and_begin_anew_where_they_say_so() {
        let level = |at: u8, format: &str, text: &str| {
            format!(
                "<lvl ilvl=\"{at}\"><start val=\"1\"/><numFmt val=\"{format}\"/><lvlText \
                 val=\"{text}\"/></lvl>"
            )
        };
        let text = format!(
            "<n><abstractNum abstractNumId=\"0\">{}{}</abstractNum><num numId=\"1\"><abstractNumId val=\"0\"/></num>\
             <num numId=\"2\"><abstractNumId val=\"0\"/><lvlOverride ilvl=\"0\"><startOverride \
             val=\"5\"/></lvlOverride></num></n>",
            level(0, "lowerRoman", "%1)"),
            level(1, "decimal", "%1.%2")
        );
        let mut all = Numberings::read(&text);
        assert_eq!(all.next("1", 0), Marker::Number(1, 'i'));
        assert_eq!(all.next("1", 0), Marker::Number(2, 'i'));
        assert_eq!(all.next("1", 1), Marker::Label("ii.1".into()));
        assert_eq!(all.next("1", 1), Marker::Label("ii.2".into()));
        assert_eq!(all.next("2", 0), Marker::Number(5, 'i'));
        assert_eq!(all.next("1", 1), Marker::Label("v.1".into()));
        assert_eq!(all.next("9", 0), Marker::Bullet);
    }

    #[test]
    fn a_label_that_every_item_repeats_is_cut() {
        let level = format!(
            "<lvl ilvl=\"0\"><numFmt val=\"decimal\"/><lvlText val=\"{}\"/></lvl>",
            "x".repeat(100_000)
        );
        let mut all = Numberings::read(&format!(
            "<n><abstractNum abstractNumId=\"0\">{level}</abstractNum><num \
             numId=\"1\"><abstractNumId val=\"0\"/></num></n>"
        ));
        assert_eq!(all.next("1", 0), Marker::Label("x".repeat(LONGEST_LABEL)));
    }
}
