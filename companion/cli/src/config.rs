//! The options of a build from files: `pocketgraph.toml`.
//!
//! A file's entries are put into the command line before it is parsed, so that an option means the same in
//! both. The command line and the environment override the file.
//!
//! The owner of a file decides what it may set. The file that `--config` names, or that is in the user's
//! configuration folder, is the user's own. One in the working directory, among the documents or beside them
//! may come from a stranger: it may say how documents are read and addressed ([`HARMLESS`]), but name no
//! model, host, file or folder.

use super::Cli;
use clap::builder::ArgAction;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory, ValueHint};
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph_native::terminal::line;
use pocketgraph_native::user_folders;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The file that is read without being named.
const NAME: &str = "pocketgraph.toml";

/// The command whose options may stand in the file.
const BUILD: &str = "build";

/// Maximum size of the file, in bytes: a larger one is no list of options.
const MOST_BYTES: u64 = 1 << 20;

/// Options that a file of a stranger may set: how documents are read, cut and addressed. None names a file, a
/// folder or a host that the program would read from, write to or send to (`base-url` is only put before the
/// addresses of hits).
const HARMLESS: &[&str] = &[
    "base-url",
    "clusters",
    "exclude",
    "format",
    "generator",
    "include",
    "keywords-per-cluster",
    "max-tokens",
    "no-keywords",
    "rank",
    "retrievers",
    "seed",
    "url-style",
];

/// The option with the address of the language model.
const URL: &str = "llm-url";

/// A command line with the entries of files in it.
pub(super) struct Line {
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The file that names the address of the language model, where one does.
    pub url_file: Option<PathBuf>,
}

/// A file of options, read.
struct File {
    path: PathBuf,
    table: Table,
}

/// Adds the entries of configuration files to the command line of a build.
///
/// # Errors
/// A file that was named and cannot be read; one that is no TOML; an entry that is no option, with the name
/// of the nearest one; a file that came with the documents and sets more than how they are read.
pub(super) fn add_config_entries(given: Vec<OsString>) -> Result<Line> {
    let mut line = Line { arguments: given, url_file: None };
    // What is wrong with the line, and calls for help, are clap's concern when it is parsed as a whole.
    let Ok(matches) = Cli::command().ignore_errors(true).try_get_matches_from(&line.arguments) else {
        return Ok(line);
    };
    let Some(build) = matches.subcommand_matches(BUILD) else { return Ok(line) };
    if build.get_flag("no_config") || line.arguments.iter().any(|a| a == "--help" || a == "-h") {
        return Ok(line);
    }
    let root = Cli::command();
    let Some(command) = root.find_subcommand(BUILD) else { return Ok(line) };
    let mut files = Vec::new();
    if let Some(named) = build.get_one::<PathBuf>("config") {
        files.push(File::read(named.clone())?);
    } else {
        if let Some(path) = find_file(build) {
            let found = File::read(path)?;
            found.refuse_harm(command)?;
            files.push(found);
        }
        let own = user_folders::configuration().map(|folder| folder.join(NAME)).filter(|path| path.is_file());
        files.extend(own.map(File::read).transpose()?);
    }
    let at = line.arguments.iter().position(|a| a == BUILD).map_or(line.arguments.len(), |i| i + 1);
    let mut set: Vec<String> = Vec::new();
    for file in &files {
        let mut entries = file.entries(command, build)?;
        // What came with the documents is nearer to them than what the user sets for all.
        entries.retain(|e| !set.contains(&e.name));
        file.report(&entries, build.get_flag("quiet"));
        set.extend(entries.iter().map(|e| e.name.clone()));
        if entries.iter().any(|e| e.name == URL) {
            line.url_file = Some(file.path.clone());
        }
        line.arguments.splice(at..at, entries.into_iter().map(|e| e.argument));
    }
    Ok(line)
}

/// One entry of the file as an argument of the command line.
struct Entry {
    name: String,
    argument: OsString,
}

/// The first file of options in the working directory, among the documents or beside them.
fn find_file(build: &ArgMatches) -> Option<PathBuf> {
    let documents = build.get_one::<PathBuf>("documents").and_then(|d| std::path::absolute(d).ok());
    let folder = documents.as_deref().and_then(|d| if d.is_dir() { Some(d) } else { d.parent() });
    let above = folder.and_then(Path::parent);
    [Some(Path::new("")), folder, above]
        .into_iter()
        .flatten()
        .map(|f| f.join(NAME))
        .find(|file| file.is_file())
}

impl File {
    fn read(path: PathBuf) -> Result<File> {
        use std::io::Read;
        let text = || {
            let mut text = String::new();
            std::fs::File::open(&path)
                .into_diagnostic()?
                .take(MOST_BYTES + 1)
                .read_to_string(&mut text)
                .into_diagnostic()?;
            if text.len() as u64 > MOST_BYTES {
                Err(miette!("larger than a megabyte: not a list of options"))
            } else {
                Ok(text)
            }
        };
        let text = text().wrap_err_with(|| format!("cannot read the options in {}", path.display()))?;
        let table = text.parse().into_diagnostic().wrap_err_with(|| format!("in {}", path.display()))?;
        Ok(File { path, table })
    }

    /// Says what is set by this file, if the caller wants to hear it.
    fn report(&self, entries: &[Entry], quiet: bool) {
        if !quiet && !entries.is_empty() {
            let listed: Vec<String> =
                entries.iter().map(|e| line(&e.argument.to_string_lossy()).into_owned()).collect();
            eprintln!("options from {}: {}", line(&self.path.to_string_lossy()), listed.join(" "));
        }
    }

    /// Refuses a file that came with the documents and sets more than [`HARMLESS`] options.
    fn refuse_harm(&self, command: &Command) -> Result<()> {
        let known =
            |name: &str| command.get_arguments().any(|a| a.get_long() == Some(name) || a.get_id() == name);
        // A name that is no option at all gets an error of its own, with the nearest one, where entries are
        // read.
        let refused: Vec<&str> =
            self.table.keys().map(String::as_str).filter(|k| known(k) && !HARMLESS.contains(k)).collect();
        if refused.is_empty() {
            return Ok(());
        }
        let file = self.path.display();
        let help = format!("if you trust the file, name it: --config {file}; to do without it: --no-config");
        Err(miette!(
            help = help,
            "{file} may have come with the documents and may not set {}: that is for the command line, \
             --config, or {NAME} in your own folder of \
             configuration files",
            refused.join(", ")
        ))
    }

    /// The entries as arguments, without those that the command line or the environment decides.
    fn entries(&self, command: &Command, given: &ArgMatches) -> Result<Vec<Entry>> {
        read_entries(&self.table, command, given, self.path.parent().unwrap_or(Path::new("")))
            .wrap_err_with(|| format!("in {}", self.path.display()))
    }
}

/// The entries of a table as arguments; names of files in it are seen from `folder`.
fn read_entries(table: &Table, command: &Command, given: &ArgMatches, folder: &Path) -> Result<Vec<Entry>> {
    let known: Vec<(&str, &Arg)> = command
        .get_arguments()
        .filter_map(|a| Some((if a.is_positional() { a.get_id().as_str() } else { a.get_long()? }, a)))
        .filter(|(name, _)| !["help", "version", "config", "no-config"].contains(name))
        .collect();
    let mut positional = Vec::new();
    let mut options = Vec::new();
    for (name, value) in table {
        let Some((_, argument)) = known.iter().find(|(k, _)| k == name) else {
            return Err(report_unknown(name, &known));
        };
        let id = argument.get_id().as_str();
        let decided = |id: &str| {
            matches!(given.value_source(id), Some(ValueSource::CommandLine | ValueSource::EnvVariable))
        };
        // Documents and ready chunks exclude each other; so do the two that speak of the cache.
        let rivals: &[&str] = match id {
            "documents" => &["chunks"],
            "chunks" | "vectors" => &["documents"],
            "cache" => &["no_cache"],
            "no_cache" => &["cache"],
            _ => &[],
        };
        if decided(id) || rivals.iter().any(|r| decided(r)) {
            continue;
        }
        if matches!(argument.get_action(), ArgAction::SetTrue) {
            match value {
                Value::Boolean(true) => {
                    options.push(Entry { name: name.clone(), argument: format!("--{name}").into() })
                }
                Value::Boolean(false) => {}
                other => return Err(miette!("{name} is true or false, not {}", other.type_str())),
            }
            continue;
        }
        let path = matches!(
            argument.get_value_hint(),
            ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath
        );
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
                positional.push(Entry { name: name.clone(), argument: text });
            } else {
                let mut argument = OsString::from(format!("--{name}="));
                argument.push(text);
                options.push(Entry { name: name.clone(), argument });
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

fn report_unknown(name: &str, known: &[(&str, &Arg)]) -> miette::Report {
    let nearest = known
        .iter()
        .map(|k| k.0)
        .min_by_key(|k| (strsim::osa_distance(&name.to_lowercase().replace('_', "-"), k), *k));
    let help = nearest.map_or_else(String::new, |n| {
        format!("the nearest is {n}; `pocketgraph build --help` lists them all")
    });
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
        let out = add_config_entries(line).map_err(|e| format!("{e:?}"))?.arguments;
        let prefix = folder.path().to_string_lossy().into_owned();
        Ok(out.iter().map(|a| a.to_string_lossy().replace(&prefix, "HERE")).collect())
    }

    #[test]
    fn entries_become_arguments_and_paths_are_seen_from_the_file() {
        let line = with(
            "documents = \"docs\"\nout = \"site/kg\"\nclusters = 7\ncap = 0.5\nno-runtime = \
             true\nstrict = false\nkg = [\"a.tsv\", \"b.nt\"]\n",
            &[],
        );
        let line = line.unwrap();
        assert_eq!(line[2], "HERE/docs");
        for argument in [
            "--out=HERE/site/kg",
            "--clusters=7",
            "--cap=0.5",
            "--no-runtime",
            "--kg=HERE/a.tsv",
            "--kg=HERE/b.nt",
        ] {
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
        assert!(!line.iter().any(|a| a.starts_with("--seed=")
            || a.starts_with("--out=")
            || a.starts_with("--ch")
            || a.starts_with("--cache")));
        assert!(line.iter().any(|a| a == "--clusters=7"));
    }

    #[test]
    fn an_unknown_key_is_an_error_that_names_the_nearest() {
        for (wrong, right) in [
            ("max_tokens", "max-tokens"),
            ("cluster", "clusters"),
            ("Keyword-per-cluster", "keywords-per-cluster"),
            ("sed", "seed"),
        ] {
            let error = with(&format!("{wrong} = 1"), &["docs"]).unwrap_err();
            assert!(
                error.contains(&format!("no option {wrong}"))
                    && error.contains(&format!("nearest is {right};")),
                "{error}"
            );
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
    fn a_file_that_came_with_the_documents_sets_nothing_but_how_they_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs");
        std::fs::create_dir(&docs).unwrap();
        let build = |toml: &str, more: &[&str]| {
            std::fs::write(docs.join(NAME), toml).unwrap();
            let mut line: Vec<OsString> =
                vec!["pocketgraph".into(), "build".into(), "-q".into(), docs.clone().into()];
            line.extend(more.iter().map(OsString::from));
            add_config_entries(line).map(|line| line.arguments).map_err(|e| format!("{e:?}"))
        };
        let command = Cli::command();
        let command = command.find_subcommand(BUILD).unwrap();
        let mut refused = 0;
        for name in command.get_arguments().filter_map(Arg::get_long) {
            if HARMLESS.contains(&name) || ["help", "version", "config", "no-config", "quiet"].contains(&name)
            {
                continue;
            }
            let error = build(&format!("{name} = \"../x\"\n"), &[]).unwrap_err();
            assert!(
                error.contains("have come with the documents") && error.contains(name),
                "{name}: {error}"
            );
            assert!(build(&format!("{name} = \"../x\"\n"), &["--no-config"]).is_ok());
            refused += 1;
        }
        assert!(refused > 20, "{refused}");
        assert!(build("documents = \"../private\"\n", &[]).unwrap_err().contains("documents"));
        assert!(
            build("seed = 9\nmax-tokens = 100\nbase-url = \"/d/\"\n", &[])
                .unwrap()
                .iter()
                .any(|a| a == "--max-tokens=100")
        );
        // Named, it is the user's own.
        let own = docs.join(NAME);
        assert!(build("cache = \"c\"\n", &["--config", own.to_str().unwrap()]).is_ok());
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
            add_config_entries(line).unwrap().arguments.into_iter().any(|a| a == "--seed=9")
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
