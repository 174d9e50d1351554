//! Manual pages: the macros of `man` and `mdoc`, as HTML.

mod mdoc;

use super::made_html::Html;
use super::{Format, ReadMethod};
use pocketgraph_text::table;

/// Whether a text is a manual page: one of its first lines is the macro that names it.
pub(crate) fn looks_like(source: &str) -> bool {
    let mut lines = source.lines().filter(|l| !l.trim().is_empty()).take(200);
    lines.any(|l| [".TH ", ".Dd ", ".Dt "].iter().any(|mark| l.starts_with(mark)) || l.trim_end() == ".Dd")
}

pub(super) const FORMAT: Format = Format {
    examples: &[".1 to .8"],
    // Sections of the manual; older logs and versions of libraries end in numbers, too.
    recognizes: |stem, ending| {
        let is_section = matches!(ending, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8");
        is_section && ![".log", ".so", ".tar", ".dylib"].iter().any(|e| stem.ends_with(e))
    },
    ..Format::new("man", &[], ReadMethod::Made(|source| Ok((html(source)?, None))))
};

/// Writes the page as HTML.
fn html(source: &str) -> Result<String, String> {
    if !looks_like(source) {
        return Err("no manual page".to_owned());
    }
    if source.lines().any(|l| l.starts_with(".Dd") || l.starts_with(".Dt ")) {
        return mdoc::html(source);
    }
    let mut page = Man { out: Html::of_file(source.len()), text: String::new(), kind: "", term: false, code: false };
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        page.line(line, &mut lines);
    }
    page.end_block();
    page.out.finish()
}

struct Man {
    out: Html,
    /// Running text of the paragraph that is open.
    text: String,
    /// What the paragraph is: `p`, `dt`, `dd`, `pre`.
    kind: &'static str,
    /// Whether the next line is the term of a list.
    term: bool,
    code: bool,
}

impl Man {
    fn line(&mut self, line: &str, lines: &mut std::str::Lines<'_>) {
        let Some(request) = line.strip_prefix(['.', '\'']) else { return self.running(line) };
        let request = request.trim_start();
        let name = request.split(char::is_whitespace).next().unwrap_or("");
        let arguments = arguments(request.get(name.len()..).unwrap_or(""));
        let joined = || shown(&arguments.join(" "));
        match name {
            "TH" => {
                write_title(&mut self.out, &arguments);
            }
            "SH" | "SS" => {
                self.end_block();
                self.code = false;
                let title = if arguments.is_empty() { lines.next().map(shown).unwrap_or_default() } else { joined() };
                self.out.element(if name == "SH" { "h2" } else { "h3" }, &title);
            }
            "PP" | "P" | "LP" | "sp" | "HP" => self.end_block(),
            "TP" | "TQ" => {
                self.end_block();
                self.term = true;
            }
            "IP" => {
                self.end_block();
                let term = arguments.first().map(|a| shown(a)).unwrap_or_default();
                // A bullet or a number is no term.
                if term.chars().any(char::is_alphabetic) {
                    self.out.element("dt", &term);
                    self.kind = "dd";
                } else {
                    self.kind = "li";
                }
            }
            "RS" | "RE" => self.end_block(),
            "nf" | "EX" => {
                self.end_block();
                (self.code, self.kind) = (true, "pre");
            }
            "fi" | "EE" => {
                self.end_block();
                self.code = false;
            }
            "br" | "SY" | "YS" => self.text.push('\n'),
            // Without words they are about the next line.
            "B" | "I" | "SM" | "SB" | "R" if arguments.is_empty() => {}
            "B" | "I" | "SM" | "SB" | "R" => self.running(&arguments.join(" ")),
            "BR" | "BI" | "RB" | "IB" | "IR" | "RI" => self.running(&arguments.concat()),
            "OP" => self.running(&format!("[{}]", arguments.join(" "))),
            "UR" | "MT" | "UE" | "ME" => self.running(&arguments.concat()),
            "TS" => self.table(lines),
            // Definitions of macros, and what is left out.
            "de" | "ig" | "am" => {
                for skipped in lines.by_ref() {
                    if skipped.starts_with("..") {
                        break;
                    }
                }
            }
            _ => {}
        }
    }

    fn running(&mut self, text: &str) {
        let text = shown(text);
        if self.term {
            self.term = false;
            self.out.element("dt", &text);
            self.kind = "dd";
            return;
        }
        if text.trim().is_empty() && !self.code {
            return self.end_block();
        }
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push(if self.code { '\n' } else { ' ' });
        }
        self.text.push_str(&text);
    }

    fn end_block(&mut self) {
        let kind = if self.kind.is_empty() { "p" } else { self.kind };
        self.out.element(kind, &std::mem::take(&mut self.text));
        self.kind = if self.code { "pre" } else { "" };
        self.term = false;
    }

    /// A table of `tbl`: its format ends with a full stop, cells are parted by tabs.
    fn table(&mut self, lines: &mut std::str::Lines<'_>) {
        self.end_block();
        let mut format = true;
        let mut rows: Vec<Vec<String>> = Vec::new();
        for line in lines.by_ref().take_while(|l| !l.starts_with(".TE")) {
            if format {
                format = !line.trim_end().ends_with('.');
            } else if !line.starts_with('.') && !line.trim().is_empty() && !line.chars().all(|c| matches!(c, '_' | '=' | '-' | '\t')) {
                rows.push(line.split('\t').map(|cell| shown(cell.trim().trim_start_matches("T{").trim_end_matches("T}"))).collect());
            }
        }
        self.out.raw("<table>");
        for row in rows {
            self.out.raw("<tr>");
            for cell in row {
                self.out.raw("<td>");
                self.out.text(&cell);
                self.out.raw("</td>");
            }
            self.out.raw("</tr>");
        }
        self.out.raw("</table>");
    }
}

/// The arguments of a macro: words, and texts in quotes, in which two quotes are one.
fn arguments(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() && !rest.starts_with("\\\"") {
        let mut argument = String::new();
        if let Some(quoted) = rest.strip_prefix('"') {
            rest = quoted;
            loop {
                match rest.find('"') {
                    Some(end) if rest.get(end + 1..).is_some_and(|r| r.starts_with('"')) => {
                        argument.push_str(rest.get(..=end).unwrap_or(""));
                        rest = rest.get(end + 2..).unwrap_or("");
                    }
                    end => {
                        argument.push_str(rest.get(..end.unwrap_or(rest.len())).unwrap_or(""));
                        rest = end.and_then(|e| rest.get(e + 1..)).unwrap_or("");
                        break;
                    }
                }
            }
        } else {
            let mut escaped = false;
            let end = rest
                .find(|c: char| {
                    let ends = c.is_whitespace() && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                })
                .unwrap_or(rest.len());
            argument.push_str(rest.get(..end).unwrap_or(""));
            rest = rest.get(end..).unwrap_or("");
        }
        out.push(argument);
        rest = rest.trim_start();
    }
    out
}

/// Text as it is shown: without escapes for fonts and sizes, characters for their names.
fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at).unwrap_or(""));
        let after = rest.get(at + 1..).unwrap_or("");
        let Some(c) = after.chars().next() else { return out };
        let behind = after.get(c.len_utf8()..).unwrap_or("");
        let mut named = |behind: &str| -> usize {
            let (name, taken) = name(behind);
            out.push_str(character(name));
            taken
        };
        let taken = match c {
            '"' | '#' => return out,
            '(' => named(after),
            '[' => named(after),
            'f' | '*' | 'n' | 'F' | 'm' | 'M' | 'g' | 'k' => name(behind).1,
            's' => {
                let sign = usize::from(behind.starts_with(['+', '-']));
                sign + behind.get(sign..).map_or(0, |b| b.bytes().take(2).take_while(u8::is_ascii_digit).count())
            }
            'h' | 'v' | 'w' | 'l' | 'L' | 'D' | 'o' | 'x' | 'z' | 'Z' | 'b' | 'N' | 'C' => quoted(behind),
            '-' => {
                out.push('-');
                0
            }
            'e' | '\\' => {
                out.push('\\');
                0
            }
            ' ' | '~' | '0' | 't' => {
                out.push(' ');
                0
            }
            '&' | '%' | '/' | ',' | ')' | '|' | '^' | ':' | 'c' | 'd' | 'u' | 'r' | 'p' | '{' | '}' => 0,
            other => {
                out.push(other);
                0
            }
        };
        let taken = if matches!(c, '(' | '[') { taken } else { c.len_utf8() + taken };
        rest = after.get(taken..).unwrap_or("");
    }
    out.push_str(rest);
    out
}

/// A name behind an escape, `x`, `(xx` or `[name]`, and how many bytes it takes.
fn name(text: &str) -> (&str, usize) {
    if let Some(long) = text.strip_prefix('[') {
        let end = long.bytes().take(64).position(|b| b == b']').unwrap_or(0);
        return (long.get(..end).unwrap_or(""), if end > 0 || long.starts_with(']') { end + 2 } else { 1 });
    }
    if let Some(two) = text.strip_prefix('(') {
        let end = two.char_indices().nth(2).map_or(two.len(), |(i, _)| i);
        return (two.get(..end).unwrap_or(""), end + 1);
    }
    let one = text.chars().next().map_or(0, char::len_utf8);
    (text.get(..one).unwrap_or(""), one)
}

/// Bytes in which the end of an argument is looked for.
const LONGEST_ARGUMENT: usize = 1024;

/// How long an argument between two of the same sign is.
fn quoted(text: &str) -> usize {
    let Some(mark) = text.chars().next() else { return 0 };
    let inner = text.get(mark.len_utf8()..text.floor_char_boundary(LONGEST_ARGUMENT)).unwrap_or("");
    inner.find(mark).map_or(mark.len_utf8(), |end| end + 2 * mark.len_utf8())
}

fn character(name: &str) -> &'static str {
    table!("man_characters.tsv").row(name).map_or("", |row| row.field(0))
}

/// Writes the title of a page, such as `ls(1)`, from its name and section.
fn write_title(out: &mut Html, arguments: &[String]) {
    let part = |at: usize| arguments.get(at).map_or("", String::as_str);
    let named = shown(&format!("{}({})", part(0).to_lowercase(), part(1)));
    out.title(&named);
    out.element("h1", &named);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{html, shown};
    use proptest::prelude::*;

    #[test]
    fn sections_lists_and_code_are_told() {
        let made = html(".\\\" c\n.TH WEAVE 1 \"2024\"\n.SH NAME\nweave \\- makes \\fIcloth\\fR\n.SH OPTIONS\n.TP\n.BR \\-w , \" \\-\\-warp \" =\\fIN\\fR\nThreads\nalong.\n.IP \\(bu 2\nOne\n.nf\na  b\nc\n.fi\n.SS \"See also\"\nSee\n.SM\n.B\n.BR loom (1)\n").unwrap();
        for part in [
            "<h1>weave(1)</h1>",
            "<h2>NAME</h2>",
            "<p>weave - makes cloth</p>",
            "<dt>-w, --warp =N</dt>",
            "<dd>Threads along.</dd>",
            "<li>One</li>",
            "<pre>a  b\nc</pre>",
            "<h3>See also</h3>",
            "<p>See loom(1)</p>",
        ] {
            assert!(made.contains(part), "{part} in {made}");
        }
        assert!(html("no page").is_err());
    }

    #[test]
    fn mdoc_is_read_too() {
        let made = html(".Dd May 1, 2024\n.Dt WEAVE 1\n.Os\n.Sh NAME\n.Nm weave\n.Nd makes cloth\n.Sh SYNOPSIS\n.Nm\n.Op Fl w Ar n\n.Ar\n.Sh DESCRIPTION\nSee\n.Xr loom 1 .\n.Bl -tag\n.It Fl w Ar n , Fl -warp\nThreads.\n.El\n.Bd -literal\nx  y\n.Ed\n").unwrap();
        for part in [
            "<h1>weave(1)</h1>",
            "weave – makes cloth",
            "weave [-w n] file ...",
            "See loom(1).",
            "<dt>-w n, --warp</dt>",
            "<dd>Threads.</dd>",
            "<pre>x  y</pre>",
        ] {
            assert!(made.contains(part), "{part} in {made}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(\\.[A-Za-z]{1,2}|[a-z\\\\\\[\\](\"'é*f -]{0,9}|\n){0,30}") {
            let _ = (html(&format!(".TH a 1\n{text}")), html(&format!(".Dd a\n{text}")), shown(&text));
        }
    }
}
