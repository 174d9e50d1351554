//! Text as HTML shows it.

/// Returns a text as HTML shows it, also between quotes.
pub fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    write_escaped(&mut out, text);
    out
}

/// Appends a text as HTML shows it, also between quotes.
pub fn write_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}
