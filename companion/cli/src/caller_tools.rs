//! Tools of the caller for a model: commands on this machine, each described by a file. The model chooses the
//! arguments, which the command reads as JSON from its standard input, never the command. No shell is used.
//! Output is untrusted.

use futures::future::{FutureExt, LocalBoxFuture};
use pocketgraph::agent::{CallerTool, CallerTools, EnvironmentError};
use pocketgraph::json::{Value, parse};
use serde::Deserialize;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A command that has not ended by then is ended.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks whether it has.
const PAUSE: Duration = Duration::from_millis(20);
/// Bytes of what a command writes that are read.
const MOST: u64 = 256 << 10;

/// Error of a file that describes no tool.
#[derive(Debug, thiserror::Error)]
pub enum ToolFileError {
    /// It cannot be read.
    #[error("cannot read {path}: {reason}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        reason: std::io::Error,
    },
    /// It is not what a tool's file is.
    #[error("{path}: {reason}")]
    Wrong {
        /// The file.
        path: PathBuf,
        /// Description of the fault.
        reason: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    name: String,
    description: String,
    #[serde(default)]
    parameters: Option<serde_json::Value>,
    command: Vec<String>,
}

/// Commands that a model may call.
#[derive(Debug, Default)]
pub struct CommandTools {
    all: Vec<CallerTool>,
    commands: Vec<Vec<String>>,
}

impl CommandTools {
    /// Reads a JSON file for each tool, with `name`, `description`, `command` and the JSON Schema
    /// `parameters`.
    ///
    /// # Errors
    /// [`ToolFileError`], which names the file.
    pub fn read(files: &[PathBuf]) -> Result<CommandTools, ToolFileError> {
        let mut out = CommandTools::default();
        for path in files {
            let io = |reason| ToolFileError::Io { path: path.clone(), reason };
            let text = std::fs::read_to_string(path).map_err(io)?;
            out.add(path, &text)?;
        }
        Ok(out)
    }

    fn add(&mut self, path: &Path, text: &str) -> Result<(), ToolFileError> {
        let wrong = |reason: String| ToolFileError::Wrong { path: path.to_owned(), reason };
        let Described { name, description, parameters, command } =
            serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
        let is_name = (1..=64).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        if !is_name {
            return Err(wrong(format!("{name:?} is no name of a tool: letters, digits, _ and -")));
        }
        if self.all.iter().any(|t| t.name == name) {
            return Err(wrong(format!("there are two tools {name:?}")));
        }
        if command.first().is_none_or(String::is_empty) {
            return Err(wrong("`command` names no program".to_owned()));
        }
        let schema = parameters.unwrap_or_else(|| serde_json::json!({"type": "object", "properties": {}}));
        let parameters = parse(&schema.to_string()).map_err(|e| wrong(e.to_string()))?;
        self.all.push(CallerTool { name, description, parameters });
        self.commands.push(command);
        Ok(())
    }
}

impl CallerTools for CommandTools {
    fn all(&self) -> &[CallerTool] {
        &self.all
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a Value,
    ) -> LocalBoxFuture<'a, Result<String, EnvironmentError>> {
        async move {
            let at = self.all.iter().position(|t| t.name == name);
            let command = at.and_then(|at| self.commands.get(at)).cloned().unwrap_or_default();
            let (given, (report, receiver)) = (arguments.to_string(), tokio::sync::oneshot::channel());
            // Whoever waits is let go when the caller aborts; the command is ended by its own clock then.
            thread::spawn(move || report.send(carried_out(&command, &given)));
            let outcome = receiver.await.unwrap_or_else(|_| Err("it was stopped".to_owned()));
            outcome.map_err(EnvironmentError::Failed)
        }
        .boxed_local()
    }
}

/// Runs a command with this input and returns its output.
fn carried_out(command: &[String], given: &str) -> Result<String, String> {
    let (program, arguments) = command.split_first().ok_or("there is no command")?;
    let mut started = Command::new(program);
    started.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = started.spawn().map_err(|e| format!("{program} cannot be started: {e}"))?;
    if let Some(mut input) = child.stdin.take() {
        let given = given.to_owned();
        // A command that does not read would keep a writer waiting.
        thread::spawn(move || input.write_all(given.as_bytes()));
    }
    let output = child.stdout.take();
    let reading = thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.map(|o| o.take(MOST).read_to_end(&mut bytes));
        read.transpose().map(|_| String::from_utf8_lossy(&bytes).into_owned())
    });
    let ended = wait_within(&mut child, PATIENCE);
    let ended = ended.ok_or_else(|| format!("it had not ended after {} seconds", PATIENCE.as_secs()))?;
    let text = reading.join().ok().and_then(Result::ok).unwrap_or_default();
    if ended.success() { Ok(text) } else { Err(format!("it ended with {ended}")) }
}

/// Waits for a command; `None` if it had to be killed.
fn wait_within(child: &mut Child, patience: Duration) -> Option<std::process::ExitStatus> {
    let until = Instant::now() + patience;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => thread::sleep(PAUSE),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn tools(text: &str) -> Result<CommandTools, ToolFileError> {
        let mut tools = CommandTools::default();
        tools.add(Path::new("t.json"), text).map(|()| tools)
    }

    #[cfg(unix)]
    #[test]
    fn a_command_reads_the_arguments_and_is_distinguished_from_a_failure() {
        let error_of = |command: &str| {
            let tools =
                tools(&format!(r#"{{"name": "t", "description": "d", "command": {command}}}"#)).unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(tools.call("t", &Value::object([("a", "b; rm".into())])))
        };
        assert_eq!(error_of(r#"["cat"]"#).unwrap(), r#"{"a":"b; rm"}"#);
        assert!(error_of(r#"["false"]"#).unwrap_err().to_string().contains("ended with"));
        assert!(error_of(r#"["/no/such/program"]"#).unwrap_err().to_string().contains("cannot be started"));
    }

    #[test]
    fn a_file_that_describes_no_tool_says_why() {
        let why = |text: &str| tools(text).unwrap_err().to_string();
        assert!(why("{}").starts_with("t.json: missing field"));
        assert!(
            why(r#"{"name": "a b", "description": "d", "command": ["x"]}"#).contains("no name of a tool")
        );
        assert!(why(r#"{"name": "a", "description": "d", "command": []}"#).contains("names no program"));
    }
}
