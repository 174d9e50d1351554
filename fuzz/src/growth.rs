//! Checks that readers take time and memory in step with what they read: each element of each format
//! (elements.txt), repeated in thirty forms, at one size and at larger ones.

use crate::attempt::NUMBER;
use crate::memory;
use crate::mutate::Random;
use crate::runner::processor_time;
use crate::targets::{page_of_pdf, zipped};
use pocketgraph_ingest::chunk::split_document;
use pocketgraph_ingest::{IngestOptions, ingest, ingest_bytes};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Maximum growth of time and memory for input of four times the size.
const MOST_TIMES: u32 = 5;
/// The same at the next larger size, if the smaller text was quicker than that. Caches that overflow and the
/// allocator account for a little over six there, on some processors; quadratic reading takes sixteen.
const MOST_TIMES_NEXT: u32 = 7;

/// Time below which no comparison is made.
const NOISE: Duration = Duration::from_millis(100);
const SMALL: usize = 8 << 20;

/// Memory that reading may take of the 700 MB in which a file of a megabyte builds.
const MOST_MEMORY: usize = 500 << 20;

/// Bytes that a passage takes in a bundle besides its text, and bytes that a file may add to it: so many
/// times its size and a megabyte.
const PASSAGE: usize = 512;
const BUNDLE_TIMES: usize = 20;

const FORMS: usize = 30;

const SIZES: [usize; 3] = [32 << 10, 128 << 10, 512 << 10];

/// Forms that are tried at larger sizes in the end: the element again and again, nested, and with names of
/// its own.
const LARGE_FORMS: usize = 3;
const LARGE_SIZES: [usize; 2] = [512 << 10, 2 << 20];

/// An element of a format; its halves are nested if it has two.
struct Element {
    /// Name of the file, and true below if a second file, which the first includes, has the same text.
    file: &'static str,
    is_brought_in: bool,
    top: String,
    end: String,
    halves: (String, String),
}

struct Taken {
    time: Duration,
    memory: usize,
    /// The reader's own bound was reached.
    is_dropped: bool,
    /// Its passages fill more of the bundle than they may.
    is_filling: bool,
}

impl Taken {
    /// Compares with what a quarter of the text takes: at most `most` times as much.
    fn is_in_step_with(&self, before: &Taken, most: u32) -> bool {
        let time = self.time < NOISE || self.time < before.time.max(NOISE / most) * most;
        let memory =
            self.memory < SMALL || self.memory < before.memory.max(SMALL / most as usize) * most as usize;
        time && memory
    }
}

/// Tries all elements in one form after the other from the one of this number on, until the time is over,
/// though in the first in any case. Returns the number of inputs, and what grows faster than its input.
pub fn run(time: Duration, first: usize) -> (usize, Vec<String>) {
    let elements = read_elements();
    let (mut inputs, mut findings) = (0, Vec::new());
    let began = Instant::now();
    let rounds = (0..FORMS)
        .map(|form| (form, &SIZES[..]))
        .chain((0..LARGE_FORMS).map(|form| (form, &LARGE_SIZES[..])));
    let first = first.saturating_sub(1) % (FORMS + LARGE_FORMS);
    for (round, (form, sizes)) in
        rounds.enumerate().skip(first).take_while(|(round, _)| *round == first || began.elapsed() < time)
    {
        eprintln!("growth, round {} of {}", round + 1, FORMS + LARGE_FORMS);
        for (at, element) in elements.iter().enumerate() {
            inputs += 1;
            NUMBER.store(inputs as u64, Relaxed);
            if let Some(finding) =
                is_growing(element, sizes, |bytes| element.text(form, bytes, &elements, at))
            {
                let finding = format!("{} {:?}, form {form}: {finding}", element.file, element.halves);
                eprintln!("FINDING growth: {finding}");
                findings.push(finding);
            }
        }
    }
    NUMBER.store(0, Relaxed);
    (inputs, findings)
}

fn read_elements() -> Vec<Element> {
    let parted = |text: &str| {
        let (before, after) = text.split_once('¦').unwrap_or((text, ""));
        (unescape_text(before), unescape_text(after))
    };
    let mut out = Vec::new();
    let (mut file, mut is_brought_in, mut around) = ("", false, (String::new(), String::new()));
    for line in include_str!("../elements.txt").lines().filter(|l| !l.starts_with('%')) {
        if let Some(format) = line.strip_prefix("@ ") {
            let (name, rest) = format.split_once(' ').unwrap_or((format, ""));
            file = name;
            is_brought_in = rest.starts_with("+ ");
            around = parted(rest.strip_prefix("+ ").unwrap_or(rest));
        } else if !line.is_empty() {
            let (top, end) = around.clone();
            out.push(Element { file, is_brought_in, top, end, halves: parted(line) });
        }
    }
    out
}

fn unescape_text(text: &str) -> String {
    text.replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace('\0', "\\")
}

impl Element {
    fn whole(&self) -> String {
        format!("{}{}", self.halves.0, self.halves.1)
    }

    /// Returns a document of `bytes` bytes in one of the forms.
    fn text(&self, form: usize, bytes: usize, all: &[Element], at: usize) -> String {
        let (before, after) = (&self.halves.0, &self.halves.1);
        let whole = self.whole();
        let cut = |text: &str, from: usize, less: usize| {
            text.chars().skip(from).take(text.chars().count().saturating_sub(from + less)).collect::<String>()
        };
        let middle = match form {
            0 => fill_part(&whole, bytes),
            1 => {
                let times = bytes / whole.len();
                format!("{}a{}", before.repeat(times), after.repeat(times))
            }
            2 => number_parts(&whole, bytes),
            3 => fill_part(&format!("{whole}\n"), bytes),
            4 => fill_part(&format!("{whole}\n\n"), bytes),
            5 => fill_part(&format!("{whole} "), bytes),
            6 => fill_part(&format!("{whole}a"), bytes),
            7 => fill_part(before, bytes),
            8 => fill_part(after, bytes),
            9 => fill_part(&cut(&whole, 0, 1), bytes),
            10 => fill_part(&cut(&whole, 1, 0), bytes),
            11 => step_parts(&whole, bytes),
            // A long word, long blanks and many lines inside one element, and between two of them.
            12 => format!("{before}{}{after}", "a".repeat(bytes)),
            13 => format!("{before}{}{after}", " ".repeat(bytes)),
            14 => format!("{before}{}{after}", "a\n".repeat(bytes / 2)),
            15 => format!("{whole}{}{whole}", "\n".repeat(bytes)),
            // As many of the element as each of them is long.
            16 => {
                let side = bytes.isqrt();
                fill_part(&format!("{before}{}{after}\n", "a ".repeat(side / 2)), bytes)
            }
            17 => format!("{}{}", number_parts(before, bytes / 2), number_parts(after, bytes / 2)),
            18 => {
                let nested = number_parts(before, bytes / 2);
                format!("{nested}{}", fill_part(after, bytes / 2))
            }
            _ => {
                let others: Vec<&Element> =
                    all.iter().filter(|e| e.file == self.file && e.top == self.top).collect();
                let mut random = Random::new((at * FORMS + form) as u64);
                let other = random.one(&others).whole();
                match form % 3 {
                    0 => fill_part(&format!("{whole}{other}"), bytes),
                    1 => format!("{}{}", fill_part(&whole, bytes / 2), fill_part(&other, bytes / 2)),
                    _ => number_parts(&format!("{before}{other}{after}"), bytes),
                }
            }
        };
        format!("{}{middle}{}", self.top, self.end)
    }

    /// Measures how a text is read as a document of this format.
    fn measure(&self, text: &str) -> Taken {
        let held = memory::begin();
        let began = processor_time();
        let (skipped, is_filling) = self.read(text);
        Taken {
            is_filling,
            time: processor_time().saturating_sub(began),
            memory: memory::peak(held),
            is_dropped: skipped.iter().any(|reason| reason.contains("more time")),
        }
    }

    /// Reads a text. Returns the reasons for what was not read, and true if its passages take more than they
    /// may.
    fn read(&self, text: &str) -> (Vec<String>, bool) {
        let options = IngestOptions::default();
        let corpus = if self.is_brought_in {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(self.file), text).unwrap();
            std::fs::write(folder.path().join("b.inc"), text).unwrap();
            ingest(folder.path(), &options, &|_| {})
        } else {
            ingest_bytes(self.file, file_of(self.file, text), &options)
        };
        let Ok(corpus) = corpus else { return (Vec::new(), false) };
        let passages = corpus
            .documents
            .iter()
            .flat_map(|d| split_document(0, d, &|text: &str| text.len().div_ceil(4), 256));
        let names = |path: &[String]| path.iter().map(String::len).sum::<usize>();
        let bytes: usize = passages.map(|p| PASSAGE + 2 * p.text.len() + names(&p.heading_path)).sum();
        let most = BUNDLE_TIMES * corpus.bytes as usize + (1 << 20);
        (corpus.skipped.into_iter().map(|s| s.reason).collect(), bytes > most)
    }
}

fn fill_part(part: &str, bytes: usize) -> String {
    part.repeat(bytes / part.len().max(1))
}

/// Repeats a part, with names of its own in each: a lone "a" is its number, a lone "b" the number before.
fn number_parts(part: &str, bytes: usize) -> String {
    let lone = |at: usize| {
        let beside = [at.checked_sub(1), Some(at + 1)].map(|i| i.and_then(|i| part.as_bytes().get(i)));
        beside.iter().all(|byte| byte.is_none_or(|b| !b.is_ascii_alphanumeric()))
    };
    let mut out = String::with_capacity(bytes + 64);
    for number in (1..).take_while(|_| !part.is_empty()) {
        for (at, c) in part.char_indices() {
            match c {
                'a' if lone(at) => out.push_str(&format!("a{number}")),
                'b' if lone(at) => out.push_str(&format!("a{}", number - 1)),
                _ => out.push(c),
            }
        }
        if out.len() >= bytes {
            break;
        }
    }
    out
}

/// Repeats a part, each time on a line that begins further in, up to a hundred blanks.
fn step_parts(part: &str, bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 256);
    for step in (0..100).cycle() {
        if out.len() >= bytes {
            break;
        }
        out.extend(std::iter::repeat_n(' ', step));
        out.push_str(part);
        out.push('\n');
    }
    out
}

/// Returns the file of a name with this text in it, packed where the format is.
fn file_of(name: &str, text: &str) -> Vec<u8> {
    const SHEETS: [(&str, &str); 2] = [
        ("xl/workbook.xml", "<workbook><sheets><sheet name='A' r:id='r1'/></sheets></workbook>"),
        (
            "xl/_rels/workbook.xml.rels",
            "<R><Relationship Id='r1' Type='x/worksheet' Target='sheet1.xml'/></R>",
        ),
    ];
    const SLIDES: [(&str, &str); 2] = [
        (
            "ppt/presentation.xml",
            "<p:presentation><p:sldIdLst><p:sldId id='256' r:id='r1'/></p:sldIdLst></p:presentation>",
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            "<R><Relationship Id='r1' Type='x/slide' Target='slide1.xml'/></R>",
        ),
    ];
    const BOOK: [(&str, &str); 2] = [
        (
            "META-INF/container.xml",
            "<container><rootfiles><rootfile full-path='b.opf'/></rootfiles></container>",
        ),
        (
            "b.opf",
            "<package><manifest><item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest>\
             <spine><itemref idref='a'/></spine></package>",
        ),
    ];
    match Path::new(name).extension().and_then(|e| e.to_str()) {
        Some("docx") => {
            zipped(&[("word/document.xml", text), ("word/footnotes.xml", text), ("word/styles.xml", text)])
        }
        Some("xlsx") => {
            zipped(&[SHEETS[0], SHEETS[1], ("xl/sheet1.xml", text), ("xl/sharedStrings.xml", text)])
        }
        Some("pptx") => zipped(&[SLIDES[0], SLIDES[1], ("ppt/slide1.xml", text)]),
        Some("odt") => zipped(&[("content.xml", text)]),
        Some("epub") => zipped(&[BOOK[0], BOOK[1], ("a.xhtml", text)]),
        Some("pdf") => page_of_pdf(text).into_bytes(),
        _ => text.as_bytes().to_vec(),
    }
}

/// Returns what is wrong where reading takes more and more for each byte.
fn is_growing(element: &Element, sizes: &[usize], text: impl Fn(usize) -> String) -> Option<String> {
    let mut smaller: Option<(String, Taken)> = None;
    for &bytes in sizes {
        let larger_text = text(bytes);
        let mut taken = element.measure(&larger_text);
        if let Some((smaller_text, before)) = &mut smaller {
            // Other work on the machine may have disturbed the first measurements.
            let mut longest = taken.time;
            for _ in 0..3 {
                if taken.is_in_step_with(before, MOST_TIMES) {
                    break;
                }
                before.time = before.time.max(element.measure(smaller_text).time);
                let again = element.measure(&larger_text).time;
                (taken.time, longest) = (taken.time.min(again), longest.max(again));
            }
            // Buffers double and caches overflow: what grows faster does so at the next size, too.
            let is_in_step_next = || {
                let base = Taken { time: longest, ..taken };
                (0..3).any(|_| element.measure(&text(4 * bytes)).is_in_step_with(&base, MOST_TIMES_NEXT))
            };
            if !taken.is_in_step_with(before, MOST_TIMES) && !is_in_step_next() {
                return Some(format!(
                    "{bytes} bytes take {:?} and {} bytes of memory, a quarter of them {:?} and {}",
                    taken.time, taken.memory, before.time, before.memory
                ));
            }
        }
        if taken.memory > MOST_MEMORY || taken.is_dropped || taken.is_filling {
            let filling = if taken.is_filling { ", and passages that fill the bundle" } else { "" };
            return Some(format!(
                "{bytes} bytes take {:?} and {} bytes of memory{filling}",
                taken.time, taken.memory
            ));
        }
        smaller = Some((larger_text, taken));
    }
    None
}
