//! Printing for people: foreign text as plain text.
//!
//! A title, a passage, a file's name or a model's reply may have characters that a terminal obeys: they move
//! the cursor, clear the screen, name the window, fill the clipboard, or reverse text. Here they become
//! visible. The macros `println!`, `print!`, `eprintln!` and `eprint!` of this crate are those below; only
//! JSON escapes itself.

use serde::Serialize;
use std::borrow::Cow;
use std::fmt::{Arguments, Write as _};

/// Text of several lines, in which everything that a terminal obeys is visible but tabs and the ends of
/// lines.
pub fn text(foreign: &str) -> Cow<'_, str> {
    show_marks(foreign, |c| c == '\n' || c == '\t')
}

/// Text on one line: the ends of lines are visible, too, so that it cannot add a line that seems to be the
/// program's.
pub fn line(foreign: &str) -> Cow<'_, str> {
    show_marks(foreign, |_| false)
}

/// Characters of C0, as the pictures that Unicode has for them; others that are obeyed by their numbers.
fn show_marks(foreign: &str, kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let obeyed = |c: char| is_obeyed(c) && !kept(c);
    if !foreign.contains(obeyed) {
        return Cow::Borrowed(foreign);
    }
    let mut out = String::with_capacity(foreign.len() + 16);
    for c in foreign.chars() {
        match c {
            c if !obeyed(c) => out.push(c),
            '\0'..='\u{1f}' => out.extend(char::from_u32(0x2400 + c as u32)),
            '\u{7f}' => out.push('␡'),
            c => _ = write!(out, "<U+{:04X}>", c as u32),
        }
    }
    Cow::Owned(out)
}

/// Returns true for control characters (C0, C1), line and paragraph ends, direction marks and invisible tags.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{206a}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}')
}

/// Prints a value as indented JSON. Escapes also DEL, C1 and direction marks, which JSON allows.
///
/// # Errors
/// When the value cannot be written as JSON.
pub fn print_json<T: Serialize + ?Sized>(value: &T) -> Result<(), serde_json::Error> {
    let plain = serde_json::to_string_pretty(value)?;
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        // JSON has none of these outside of strings, so an escape is always inside one.
        if is_obeyed(c) && c != '\n' {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    std::println!("{out}");
    Ok(())
}

/// For the macros.
#[doc(hidden)]
pub fn out(arguments: Arguments<'_>, end: &str) {
    std::print!("{}{end}", text(&arguments.to_string()));
}

/// For the macros.
#[doc(hidden)]
pub fn err(arguments: Arguments<'_>, end: &str) {
    std::eprint!("{}{end}", text(&arguments.to_string()));
}

/// Prints a line for people to standard output. What a terminal would obey becomes visible.
#[macro_export]
macro_rules! println {
    () => { $crate::terminal::out(::std::format_args!(""), "\n") };
    ($($reported:tt)*) => { $crate::terminal::out(::std::format_args!($($reported)*), "\n") };
}

/// Prints text for people to standard output. What a terminal would obey becomes visible.
#[macro_export]
macro_rules! print {
    ($($reported:tt)*) => { $crate::terminal::out(::std::format_args!($($reported)*), "") };
}

/// Prints a line for people to standard error. What a terminal would obey becomes visible.
#[macro_export]
macro_rules! eprintln {
    () => { $crate::terminal::err(::std::format_args!(""), "\n") };
    ($($reported:tt)*) => { $crate::terminal::err(::std::format_args!($($reported)*), "\n") };
}

/// Prints text for people to standard error. What a terminal would obey becomes visible.
#[macro_export]
macro_rules! eprint {
    ($($reported:tt)*) => { $crate::terminal::err(::std::format_args!($($reported)*), "") };
}

/// An error as it is shown: its own words, those of what caused it and its advice, foreign text in all of
/// them as text.
#[derive(Debug)]
pub struct SafeError {
    message: String,
    help: Option<String>,
    code: Option<String>,
    source: Option<Box<SafeError>>,
}

impl SafeError {
    /// From an error that the program ends with.
    pub fn of(error: &miette::Report) -> SafeError {
        let mut shown = SafeError::caused(error.as_ref());
        shown.help = error.help().map(|h| text(&h.to_string()).into_owned());
        shown.code = error.code().map(|c| text(&c.to_string()).into_owned());
        shown
    }

    fn caused(error: &(dyn std::error::Error + 'static)) -> SafeError {
        let message = text(&error.to_string()).into_owned();
        SafeError {
            message,
            help: None,
            code: None,
            source: error.source().map(|s| Box::new(SafeError::caused(s))),
        }
    }
}

impl std::fmt::Display for SafeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SafeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|s| s as &(dyn std::error::Error + 'static))
    }
}

impl miette::Diagnostic for SafeError {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.help.as_ref().map(|h| Box::new(h) as Box<dyn std::fmt::Display>)
    }

    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.code.as_ref().map(|c| Box::new(c) as Box<dyn std::fmt::Display>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OBEYED: &str =
        "a\u{1b}]0;title\u{7}\u{9b}2J\u{7f}\u{202e}b\u{2028}c\u{2067}d\r\u{85}e\u{200f}\u{e0041}";

    #[test]
    fn what_a_terminal_obeys_becomes_visible() {
        let shown = "a␛]0;title␇<U+009B>2J␡<U+202E>b<U+2028>c<U+2067>d␍<U+0085>e<U+200F><U+E0041>";
        assert_eq!((text(OBEYED), line(OBEYED)), (shown.into(), shown.into()));
        assert_eq!((text("a\n\tb"), line("a\n\tb")), ("a\n\tb".into(), "a␊␉b".into()));
    }

    #[test]
    fn text_of_every_script_and_joined_signs_stay_as_they_are() {
        for honest in
            ["", "Größe, 東京, שלום, مرحبا", "👩\u{200d}👩\u{200d}👧", "می\u{200c}خواهم", "a\u{a0}b"]
        {
            assert_eq!((text(honest), line(honest)), (honest.into(), honest.into()));
        }
    }

    #[test]
    fn an_error_is_shown_with_its_causes_and_its_advice() {
        let cause = std::io::Error::other(format!("no {OBEYED}"));
        let error = miette::Report::new(SafeError {
            message: format!("cannot {OBEYED}"),
            help: Some(OBEYED.into()),
            code: None,
            source: Some(Box::new(SafeError::caused(&cause))),
        });
        let report = format!("{:?}", miette::Report::new(SafeError::of(&error)));
        assert!(
            !report.replace('\n', "").contains(|c| is_obeyed(c) && c != '\u{1b}')
                && !report.contains("\u{1b}]"),
            "{report:?}"
        );
        // Long words are broken where the terminal is narrow.
        assert_eq!(report.matches("a␛]0;title␇").count(), 3, "{report}");
    }

    proptest! {
        #[test]
        fn nothing_obeyed_is_left_and_nothing_else_changes(foreign in "(.|\n|\u{1b}|\u{9d}|\u{202a}){0,60}") {
            prop_assert!(!line(&foreign).contains(is_obeyed));
            prop_assert!(!text(&foreign).contains(|c| is_obeyed(c) && c != '\n' && c != '\t'));
            if !foreign.contains(is_obeyed) {
                prop_assert_eq!(line(&foreign), foreign.as_str());
            }
        }
    }
}
