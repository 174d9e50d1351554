//! Reads a user's own labelled questions, and finds the pages of a bundle that they name.

use super::records::{AnswersAre, DataError, answers_of, first, read_lines, text_lines, word};
use percent_encoding::percent_decode_str;
use pocketgraph::bundle::Document;
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// Names of fields and columns for pages.
const PAGES: [&str; 8] = ["page", "pages", "url", "urls", "path", "paths", "expected", "gold_page"];
const QUESTION: [&str; 2] = ["question", "query"];
const ANSWERS: [&str; 2] = ["answer", "answers"];
/// Separator of several pages or answers in one cell of a table.
const BETWEEN: char = '|';

/// A question with its author's expectations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// The line of the file, from 1.
    pub line: usize,
    /// The question.
    pub question: String,
    /// Expected pages: addresses or paths, with a fragment for a section.
    pub pages: Vec<String>,
    /// Expected answers, each with its alternative wordings.
    pub answers: Vec<Vec<String>>,
}

/// Reads labelled questions: JSON Lines if the first line begins with `{`, else CSV with a header. Each has a
/// `question`, and a `page` (or `url`, `path`, `expected`; several in a list, in CSV with `|` between), an
/// `answer`, or both.
///
/// # Errors
/// [`DataError`] with the malformed line, and for a file without questions.
pub fn read_labelled(path: &Path) -> Result<Vec<Labelled>, DataError> {
    let mut beginning = None;
    for line in text_lines(path)? {
        let line = line?.1;
        if !line.trim().is_empty() {
            beginning = Some(line);
            break;
        }
    }
    let all = match beginning {
        Some(line) if line.trim_start().starts_with('{') => of_json(path)?,
        Some(_) => of_table(path)?,
        None => Vec::new(),
    };
    if all.is_empty() {
        return Err(DataError::line(path, 1, "the file holds no questions"));
    }
    Ok(all)
}

fn of_json(path: &Path) -> Result<Vec<Labelled>, DataError> {
    let mut out = Vec::new();
    for (line, v) in read_lines(path)? {
        let question = first(&v, &QUESTION).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let pages = match first(&v, &PAGES) {
            Some(Value::Array(all)) => all.iter().filter_map(word).collect(),
            Some(one) => word(one).into_iter().collect(),
            None => Vec::new(),
        };
        out.push(check_line(
            path,
            Labelled { line, question, pages, answers: answers_of(&v, AnswersAre::Aliases) },
        )?);
    }
    Ok(out)
}

fn of_table(path: &Path) -> Result<Vec<Labelled>, DataError> {
    let io = |reason| DataError::Read { path: path.to_owned(), reason };
    let mut bytes = Vec::new();
    std::fs::File::open(path).map_err(io)?.read_to_end(&mut bytes).map_err(io)?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    // A record's position precedes the blank lines above it.
    let line_of = |p: Option<&csv::Position>| {
        let at = p.map_or(0, |p| usize::try_from(p.byte()).unwrap_or(0)).min(bytes.len());
        let blank = bytes.iter().skip(at).take_while(|b| matches!(b, b'\r' | b'\n')).count();
        bytes.iter().take(at + blank).filter(|b| **b == b'\n').count() + 1
    };
    let fault = |e: csv::Error| {
        DataError::line(path, line_of(e.position()), format!("not comma-separated values: {e}"))
    };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let heads: Vec<String> = reader.headers().map_err(fault)?.iter().map(str::to_lowercase).collect();
    let column = |names: &[&str]| heads.iter().position(|h| names.contains(&h.as_str()));
    let Some(question) = column(&QUESTION) else {
        let what = format!("no column is called question; there are: {}", heads.join(", "));
        return Err(DataError::line(path, 1, what));
    };
    let (page, answer) = (column(&PAGES), column(&ANSWERS));
    if page.is_none() && answer.is_none() {
        return Err(DataError::line(
            path,
            1,
            format!("no column is called page or answer; there are: {}", heads.join(", ")),
        ));
    }
    let mut out = Vec::new();
    for record in reader.records() {
        let record = record.map_err(fault)?;
        let several = |column: Option<usize>| -> Vec<String> {
            let cell = column.and_then(|c| record.get(c)).unwrap_or_default();
            cell.split(BETWEEN).map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect()
        };
        let answers = Some(several(answer)).filter(|a| !a.is_empty()).into_iter().collect();
        let question = record.get(question).unwrap_or_default().to_owned();
        out.push(check_line(
            path,
            Labelled { line: line_of(record.position()), question, pages: several(page), answers },
        )?);
    }
    Ok(out)
}

fn check_line(path: &Path, labelled: Labelled) -> Result<Labelled, DataError> {
    let bad = |what: &str| Err(DataError::line(path, labelled.line, what));
    if labelled.question.is_empty() {
        return bad("it has no question");
    }
    if labelled.pages.is_empty() && labelled.answers.is_empty() {
        return bad("it names neither the page that should be found nor the answer");
    }
    Ok(labelled)
}

/// Documents that an author's name for a page means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolvedPage {
    /// One document, with the fragment of a section if one is named.
    Document(u32, Option<String>),
    /// None, with the path of the document that has the most similar name.
    Unknown(Option<String>),
    /// Several, with the paths of some.
    Several(Vec<String>),
}

/// Finds documents by their authors' names for them.
pub struct Places<'a> {
    documents: &'a [Document],
    /// Names of each document, most exact first.
    names: Vec<[String; 2]>,
}

impl<'a> Places<'a> {
    /// Indexes the documents of a bundle.
    pub fn new(documents: &'a [Document]) -> Places<'a> {
        Places {
            documents,
            names: documents.iter().map(|d| [plain_name(&d.path), plain_name(&d.url)]).collect(),
        }
    }

    /// Resolves a name: a path in the source folder, or an address with or without its host, each with or
    /// without its ending. The end of a name is enough if only one document matches.
    pub fn resolve(&self, name: &str) -> ResolvedPage {
        let (page, fragment) = name
            .split_once('#')
            .map_or((name, None), |(page, fragment)| (page, Some(decode_percent(fragment))));
        let fragment = fragment.filter(|f| !f.is_empty());
        let given = page.trim();
        let exactly = |d: &Document| d.path == given || d.url == given;
        if let Some(at) = self.documents.iter().position(exactly) {
            return ResolvedPage::Document(at as u32, fragment);
        }
        let wanted = plain_name(given);
        let ends = |long: &str, short: &str| {
            short.is_empty() || long.strip_suffix(short).is_some_and(|before| before.ends_with('/'))
        };
        let same = |names: &[String; 2]| names.contains(&wanted);
        // The home page's name is empty here, so that no end matches it.
        let alike = |names: &[String; 2]| {
            !wanted.is_empty()
                && names.iter().any(|n| !n.is_empty() && (ends(n, &wanted) || ends(&wanted, n)))
        };
        let of = |agrees: &dyn Fn(&[String; 2]) -> bool| {
            self.names
                .iter()
                .enumerate()
                .filter(|(_, names)| agrees(names))
                .map(|(i, _)| i)
                .collect::<Vec<_>>()
        };
        let found = Some(of(&same)).filter(|f| !f.is_empty()).unwrap_or_else(|| of(&alike));
        // Ready chunks are documents of their own; those of one address are one page.
        let address = |at: usize| self.documents.get(at).map(|d| &d.url).filter(|url| !url.is_empty());
        match found.as_slice() {
            [one, others @ ..]
                if others
                    .iter()
                    .all(|&other| address(other).is_some_and(|url| address(*one) == Some(url))) =>
            {
                ResolvedPage::Document(*one as u32, fragment)
            }
            [] => ResolvedPage::Unknown(self.nearest(&wanted)),
            many => ResolvedPage::Several(
                many.iter().take(3).filter_map(|&i| self.documents.get(i)).map(|d| d.path.clone()).collect(),
            ),
        }
    }

    /// Returns the path of the document with the most similar name.
    fn nearest(&self, wanted: &str) -> Option<String> {
        let likeness =
            |names: &[String; 2]| names.iter().map(|n| strsim::jaro_winkler(n, wanted)).fold(0.0, f64::max);
        let best = self
            .names
            .iter()
            .map(likeness)
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        best.filter(|b| b.1 > 0.75).and_then(|(i, _)| self.documents.get(i)).map(|d| d.path.clone())
    }
}

fn decode_percent(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Reduces a path or address to its path without outer slashes, `index` and extension.
fn plain_name(name: &str) -> String {
    let name = name.split(['#', '?']).next().unwrap_or_default();
    let path = match name.split_once("://") {
        Some((_, rest)) => rest.split_once('/').unwrap_or_default().1,
        None => name,
    };
    let path = decode_percent(path);
    let path = path.trim_start_matches("./").trim_matches('/');
    let path =
        [".html", ".htm", ".md", ".markdown"].iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    let path = if matches!(path, "index" | "_index" | "README") { "" } else { path };
    let path = path.strip_suffix("/index").or(path.strip_suffix("/_index")).unwrap_or(path);
    path.to_lowercase()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Vec<Labelled>, DataError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("questions");
        std::fs::write(&path, text).unwrap();
        read_labelled(&path)
    }

    fn error_text(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn json_lines_and_tables_say_the_same() {
        let json = read(
            "\u{feff}\n{\"question\":\"a?\",\"page\":\"x.md\"}\n\n{\"query\":\"b, \
             c?\",\"urls\":[\"/y/\",\"z.html#s\"],\"answer\":\"42\"}\n",
        );
        let table = read("\u{feff}Question,Answer,Page\na?,,x.md\n\n\"b, c?\",42,/y/ | z.html#s\n").unwrap();
        assert_eq!(json.unwrap(), table);
        assert_eq!((table[1].line, table[1].pages.len(), table[1].answers.len()), (4, 2, 1));
        assert_eq!((table[0].pages.as_slice(), table[0].answers.len()), (&["x.md".to_owned()][..], 0));
    }

    #[test]
    fn what_is_malformed_is_reported_with_its_line() {
        assert!(
            error_text("{\"question\":\"a\",\"page\":\"x\"}\n{\"question\":").contains("line 2: not JSON")
        );
        assert!(
            error_text("{\"question\":\"a\",\"page\":\"x\"}\n\n{\"question\":\"b\"}")
                .contains("line 3: it names neither the page")
        );
        assert!(error_text("{\"qestion\":\"a\",\"page\":\"x\"}").contains("line 1: it has no question"));
        assert!(
            error_text("ask,page\na,b\n")
                .contains("line 1: no column is called question; there are: ask, page")
        );
        assert!(error_text("question,where\na,b\n").contains("no column is called page or answer"));
        assert!(error_text("question,page\na,b\nc,d,e\n").contains("line 3: not comma-separated values"));
        assert!(error_text("question,page\na,b\n,d\n").contains("line 3: it has no question"));
        assert!(
            error_text("\n\n").contains("holds no questions")
                && error_text("question,page\n").contains("holds no questions")
        );
        assert!(read_labelled(Path::new("/absent")).unwrap_err().to_string().contains("cannot read"));
    }

    fn documents() -> Vec<Document> {
        let of = |path: &str, url: &str| Document {
            title: path.to_owned(),
            url: url.to_owned(),
            path: path.to_owned(),
            language: String::new(),
        };
        vec![
            of("guide/install.md", "https://example.org/docs/guide/install.html"),
            of("api/install.md", "https://example.org/docs/api/install.html"),
            of("index.md", "https://example.org/docs/index.html"),
            of("guide/Über uns.md", "https://example.org/docs/guide/%C3%9Cber%20uns.html"),
        ]
    }

    #[test]
    fn a_page_is_found_by_path_address_or_the_end_of_either() {
        let documents = documents();
        let places = Places::new(&documents);
        let all = [
            "guide/install.md",
            "/guide/install/",
            "guide/install",
            "./guide/install.html",
            "https://example.org/docs/guide/install.html?x=1",
            "http://localhost:8000/docs/guide/install",
        ];
        for name in all {
            assert_eq!(places.resolve(name), ResolvedPage::Document(0, None), "{name}");
        }
        assert_eq!(
            places.resolve("guide/install#first%20steps"),
            ResolvedPage::Document(0, Some("first steps".to_owned()))
        );
        assert_eq!(places.resolve("guide/über uns"), ResolvedPage::Document(3, None));
        assert_eq!(places.resolve("index.md"), ResolvedPage::Document(2, None));
        assert_eq!(
            places.resolve("install"),
            ResolvedPage::Several(vec!["guide/install.md".to_owned(), "api/install.md".to_owned()])
        );
        assert_eq!(
            places.resolve("guide/instal"),
            ResolvedPage::Unknown(Some("guide/install.md".to_owned()))
        );
        assert_eq!(places.resolve("zzz"), ResolvedPage::Unknown(None));
        assert_eq!(Places::new(&[]).resolve("a"), ResolvedPage::Unknown(None));
    }

    #[test]
    fn chunks_of_one_address_are_one_page() {
        let chunk = |id: &str, url: &str| Document {
            title: id.to_owned(),
            url: url.to_owned(),
            path: id.to_owned(),
            language: String::new(),
        };
        let documents = [
            chunk("0", "docs/a.md"),
            chunk("1", "docs/b.md"),
            chunk("2", "docs/b.md"),
            chunk("3", ""),
            chunk("x/3", ""),
        ];
        let places = Places::new(&documents);
        assert_eq!(places.resolve("b.md"), ResolvedPage::Document(1, None));
        assert_eq!(
            places.resolve("y/x/3"),
            ResolvedPage::Several(vec!["3".to_owned(), "x/3".to_owned()]),
            "no address is not one page"
        );
    }

    proptest! {
        #[test]
        fn no_file_and_no_name_makes_it_panic(text in "(\\{|\\}|\"|question|page|answer|:|,|\\||\n|a|é|#|%|/\
            |\u{feff}){0,40}") {
            let _ = read(&text);
            let documents = documents();
            let _ = Places::new(&documents).resolve(&text);
        }
    }
}
