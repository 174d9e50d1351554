//! Layouts of chunks' texts: their paragraphs, list items, terms, code and tables.
//!
//! A chunk's text is plain: its blocks follow each other without marks, with a blank line between them. An
//! answer quotes such a block in its context, so the section `layout` states the form of each. Readers guess
//! the forms in a bundle without it.

use super::codec::{Bytes, Kind, begin_section, open_section, put_text, put_varint, take_text};
use super::error::BundleError;

/// Separator of two pieces of a chunk's text.
pub const BETWEEN_PIECES: &str = "\n\n";

/// Number of chunks on a page of layouts.
pub const LAYOUTS_PER_PAGE: usize = 2048;

/// Form of a piece of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Form {
    /// Running text.
    Text = 0,
    /// Heading in the text, if its section shares the chunk with another.
    Heading = 1,
    /// List item, or one paragraph of it; also the definition in a definition list.
    Item = 2,
    /// A term of a list of definitions.
    Term = 3,
    /// Code; lines and indentation are kept.
    Code = 4,
    /// Rows of a table: a line a row, cells joined by ` | `.
    Table = 5,
    /// A quotation.
    Quote = 6,
}

const FORMS: [Form; 7] =
    [Form::Text, Form::Heading, Form::Item, Form::Term, Form::Code, Form::Table, Form::Quote];
/// Flag in the byte of a form that has a note.
const NOTED: u8 = 0x80;

/// A piece of a chunk's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Form of the piece.
    pub form: Form,
    /// Its length in bytes.
    pub bytes: u32,
    /// Language of code or number of an item, as in the source; mostly empty.
    pub note: String,
}

/// Pieces of a chunk in order, separated by [`BETWEEN_PIECES`]; empty if they are unknown.
pub type Layout = Vec<Piece>;

/// Encodes a page of layouts, one a chunk.
pub fn encode_layouts(layouts: &[Layout]) -> Vec<u8> {
    let mut out = begin_section(Kind::Layouts);
    put_varint(&mut out, layouts.len() as u32);
    for layout in layouts {
        put_varint(&mut out, layout.len() as u32);
        for piece in layout {
            out.push(piece.form as u8 | if piece.note.is_empty() { 0 } else { NOTED });
            put_varint(&mut out, piece.bytes);
            if !piece.note.is_empty() {
                put_text(&mut out, &piece.note);
            }
        }
    }
    out
}

/// Reads the output of [`encode_layouts`]. Fails if the bytes are not such a page.
pub fn decode_layouts(file: &str, bytes: &[u8]) -> Result<Vec<Layout>, BundleError> {
    let mut b = open_section(file, bytes, Kind::Layouts)?;
    let chunks = b.count(1)?;
    let mut out = Vec::with_capacity(chunks);
    for _ in 0..chunks {
        let pieces = b.count(2)?;
        let mut layout = Vec::with_capacity(pieces);
        for _ in 0..pieces {
            layout.push(take_piece(&mut b)?);
        }
        out.push(layout);
    }
    b.end().map(|()| out)
}

fn take_piece(b: &mut Bytes<'_>) -> Result<Piece, BundleError> {
    let byte = b.take(1)?.first().copied().unwrap_or(0);
    let form = FORMS
        .get(usize::from(byte & !NOTED))
        .copied()
        .ok_or_else(|| b.corrupt("it has a form that there is not"))?;
    let bytes = b.varint()?;
    let note = if byte & NOTED == 0 { String::new() } else { take_text(b)? };
    Ok(Piece { form, bytes, note })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn layouts_read_back_and_hostile_bytes_are_refused(
            forms in prop::collection::vec(
                prop::collection::vec((0usize..7, any::<u32>(), "[a-z]{0,4}"), 0..5),
                0..5,
            ),
            hostile in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let layouts: Vec<Layout> = forms
                .into_iter()
                .map(|l| {
                    l.into_iter().map(|(f, bytes, note)| Piece { form: FORMS[f], bytes, note }).collect()
                })
                .collect();
            let mut bytes = encode_layouts(&layouts);
            prop_assert_eq!(decode_layouts("t", &bytes).unwrap(), layouts);
            bytes.push(0);
            prop_assert!(decode_layouts("t", &bytes).is_err());
            let _ = decode_layouts("t", &[begin_section(Kind::Layouts), hostile].concat());
        }
    }
}
