//! The macros of `mdoc`, which say what words are.

use super::super::made_html::Html;
use super::{arguments, shown, write_title};

pub(super) fn html(source: &str) -> Result<String, String> {
    let mut page = Mdoc { out: Html::of_file(source.len()), text: String::new(), kind: "", name: String::new(), code: false };
    for line in source.lines() {
        page.line(line);
    }
    page.end_block();
    page.out.finish()
}

struct Mdoc {
    out: Html,
    text: String,
    kind: &'static str,
    /// What the page describes.
    name: String,
    code: bool,
}

impl Mdoc {
    fn line(&mut self, line: &str) {
        let Some(request) = line.strip_prefix(['.', '\'']) else { return self.running(&shown(line)) };
        let request = request.trim_start();
        let name = request.split(char::is_whitespace).next().unwrap_or("");
        let arguments = arguments(request.get(name.len()..).unwrap_or(""));
        match name {
            "Dt" => {
                write_title(&mut self.out, &arguments);
            }
            "Sh" | "Ss" => {
                self.end_block();
                self.out.element(if name == "Sh" { "h2" } else { "h3" }, &shown(&arguments.join(" ")));
            }
            "Pp" | "Lp" | "Bl" | "El" | "Ek" | "Bk" => self.end_block(),
            "It" => {
                self.end_block();
                let term = self.words(&arguments);
                if term.is_empty() {
                    self.kind = "li";
                } else {
                    self.out.element("dt", &term);
                    self.kind = "dd";
                }
            }
            "Bd" => {
                self.end_block();
                self.code = arguments.iter().any(|a| matches!(a.as_str(), "-literal" | "-unfilled"));
                self.kind = if self.code { "pre" } else { "" };
            }
            "Ed" => {
                self.end_block();
                self.code = false;
                self.kind = "";
            }
            "Dl" | "D1" => {
                self.end_block();
                let words = self.words(&arguments);
                self.out.element("pre", &words);
            }
            "Nd" => {
                let described = format!("– {}", self.words(&arguments));
                self.running(&described);
            }
            "Dd" | "Os" | "br" | "sp" | "Rs" | "Re" => {}
            _ if name.starts_with('\\') || name.is_empty() => {}
            _ => {
                let mut all = vec![name.to_owned()];
                all.extend(arguments);
                let words = self.words(&all);
                self.running(&words);
            }
        }
    }

    /// The words of a line with macros among them.
    fn words(&mut self, tokens: &[String]) -> String {
        let mut out = String::new();
        let mut tight = true;
        let mut open: Vec<&str> = Vec::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            let next = |i: usize| tokens.get(i).map(String::as_str);
            let put = |out: &mut String, text: &str, tight: &mut bool| {
                if !*tight && !out.is_empty() {
                    out.push(' ');
                }
                out.push_str(&shown(text));
                *tight = false;
            };
            let closing = matches!(token.as_str(), "." | "," | ";" | ":" | "?" | "!" | ")" | "]");
            if closing {
                out.push_str(token);
                tight = false;
                continue;
            }
            match token.as_str() {
                "Ns" | "Ap" => {
                    if token == "Ap" {
                        out.push('\'');
                    }
                    tight = true;
                }
                "Nm" => {
                    let given = next(at).filter(|n| !is_macro(n) && n.chars().any(char::is_alphanumeric));
                    if let Some(given) = given {
                        at += 1;
                        if self.name.is_empty() {
                            self.name = shown(given);
                        }
                        put(&mut out, given, &mut tight);
                    } else {
                        let own = self.name.clone();
                        put(&mut out, &own, &mut tight);
                    }
                }
                "Ar" if next(at).is_none_or(|n| is_macro(n) || !n.chars().any(char::is_alphanumeric)) => {
                    put(&mut out, "file ...", &mut tight)
                }
                "Fl" => {
                    put(&mut out, "-", &mut tight);
                    tight = true;
                }
                "Xr" => {
                    let page = next(at).unwrap_or("").to_owned();
                    let section = next(at + 1).filter(|s| s.starts_with(|c: char| c.is_ascii_digit())).map(|s| format!("({s})"));
                    at += 1 + usize::from(section.is_some());
                    put(&mut out, &(page + section.as_deref().unwrap_or("")), &mut tight);
                }
                pair if pairs(pair).is_some() => {
                    let (opens, closes) = pairs(pair).unwrap_or(("", ""));
                    put(&mut out, opens, &mut tight);
                    tight = true;
                    open.push(closes);
                }
                name if is_macro(name) => {}
                "(" | "[" => {
                    put(&mut out, token, &mut tight);
                    tight = true;
                }
                word => put(&mut out, word, &mut tight),
            }
        }
        // What a line opens ends before the signs at its end.
        let signs = out.len() - out.trim_end_matches(['.', ',', ';', ':']).len();
        let tail = if open.is_empty() { String::new() } else { out.split_off(out.len() - signs) };
        out.extend(open.iter().rev().copied());
        out + &tail
    }

    fn running(&mut self, text: &str) {
        if text.trim().is_empty() && !self.code {
            return;
        }
        if !self.text.is_empty() && !text.starts_with(['.', ',', ';', ')']) {
            self.text.push(if self.code { '\n' } else { ' ' });
        }
        self.text.push_str(text);
    }

    fn end_block(&mut self) {
        let kind = if self.kind.is_empty() { "p" } else { self.kind };
        self.out.element(kind, &std::mem::take(&mut self.text));
        self.kind = if self.code { "pre" } else { "" };
    }
}

/// What a macro puts around its words.
fn pairs(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "Op" | "Bq" => ("[", "]"),
        "Pq" => ("(", ")"),
        "Brq" => ("{", "}"),
        "Aq" => ("<", ">"),
        "Dq" | "Qq" => ("\"", "\""),
        "Sq" => ("'", "'"),
        "Ql" => ("`", "'"),
        _ => return None,
    })
}

fn is_macro(word: &str) -> bool {
    const ALL: [&str; 58] = [
        "Ad", "An", "Ao", "Ac", "Ar", "At", "Bo", "Bc", "Bro", "Brc", "Bsx", "Bx", "Cd", "Cm", "Do", "Dc", "Dv", "Em", "Eo", "Ec", "Er",
        "Ev", "Fa", "Fd", "Fl", "Fn", "Fo", "Fc", "Ft", "Fx", "Ic", "In", "Lb", "Li", "Lk", "Ms", "Mt", "Nm", "No", "Ns", "Nx", "Oo", "Oc",
        "Op", "Ox", "Pa", "Po", "Pc", "Pf", "Sx", "Sy", "Tn", "Ux", "Va", "Vt", "Xr", "Ap", "St",
    ];
    ALL.contains(&word) || pairs(word).is_some()
}
