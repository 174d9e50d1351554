//! Runs a target on changed inputs, and reports panics, hangs and inputs that take much memory.

use crate::attempt::{self, NUMBER, SEED};
use crate::memory;
use crate::mutate::Random;
use crate::targets::Target;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// An input that takes longer hangs.
const HANGS: Duration = Duration::from_secs(60);
/// An input that takes longer is slow, which is a finding too.
const SLOW: Duration = Duration::from_secs(3);

static NAME: Mutex<String> = Mutex::new(String::new());
static PANIC_MESSAGE: Mutex<String> = Mutex::new(String::new());

/// Result of a run.
#[derive(Debug, Default)]
pub struct Run {
    /// Inputs tried.
    pub inputs: u64,
    /// Inputs that the target took for what it reads.
    pub taken: u64,
    /// Findings, each with the number of its input.
    pub findings: Vec<String>,
    /// The most that an input made the program allocate, in bytes.
    pub most_memory: usize,
    /// The longest that an input took.
    pub longest: Duration,
}

/// Watches for hangs, and keeps what panics say.
pub fn watch() {
    std::panic::set_hook(Box::new(|panic_info| {
        if let Ok(mut message) = PANIC_MESSAGE.lock() {
            *message = panic_info.to_string().replace('\n', " ");
        }
    }));
    std::thread::spawn(|| {
        let mut last = (u64::MAX, processor_time());
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let now = NUMBER.load(Relaxed);
            if now != last.0 {
                last = (now, processor_time());
            } else if processor_time().saturating_sub(last.1) > HANGS && now > 0 {
                attempt::end("hang");
            }
        }
    });
}

/// Returns what the program has taken of the processors, so that other work on the machine counts for little.
#[cfg(unix)]
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(not(unix))]
pub fn processor_time() -> Duration {
    static BEGAN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    BEGAN.elapsed()
}

/// Returns the input of a number, which selects a seed of the target and its changes.
pub fn input(target: &Target, seed: u64, number: u64) -> Vec<u8> {
    let mut random = Random::new(seed.wrapping_add(number).wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut input = random.one(&target.seeds).clone();
    (target.change)(&mut random, &mut input);
    input
}

/// Tries the kept inputs of a target, then changed ones, up to a time and a number.
pub fn run(target: &Target, kept: &Path, seed: u64, time: Duration, most: u64, findings: &Path) -> Run {
    let mut out = Run::default();
    if let Ok(mut name) = NAME.lock() {
        target.name.clone_into(&mut name);
    }
    SEED.store(seed, Relaxed);
    let mut files: Vec<_> =
        std::fs::read_dir(kept).into_iter().flatten().flatten().map(|f| f.path()).collect();
    files.sort();
    for bytes in files.iter().filter_map(|f| std::fs::read(f).ok()).chain(target.seeds.iter().cloned()) {
        try_one(target, &bytes, &mut out, findings);
    }
    let started = Instant::now();
    let mut number = 0;
    while started.elapsed() < time && out.inputs < most {
        number += 1;
        NUMBER.store(number, Relaxed);
        let bytes = input(target, seed, number);
        try_one(target, &bytes, &mut out, findings);
    }
    NUMBER.store(0, Relaxed);
    out
}

fn try_one(target: &Target, bytes: &[u8], out: &mut Run, findings: &Path) {
    let before = memory::begin();
    let started = processor_time();
    let taken = catch_unwind(AssertUnwindSafe(|| (target.read)(bytes)));
    let (took, peak) = (processor_time().saturating_sub(started), memory::peak(before));
    out.inputs += 1;
    out.most_memory = out.most_memory.max(peak);
    out.longest = out.longest.max(took);
    let why = match taken {
        Err(_) => PANIC_MESSAGE.lock().map_or_else(|_| "panic".to_owned(), |s| format!("panic: {s}")),
        Ok(_) if took > SLOW => format!("slow: {} ms", took.as_millis()),
        Ok(_) if peak > target.memory(bytes.len()) => format!("memory: {peak} bytes for {}", bytes.len()),
        Ok(taken) => {
            out.taken += u64::from(taken);
            return;
        }
    };
    // One finding of a kind is enough: panics of one place differ in nothing else.
    let kind: String = why.chars().filter(|c| !c.is_ascii_digit()).take(120).collect();
    let known = out
        .findings
        .iter()
        .any(|f| f.chars().filter(|c| !c.is_ascii_digit()).take(120).collect::<String>() == kind);
    if !known {
        let file = findings.join(format!("{}-{}", target.name, out.findings.len()));
        let kept = std::fs::create_dir_all(findings).and_then(|()| std::fs::write(&file, bytes));
        eprintln!(
            "FINDING in {}: {why} ({})",
            target.name,
            kept.map_or_else(|e| e.to_string(), |()| file.display().to_string())
        );
        out.findings.push(why);
    }
}
