//! A question's picture as SVG: AutoKG's figures 2 and 3 (Chen and Bertozzi, arXiv 2311.14740). The question stands in the middle, the keywords
//! near it on an inner ring, those adjacent to them on an outer one, and the chunks outside.
//!
//! The same result gives the same bytes. Labels never lie on each other; long ones are cut, and say the whole on hovering.

mod layout;
mod measure;
mod svg;

pub use layout::{Placed, Spot, place};
pub use svg::svg;

/// Makes a text fit to stand in XML: marks escaped, characters that XML does not know left out.
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
