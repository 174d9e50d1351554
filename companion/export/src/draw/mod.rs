//! Draws a question's picture as SVG, as in AutoKG's figures 2 and 3 (Chen and Bertozzi, arXiv 2311.14740):
//! the question in the centre, near keywords on an inner ring, adjacent ones on an outer ring, chunks
//! outside.
//!
//! The same result gives the same bytes. Labels never overlap; long ones are cut, with the whole on hovering.

mod layout;
mod measure;
mod svg;

pub use layout::{Placed, Spot, place};
pub use svg::svg;

/// Escapes a text for XML and removes characters that XML does not allow.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if (c as u32) < 0x20 || matches!(c, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
