//! The pages of the handbook against the program and against each other: commands that parse and run, links
//! that resolve.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use clap::CommandFactory;
use pocketgraph_cli::Cli;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// Returns the command lines of a page: lines of shell blocks, and code in running text that names a command
/// with arguments. In running text an ellipsis marks an argument that may be repeated.
fn commands_of(page: &str) -> Vec<String> {
    let (shell, text) = split_code(page);
    let inline =
        text.split('`').skip(1).step_by(2).map(|code| code.split_whitespace().collect::<Vec<_>>().join(" "));
    let all = shell.into_iter().map(str::to_owned).chain(inline);
    let commands = all.filter_map(|line| {
        let line = line.strip_prefix("npx ").unwrap_or(&line);
        line.starts_with("pocketgraph ").then(|| line.replace('…', ""))
    });
    commands.filter(|command| !command.contains("COMMAND")).collect()
}

/// Parses a command line with the program's own parser. Missing arguments are accepted, because running text
/// names commands such as `pocketgraph ask` alone.
fn parse(command: &str) -> Result<(), String> {
    use clap::error::ErrorKind::{
        DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion, MissingRequiredArgument,
    };
    match Cli::command().try_get_matches_from(split_arguments(command)) {
        Ok(_) => Ok(()),
        Err(error) => match error.kind() {
            DisplayHelp
            | DisplayVersion
            | DisplayHelpOnMissingArgumentOrSubcommand
            | MissingRequiredArgument => Ok(()),
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
    let page = "```sh\npocketgraph build docs -o site --no-such-option   # a comment\n```\nRun `pocketgraph \
        verify BUNDLE`.";
    let commands = commands_of(page);
    assert_eq!(commands.iter().map(|c| parse(c).is_ok()).collect::<Vec<_>>(), [false, true]);
}

/// Words of the commands that are not run, with what they need.
const NOT_RUN: &[(&str, &str)] = &[
    ("--base-url http://localhost", "a language model"),
    ("--base-url https://llm.example", "a language model"),
    ("--prompts mine", "a language model"),
    ("models get", "a network"),
    ("--embedder multilingual-e5-small", "a model that does not come with the program"),
    ("--planner-model planner.bin", "a trained planner"),
    ("pocketgraph eval retrieval", "the lab"),
    ("pocketgraph eval plans", "the lab"),
    ("pocketgraph train", "the lab"),
    ("pocketgraph serve", "somebody who stops it"),
];

/// Files that the commands of the pages name.
const FILES: &[(&str, &str)] = &[
    (
        "docs/fields.md",
        "---\nauthor: Ann\ntype: guide\ndate: 2024-05-01\n---\n# Fields\n\nA page has an author.\n",
    ),
    (
        "docs/loops.md",
        "# Loops\n\n## How are loops bounded?\n\nLoops are bounded by the option `--rounds`.\n",
    ),
    (
        "docs/pages.md",
        "# Pages\n\n## How do I exclude a page?\n\nExclude a page by its name in the file `.exclude`.\n",
    ),
    (
        "films.tsv",
        "Night Ferry\tdirected by\tAda Lind\nSalt Road\tdirected by\tAda Lind\nLow Tide\tdirected \
         by\tBo Marsh\n",
    ),
    ("mine.plan", "Ans1=SearchKG(t=* | h=Ada Lind, r=directed by)\n"),
    ("questions.csv", "question,page\nhow are loops bounded?,loops.md\nhow do I exclude a page?,pages.md\n"),
];

/// Runs the program in `folder`, with a cache of the tests' own and without an endpoint of the environment.
///
/// # Errors
/// The messages of a command that fails.
fn run(folder: &Path, arguments: &[String]) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pocketgraph"));
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR")).env("XDG_CONFIG_HOME", folder);
    command.env_remove("POCKETGRAPH_BASE_URL").env_remove("POCKETGRAPH_MODEL");
    let output = command.args(arguments).current_dir(folder).output().unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Runs the commands in a page's shell blocks, in order, in a folder with the files that they name and a
/// published site. Returns the messages of those that fail.
fn run_commands(page: &str) -> Vec<String> {
    let (shell, _) = split_code(page);
    let is_run = |line: &&str| {
        line.starts_with("pocketgraph ") && !NOT_RUN.iter().any(|(words, _)| line.contains(words))
    };
    let commands: Vec<&str> = shell.into_iter().filter(is_run).collect();
    if commands.is_empty() {
        return Vec::new();
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("docs")).unwrap();
    for (name, text) in FILES {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let publish = split_arguments("build docs -o site/bundle --pages site --kg films.tsv --no-runtime");
    run(folder.path(), &publish).unwrap();
    let run_line = |line: &&str| {
        let arguments = split_arguments(&line.replace("BUNDLE", "site/bundle"));
        run(folder.path(), &arguments[1..]).err().map(|error| format!("{line}: {error}"))
    };
    commands.iter().filter_map(run_line).collect()
}

#[test]
fn the_commands_of_the_pages_run_over_a_small_folder() {
    let pages = pages();
    let failed: Vec<String> = pages.iter().flat_map(|(_, page)| run_commands(page)).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    let lines: Vec<&str> = pages.iter().flat_map(|(_, page)| split_code(page).0).collect();
    let unused: Vec<_> =
        NOT_RUN.iter().filter(|(words, _)| !lines.iter().any(|line| line.contains(words))).collect();
    assert!(unused.is_empty(), "no command of the pages needs these: {unused:?}");
}

#[test]
fn a_command_that_names_a_missing_file_fails() {
    let failed =
        run_commands("```sh\npocketgraph import films.tsv\npocketgraph import no-such-file.tsv\n```\n");
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(failed[0].contains("no-such-file.tsv"), "{failed:?}");
}

/// Returns the fragment by which a heading is linked.
fn fragment_of(heading: &str) -> String {
    let text = heading.trim().to_lowercase();
    text.chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

fn fragments_of(page: &str) -> BTreeSet<String> {
    let (_, text) = split_code(page);
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| fragment_of(line.trim_start_matches('#')))
        .collect()
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
                && (fragment.is_empty()
                    || !is_page
                    || fragments_of(&std::fs::read_to_string(&target).unwrap()).contains(fragment));
            if !leads {
                wrong.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
}
