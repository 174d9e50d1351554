#![doc = include_str!("../README.md")]

mod subprocess;
mod glyphs;
mod lines;
mod order;
mod paragraphs;

pub use subprocess::PdfReader;
pub use subprocess::read_for_parent;

use glyphs::{Budget, Fonts};
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use lines::Line;
use pocketgraph_native::single_line::one_line;
use serde::{Deserialize, Serialize};

/// Maximum number of pages that are read.
const MOST_PAGES: usize = 20_000;

/// Kind of a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A heading, and its level from 1.
    Heading(u8),
    /// A paragraph.
    Paragraph,
    /// An item of a list.
    Item,
    /// Lines of code.
    Code,
}

/// A part of a text, and the page that it begins on, from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Kind of the item.
    pub kind: Kind,
    /// The page that it begins on, from 1.
    pub page: usize,
    /// Its text.
    pub text: String,
}

/// Text of a PDF.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The title that the file itself names; may be empty.
    pub title: String,
    /// Its parts, in the order in which they are read.
    pub parts: Vec<Part>,
    /// Part that was not read, for the user.
    pub unread: Option<String>,
}

/// Reads a PDF, in this process.
pub fn read_pdf(bytes: Vec<u8>) -> Result<Text, String> {
    let cut = !has_end(&bytes);
    let mut budget = Budget::of(bytes.len());
    let pdf = Pdf::new(bytes).map_err(describe_error)?;
    let title = read_title(pdf.metadata().title.as_deref().unwrap_or(&[]));
    let mut fonts = Fonts::default();
    let mut pages: Vec<Vec<Line>> = Vec::new();
    let (mut letters, mut unnamed, mut pictures, mut spent) = (0, 0, 0, false);
    for page in pdf.pages().iter().take(MOST_PAGES) {
        let Ok(shown) = glyphs::of_page(page, &mut fonts, &mut budget) else {
            spent = true;
            break;
        };
        letters += shown.glyphs.len();
        unnamed += shown.unnamed;
        pictures += usize::from(shown.pictures);
        pages.push(lines::build_lines(shown.glyphs));
    }
    if spent && pages.is_empty() {
        return Err("it asks for more work than a document does".to_owned());
    }
    if unnamed > letters {
        return Err("its fonts do not say which letters they show".to_owned());
    }
    if letters == 0 {
        return Err(match (pages.len(), pictures) {
            (0, _) => "a PDF without pages, or one that is damaged".to_owned(),
            (n, 0) => format!("a PDF of {n} pages without text"),
            (n, _) => format!("scanned: its {n} pages are pictures without text"),
        });
    }
    let read = pages.len();
    let parts = paragraphs::build_parts(pages.into_iter().map(order::order_lines).collect());
    let unread = match () {
        () if spent => Some(format!("read up to page {read}: it asks for more work than a document does")),
        () if pdf.pages().len() > MOST_PAGES => Some(format!("read up to page {MOST_PAGES}")),
        () if cut => Some(format!("cut off or damaged: {read} pages of it were read")),
        () => None,
    };
    Ok(Text { title, parts, unread })
}

/// Returns true if the file has the mark of its end.
fn has_end(bytes: &[u8]) -> bool {
    let tail = bytes.get(bytes.len().saturating_sub(2048)..).unwrap_or(bytes);
    tail.windows(5).any(|w| w == b"%%EOF")
}

fn describe_error(error: LoadPdfError) -> String {
    match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            "encrypted: it asks for a password".to_owned()
        }
        LoadPdfError::Decryption(_) => "encrypted in a way that is not known".to_owned(),
        LoadPdfError::Invalid => "no PDF, or one too damaged to be read".to_owned(),
    }
}

/// The title in a file's properties, where it is one: programs write the name of the file that they made it
/// from.
fn read_title(bytes: &[u8]) -> String {
    let text = match bytes {
        [0xfe, 0xff, rest @ ..] => {
            let units = rest.chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]]));
            char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect()
        }
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        bytes => bytes.iter().map(|&b| char::from(b)).collect::<String>(),
    };
    let text = one_line(&text.replace(char::is_control, " "));
    let lower = text.to_lowercase();
    let endings = [
        ".doc", ".docx", ".dvi", ".tex", ".indd", ".ps", ".pdf", ".odt", ".ppt", ".pptx", ".qxd", ".fm",
        ".rtf", ".txt", ".xls",
    ];
    let named = lower.starts_with("microsoft word - ") || endings.iter().any(|e| lower.ends_with(e));
    if named || ["untitled", "title", "document", "(unspecified)"].contains(&lower.as_str()) {
        String::new()
    } else {
        text
    }
}

#[cfg(test)]
mod tests;
