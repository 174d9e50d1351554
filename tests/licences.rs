//! Licences travel with what they are of: bundles, the package, the program.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use pocketgraph_build::assemble::RUNTIME;
use pocketgraph_build::licences::{APACHE, NOTICE, THIRD_PARTY};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pocketgraph")).args(args).output().unwrap()
}

fn text(name: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(name)).unwrap()
}

#[test]
fn a_bundle_with_weights_carries_their_notice_and_licence_and_the_next_build_replaces_it() {
    let dir = tempfile::tempdir().unwrap();
    let (docs, bundle) = (dir.path().join("docs"), dir.path().join("bundle"));
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(docs.join("a.md"), "# Harbours\n\nThe quay of the old harbour is long.\n").unwrap();
    let (from, to) = (docs.to_str().unwrap(), bundle.to_str().unwrap());
    for _ in 0..2 {
        let built = run(&["build", from, "-o", to, "--no-runtime", "--no-cache"]);
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    }
    let read = |name: &str| std::fs::read_to_string(bundle.join(name)).unwrap();
    assert_eq!((read("NOTICE"), read("LICENSE-APACHE")), (text("models/NOTICE"), text("LICENSE-APACHE")));
    assert!(
        !read("files.txt").contains("NOTICE"),
        "whoever keeps a bundle for use offline does not fetch them"
    );
    let manifest = read("manifest.json");
    assert!(!manifest.contains("NOTICE"), "no page fetches them");
    assert!(run(&["verify", to]).status.success());
}

#[test]
fn a_bundle_without_weights_carries_none() {
    let dir = tempfile::tempdir().unwrap();
    let (chunks, bundle) = (dir.path().join("chunks.jsonl"), dir.path().join("bundle"));
    std::fs::write(&chunks, "{\"text\":\"The quay is long.\",\"vector\":[1,0]}\n").unwrap();
    let vectors = dir.path().join("v.safetensors");
    let header = r#"{"vectors":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}"#;
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend([1.0_f32, 0.0].iter().flat_map(|x| x.to_le_bytes()));
    std::fs::write(&vectors, file).unwrap();
    let paths = [&chunks, &vectors, &bundle].map(|p| p.to_str().unwrap());
    let built = run(&[
        "build",
        "--chunks",
        paths[0],
        "--vectors",
        paths[1],
        "--embedder",
        "theirs",
        "-o",
        paths[2],
        "--no-runtime",
        "--no-cache",
    ]);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    assert!(bundle.join("manifest.json").is_file() && !bundle.join("NOTICE").exists());
}

#[test]
fn the_program_prints_every_text_under_either_spelling() {
    for command in ["licences", "licenses"] {
        let printed = run(&[command]);
        assert!(printed.status.success());
        let printed = String::from_utf8(printed.stdout).unwrap();
        for name in ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE", "models/NOTICE", "THIRD-PARTY.txt"] {
            assert!(printed.contains(text(name).trim_end()), "{command} lacks {name}");
        }
    }
    assert!(NOTICE.contains("all-MiniLM-L6-v2") && APACHE.contains("Redistribution"));
}

#[test]
fn the_package_lists_and_holds_them() {
    let package: serde_json::Value = serde_json::from_str(&text("pkg/package.json")).unwrap();
    let files: Vec<&str> = package["files"].as_array().unwrap().iter().filter_map(|f| f.as_str()).collect();
    for pattern in ["LICENSE*", "NOTICE", "THIRD-PARTY.txt", "README.md"] {
        assert!(files.contains(&pattern), "{pattern}");
    }
    if RUNTIME.is_empty() {
        eprintln!("left out: this program was built without the package");
        return;
    }
    let inside: BTreeMap<&str, &[u8]> = RUNTIME.iter().copied().collect();
    let kept = [
        ("LICENSE", "LICENSE"),
        ("LICENSE-APACHE", "LICENSE-APACHE"),
        ("LICENSE-MIT", "LICENSE-MIT"),
        ("NOTICE", "models/NOTICE"),
        ("THIRD-PARTY.txt", "pkg/THIRD-PARTY.txt"),
    ];
    for (name, source) in kept {
        assert_eq!(
            inside.get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
            Some(text(source)),
            "{name}"
        );
    }
}

/// Output of cargo: packages by id, and the dependencies of each.
struct Metadata(serde_json::Value);

impl Metadata {
    /// For one platform, without the network: what is built here has been fetched.
    fn of(platform: &str) -> Option<Metadata> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let args =
            ["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", platform];
        let output = Command::new(cargo).args(args).current_dir(ROOT).output().unwrap();
        output.status.success().then(|| Metadata(serde_json::from_slice(&output.stdout).unwrap()))
    }

    /// Name and version of every foreign crate that is linked into a package of ours.
    fn linked(&self, root: &str) -> BTreeSet<String> {
        let list = |value: &serde_json::Value| value.as_array().unwrap().clone();
        let packages: BTreeMap<String, serde_json::Value> = list(&self.0["packages"])
            .into_iter()
            .map(|p| (p["id"].as_str().unwrap().to_owned(), p))
            .collect();
        let nodes: BTreeMap<String, serde_json::Value> = list(&self.0["resolve"]["nodes"])
            .into_iter()
            .map(|n| (n["id"].as_str().unwrap().to_owned(), n))
            .collect();
        let start =
            packages.iter().find(|(_, p)| p["name"] == root && p["source"].is_null()).unwrap().0.clone();
        let (mut waiting, mut seen) = (vec![start], BTreeSet::new());
        while let Some(id) = waiting.pop() {
            let macros = list(&packages[&id]["targets"])
                .iter()
                .any(|t| list(&t["kind"]).iter().any(|k| k == "proc-macro"));
            if macros || !seen.insert(id.clone()) {
                continue;
            }
            let normal = |d: &serde_json::Value| list(&d["dep_kinds"]).iter().any(|k| k["kind"].is_null());
            waiting.extend(
                list(&nodes[&id]["deps"])
                    .iter()
                    .filter(|d| normal(d))
                    .map(|d| d["pkg"].as_str().unwrap().to_owned()),
            );
        }
        let foreign = seen.iter().map(|id| &packages[id]).filter(|p| !p["source"].is_null());
        foreign
            .map(|p| format!("{} {}", p["name"].as_str().unwrap(), p["version"].as_str().unwrap()))
            .collect()
    }
}

/// The names at the beginnings of lines up to the first text.
fn named(list: &str) -> BTreeSet<String> {
    let head = list.split("====").next().unwrap();
    head.lines().filter_map(|line| Some(line.split_once(": ")?.0.to_owned())).collect()
}

#[test]
fn every_linked_crate_is_named_with_its_terms() {
    let version = String::from_utf8(Command::new("rustc").arg("-vV").output().unwrap().stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let lists = [
        (host, "pocketgraph-cli", THIRD_PARTY.to_owned()),
        ("wasm32-unknown-unknown", "pocketgraph", text("pkg/THIRD-PARTY.txt")),
    ];
    for (platform, root, list) in lists {
        let Some(metadata) = Metadata::of(platform) else {
            eprintln!("left out: not all that {root} needs on {platform} has been fetched");
            continue;
        };
        let linked = metadata.linked(root);
        assert!(linked.len() > 20);
        let missing: Vec<_> = linked.difference(&named(&list)).cloned().collect();
        assert!(missing.is_empty(), "{root}: `node scripts/third-party.mjs` names these: {missing:?}");
    }
}

#[test]
fn every_text_that_a_list_refers_to_is_in_it() {
    for list in [THIRD_PARTY.to_owned(), text("pkg/THIRD-PARTY.txt")] {
        let numbers = list
            .lines()
            .filter_map(|line| line.strip_suffix(')')?.split_once(" (text "))
            .flat_map(|(_, n)| n.split(", "));
        let numbers: BTreeSet<&str> = numbers.collect();
        assert!(!numbers.is_empty());
        for number in numbers {
            assert!(list.contains(&format!("\nText {number}\n")), "{number}");
        }
    }
}
