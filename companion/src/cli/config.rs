//! The options of a build from a file: `pocketgraph.toml`.
//!
//! The file's entries are put into the command line before it is parsed, so that an option means the same wherever it stands. What the command line or
//! the environment says wins.

use super::Cli;
use clap::builder::ArgAction;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory, ValueHint};
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The file that is read without being named.
const NAME: &str = "pocketgraph.toml";

/// The command whose options may stand in the file.
const BUILD: &str = "build";

/// Larger files are no list of options.
const MOST_BYTES: u64 = 1 << 20;

/// The command line with the entries of the configuration file in it, where it is that of a build and there is such a file.
///
/// # Errors
/// A file that was named and cannot be read; one that is no TOML; an entry that is no option, with the name of the nearest one.
pub(super) fn expanded(given: Vec<OsString>) -> Result<Vec<OsString>> {
    // What is wrong with the line, and calls for help, are clap's concern when it is parsed as a whole.
    let Ok(matches) = Cli::command().ignore_errors(true).try_get_matches_from(&given) else { return Ok(given) };
    let Some(build) = matches.subcommand_matches(BUILD) else { return Ok(given) };
    if build.get_flag("no_config") || given.iter().any(|a| a == "--help" || a == "-h") {
        return Ok(given);
    }
    let named = build.get_one::<PathBuf>("config");
    let Some(file) = named.cloned().or_else(|| beside(build)) else { return Ok(given) };
    let text = read(&file).wrap_err_with(|| format!("cannot read the options in {}", file.display()))?;
    let root = Cli::command();
    let Some(command) = root.find_subcommand(BUILD) else { return Ok(given) };
    let entries =
        entries(&text, command, build, file.parent().unwrap_or(Path::new(""))).wrap_err_with(|| format!("in {}", file.display()))?;
    if !build.get_flag("quiet") {
        eprintln!("options from {}", file.display());
    }
    let mut out = given;
    let at = out.iter().position(|a| a == BUILD).map_or(out.len(), |i| i + 1);
    out.splice(at..at, entries);
    Ok(out)
}

/// The file in the documents' folder or beside it; with no documents named, the one here.
fn beside(build: &ArgMatches) -> Option<PathBuf> {
    let folder = match build.get_one::<PathBuf>("documents") {
        None => return Some(PathBuf::from(NAME)).filter(|f| f.is_file()),
        Some(documents) if documents.is_dir() => documents.clone(),
        Some(file) => file.parent()?.to_owned(),
    };
    // The folder above "docs" is here; that above "." has to be asked for.
    let above = match folder.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Some(PathBuf::from(".")),
        Some(parent) => Some(parent.to_owned()),
        None => None,
    };
    std::iter::once(folder).chain(above).map(|f| f.join(NAME)).find(|f| f.is_file())
}

fn read(file: &Path) -> Result<String> {
    use std::io::Read;
    let mut text = String::new();
    std::fs::File::open(file).into_diagnostic()?.take(MOST_BYTES + 1).read_to_string(&mut text).into_diagnostic()?;
    if text.len() as u64 > MOST_BYTES { Err(miette!("larger than a megabyte: not a list of options")) } else { Ok(text) }
}

/// The file's entries as arguments, without those that the command line or the environment decides.
fn entries(text: &str, command: &Command, given: &ArgMatches, folder: &Path) -> Result<Vec<OsString>> {
    let table: Table = text.parse().into_diagnostic()?;
    let known: Vec<(&str, &Arg)> = command
        .get_arguments()
        .filter_map(|a| Some((if a.is_positional() { a.get_id().as_str() } else { a.get_long()? }, a)))
        .filter(|(name, _)| !["help", "version", "config", "no-config"].contains(name))
        .collect();
    let mut positional = Vec::new();
    let mut options = Vec::new();
    for (name, value) in &table {
        let Some((_, argument)) = known.iter().find(|(k, _)| k == name) else { return Err(unknown(name, &known)) };
        let id = argument.get_id().as_str();
        let decided = |id: &str| matches!(given.value_source(id), Some(ValueSource::CommandLine | ValueSource::EnvVariable));
        // Documents and ready chunks exclude each other; so do the two that speak of the cache.
        let rivals: &[&str] = match id {
            "documents" => &["chunks"],
            "chunks" | "vectors" | "embedder" => &["documents"],
            "cache" => &["no_cache"],
            "no_cache" => &["cache"],
            _ => &[],
        };
        if decided(id) || rivals.iter().any(|r| decided(r)) {
            continue;
        }
        if matches!(argument.get_action(), ArgAction::SetTrue) {
            match value {
                Value::Boolean(true) => options.push(OsString::from(format!("--{name}"))),
                Value::Boolean(false) => {}
                other => return Err(miette!("{name} is true or false, not {}", other.type_str())),
            }
            continue;
        }
        let path = matches!(argument.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath);
        let values = match value {
            Value::Array(list) if matches!(argument.get_action(), ArgAction::Append) => list.iter().collect(),
            one => vec![one],
        };
        for value in values {
            let text = match value {
                Value::String(s) => s.clone(),
                Value::Integer(n) => n.to_string(),
                Value::Float(n) => n.to_string(),
                other => return Err(miette!("{name} cannot be {}", of_type(other))),
            };
            // Names of files are seen from the file that names them.
            let text = if path { folder.join(text).into_os_string() } else { text.into() };
            if argument.is_positional() {
                positional.push(text);
            } else {
                let mut option = OsString::from(format!("--{name}="));
                option.push(text);
                options.push(option);
            }
        }
    }
    positional.extend(options);
    Ok(positional)
}

fn of_type(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table of its own".to_owned(),
        Value::Boolean(b) => format!("{b}"),
        other => format!("a {}", other.type_str()),
    }
}

fn unknown(name: &str, known: &[(&str, &Arg)]) -> miette::Report {
    let nearest = known.iter().map(|k| k.0).min_by_key(|k| (strsim::osa_distance(&name.to_lowercase().replace('_', "-"), k), *k));
    let help = nearest.map_or_else(String::new, |n| format!("the nearest is {n}; `pocketgraph build --help` lists them all"));
    miette!(help = help, "there is no option {name}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn with(toml: &str, arguments: &[&str]) -> std::result::Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.toml");
        std::fs::write(&file, toml).unwrap();
        let mut line: Vec<OsString> = vec!["pocketgraph".into(), "build".into(), "-q".into()];
        line.extend(arguments.iter().map(OsString::from));
        line.extend(["--config".into(), file.into()]);
        let out = expanded(line).map_err(|e| format!("{e:?}"))?;
        let prefix = folder.path().to_string_lossy().into_owned();
        Ok(out.iter().map(|a| a.to_string_lossy().replace(&prefix, "HERE")).collect())
    }

    #[test]
    fn entries_become_arguments_and_paths_are_seen_from_the_file() {
        let line = with(
            "documents = \"docs\"\nout = \"site/kg\"\nclusters = 7\ncap = 0.5\nno-runtime = true\nstrict = false\nkg = [\"a.tsv\", \"b.nt\"]\n",
            &[],
        );
        let line = line.unwrap();
        assert_eq!(line[2], "HERE/docs");
        for argument in ["--out=HERE/site/kg", "--clusters=7", "--cap=0.5", "--no-runtime", "--kg=HERE/a.tsv", "--kg=HERE/b.nt"] {
            assert!(line.iter().any(|a| a == argument), "{argument} is not in {line:?}");
        }
        assert!(!line.iter().any(|a| a == "--strict"));
    }

    #[test]
    fn the_command_line_wins() {
        let line = with(
            "seed = 3\nclusters = 7\nout = \"a\"\nchunks = \"c.jsonl\"\ncache = \"c\"\n",
            &["docs", "--seed", "5", "-o", "b", "--no-cache"],
        )
        .unwrap();
        assert!(
            !line.iter().any(|a| a.starts_with("--seed=") || a.starts_with("--out=") || a.starts_with("--ch") || a.starts_with("--cache"))
        );
        assert!(line.iter().any(|a| a == "--clusters=7"));
    }

    #[test]
    fn an_unknown_key_is_an_error_that_names_the_nearest() {
        for (wrong, right) in
            [("max_tokens", "max-tokens"), ("cluster", "clusters"), ("Keyword-per-cluster", "keywords-per-cluster"), ("sed", "seed")]
        {
            let error = with(&format!("{wrong} = 1"), &["docs"]).unwrap_err();
            assert!(error.contains(&format!("no option {wrong}")) && error.contains(&format!("nearest is {right};")), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_a_value_is_an_error() {
        for wrong in [
            "seed = true",
            "out = [\"a\", \"b\"]",
            "no-runtime = \"yes\"",
            "[build]\nseed = 1",
            "seed = 2020-01-01",
            "seed = ",
            "seed = 1\nseed = 2",
        ] {
            assert!(with(wrong, &["docs"]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_in_the_folder_or_beside_it_is_found_and_other_commands_read_none() {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs");
        std::fs::create_dir(&docs).unwrap();
        let line = |command: &str, more: &[&str]| {
            let mut line: Vec<OsString> = ["pocketgraph", command, "-q"].iter().map(OsString::from).collect();
            line.push(docs.clone().into());
            line.extend(more.iter().map(OsString::from));
            expanded(line).unwrap().into_iter().any(|a| a == "--seed=9")
        };
        assert!(!line("build", &[]));
        std::fs::write(folder.path().join(NAME), "seed = 9").unwrap();
        assert!(line("build", &[]));
        assert!(!line("build", &["--no-config"]));
        assert!(!line("verify", &[]));
        std::fs::write(docs.join(NAME), "seed = 8").unwrap();
        assert!(!line("build", &[]), "the one in the folder comes first");
    }
}
