//! Reads in a separate process with limits: a file may demand any amount of time, memory or stack, and no PDF
//! crate bounds all three. If the process dies, only its file is lost.

use super::Text;
use pocketgraph_native::panics::catch_panic;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::time::Duration;

/// Memory that the process may map, in bytes, where the system keeps to it; the program itself is part of it.
#[cfg(unix)]
const MAPPED: u64 = 2 << 30;

/// Memory that it may fill.
#[cfg(unix)]
const MEMORY: u64 = 512 << 20;

/// Processes at once, whatever the number of cores: together they may fill no more than four times
/// [`MEMORY`].
const AT_ONCE: usize = 4;

/// Processor time that it may take, in seconds, where the system keeps to it.
#[cfg(unix)]
const SECONDS: u64 = 120;

/// Time limit by the clock: a machine that is busy with other work may be slow.
const PATIENCE: Duration = Duration::from_secs(1200);

/// Bytes of text that it may hand back.
const MOST_TEXT: u64 = 256 << 20;

/// The name of the command that a process of the program's own is started with.
const COMMAND: &str = "read-pdf";

/// Reader of PDFs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PdfReader {
    /// In this process: nothing but the work that a page asks for is bounded.
    #[default]
    Here,
    /// Each in a process of its own, of bounded time and memory: this is the program `pocketgraph`.
    Apart(PathBuf),
}

impl PdfReader {
    /// Reads a PDF.
    pub fn read(&self, bytes: Vec<u8>) -> Result<Text, String> {
        match self {
            PdfReader::Here => super::read_pdf(bytes),
            PdfReader::Apart(program) => read_apart(program, &bytes),
        }
    }
}

/// Processes that read at the moment.
static READING: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// A place among the processes that may read at once.
struct Place;

impl Place {
    fn wait() -> Place {
        let (count, freed) = &READING;
        let count = count.lock().unwrap_or_else(PoisonError::into_inner);
        let mut count = freed.wait_while(count, |n| *n >= AT_ONCE).unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        Place
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let (count, freed) = &READING;
        *count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        freed.notify_one();
    }
}

fn read_apart(program: &Path, bytes: &[u8]) -> Result<Text, String> {
    let _place = Place::wait();
    let failed = |e: std::io::Error| format!("the process that reads it could not be started: {e}");
    let mut command = Command::new(program);
    command.arg(COMMAND).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let (send, receiver) = mpsc::channel();
    let reply = std::thread::spawn(move || {
        let mut reply = Vec::new();
        let read = output.map(|o| o.take(MOST_TEXT).read_to_end(&mut reply));
        // Nobody waits any longer if this fails.
        let _ = send.send(read.is_some_and(|r| r.is_ok()).then_some(reply));
    });
    // It reads all before it writes, and one that ended early is known by its reply.
    let _ = input.map(|mut i| i.write_all(bytes));
    let answer = receiver.recv_timeout(PATIENCE);
    let _ = child.kill();
    let _ = (child.wait(), reply.join());
    let reply = answer.map_err(|_| "it took too long to read".to_owned())?.unwrap_or_default();
    serde_json::from_slice(&reply).unwrap_or_else(|_| {
        Err("reading it took more time or memory than a document does, or it made the reader fail".to_owned())
    })
}

/// Reads a PDF from `input` and writes its text to `output`: the work of the process.
///
/// # Errors
/// What cannot be read or written.
pub fn read_for_parent(mut input: impl Read, mut output: impl Write) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    bound_resources(bytes.len() as u64);
    let text = catch_panic(|| super::read_pdf(bytes)).unwrap_or_else(|message| {
        Err(format!("the program failed on it, which is a fault of the program ({message})"))
    });
    serde_json::to_writer(&mut output, &text)?;
    output.flush()
}

#[cfg(unix)]
fn bound_resources(file: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let of_file = file.saturating_mul(4);
    for (resource, most) in [
        (Resource::As, MAPPED.saturating_add(of_file)),
        (Resource::Data, MEMORY.saturating_add(of_file)),
        (Resource::Cpu, SECONDS),
        (Resource::Core, 0),
    ] {
        let most = getrlimit(resource).maximum.map_or(most, |m| m.min(most));
        // If a system does not know the limit, the others still apply.
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

#[cfg(not(unix))]
fn bound_resources(_: u64) {}
