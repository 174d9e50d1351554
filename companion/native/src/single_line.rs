//! Text on one line, and the beginning of one.

pub use pocketgraph_text::one_line;

/// The longest beginning of at most `bytes` bytes that ends at a character.
pub fn cut_text(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// A text on one line, without control characters and those that change how others are shown.
pub fn make_visible(text: &str) -> String {
    let hidden = |c: char| {
        let spaces = matches!(c as u32, 0x200b..=0x200f | 0x2060..=0x2069 | 0xfeff);
        spaces || matches!(c as u32, 0x202a..=0x202e | 0xe0000..=0xe007f)
    };
    one_line(&text.replace(hidden, "").replace(char::is_control, " "))
}

/// Maximum number of files that a message names one by one: a site may have hundreds of one kind.
const NAMED: usize = 5;

/// The first few of some names, and how many there are beside them.
pub fn first_few<S: AsRef<str>>(names: &[S]) -> String {
    let few: Vec<&str> = names.iter().take(NAMED).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(NAMED) {
        0 => few.join(", "),
        more => format!("{} and {more} more", few.join(", ")),
    }
}
