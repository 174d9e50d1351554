//! The pages of the handbook against the program and against each other: commands that parse, links that resolve.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use clap::CommandFactory;
use pocketgraph_cli::Cli;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Returns the README, the other pages at the root and all pages of the handbook, each with its text.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages = Vec::new();
    for folder in ["", "docs", "docs/benchmarks"] {
        for entry in std::fs::read_dir(Path::new(ROOT).join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                pages.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(pages.len() > 30, "{} pages", pages.len());
    pages
}

/// Splits a page into its lines of code in the shell and the text outside of code blocks.
fn split_code(page: &str) -> (Vec<&str>, String) {
    let (mut shell, mut text, mut fence) = (Vec::new(), String::new(), None);
    for line in page.lines() {
        match (fence, line.trim_start().strip_prefix("```")) {
            (Some(_), Some(_)) => fence = None,
            (None, Some(language)) => fence = Some(language),
            (Some("sh"), None) => shell.push(line.trim()),
            (Some(_), None) => {}
            (None, None) => text.push_str(&format!("{line}\n")),
        }
    }
    (shell, text)
}

/// Splits a command line into its arguments as a shell does, up to a comment or a pipe.
fn split_arguments(command: &str) -> Vec<String> {
    let (mut arguments, mut argument, mut quote) = (Vec::new(), None::<String>, None);
    for c in command.chars().chain([' ']) {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some(_), _) => argument.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                argument.get_or_insert_default();
            }
            (None, '#' | '|') if argument.is_none() => break,
            (None, c) if c.is_whitespace() => arguments.extend(argument.take()),
            (None, _) => argument.get_or_insert_default().push(c),
        }
    }
    arguments
}

/// Returns the command lines of a page: lines of shell blocks, and code in running text that names a command with
/// arguments. In running text an ellipsis marks an argument that may be repeated.
fn commands_of(page: &str) -> Vec<String> {
    let (shell, text) = split_code(page);
    let inline = text.split('`').skip(1).step_by(2).map(|code| code.split_whitespace().collect::<Vec<_>>().join(" "));
    let all = shell.into_iter().map(str::to_owned).chain(inline);
    let commands = all.filter_map(|line| {
        let line = line.strip_prefix("npx ").unwrap_or(&line);
        line.starts_with("pocketgraph ").then(|| line.replace('…', ""))
    });
    commands.filter(|command| !command.contains("COMMAND")).collect()
}

/// Parses a command line with the program's own parser. Missing arguments are accepted, because running text names
/// commands such as `pocketgraph ask` alone.
fn parse(command: &str) -> Result<(), String> {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion, MissingRequiredArgument};
    match Cli::command().try_get_matches_from(split_arguments(command)) {
        Ok(_) => Ok(()),
        Err(error) => match error.kind() {
            DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand | MissingRequiredArgument => Ok(()),
            _ => Err(error.to_string()),
        },
    }
}

#[test]
fn the_program_accepts_every_command_of_the_pages() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (path, page) in pages() {
        for command in commands_of(&page) {
            count += 1;
            if let Err(error) = parse(&command) {
                wrong.push(format!("{}: {command}: {error}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 60, "{count} commands were found");
}

#[test]
fn a_command_with_an_unknown_option_is_found() {
    let page = "```sh\npocketgraph build docs -o site --no-such-option   # a comment\n```\nRun `pocketgraph verify BUNDLE`.";
    let commands = commands_of(page);
    assert_eq!(commands.iter().map(|c| parse(c).is_ok()).collect::<Vec<_>>(), [false, true]);
}

/// Returns the fragment by which a heading is linked.
fn fragment_of(heading: &str) -> String {
    let text = heading.trim().to_lowercase();
    text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn fragments_of(page: &str) -> BTreeSet<String> {
    let (_, text) = split_code(page);
    text.lines().filter(|line| line.starts_with('#')).map(|line| fragment_of(line.trim_start_matches('#'))).collect()
}

/// Returns the targets of a page's links that lead to other files or to its own headings.
fn links_of(page: &str) -> Vec<String> {
    let (_, text) = split_code(page);
    let outside: String = text.split('`').step_by(2).collect();
    let targets = outside.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains(':')).map(str::to_owned).collect()
}

#[test]
fn every_link_of_the_pages_leads_to_a_file_and_a_heading() {
    let mut wrong = Vec::new();
    for (path, page) in pages() {
        for link in links_of(&page) {
            let (file, fragment) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let is_page = target.extension().is_some_and(|extension| extension == "md");
            let leads = target.exists()
                && (fragment.is_empty() || !is_page || fragments_of(&std::fs::read_to_string(&target).unwrap()).contains(fragment));
            if !leads {
                wrong.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
}
