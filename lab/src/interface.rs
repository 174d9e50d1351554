//! Writes the Rust types and tables of options and notices for JavaScript, TypeScript and the handbook.

use miette::{IntoDiagnostic, Result};
use pocketgraph::agent::options::{Group, Kind, OPTIONS, OptionSpec, protocols};
use pocketgraph::answer::NoticeCode;
use pocketgraph::retrieve;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Header of a file that is written as a whole.
const WRITTEN: &str = "// Written by `pocketgraph-lab interface` from src/agent/options.tsv and\n// \
    crates/search/src/answer/notice.rs. Do not edit.\n";
/// A line of documentation is at most so long.
const WIDTH: usize = 150;

/// Arguments of `pocketgraph-lab interface`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of the sources
    #[arg(default_value = ".")]
    root: PathBuf,
}

/// Writes the files. Fails if a file cannot be read or written, or lacks the marks between which its part
/// stands.
pub fn run_interface(args: &Args) -> Result<()> {
    for (path, text) in render_files(&args.root)? {
        std::fs::write(args.root.join(path), text).into_diagnostic()?;
    }
    Ok(())
}

/// The files by their paths, as they are to be.
///
/// # Errors
/// When one cannot be read, or lacks the marks between which its part stands.
pub fn render_files(root: &Path) -> Result<Vec<(&'static str, String)>> {
    let part = |path: &'static str, parts: &[(&str, String)]| -> Result<(&'static str, String)> {
        let mut text = std::fs::read_to_string(root.join(path)).into_diagnostic()?;
        for (name, part) in parts {
            text = replace_part(&text, name, part)
                .ok_or_else(|| miette::miette!("{path} has no part {name:?}"))?;
        }
        Ok((path, text))
    };
    let api = [
        Group::Open,
        Group::Ranking,
        Group::Search,
        Group::Answering,
        Group::Execute,
        Group::Filter,
        Group::Endpoint,
    ];
    let mut tables: Vec<(&str, String)> =
        api.iter().map(|&group| (group.name(), option_rows(group))).collect();
    tables.push(("notices", notice_table()));
    Ok(vec![
        ("pkg/option-table.js", option_table()),
        ("pkg/retrievers.js", retriever_file()),
        ("pkg/notices.js", notice_file()),
        part("pkg/pocketgraph.d.ts", &[("options", type_file()), ("names", name_unions())])?,
        part("docs/javascript-api.md", &tables)?,
        part("docs/command-line.md", &[("options", terminal_names())])?,
    ])
}

/// `text` with what stands between the lines `BEGIN name` and `END name` replaced.
fn replace_part(text: &str, name: &str, part: &str) -> Option<String> {
    let behind_line = |at: usize| text[at..].find('\n').map(|end| at + end + 1);
    let begin = behind_line(text.find(&format!("BEGIN {name} "))?)?;
    let end = begin + text[begin..].find(&format!("END {name}"))?;
    let line = text[..end].rfind('\n')? + 1;
    Some(format!("{}{part}{}", &text[..begin], &text[line..]))
}

fn list_options(group: Group) -> impl Iterator<Item = &'static OptionSpec> {
    OPTIONS.iter().filter(move |o| o.group == group)
}

fn quote_names(names: &[&str]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// The retrievers that every bundle has.
fn plain_retrievers() -> Vec<&'static str> {
    retrieve::NAMES.iter().copied().filter(|name| !retrieve::PREPARED.contains(name)).collect()
}

/// `pkg/option-table.js`.
fn option_table() -> String {
    let mut out = format!(
        "{WRITTEN}\n/** The protocols by name. */\nexport const PROTOCOLS = [{}];\n",
        quote_names(&protocols())
    );
    let _ = writeln!(
        out,
        "\n/** The retrievers by name. */\nexport const RETRIEVERS = [{}];",
        quote_names(retrieve::NAMES)
    );
    out.push_str(
        "\n/** The options by what they belong to, each with what it may be: the name of a check, or the \
         names that there are. Empty where a check of its own is due. */\n",
    );
    out.push_str("export const OPTIONS = {\n");
    for &group in Group::ALL {
        let members: Vec<String> =
            list_options(group).map(|o| format!("{}: {}", o.name, checked_type(&o.kind))).collect();
        let _ = writeln!(out, "  {}: {{ {} }},", group.name(), members.join(", "));
    }
    out.push_str("};\n");
    out.push_str(
        "\n/** The options that only some protocols read, each with those; an empty name stands for no \
         protocol. */\nexport const READ_BY = {\n",
    );
    for o in OPTIONS.iter().filter(|o| !o.protocols.is_empty()) {
        let _ = writeln!(out, "  {}: [{}],", o.name, quote_names(&o.protocols));
    }
    out.push_str("};\n");
    out
}

fn checked_type(kind: &Kind) -> String {
    match kind {
        Kind::Positive => "\"positive\"".to_owned(),
        Kind::Whole => "\"whole\"".to_owned(),
        Kind::Number => "\"number\"".to_owned(),
        Kind::Flag => "\"flag\"".to_owned(),
        Kind::Text => "\"text\"".to_owned(),
        Kind::Choice(names) => format!("[{}]", quote_names(names)),
        Kind::Own(_) => "\"\"".to_owned(),
    }
}

/// `pkg/retrievers.js`.
fn retriever_file() -> String {
    format!(
        "{WRITTEN}\n/** The retrievers of the full module. */\nexport const GRAPH_RETRIEVERS = [{}];\n",
        quote_names(retrieve::OF_FULL)
    )
}

/// `pkg/notices.js`.
fn notice_file() -> String {
    let mut out =
        format!("{WRITTEN}\n/** English texts of notices, by their codes. */\nexport const NOTICES = {{\n");
    for code in NoticeCode::ALL {
        let _ = writeln!(out, "  \"{}\": \"{}\",", code.name(), code.wording());
    }
    out.push_str("};\n");
    out
}

/// The options' interfaces in TypeScript.
fn type_file() -> String {
    let mut out = String::new();
    for (group, declaration) in [
        (Group::Open, "OpenOptions extends Abortable"),
        (Group::Ranking, "SearchOptions extends Abortable"),
        (Group::Search, "TypingOptions extends SearchOptions"),
        (Group::Answering, "AskOptions extends SearchOptions"),
        (Group::Execute, "ExecuteOptions extends AskOptions"),
        (Group::Filter, "Filter"),
        (Group::Endpoint, "LlmEndpoint"),
    ] {
        if group == Group::Filter {
            out.push_str("/** Filter of the documents that are searched. */\n");
        }
        if group == Group::Endpoint {
            out.push_str(
                "/** An OpenAI-compatible chat endpoint. The key is kept in memory and sent to this \
                 endpoint only. */\n",
            );
        }
        let _ = writeln!(out, "export interface {declaration} {{");
        for option in list_options(group) {
            out.push_str(&write_comment(option.says));
            let needed = group == Group::Endpoint && matches!(option.name, "baseUrl" | "model");
            let _ = writeln!(
                out,
                "  {}{}: {};",
                option.name,
                if needed { "" } else { "?" },
                typed_kind(&option.kind)
            );
        }
        out.push_str("}\n\n");
    }
    out
}

fn typed_kind(kind: &Kind) -> String {
    match kind {
        Kind::Positive | Kind::Whole | Kind::Number => "number".to_owned(),
        Kind::Flag => "boolean".to_owned(),
        Kind::Text => "string".to_owned(),
        Kind::Choice(names) => names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" | "),
        Kind::Own(typed) => (*typed).to_owned(),
    }
}

/// A comment of TypeScript, in lines.
fn write_comment(text: &str) -> String {
    if text.len() + 9 <= WIDTH {
        return format!("  /** {text} */\n");
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last().map_or(0, String::len);
        if last + 1 + word.len() + 5 > WIDTH {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    format!("  /**\n{}   */\n", lines.iter().map(|line| format!("   *{line}\n")).collect::<String>())
}

/// The unions of names in TypeScript.
fn name_unions() -> String {
    let union =
        |names: &[&str]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" | ");
    format!(
        "/** Retriever of every bundle: by words, meaning and names (`auto`, the default), by words and \
         meaning, by either alone, or by the keyword graph. */\n\
         export type Retriever = {} | GraphRetriever | `${{GraphRetriever}}:${{string}}`;\n\n\
         /** Retriever that a bundle must be prepared for (`build --retrievers`); parameters follow a colon. \
         */\n\
         export type GraphRetriever = {};\n\n\
         /**\n * Way to answer a question: in the documents' own words (`quote`); by a plan over the \
         knowledge graph (`plan`, which needs no LLM); or by one of\n \
         * the published protocols by which an LLM searches while it answers.\n */\n\
         export type Protocol =\n{};\n",
        union(&plain_retrievers()),
        union(retrieve::PREPARED),
        protocols().iter().map(|name| format!("  | \"{name}\"")).collect::<Vec<_>>().join("\n")
    )
}

/// A table of the handbook: the options of a group.
fn option_rows(group: Group) -> String {
    let mut out = "| option | type | meaning |\n|---|---|---|\n".to_owned();
    for o in list_options(group) {
        let _ = writeln!(out, "| `{}` | {} | {} |", o.name, kind_text(&o.kind), to_cell(o.says));
    }
    if matches!(group, Group::Open | Group::Ranking) {
        out.push_str(
            "| `signal` | `AbortSignal` | Stops the work; the call rejects with the code `aborted`. |\n",
        );
    }
    out
}

fn kind_text(kind: &Kind) -> String {
    match kind {
        Kind::Positive => "positive whole number".to_owned(),
        Kind::Whole => "whole number".to_owned(),
        Kind::Choice(names) => {
            names.iter().map(|name| format!("`\"{name}\"`")).collect::<Vec<_>>().join(", ")
        }
        Kind::Own(typed) => format!("`{}`", to_cell(typed)),
        other => typed_kind(other),
    }
}

fn to_cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The table of the notices.
fn notice_table() -> String {
    let mut out = "| code | what it says |\n|---|---|\n".to_owned();
    for code in NoticeCode::ALL {
        let _ = writeln!(out, "| `{}` | {} |", code.name(), code.wording());
    }
    out
}

/// The names of what `--options` takes, each with its own argument if it has one.
fn terminal_names() -> String {
    let names: Vec<String> = OPTIONS
        .iter()
        .filter(|o| o.is_in_json())
        .map(|o| match o.terminal.filter(|argument| *argument != "--options") {
            Some(argument) => format!("`{}` (`{argument}`)", o.name),
            None => format!("`{}`", o.name),
        })
        .collect();
    format!("{}.\n", names.join(", "))
}

#[cfg(test)]
#[path = "interface_tests.rs"]
mod tests;
