//! Writes reports as one HTML file: tables and charts without scripts, network or other files.
//!
//! Charts are rows of words and numbers with a bar between them, drawn as SVG that stretches. So words keep
//! their size on a small screen, and browsers without SVG show every figure.

mod lines;
mod site;

pub use site::site_page;

use super::metrics::Estimate;
use std::fmt::Write;

const STYLE: &str = include_str!("report.css");

/// A report under construction.
pub struct HtmlPage {
    title: String,
    body: String,
}

/// A row of a chart.
pub struct Bar {
    /// Name of the measured quantity.
    pub label: String,
    /// Its value.
    pub value: f64,
    /// Interval around it.
    pub interval: Option<(f64, f64)>,
    /// The value as text.
    pub value_text: String,
}

impl Bar {
    /// Returns the row of an estimate, with three digits.
    pub fn of(label: &str, e: Estimate) -> Bar {
        Bar {
            label: label.to_owned(),
            value: e.mean,
            interval: Some((e.low, e.high)),
            value_text: e.to_string(),
        }
    }
}

/// Escapes text for any place in a page, attributes included. Characters that pages cannot hold are replaced.
pub fn escape_html(text: &str) -> String {
    let is_lost = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    pocketgraph_native::html::escape_html(&text.replace(is_lost, "\u{fffd}")).replace('\'', "&#39;")
}

/// Encloses foreign text, which may run from right to left, so that it does not turn its surroundings.
fn enclose_foreign(text: &str) -> String {
    format!("<bdi>{}</bdi>", escape_html(text))
}

impl HtmlPage {
    /// Creates a page with its heading.
    pub fn new(title: &str) -> HtmlPage {
        HtmlPage { title: title.to_owned(), body: format!("<h1>{}</h1>\n", escape_html(title)) }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing into a string does not fail.
        let _ = self.body.write_fmt(line);
        self.body.push('\n');
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: &str) {
        self.line(format_args!("<h2>{}</h2>", escape_html(text)));
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.line(format_args!("<p>{}</p>", escape_html(text)));
    }

    /// Adds a table: the first cell of each row is its heading, the others are numbers.
    pub fn table(&mut self, caption: &str, heads: &[&str], rows: &[Vec<String>]) {
        self.line(format_args!(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" \
             aria-label=\"{0}\"><table><caption>{0}</caption>",
            escape_html(caption)
        ));
        let heads: String =
            heads.iter().map(|h| format!("<th scope=\"col\">{}</th>", escape_html(h))).collect();
        self.line(format_args!("<thead><tr>{heads}</tr></thead><tbody>"));
        for row in rows {
            let mut cells = row.iter();
            let first = cells
                .next()
                .map(|c| format!("<th scope=\"row\">{}</th>", enclose_foreign(c)))
                .unwrap_or_default();
            let others: String = cells.map(|c| format!("<td>{}</td>", escape_html(c))).collect();
            self.line(format_args!("<tr>{first}{others}</tr>"));
        }
        self.line(format_args!("</tbody></table></div>"));
    }

    /// Adds a chart of bars from zero. The longest reaches the end of the scale, which is at least `least`,
    /// so that shares look like shares. Negative values extend to the left of a line.
    pub fn bars(&mut self, caption: &str, least: f64, rows: &[Bar]) {
        let ends =
            |b: &Bar| [b.value, b.interval.map_or(b.value, |i| i.0), b.interval.map_or(b.value, |i| i.1)];
        let all = || rows.iter().flat_map(ends).filter(|v| v.is_finite());
        let high = all().fold(least.max(0.0), f64::max);
        let low = all().fold(0.0, f64::min);
        let span = if high > low { high - low } else { 1.0 };
        let x = |v: f64| if v.is_finite() { ((v - low) / span * 1000.0).clamp(0.0, 1000.0) } else { 0.0 };
        self.line(format_args!(
            "<figure><figcaption>{}</figcaption><div class=\"bars\">",
            escape_html(caption)
        ));
        for row in rows {
            let (from, to) = (x(row.value.min(0.0)), x(row.value.max(0.0)));
            let mut marks = format!(
                "<rect class=\"bar\" x=\"{from:.1}\" y=\"3\" width=\"{:.1}\" height=\"14\"/>",
                to - from
            );
            if let Some((a, b)) = row.interval {
                let _ = write!(
                    marks,
                    "<path class=\"whisker\" d=\"M{0:.1} 10H{1:.1}M{0:.1} 6V14M{1:.1} 6V14\" \
                     vector-effect=\"non-scaling-stroke\"/>",
                    x(a),
                    x(b)
                );
            }
            if low < 0.0 {
                let _ = write!(
                    marks,
                    "<path class=\"zero\" d=\"M{0:.1} 0V20\" vector-effect=\"non-scaling-stroke\"/>",
                    x(0.0)
                );
            }
            self.line(format_args!(
                "<div class=\"row\"><span class=\"label\">{}</span><svg viewBox=\"0 0 1000 20\" \
                 preserveAspectRatio=\"none\" \
                 aria-hidden=\"true\">{marks}</svg><span class=\"value\">{}</span></div>",
                enclose_foreign(&row.label),
                escape_html(&row.value_text)
            ));
        }
        self.line(format_args!("</div></figure>"));
    }

    /// Adds a closed list: each entry has a heading, and lines of a name and a text.
    pub fn folded(&mut self, summary: &str, entries: &[(String, Vec<(&str, String)>)]) {
        self.line(format_args!("<details><summary>{}</summary><ol>", escape_html(summary)));
        for (head, lines) in entries {
            self.line(format_args!("<li><p>{}</p><dl>", enclose_foreign(head)));
            for (name, text) in lines {
                self.line(format_args!("<dt>{}</dt><dd>{}</dd>", escape_html(name), enclose_foreign(text)));
            }
            self.line(format_args!("</dl></li>"));
        }
        self.line(format_args!("</ol></details>"));
    }

    /// Returns the whole file.
    pub fn finish(self) -> String {
        let title = escape_html(&self.title);
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
             'unsafe-inline'; base-uri 'none'; \
             form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, \
             initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light \
             dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{}\
             <footer><p>Written by pocketgraph {}.</p></footer>\n</main>\n</body>\n</html>\n",
            self.body,
            env!("CARGO_PKG_VERSION")
        )
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
