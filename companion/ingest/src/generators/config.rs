//! A generator's configuration, read for a few plain values. It may be a program: nothing is run, and what is
//! not a plain value is not known.

use std::io::Read;
use std::path::{Path, PathBuf};

/// Longer configurations are read up to here.
const LONGEST: u64 = 1 << 20;

/// A configuration that was found.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// The file's path in its project.
    pub name: String,
    /// Its text, without comments.
    pub text: String,
    /// The project's folder.
    pub project: PathBuf,
    /// Path in the project of the folder that is read, with a slash at its end; empty for the project's own.
    pub place: String,
}

impl Config {
    /// The file `name` of the folder `project`, where there is one.
    pub fn read(project: &Path, name: &str, folder: &Path) -> Option<Config> {
        let file = project.join(name);
        if !file.is_file() {
            return None;
        }
        let inside = folder.strip_prefix(project).ok()?;
        let mut place: String =
            inside.components().map(|c| format!("{}/", c.as_os_str().to_string_lossy())).collect();
        if place == "./" {
            place.clear();
        }
        Some(Config {
            name: name.to_owned(),
            text: without_comments(&text_of(&file)?),
            project: project.to_owned(),
            place,
        })
    }

    /// The text of another file of the project.
    pub fn beside(&self, name: &str) -> Option<String> {
        if self.project.as_os_str().is_empty() { None } else { text_of(&self.project.join(name)) }
    }

    /// The plain value of a key: `key: value`, `key = value`, with or without quotes.
    pub fn value(&self, key: &str) -> Option<&str> {
        find_value(&self.text, key)
    }

    /// The plain value of a key, or nothing.
    pub fn values(&self, key: &str) -> Vec<String> {
        self.value(key).map(str::to_owned).into_iter().collect()
    }

    /// The folder of pages below the one that is read, with a slash at its end, where the project has its
    /// pages in `folder`; empty if the project itself is not what is read, or if there is none.
    pub fn content_folder(&self, folder: &str) -> String {
        let folder = folder.trim_matches(['.', '/']);
        let is_whole = self.place.is_empty() && !self.project.as_os_str().is_empty();
        if is_whole && !folder.is_empty() { format!("{folder}/") } else { String::new() }
    }

    /// Returns true if a key has the value true.
    pub fn is_true(&self, key: &str) -> bool {
        self.value(key).is_some_and(|v| v.eq_ignore_ascii_case("true"))
    }

    /// Returns true if a key has the value false.
    pub fn is_false(&self, key: &str) -> bool {
        self.value(key).is_some_and(|v| v.eq_ignore_ascii_case("false"))
    }

    /// The texts of a list: in brackets, or of YAML, an item or a pattern a line.
    pub fn list(&self, key: &str) -> Vec<String> {
        list(&self.text, key)
    }

    /// The pairs of texts of an object that is written out: `key: { "a": "b" }`.
    pub fn pairs(&self, key: &str) -> Vec<(String, String)> {
        let Some(inner) =
            self.after(key).and_then(|rest| rest.trim_start().strip_prefix('{')?.split('}').next())
        else {
            return Vec::new();
        };
        let texts = texts(inner);
        texts.chunks_exact(2).filter_map(|pair| Some((pair.first()?.clone(), pair.get(1)?.clone()))).collect()
    }

    /// Returns the text after a key, to the end of the file.
    pub fn after(&self, key: &str) -> Option<&str> {
        after(&self.text, key)
    }
}

fn text_of(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(file).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Without lines that are comments and without comments behind white space.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut block = false;
    for line in text.lines() {
        let start = line.trim_start();
        let ends = start.contains("*/");
        if block || start.starts_with("/*") {
            block = !ends;
            continue;
        }
        if !(start.starts_with("//") || start.starts_with('#')) {
            let cut =
                [" //", "\t//", " # "].iter().filter_map(|mark| line.find(mark)).min().unwrap_or(line.len());
            out.push_str(line.get(..cut).unwrap_or(line));
        }
        out.push('\n');
    }
    out
}

/// Returns the text after a key and the mark that follows it.
pub(super) fn after<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut from = 0;
    while let Some(found) = text.get(from..)?.find(key) {
        let at = from + found;
        from = at + key.len();
        let before = text.get(..at)?.chars().next_back();
        let rest = text.get(from..)?.trim_start_matches(['"', '\'']).trim_start_matches([' ', '\t']);
        let whole = before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$')));
        if whole
            && let Some(value) = rest.strip_prefix([':', '=']).filter(|v| !v.starts_with(['=', ':', '>']))
        {
            return Some(value);
        }
    }
    None
}

pub(super) fn find_value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let line = after(text, key)?.lines().next()?.trim();
    let plain = match line.chars().next()? {
        quote @ ('"' | '\'' | '`') => line.get(1..)?.split(quote).next()?,
        _ => line.split([',', ';', '}']).next()?.trim(),
    };
    (!plain.is_empty()).then_some(plain)
}

/// All that stands in quotes.
fn texts(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut left = text;
    while let Some(at) = left.find(['"', '\'', '`']) {
        let Some(quote) = left.get(at..).and_then(|l| l.chars().next()) else { break };
        let Some((one, more)) = left.get(at + 1..).and_then(|l| l.split_once(quote)) else { break };
        out.push(one.to_owned());
        left = more;
    }
    out
}

pub(super) fn list(text: &str, key: &str) -> Vec<String> {
    let Some(rest) = after(text, key) else { return Vec::new() };
    let opened = rest.trim_start();
    if let Some(inner) = opened.strip_prefix('[') {
        let inner = inner.split(']').next().unwrap_or("");
        if !inner.contains(['"', '\'']) {
            return inner.split(',').map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned).collect();
        }
        return texts(inner);
    }
    // A list or a text of several lines in YAML: what is indented further than nothing, or begins with a
    // hyphen.
    let mut lines = rest.lines();
    let first = lines.next().unwrap_or("").trim();
    if !first.is_empty() && !first.starts_with(['|', '>']) {
        return vec![first.trim_matches(['"', '\'']).to_owned()];
    }
    let mut out = Vec::new();
    let mut column = None;
    for line in lines.filter(|l| !l.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        let item = line.trim().strip_prefix("- ").unwrap_or(line.trim());
        let column = *column.get_or_insert(indent);
        if indent < column || column == 0 && !line.trim_start().starts_with('-') {
            break;
        }
        if indent == column {
            out.push(item.trim().trim_matches(['"', '\'']).to_owned());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_values_are_found_in_every_language_of_configurations() {
        let of = |text: &str, key: &str| find_value(&without_comments(text), key).map(str::to_owned);
        assert_eq!(
            of("export default {\n  // cleanUrls: false\n  cleanUrls: true,\n}", "cleanUrls").as_deref(),
            Some("true")
        );
        assert_eq!(of("[book]\nsrc = \"text\" # where", "src").as_deref(), Some("text"));
        assert_eq!(of("use_directory_urls: false\n", "use_directory_urls").as_deref(), Some("false"));
        assert_eq!(of("a == b\nx_src = 1", "src"), None);
        assert_eq!(of("const base = process.env.BASE", "base").as_deref(), Some("process.env.BASE"));
    }

    #[test]
    fn lists_are_found_in_brackets_and_in_lines() {
        assert_eq!(list("exclude_patterns = [\"_build\",\n 'x/*']\n", "exclude_patterns"), ["_build", "x/*"]);
        assert_eq!(list("exclude:\n  - a\n  - b/c.md\nnext: 1\n", "exclude"), ["a", "b/c.md"]);
        assert_eq!(
            list("exclude_docs: |\n  drafts/\n  *.tmp\nsite: x\n", "exclude_docs"),
            ["drafts/", "*.tmp"]
        );
        assert_eq!(list("exclude:\n- a\n- b\nother:\n- c\n", "exclude"), ["a", "b"]);
        assert_eq!(list("x: [a, b]", "x"), ["a", "b"]);
        assert!(list("", "x").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_looked_through(text in "[a-c:=\\[\\]'\"|\n #/*é-]{0,60}") {
            let text = without_comments(&text);
            let _ = (find_value(&text, "a"), list(&text, "b"), after(&text, "c"));
        }
    }
}
