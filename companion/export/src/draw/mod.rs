//! Draws a question's picture as SVG, as in AutoKG's figures 2 and 3 (Chen and Bertozzi, arXiv 2311.14740):
//! the question in the centre, near keywords on an inner ring, adjacent ones on an outer ring, chunks
//! outside.
//!
//! The same result gives the same bytes. Labels never overlap; long ones are cut, with the whole on hovering.

mod layout;
mod measure;
mod svg;

pub use layout::{Placed, Spot, place_nodes};
pub use svg::write_svg;

/// Escapes a text for XML and removes characters that XML does not allow.
pub(crate) fn escape_xml(text: &str) -> String {
    let is_lost = |c: char| (c as u32) < 0x20 || matches!(c, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    let kept = text.replace(['\t', '\n', '\r'], " ").replace(is_lost, "");
    pocketgraph_native::html::escape_html(&kept).replace('\'', "&#39;")
}
