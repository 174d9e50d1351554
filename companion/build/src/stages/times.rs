//! Statements that hold for a time: those that others contradict or that name it, names that only some
//! versions of a page have, and the passages of pages that have a date or hold no longer.

use super::Stage;
use super::chunk::{Chunked, Origin};
use crate::outcome::BuildError;
use pocketgraph::bundle::{BETWEEN_PIECES, Chunk, ENDED, Form, Piece, Times};
use pocketgraph::retrieve::{path_of, version_of};
use pocketgraph::text::lexicon::{LANGUAGES, Language, SPOKEN, find_language};
use pocketgraph::text::{Word, capitalize, sentences, words};
use pocketgraph_ingest::SourceDocument;
use pocketgraph_native::progress::Progress;
use pocketgraph_publish::contradictions::{Passage, Statement, all_contradictions};
use pocketgraph_question::{Period, VERSIONS, cut_period, is_over, read_moment, read_release, write_moment};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Fields of front matter with the day that a page was written, the latest first.
const DATES: [&str; 5] = ["updated", "lastmod", "last_updated", "modified", "date"];
/// Most names that are listed as new in a version, and as removed.
const MOST_NAMES: usize = 200;

/// Finds statements that hold for a time.
pub struct DateStatements;

/// A statement with the time in which it holds.
#[derive(Default)]
struct Dated {
    /// Number of the thing that it is about; 0 if it is compared with no other.
    thing: u32,
    /// First moment at which it holds, and the first at which it holds no longer; 0 if nothing tells.
    moments: (u32, u32),
    /// Its chunk, and its start and end there.
    place: [usize; 3],
    label: String,
}

impl Dated {
    /// Adds the words for the end to those for the beginning, if there are any.
    fn add_to_label(&mut self, end: &str) {
        let joined = format!("{}, {}", self.label, end.to_lowercase());
        self.label = if self.label.is_empty() { end.to_owned() } else { joined };
    }
}

impl Stage<(&Chunked, &Origin)> for DateStatements {
    type Out = Times;
    const NAME: &'static str = "times";

    fn run(&self, (chunked, origin): (&Chunked, &Origin), _: &dyn Progress) -> Result<Times, BuildError> {
        let pages = Pages::read(chunked, origin);
        let mut dated = pages.date_contradictions();
        pages.date_sentences(&mut dated);
        pages.list_changed_names(&mut dated);
        pages.list_releases(&mut dated);
        pages.label_pages(&mut dated);
        let numbers = |d: &Dated| {
            let [chunk, start, end] = d.place.map(|n| n as u32);
            [chunk, start, end, d.moments.0, d.moments.1, d.thing]
        };
        let statements = dated.iter().flat_map(numbers).collect();
        Ok(Times { labels: dated.into_iter().map(|d| d.label).collect(), statements })
    }
}

/// The documents with what they say of their time.
struct Pages<'a> {
    chunked: &'a Chunked,
    sources: &'a [SourceDocument],
}

impl<'a> Pages<'a> {
    fn read(chunked: &'a Chunked, origin: &'a Origin) -> Pages<'a> {
        Pages { chunked, sources: if let Origin::Documents(all) = origin { all } else { &[] } }
    }

    fn field(&self, document: u32, name: &str) -> Option<&'a str> {
        let fields = &self.sources.get(document as usize)?.front_matter;
        fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the path of a document without its version, and the version: by its folder, or as it says
    /// itself.
    fn version(&self, document: u32) -> (String, &'a str) {
        let path = self.chunked.documents.get(document as usize).map_or("", |d| path_of(&d.url));
        let folder = version_of(path);
        let field = self.sources.get(document as usize).and_then(SourceDocument::version);
        let version = field.filter(|_| folder.is_empty()).unwrap_or(folder);
        (path.replacen(version, "", 1), version.trim_start_matches("version-").trim_start_matches('v'))
    }

    /// Words for a time in the language of a chunk's page, by their key in the table `time_labels`.
    fn label(&self, chunk: usize, key: &str, time: &str) -> String {
        let page =
            self.chunked.chunks.get(chunk).and_then(|c| self.chunked.documents.get(c.document as usize));
        let own = page.and_then(|page| find_language(&LANGUAGES, &page.language)?.time_labels().row(key));
        let row = own.or_else(|| SPOKEN.time_labels().row(key));
        row.map_or_else(String::new, |row| row.field(0).replace("{}", time))
    }

    /// Returns the moment from which the page of a chunk holds, and words for it.
    fn begin(&self, chunk: usize) -> (u32, String) {
        let document = self.chunked.chunks.get(chunk).map_or(u32::MAX, |c| c.document);
        let (_, version) = self.version(document);
        if let Some(from) = read_first(version, true) {
            return (from, self.label(chunk, "version", version));
        }
        let date = DATES.iter().find_map(|name| self.field(document, name));
        let date = date.and_then(|date| read_first(date.split('T').next()?, false));
        date.map_or_else(Default::default, |from| (from, self.label(chunk, "written", &write_moment(from))))
    }

    /// Finds statements that others contradict, by the thing that they are about, the earliest first.
    fn date_contradictions(&self) -> Vec<Dated> {
        let title = |document: u32| self.chunked.documents.get(document as usize).map(|d| d.title.as_str());
        let passages = self.chunked.chunks.iter().map(|chunk| Passage {
            headings: title(chunk.document)
                .into_iter()
                .chain(chunk.heading_path.iter().map(String::as_str))
                .collect(),
            text: &chunk.text,
        });
        let pairs = all_contradictions(&passages.collect::<Vec<_>>());
        let mut things: BTreeMap<(usize, usize), (u32, &Statement)> = BTreeMap::new();
        for (number, (a, b)) in (1..).zip(&pairs) {
            let places = [a, b].map(|s| (s.passage, s.span.start));
            let known =
                places.iter().filter_map(|p| things.get(p)).map(|thing| thing.0).min().unwrap_or(number);
            things.extend(places.into_iter().zip([(known, a), (known, b)]));
        }
        let mut dated: Vec<Dated> = things.into_values().map(|(thing, s)| self.date(thing, s)).collect();
        dated.sort_by_key(|d| (d.thing, d.moments.0, d.place));
        for i in (0..dated.len()).filter(|&i| dated[i].moments.1 == 0).collect::<Vec<_>>() {
            // A copy on a later page ends nothing.
            let follows = |next: &&Dated| {
                dated[i].moments.0 < next.moments.0 && self.text(&dated[i]) != self.text(next)
            };
            let next = dated[i + 1..].iter().take_while(|next| next.thing == dated[i].thing).find(follows);
            dated[i].moments.1 = next.map_or(0, |next| next.moments.0);
        }
        for d in dated.iter_mut().filter(|d| (1..VERSIONS).contains(&d.moments.1)) {
            let end = self.label(d.place[0], "until", &write_moment(d.moments.1));
            d.add_to_label(&end);
        }
        dated
    }

    fn text(&self, d: &Dated) -> Option<&str> {
        self.chunked.chunks.get(d.place[0])?.text.get(d.place[1]..d.place[2])
    }

    fn date(&self, thing: u32, s: &Statement) -> Dated {
        let (from, label) = match s.moments.0 {
            0 => self.begin(s.passage),
            from => (from, self.label(s.passage, "from", &write_moment(from))),
        };
        Dated { thing, moments: (from, s.moments.1), place: [s.passage, s.span.start, s.span.end], label }
    }

    /// Adds the sentences that name the time in which they hold, and that nothing contradicts.
    fn date_sentences(&self, dated: &mut Vec<Dated>) {
        let known: BTreeSet<[usize; 2]> = dated.iter().map(|d| [d.place[0], d.place[1]]).collect();
        for (i, chunk) in self.chunked.chunks.iter().enumerate() {
            for Range { start, end } in sentences(&chunk.text) {
                let (Period { moments, label }, _) = cut_period(&chunk.text[start..end]);
                if moments != (0, 0) && !known.contains(&[i, start]) {
                    dated.push(Dated { moments, place: [i, start, end], label, ..Dated::default() });
                }
            }
        }
    }

    /// Finds the names of options and sections that only the older or only the newer of two versions has.
    fn list_changed_names(&self, dated: &mut Vec<Dated>) {
        let mut versions: BTreeMap<u32, (&str, Vec<usize>)> = BTreeMap::new();
        let mut copies: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        for (i, chunk) in self.chunked.chunks.iter().enumerate() {
            let (path, version) = self.version(chunk.document);
            if let Some(moment) = read_first(version, true) {
                versions.entry(moment).or_insert((version, Vec::new())).1.push(i);
                copies.entry(path).or_default().insert(moment);
            }
        }
        // Folders that have no page in common are no versions of one documentation.
        let is_copied = |moment: &u32| copies.values().any(|c| c.len() > 1 && c.contains(moment));
        let versions: Vec<_> = versions.into_iter().filter(|(moment, _)| is_copied(moment)).collect();
        for pair in versions.windows(2) {
            let [(_, (_, old)), (moment, (version, new))] = pair else { continue };
            let (before, after) = (self.find_names(old), self.find_names(new));
            let mut list = |these: &Names<'_>, others: &Names<'_>, moments: (u32, u32), key: &str| {
                let only =
                    these.iter().filter(|(name, _)| !others.contains_key(*name)).map(|(_, place)| *place);
                let only: BTreeSet<[usize; 3]> = only.collect();
                dated.extend(only.into_iter().take(MOST_NAMES).map(|place| {
                    let label = self.label(place[0], key, version);
                    Dated { moments, place, label, ..Dated::default() }
                }));
            };
            list(&before, &after, (0, *moment), "removed");
            list(&after, &before, (*moment, 0), "added");
        }
    }

    /// Lists what stands below each version of pages that have headings for several, which is new in it.
    fn list_releases(&self, dated: &mut Vec<Dated>) {
        let mut releases: BTreeMap<u32, Vec<Dated>> = BTreeMap::new();
        for (i, chunk) in self.chunked.chunks.iter().enumerate() {
            let mut add = |version: Option<u32>, start: usize, end: usize| {
                let Some(from) = version.filter(|_| start < end) else { return };
                let release = Dated { moments: (from, 0), place: [i, start, end], ..Dated::default() };
                releases.entry(chunk.document).or_default().push(release);
            };
            let mut version = chunk.heading_path.iter().rev().find_map(|heading| read_release(heading));
            let mut start = 0;
            for heading in self.headings_in(i) {
                let next = chunk.text.get(heading.clone()).and_then(read_release);
                if next.is_some() {
                    add(version, start, heading.start.saturating_sub(BETWEEN_PIECES.len()));
                    (version, start) = (next, heading.end + BETWEEN_PIECES.len());
                }
            }
            add(version, start, chunk.text.len());
        }
        let is_log = |all: &Vec<Dated>| all.iter().any(|d| d.moments != all[0].moments);
        dated.extend(releases.into_values().filter(is_log).flatten());
    }

    /// Finds the headings in the text of a chunk: small sections share one, with their headings.
    fn headings_in(&self, chunk: usize) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let mut at = 0;
        let of_heading = move |piece: &Piece| {
            let span = at..at + piece.bytes as usize;
            at = span.end + BETWEEN_PIECES.len();
            (piece.form == Form::Heading).then_some(span)
        };
        self.chunked.layouts.get(chunk).into_iter().flatten().filter_map(of_heading)
    }

    /// Finds the names of options and sections in some chunks.
    fn find_names(&self, chunks: &[usize]) -> Names<'a> {
        let mut names = BTreeMap::new();
        for &i in chunks {
            let Some(chunk) = self.chunked.chunks.get(i) else { continue };
            let text = chunk.text.as_str();
            let line_at = |at: usize| {
                let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
                let line = text[at..].find('\n').map_or(text.len(), |n| at + n);
                let sentence = sentences(&text[start..line]).into_iter().find(|s| s.contains(&(at - start)));
                sentence.map_or([i, start, line], |s| [i, start + s.start, start + s.end])
            };
            if let Some(heading) = chunk.heading_path.last() {
                names.entry(heading.as_str()).or_insert_with(|| line_at(0));
            }
            for heading in self.headings_in(i) {
                let below = heading.end + BETWEEN_PIECES.len();
                if text.get(below..).is_some_and(|rest| !rest.is_empty()) {
                    names.entry(&text[heading]).or_insert_with(|| line_at(below));
                }
            }
            for (start, name) in find_options(text) {
                names.entry(name).or_insert_with(|| line_at(start));
            }
        }
        names
    }

    /// Labels the passages of pages that have a date or a version, or that say that they hold no longer, and in
    /// the latter whatever they state.
    fn label_pages(&self, dated: &mut Vec<Dated>) {
        let mut pages: BTreeMap<u32, (Option<String>, String)> = BTreeMap::new();
        let mut whole = Vec::new();
        for (i, chunk) in self.chunked.chunks.iter().enumerate() {
            let labels = || (self.end_of(chunk), self.begin(i).1);
            let (end, begin) = pages.entry(chunk.document).or_insert_with(labels);
            let (until, label) = end.as_ref().map_or((0, &*begin), |end| (ENDED, end));
            if !label.is_empty() {
                let place = [i, 0, chunk.text.len()];
                whole.push(Dated { place, moments: (0, until), label: label.clone(), ..Dated::default() });
            }
        }
        for d in dated.iter_mut() {
            let page = self.chunked.chunks.get(d.place[0]).and_then(|chunk| pages.get(&chunk.document));
            let Some(end) = page.and_then(|(end, _)| end.as_ref()) else { continue };
            d.label = if d.label.is_empty() { end.clone() } else { format!("{end}: {}", d.label) };
        }
        dated.extend(whole);
    }

    /// Returns the word by which a page says that it holds no longer: in its front matter, at either end of
    /// its title, or in its first sentence, which then points at it.
    fn end_of(&self, first: &Chunk) -> Option<String> {
        let fields = self.sources.get(first.document as usize).map_or(&[][..], |s| &s.front_matter);
        let field = fields.iter().find_map(|(key, value)| match (key.as_str(), value.as_str()) {
            ("status", word) | (word, "true") if is_over(word) => Some(word),
            _ => None,
        });
        let title =
            self.chunked.documents.get(first.document as usize).map_or(Vec::new(), |d| words(&d.title));
        let ends = [title.first(), title.last()].into_iter().flatten();
        let ends = ends.filter(|_| title.len() > 1).find(|w| is_over(w.text));
        let sentence =
            sentences(&first.text).into_iter().next().map_or(Vec::new(), |range| words(&first.text[range]));
        let points =
            sentence.first().is_some_and(|w| SPOKEN.determiners().has(&w.text.to_lowercase(), "page"));
        // "This page is archived", not "This page lists archived files".
        let is_stated = |pair: &&[Word<'_>]| {
            is_over(pair[1].text) && SPOKEN.auxiliaries().row(&pair[0].text.to_lowercase()).is_some()
        };
        let pointed = sentence.windows(2).filter(|_| points).find(is_stated).map(|pair| &pair[1]);
        let word = field.or_else(|| ends.or(pointed).map(|w| w.text))?;
        Some(capitalize(&word.to_lowercase()))
    }
}

/// Names of options and sections, each with the first place that has it: its chunk, and the start and end of
/// its sentence there.
type Names<'c> = BTreeMap<&'c str, [usize; 3]>;

/// Finds the names of options in a text, each with its place.
fn find_options(text: &str) -> Vec<(usize, &str)> {
    let is_mark = |c: char| !c.is_alphanumeric() && c != '-';
    let mut at = 0;
    let mut names = Vec::new();
    for token in text.split_inclusive(char::is_whitespace) {
        let start = at + token.len() - token.trim_start_matches(is_mark).len();
        names.push((start, token.trim_matches(is_mark)));
        at += token.len();
    }
    names.retain(|(_, name)| is_option(name));
    names
}

/// Returns true for the name of an option: `--quiet`, `max_size`, `output.html`.
fn is_option(name: &str) -> bool {
    let plain = name.strip_prefix("--").unwrap_or(name);
    let mut parts = plain.split(['-', '_', '.']);
    let written = |part: &str| part.len() > 1 && part.bytes().all(|b| b.is_ascii_lowercase());
    parts.all(written) && (plain.len() < name.len() || plain.contains(['_', '.']))
}

/// Reads the first moment of a date or a version.
fn read_first(text: &str, versioned: bool) -> Option<u32> {
    read_moment(text, &words(text), versioned).map(|(moments, _)| moments.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::{RecordedWarnings, read_in, words};
    use super::*;
    use crate::source::Source;
    use crate::stages::{Cut, Split};
    use std::path::Path;

    /// Returns the first moment and the label of each statement that is no whole page with a date.
    fn times(files: &[(&str, &str)]) -> Vec<(u32, String)> {
        all_times(files)
            .into_iter()
            .filter(|(s, _)| s[3..] != [0; 3])
            .map(|(s, label)| (s[3], label))
            .collect()
    }

    fn all_times(files: &[(&str, &str)]) -> Vec<([u32; 6], String)> {
        let (corpus, progress) = (read_in(files), RecordedWarnings::default());
        let split = Split { max_tokens: 200, count: &words };
        let Cut { chunked, origin, .. } =
            split.run(Source::Documents(Path::new("docs"), corpus), &progress).unwrap();
        let dated = DateStatements.run((&chunked, &origin), &progress).unwrap();
        dated.statements.as_chunks().0.iter().copied().zip(dated.labels).collect()
    }

    #[test]
    fn a_statement_holds_from_the_day_that_it_names_or_that_its_page_was_written() {
        let old = "---\ndate: 2023-04-01\n---\n# Quay\n\nA boat may lie at the quay for 14 days.\n";
        let new = "---\ndate: 2025-02-10\n---\n# Rules\n\nFrom 1 March 2025 a boat may lie at the quay for 21 \
            days.\n";
        let expected = [(20_230_401, "As of 2023-04-01, until 2025-03-01"), (20_250_301, "From 2025-03-01")];
        assert_eq!(
            times(&[("a.md", new), ("b.md", old)]),
            expected.map(|(from, label)| (from, label.to_owned()))
        );
    }

    #[test]
    fn folders_of_versions_order_what_their_pages_state() {
        let page =
            |port: u32| format!("# Server\n\nThe server listens on port {port} by default for requests.\n");
        let found = times(&[("v2/a.md", &page(9090)), ("v1/a.md", &page(8080))]);
        assert_eq!(found.iter().map(|f| f.1.as_str()).collect::<Vec<_>>(), ["Version 1", "Version 2"]);
    }

    #[test]
    fn a_copy_on_another_page_holds_as_long_as_what_it_says() {
        let page = |day: &str, n: u32| {
            format!("---\ndate: {day}\n---\n# Quay\n\nA boat may lie at the quay for {n} days.\n")
        };
        let pages = [
            ("a.md", page("2023-04-01", 14)),
            ("b.md", page("2024-04-01", 14)),
            ("c.md", page("2025-02-10", 21)),
        ];
        let found = times(&pages.each_ref().map(|(name, text)| (*name, text.as_str())));
        let labels =
            ["As of 2023-04-01, until 2025-02-10", "As of 2024-04-01, until 2025-02-10", "As of 2025-02-10"];
        assert_eq!(found.into_iter().map(|f| f.1).collect::<Vec<_>>(), labels);
    }

    #[test]
    fn a_page_of_html_has_the_day_that_its_head_names() {
        let page = |day: &str, days: u32| {
            let meta = format!("<meta property=\"article:modified_time\" content=\"{day}T08:00:00Z\">");
            format!(
                "<html><head>{meta}</head><body><h1>Quay</h1><p>Boats may lie at the quay for {days} \
                 days.</p>"
            )
        };
        let dated = times(&[("a.html", &page("2024-05-06", 14)), ("b.html", &page("2025-02-10", 21))]);
        assert_eq!(dated.iter().map(|d| d.0).collect::<Vec<_>>(), [20_240_506, 20_250_210]);
    }

    #[test]
    fn a_statement_ends_when_it_says_so() {
        let old = "# Quay\n\nUntil 1 March 2025 a boat may lie at the quay for 14 days.\n";
        let new = "# Rules\n\nA boat may lie at the quay for 21 days.\n";
        assert_eq!(
            times(&[("a.md", old), ("b.md", new)]),
            [(0, "Until 2025-03-01".to_owned()), (0, String::new())]
        );
    }

    #[test]
    fn what_a_page_says_that_holds_no_longer_has_a_label() {
        let text = "# Moorings\n\nA mooring costs 12 euros.\n";
        let field = |line: &str| format!("---\n{line}\n---\n{text}");
        for (page, label) in [
            (field("archived: true"), "Archived"),
            (field("status: deprecated"), "Deprecated"),
            ("# Moorings (obsolete)\n\nA mooring costs 12 euros.\n".to_owned(), "Obsolete"),
            ("# Moorings\n\nThis page is superseded by another.\n".to_owned(), "Superseded"),
        ] {
            assert_eq!(times(&[("a.md", &page)]), [(0, label.to_owned())], "{page}");
        }
        let other = "# Archived\n\nWe archived the old pages.\n".to_owned();
        let list = "# Moorings\n\nThis page lists the retired moorings.\n".to_owned();
        for page in [field("archived: false"), text.to_owned(), other, list] {
            assert!(times(&[("a.md", &page)]).is_empty(), "{page}");
        }
    }

    #[test]
    fn a_sentence_that_nothing_contradicts_holds_when_it_says() {
        let page =
            "# Flags\n\nThe flag fast is deprecated in 3.1. Since 2.0 it does nothing. It took 1.5 s.\n";
        let version = |major: u32, minor: u32| VERSIONS | major << 20 | minor << 10;
        let expected = [(0, "Deprecated in 3.1"), (version(2, 0), "Since 2.0")];
        assert_eq!(times(&[("a.md", page)]), expected.map(|(from, label)| (from, label.to_owned())));
    }

    #[test]
    fn passages_have_the_date_or_the_version_of_their_page() {
        let page = |day: &str| format!("---\n{day}\n---\n# Quay\n\nThe quay is of stone.\n");
        let (dated, plain) = (page("date: 2023-04-01"), page("by: Ann"));
        for (file, page, label) in [
            ("a.md", &dated, Some("As of 2023-04-01")),
            ("v2/a.md", &plain, Some("Version 2")),
            ("a.md", &plain, None),
        ] {
            let found = all_times(&[(file, page)]);
            assert_eq!(found.first().map(|(_, label)| &**label), label, "{file}: {page}");
            assert!(found.iter().all(|(s, _)| s[..2] == [0, 0] && s[3..] == [0; 3]), "{found:?}");
        }
    }

    #[test]
    fn options_that_a_version_adds_or_removes_are_listed() {
        let old = "# Server\n\nUse --quiet to print nothing.\n";
        let new = "# Server\n\nSet max_size to limit it.\n";
        let found = times(&[("v1/a.md", old), ("v2/a.md", new)]);
        let labels: Vec<&str> = found.iter().map(|f| f.1.as_str()).collect();
        assert_eq!(labels, ["Removed in version 2", "New in version 2"]);
        assert!(times(&[("v1/a.md", old), ("v2/b.md", new)]).is_empty(), "pages of different things");
    }

    #[test]
    fn the_changes_of_a_log_belong_to_the_version_above_them() {
        let log = "# Log\n\n## v2.0\n\nFaster.\n\n## v1.0\n\n### Added\n\nA lamp.\n";
        assert_eq!(
            times(&[("log.md", log)]).iter().map(|t| write_moment(t.0)).collect::<Vec<_>>(),
            ["2.0", "1.0"]
        );
        assert!(times(&[("a.md", "# A\n\n## v2.0\n\nFaster.\n")]).is_empty(), "one version is no log");
    }

    #[test]
    fn sections_that_share_a_passage_are_listed_each() {
        let section = |name: &str| format!("## {name}\n\nThe server can do this.\n\n");
        let page = |second| ["# Server\n\n", &section("Start"), &section(second), &section("Stop")].concat();
        let (old, new) = (page("Reload"), page("Watch"));
        let found = times(&[("v1/a.md", &old), ("v2/a.md", &new)]);
        let labels: Vec<&str> = found.iter().map(|f| f.1.as_str()).collect();
        assert_eq!(labels, ["Removed in version 2", "New in version 2"]);
    }

    #[test]
    fn labels_are_in_the_language_of_their_page() {
        let page =
            |option| format!("---\nlang: de\n---\n# Server\n\nDer Server kennt {option} als Schalter.\n");
        let found = times(&[("v1/a.md", &page("--leise")), ("v2/a.md", &page("--laut"))]);
        let labels: Vec<&str> = found.iter().map(|f| f.1.as_str()).collect();
        assert_eq!(labels, ["Entfernt in Version 2", "Neu in Version 2"]);
    }

    #[test]
    fn pages_without_contradictions_have_no_times() {
        assert!(
            times(&[("a.md", "# A\n\nA boat may lie here for 14 days."), ("b.md", "# B\n\nNo more.")])
                .is_empty()
        );
    }
}
