//! A formula in MathML as one line of source: its TeX where that is with it, else its characters with marks
//! for powers, indices and fractions.

use super::html_tokens::Attributes;

/// Bytes of a formula that are kept.
const LONGEST: usize = 4096;

/// Elements inside elements that are heeded.
const DEEPEST: usize = 256;

/// An element of a formula that is open.
struct Open {
    name: String,
    children: usize,
    /// Byte at which its text begins.
    from: usize,
}

/// A formula, as its tags and text go by.
#[derive(Default)]
pub(crate) struct Formula {
    open: Vec<Open>,
    linear: String,
    tex: String,
    /// Its text in the attribute `alttext`.
    alternative: String,
    /// The annotation that is open, and whether it is TeX.
    annotation: Option<bool>,
}

impl Formula {
    /// Begins the formula of a `<math>` element.
    pub fn new(attributes: &Attributes<'_>) -> Formula {
        Formula {
            alternative: attributes.get("alttext").unwrap_or_default().into_owned(),
            ..Formula::default()
        }
    }

    /// Takes a start tag inside the formula.
    pub fn start(&mut self, name: &str, attributes: &Attributes<'_>, closed: bool) {
        let name = name.to_ascii_lowercase();
        if name.starts_with("annotation") {
            self.annotation =
                Some(attributes.get("encoding").is_some_and(|e| e.to_ascii_lowercase().contains("tex")))
                    .filter(|_| !closed);
            return;
        }
        if self.annotation.is_some() || closed || self.open.len() >= DEEPEST || self.linear.len() > LONGEST {
            return;
        }
        if let Some(parent) = self.open.last_mut() {
            parent.children += 1;
            let sign = match (parent.name.as_str(), parent.children) {
                ("mfrac", 2) => "/",
                ("msup" | "mover", 2) | ("msubsup" | "munderover", 3) => "^",
                ("msub" | "munder", 2) | ("msubsup" | "munderover", 2) => "_",
                ("mtable", 2..) => "; ",
                ("mtr", 2..) => " ",
                _ => "",
            };
            self.linear.push_str(sign);
        }
        if matches!(name.as_str(), "msqrt" | "mroot") {
            self.linear.push('√');
        }
        self.open.push(Open { name, children: 0, from: self.linear.len() });
    }

    /// Takes an end tag; whether it is the formula's own.
    pub fn end(&mut self, name: &str) -> bool {
        if name.eq_ignore_ascii_case("math") {
            return true;
        }
        if name.to_ascii_lowercase().starts_with("annotation") {
            self.annotation = None;
        } else if let Some(at) = self.open.iter().rposition(|o| o.name.eq_ignore_ascii_case(name)) {
            let Some(from) = self.open.get(at).map(|o| o.from) else { return false };
            self.open.truncate(at);
            let parted = self
                .open
                .last()
                .is_some_and(|o| matches!(o.name.as_str(), "mfrac" | "msup" | "msub" | "msubsup"))
                || name == "msqrt";
            let text = self.linear.get(from..).unwrap_or("");
            if parted && text.chars().nth(1).is_some() && !text.chars().all(char::is_alphanumeric) {
                self.linear.insert(from, '(');
                self.linear.push(')');
            }
        }
        false
    }

    /// Takes text inside the formula.
    pub fn text(&mut self, text: &str) {
        let out = match self.annotation {
            Some(true) => &mut self.tex,
            Some(false) => return,
            None => &mut self.linear,
        };
        if out.len() + text.len() > LONGEST {
            return;
        }
        if self.annotation.is_some() {
            out.push_str(text);
        } else {
            // Signs that are not seen, for functions and products.
            out.extend(text.trim().chars().filter(|c| !matches!(c, '\u{2061}'..='\u{2064}')));
        }
    }

    /// Returns the formula's source.
    pub fn source(&self) -> &str {
        let tex = self.tex.trim();
        let given = if tex.is_empty() { self.alternative.trim() } else { tex };
        match given.strip_prefix("{\\displaystyle").and_then(|g| g.strip_suffix('}')) {
            Some(inner) => inner.trim(),
            None if given.is_empty() => self.linear.trim(),
            None => given,
        }
    }
}
