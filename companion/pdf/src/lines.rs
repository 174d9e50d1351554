//! Joins letters to lines: those on one baseline, close together.

use super::glyphs::{FontStyle, Glyph};
use std::collections::HashMap;

/// A gap wider than this many sizes is one between words.
const WORD_GAP: f64 = 0.16;

/// A gap wider than this many sizes is one between columns or cells.
const CELL_GAP: f64 = 1.25;

/// A piece of a line without a wide gap in it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub text: String,
    pub left: f64,
    pub right: f64,
    /// Its baseline.
    pub y: f64,
    /// The size that most of its letters have.
    pub size: f64,
    /// True if all of its letters look so.
    pub look: FontStyle,
}

impl Line {
    /// Returns the number of letters that it has.
    pub fn letters(&self) -> usize {
        self.text.chars().filter(|c| !c.is_whitespace()).count()
    }
}

/// Letters in drawing order, each to the right of the one before.
struct Run {
    glyphs: Vec<Glyph>,
    left: f64,
    right: f64,
    y: f64,
    size: f64,
}

/// The lines of a page, from top to bottom and from left to right.
pub(super) fn build_lines(glyphs: Vec<Glyph>) -> Vec<Line> {
    let mut runs = find_runs(glyphs);
    runs.sort_by(|a, b| b.y.total_cmp(&a.y).then(a.left.total_cmp(&b.left)));
    let mut lines = Vec::new();
    let mut rest = runs.into_iter().peekable();
    while let Some(first) = rest.next() {
        // Letters on about the same baseline; those above and below it are smaller.
        let (mut y, mut size) = (first.y, first.size);
        let mut row = vec![first];
        while let Some(next) = rest.next_if(|n| y - n.y < 0.42 * n.size.max(size).min(2.0 * n.size.min(size)))
        {
            if next.size > size {
                (y, size) = (next.y, next.size);
            }
            row.push(next);
        }
        row.sort_by(|a, b| a.left.total_cmp(&b.left));
        into_lines(row, &mut lines);
    }
    lines
}

fn find_runs(glyphs: Vec<Glyph>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for glyph in glyphs {
        // The same letter again at the same place is bold by an old trick, or a shadow.
        let last = runs.last().and_then(|r| r.glyphs.last());
        if last.is_some_and(|l| {
            l.text == glyph.text
                && (l.left - glyph.left).abs() < 0.1 * glyph.size
                && (l.y - glyph.y).abs() < 0.1 * glyph.size
        }) {
            continue;
        }
        match runs.last_mut() {
            Some(run)
                if (run.y - glyph.y).abs() < 0.1 * run.size
                    && (run.size - glyph.size).abs() < 0.1 * run.size
                    && glyph.left - run.right < CELL_GAP * run.size
                    && glyph.left - run.right > -0.6 * run.size =>
            {
                run.right = run.right.max(glyph.right);
                run.glyphs.push(glyph);
            }
            _ => runs.push(Run {
                left: glyph.left,
                right: glyph.right,
                y: glyph.y,
                size: glyph.size,
                glyphs: vec![glyph],
            }),
        }
    }
    runs
}

/// Joins the runs of a row that are close.
fn into_lines(row: Vec<Run>, out: &mut Vec<Line>) {
    let mut open: Option<(Line, Sizes)> = None;
    for run in row {
        let gap = open.as_ref().map_or(f64::MAX, |(line, _)| run.left - line.right);
        let size = open.as_ref().map_or(run.size, |(line, _)| line.size.max(run.size));
        if gap > CELL_GAP * size {
            close_line(open.take(), out);
        }
        let (line, sizes) = open.get_or_insert_with(|| {
            let line = Line {
                text: String::new(),
                left: run.left,
                right: run.left,
                y: run.y,
                size: 0.0,
                look: FontStyle { bold: true, fixed: true },
            };
            (line, Sizes::default())
        });
        for glyph in run.glyphs {
            let blank = glyph.text.trim().is_empty();
            let gap = glyph.left - line.right;
            if (blank || gap > WORD_GAP * glyph.size) && !line.text.is_empty() && !line.text.ends_with(' ') {
                line.text.push(' ');
            }
            if !blank {
                line.text.push_str(&glyph.text);
                line.look.bold &= glyph.look.bold;
                line.look.fixed &= glyph.look.fixed;
                sizes.add(glyph.size);
                if sizes.most() > line.size {
                    line.y = glyph.y;
                }
                line.size = sizes.most();
            }
            line.right = line.right.max(glyph.right);
        }
    }
    close_line(open, out);
}

fn close_line(open: Option<(Line, Sizes)>, out: &mut Vec<Line>) {
    if let Some((mut line, _)) = open {
        line.text.truncate(line.text.trim_end().len());
        if !line.text.is_empty() {
            out.push(line);
        }
    }
}

/// Number of letters of each size, sizes to a tenth of a point.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    counts: HashMap<u32, usize>,
    /// Number of letters that the commonest size has, and that size.
    most: (usize, u32),
}

impl Sizes {
    pub fn add(&mut self, size: f64) {
        self.add_all(size, 1);
    }

    pub fn add_all(&mut self, size: f64, letters: usize) {
        let size = (size * 10.0).round() as u32;
        let count = self.counts.entry(size).or_insert(0);
        *count += letters;
        self.most = self.most.max((*count, size));
    }

    /// The size of most letters; of equally many, the larger.
    pub fn most(&self) -> f64 {
        f64::from(self.most.1) / 10.0
    }
}
