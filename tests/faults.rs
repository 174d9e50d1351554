//! What may befall a build: killed, interrupted, out of room, not allowed to write, not alone, its cache
//! damaged. The old bundle or the new one stands there whole, and the next build leaves nothing of the one
//! before.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Options that leave parts out, so that a build takes half a second.
const FASTER: [&str; 9] = [
    "--no-runtime",
    "--no-keywords",
    "--query-table",
    "none",
    "--planner-model",
    "none",
    "--kg-from-documents",
    "off",
    "--quiet",
];

/// Bytes by name of all files in a folder.
type Files = BTreeMap<String, Vec<u8>>;

fn files_of(folder: &Path) -> Files {
    fn walk(root: &Path, folder: &Path, out: &mut Files) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, out);
            } else {
                out.insert(
                    path.strip_prefix(root).unwrap().display().to_string(),
                    std::fs::read(&path).unwrap(),
                );
            }
        }
    }
    let mut out = Files::new();
    if folder.is_dir() {
        walk(folder, folder, &mut out);
    }
    out
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with two states of some documents, what each comes to, and a place for the output.
struct Bench {
    dir: tempfile::TempDir,
    old: Files,
    new: Files,
    /// Time that a build took, to spread moments over it.
    took: Duration,
}

impl Bench {
    fn new() -> Bench {
        let dir = tempfile::tempdir().unwrap();
        for (state, pages) in [("old", 12), ("new", 13)] {
            std::fs::create_dir(dir.path().join(state)).unwrap();
            for i in 0..pages {
                let text = format!(
                    "# Page {i}\n\nHarbour number {i} is described here by Mara Kestrel.\n\n## Part \
                     {i}\n\nThe quay of harbour {i} is long.\n"
                );
                std::fs::write(dir.path().join(state).join(format!("p{i}.md")), text).unwrap();
            }
        }
        std::fs::create_dir(dir.path().join("site")).unwrap();
        let mut bench = Bench { dir, old: Files::new(), new: Files::new(), took: Duration::ZERO };
        let build = |state: &str| {
            let at = bench.at(&format!("reference-{state}"));
            let output = bench.build(state, &at, &["--no-cache"]).output().unwrap();
            assert!(output.status.success(), "{}", err(&output));
            files_of(&at)
        };
        let old = build("old");
        let begun = Instant::now();
        let new = build("new");
        let took = begun.elapsed();
        (bench.old, bench.new, bench.took) = (old, new, took);
        assert!(bench.old != bench.new);
        bench
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Returns the output folder of most tests; nothing else is in its parent folder.
    fn out(&self) -> PathBuf {
        self.at("site/bundle")
    }

    fn build(&self, state: &str, out: &Path, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pocketgraph"));
        command.env("XDG_CACHE_HOME", self.at("xdg"));
        command.arg("build").arg(self.at(state)).arg("-o").arg(out).args(FASTER).args(more);
        command
    }

    /// Puts the old bundle where most tests build.
    fn put_old(&self) {
        let output = self.build("old", &self.out(), &["--no-cache"]).output().unwrap();
        assert!(output.status.success(), "{}", err(&output));
        assert!(files_of(&self.out()) == self.old);
    }

    /// Returns the names of files beside the output.
    fn beside(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.at("site"))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != "bundle").collect()
    }

    fn assert_whole(&self, when: &str) {
        let there = files_of(&self.out());
        assert!(
            there == self.old || there == self.new,
            "{when}: neither the old bundle nor the new one: {:?}",
            there.keys()
        );
    }

    /// Waits until a build has come so far, or has ended.
    fn wait(&self, child: &mut Child, moment: Moment) {
        let begun = Instant::now();
        let come = || match moment {
            Moment::Share(share) => begun.elapsed() >= self.took.mul_f64(share),
            Moment::Files(count) => self.written() >= count,
        };
        while !come() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(300));
        }
    }

    /// Returns the number of files in the folders where bundles grow.
    fn written(&self) -> usize {
        let folders =
            self.beside().into_iter().map(|name| self.at("site").join(name)).filter(|path| path.is_dir());
        // They may go while they are looked at.
        folders.filter_map(|folder| Some(std::fs::read_dir(folder).ok()?.count())).sum()
    }
}

#[derive(Debug, Clone, Copy)]
enum Moment {
    /// After this share of the time that a build took.
    Share(f64),
    /// The moment at which so many files and folders have been written aside.
    Files(usize),
}

#[test]
fn a_build_killed_at_any_of_twenty_moments_leaves_a_whole_bundle_and_the_next_one_nothing_of_it() {
    let bench = Bench::new();
    let cache = bench.at("cache");
    bench.put_old();
    let by_time = (0..10).map(|i| Moment::Share(f64::from(i) / 10.0 + 0.05));
    let by_files = (0..10).map(|i| Moment::Files(2 * i + 1));
    for moment in by_time.chain(by_files) {
        let mut child = bench
            .build("new", &bench.out(), &["--cache", cache.to_str().unwrap()])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        bench.wait(&mut child, moment);
        child.kill().unwrap();
        child.wait().unwrap();
        bench.assert_whole(&format!("{moment:?}"));
        assert!(bench.beside().len() <= 3, "what earlier builds left has been swept: {:?}", bench.beside());
    }
    let resumed = bench.build("new", &bench.out(), &["--cache", cache.to_str().unwrap()]).output().unwrap();
    assert!(resumed.status.success(), "{}", err(&resumed));
    assert!(files_of(&bench.out()) == bench.new, "what was computed before the kills changes nothing");
    assert_eq!(bench.beside(), [""; 0]);
}

#[test]
fn an_interrupted_build_leaves_the_old_bundle_and_nothing_beside_it() {
    let bench = Bench::new();
    bench.put_old();
    for signal in ["INT", "TERM", "HUP"] {
        for moment in [Moment::Share(0.3), Moment::Files(1), Moment::Files(4), Moment::Files(8)] {
            let mut child =
                bench.build("new", &bench.out(), &["--no-cache"]).stderr(Stdio::null()).spawn().unwrap();
            // Before that there is no handler yet, and nothing to leave.
            bench.wait(&mut child, Moment::Files(0));
            bench.wait(&mut child, moment);
            let printed = Command::new("kill")
                .args(["-s", signal, &child.id().to_string()])
                .stderr(Stdio::null())
                .status()
                .unwrap();
            let status = child.wait().unwrap();
            let finished = !printed.success() || status.success();
            // None where the signal came before the handler was there.
            assert!(
                finished || status.code().is_none_or(|code| code == 130),
                "{signal} {moment:?}: {status}"
            );
            bench.assert_whole(&format!("{signal} {moment:?}"));
            assert_eq!(bench.beside(), [""; 0], "{signal} {moment:?}");
            if finished {
                bench.put_old();
            }
        }
    }
}

/// A build under a limit of the size of files, in kB, told by an error if `ignored`, and by a signal that
/// ends the program otherwise.
fn limited(bench: &Bench, kilobytes: usize, ignored: bool) -> Output {
    let build = bench.build("new", &bench.out(), &["--no-cache"]);
    let trap = if ignored { "trap '' XFSZ;" } else { "" };
    let script = format!("{trap} ulimit -c 0; ulimit -f {}; exec \"$@\"", kilobytes * 2);
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, "sh"]).arg(build.get_program()).args(build.get_args());
    shell.envs(build.get_envs().filter_map(|(name, value)| Some((name, value?)))).output().unwrap()
}

#[test]
fn a_build_that_may_write_no_more_fails_in_words_and_leaves_the_old_bundle() {
    let bench = Bench::new();
    bench.put_old();
    for kilobytes in [0, 1, 4, 16, 64, 256] {
        let output = limited(&bench, kilobytes, true);
        assert!(
            !output.status.success() && output.status.code().is_some(),
            "{kilobytes} kB: {:?}",
            output.status
        );
        assert!(
            !err(&output).contains("panicked") && !err(&output).is_empty(),
            "{kilobytes} kB: {}",
            err(&output)
        );
        assert!(files_of(&bench.out()) == bench.old, "{kilobytes} kB");
        assert_eq!(bench.beside(), [""; 0], "{kilobytes} kB");
    }
    let ended = limited(&bench, 4, false);
    assert!(ended.status.code().is_none_or(|code| code != 0));
    assert!(files_of(&bench.out()) == bench.old);
    bench.put_old();
    assert_eq!(bench.beside(), [""; 0]);
}

/// A file system of its own, if this user may make one. It goes with the value.
struct Mounted(PathBuf);

impl Mounted {
    fn new(at: PathBuf, options: &str) -> Option<Mounted> {
        std::fs::create_dir_all(&at).unwrap();
        Mounted::call(&["-t", "tmpfs", "-o", options, "tmpfs"], &at).then_some(Mounted(at))
    }

    fn call(options: &[&str], at: &Path) -> bool {
        Command::new("mount")
            .args(options)
            .arg(at)
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    fn again(&self, options: &str) {
        assert!(Mounted::call(&["-o", &format!("remount,{options}")], &self.0));
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_leaves_the_old_bundle_and_a_full_cache_only_costs_its_use() {
    let bench = Bench::new();
    let Some(disk) = Mounted::new(bench.at("site"), "size=64m") else {
        eprintln!("left out: this user may mount nothing");
        return;
    };
    bench.put_old();
    let used: usize =
        bench.old.values().map(|bytes| bytes.len().next_multiple_of(4096)).sum::<usize>() / 1024;
    for spare in [100, 400, 1000, used / 2] {
        disk.again(&format!("size={}k", used + spare));
        let output = bench.build("new", &bench.out(), &["--no-cache"]).output().unwrap();
        assert!(
            !output.status.success() && !err(&output).contains("panicked"),
            "{spare} kB: {}",
            err(&output)
        );
        assert!(files_of(&bench.out()) == bench.old, "{spare} kB");
        assert_eq!(bench.beside(), [""; 0], "{spare} kB");
    }
    drop(disk);
    let disk = Mounted::new(bench.at("full"), "size=40k").unwrap();
    let cache = disk.0.join("cache");
    let output = bench.build("new", &bench.out(), &["--cache", cache.to_str().unwrap()]).output().unwrap();
    assert!(output.status.success() && !err(&output).contains("panicked"), "{}", err(&output));
    assert!(files_of(&bench.out()) == bench.new);
}

#[test]
fn where_nothing_may_be_written_a_build_says_so_and_changes_nothing() {
    let bench = Bench::new();
    bench.put_old();
    // Root may write into a folder that says that nobody may: then a file system says it.
    let by_mode = Command::new("chmod").args(["555", bench.at("site").to_str().unwrap()]).status().unwrap();
    let probe = bench.at("site/probe");
    let may_write = std::fs::write(&probe, "").is_ok();
    let _ = std::fs::remove_file(probe);
    let (out, _disk) = if may_write {
        let Some(disk) = Mounted::new(bench.at("closed"), "ro,size=1m") else { return };
        (disk.0.join("bundle"), Some(disk))
    } else {
        (bench.out(), None)
    };
    assert!(by_mode.success());
    let output = bench.build("new", &out, &["--no-cache"]).output().unwrap();
    let printed = err(&output);
    assert!(!output.status.success() && !printed.contains("panicked"), "{printed}");
    assert!(printed.contains("cannot") && printed.contains("no bundle was written"), "{printed}");
    assert!(files_of(&bench.out()) == bench.old);
    std::fs::set_permissions(bench.at("site"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(bench.beside(), [""; 0]);
}

#[test]
fn builds_at_once_to_one_place_and_with_one_cache_all_succeed_and_one_of_them_is_whole() {
    let bench = Bench::new();
    let cache = bench.at("cache");
    for _ in 0..2 {
        let start = |state| {
            bench
                .build(state, &bench.out(), &["--cache", cache.to_str().unwrap()])
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let running: Vec<Child> = ["old", "new", "old", "new"].map(start).into();
        for child in running {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", err(&output));
        }
        bench.assert_whole("four builds at once");
        assert_eq!(bench.beside(), [""; 0]);
    }
}

/// Numbers that look like chance (Knuth's multiplier), the same at every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }
}

/// Damages a file of the cache in one of six ways.
fn damage(bytes: &mut Vec<u8>, way: usize, chance: &mut Chance) {
    let length = bytes.len();
    match way % 6 {
        0 => (0..16).for_each(|_| bytes[chance.below(length)] ^= 1 << chance.below(8)),
        1 => bytes.truncate(chance.below(length)),
        2 => {
            let page = chance.below(length / 4096) * 4096;
            bytes[page..page + 4096].fill(0);
        }
        3 => (0..64).for_each(|_| bytes[chance.below(4096)] = chance.below(256) as u8),
        4 => {
            let (from, to) = (chance.below(length / 4096) * 4096, chance.below(length / 4096) * 4096);
            bytes.copy_within(from..from + 4096, to);
        }
        _ => *bytes = vec![b'x'; chance.below(20_000)],
    }
}

#[test]
fn thirty_damaged_caches_change_no_byte_of_the_bundle_and_are_reported_in_words() {
    let bench = Bench::new();
    let whole = bench.at("cache");
    assert!(
        bench
            .build("old", &bench.at("first"), &["--cache", whole.to_str().unwrap()])
            .status()
            .unwrap()
            .success()
    );
    let one = |i: usize| {
        let mut chance = Chance(i as u64);
        let cache = bench.at(&format!("cache-{i}"));
        std::fs::create_dir(&cache).unwrap();
        for (name, bytes) in files_of(&whole) {
            let mut bytes = bytes.clone();
            if name.starts_with(if i % 5 == 4 { "replies" } else { "computed" }) {
                damage(&mut bytes, i, &mut chance);
            }
            std::fs::write(cache.join(name), bytes).unwrap();
        }
        let out = bench.at(&format!("out-{i}"));
        let output = bench.build("new", &out, &["--cache", cache.to_str().unwrap()]).output().unwrap();
        let printed = err(&output);
        assert!(output.status.success(), "{i}: {printed}");
        assert!(files_of(&out) == bench.new, "{i}: {printed}");
        assert!(
            !printed.contains("panicked") && !printed.contains(".rs:") && !printed.contains("RUST_BACKTRACE"),
            "{i}: {printed}"
        );
        std::fs::remove_dir_all(cache).unwrap();
        std::fs::remove_dir_all(out).unwrap();
        usize::from(printed.contains("cache"))
    };
    // Two at a time: so many processors has the smallest machine that builds us.
    let succeeded: usize = std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| scope.spawn(move || (half..30).step_by(2).map(one).sum::<usize>()));
        halves.into_iter().map(|half| half.join().unwrap()).sum()
    });
    assert!(succeeded > 10, "{succeeded} of 30 said that the cache is damaged");
}
