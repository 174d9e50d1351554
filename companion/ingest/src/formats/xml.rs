//! XML as office files and books hold it: elements by their local names, whatever prefix stands before them.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Reads a part of a file, element by element. An element without content begins and ends.
pub(crate) trait Visitor {
    fn start(&mut self, name: &str, element: &BytesStart<'_>);

    fn end(&mut self, name: &str);

    /// Text inside the element that began last, or behind one that ended.
    fn text(&mut self, text: &str);
}

pub(crate) fn walk_xml(text: &str, visitor: &mut impl Visitor) -> Result<(), String> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let local = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    loop {
        match reader.read_event().map_err(|e| format!("damaged: {e}"))? {
            Event::Start(e) => visitor.start(&local(e.local_name().as_ref()), &e),
            Event::Empty(e) => {
                let name = local(e.local_name().as_ref());
                visitor.start(&name, &e);
                visitor.end(&name);
            }
            Event::End(e) => visitor.end(&local(e.local_name().as_ref())),
            Event::Text(text) => visitor.text(&text.unescape().unwrap_or_default()),
            Event::CData(text) => visitor.text(&String::from_utf8_lossy(&text)),
            Event::Eof => return Ok(()),
            _ => {}
        }
        if super::stopwatch::is_over() {
            return Ok(());
        }
    }
}

/// The value of an attribute, by its local name.
pub(crate) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element
        .attributes()
        .with_checks(false)
        .flatten()
        .find(|a| a.key.local_name().as_ref() == name.as_bytes())?;
    found.unescape_value().ok().map(|v| v.into_owned())
}

/// The number that an attribute holds.
pub(crate) fn count(element: &BytesStart<'_>, name: &str) -> Option<usize> {
    attribute(element, name)?.trim().parse().ok()
}

/// Hands on each element with its local name. A text that is no XML ends early.
pub(crate) fn elements(text: &str, each: impl FnMut(&str, &BytesStart<'_>)) {
    struct Starts<F>(F);
    impl<F: FnMut(&str, &BytesStart<'_>)> Visitor for Starts<F> {
        fn start(&mut self, name: &str, element: &BytesStart<'_>) {
            (self.0)(name, element);
        }
        fn end(&mut self, _: &str) {}
        fn text(&mut self, _: &str) {}
    }
    // What was read up to a fault counts.
    let _ = walk_xml(text, &mut Starts(each));
}

/// The text of the first element of this name.
pub(crate) fn text_of(text: &str, name: &str) -> Option<String> {
    struct First<'n> {
        name: &'n str,
        inside: bool,
        found: Option<String>,
    }
    impl Visitor for First<'_> {
        fn start(&mut self, name: &str, _: &BytesStart<'_>) {
            self.inside = self.found.is_none() && name == self.name;
        }
        fn end(&mut self, _: &str) {
            self.inside = false;
        }
        fn text(&mut self, text: &str) {
            if self.inside {
                self.found.get_or_insert_default().push_str(text);
            }
        }
    }
    let mut first = First { name, inside: false, found: None };
    let _ = walk_xml(text, &mut first);
    first.found.map(|t| t.trim().to_owned()).filter(|t| !t.is_empty())
}
