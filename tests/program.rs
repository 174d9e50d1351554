//! The program as a user runs it.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program with a cache folder of the tests' own.
fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_pocketgraph"));
    program.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    program
}

fn run(args: &[&str]) -> Output {
    program().args(args).output().expect("the program starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn files_of(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, out: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, out);
            } else {
                out.insert(path.strip_prefix(root).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(root, root, &mut out);
    out
}

/// A small site about boats and bread.
fn documents(folder: &Path) {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "sailing/mooring.md",
        "---\ntitle: Mooring a boat\n---\n\n## Bow line\n\nTie the bow line first when you moor against the \
         wind.\n\n## Spring line\n\nThe spring line \
         keeps the boat from moving along the quay. It runs from the bow to a bollard astern.\n",
    );
    write(
        "baking.md",
        "# Baking bread\n\nSourdough needs a ripe starter. Feed the starter twelve hours before you \
         knead the dough.\n\n## Oven\n\nBake at 230 degrees for forty minutes.\n",
    );
    write(
        "page.html",
        "<html><head><title>Knots</title></head><body><nav>menu</nav><main><h1>Knots</h1><h2 \
         id=bow>Bowline</h2><p>The bowline makes a fixed loop that does not \
         slip.</p></main></body></html>",
    );
    write("notes.txt", "Anchors hold best in sand and mud. Rock is poor holding ground.\n");
    write("ignored/secret.md", "# Secret\n\nNobody shall read this.\n");
    write(".gitignore", "ignored/\n");
    std::fs::write(folder.join("broken.md"), b"# Broken\n\n\xff\xfe\xfa not text").unwrap();
}

/// Returns how many embeddings of chunks a build re-used, and how many there are.
fn reused(output: &Output) -> (usize, usize) {
    assert!(output.status.success(), "{}", err(output));
    let printed = out(output);
    let words: Vec<&str> =
        printed.lines().find(|l| l.contains("re-used")).unwrap().split_whitespace().collect();
    let number = |i: usize| words[i].replace(',', "").parse().unwrap();
    (number(1), number(3))
}

fn built() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    documents(&docs);
    let bundle = dir.path().join("bundle");
    let output = run(&["build", docs.to_str().unwrap(), "-o", bundle.to_str().unwrap()]);
    assert!(output.status.success(), "{}", err(&output));
    (dir, bundle)
}

#[test]
fn help_teaches_every_command() {
    let help = out(&run(&["--help"]));
    assert!(help.contains("pocketgraph-lab"), "{help}");
    for command in ["build", "search", "ask", "inspect", "verify", "draw", "export", "serve", "eval"] {
        assert!(help.contains(command), "{command}");
        assert!(out(&run(&[command, "--help"])).contains("Usage:"), "{command}");
    }
}

#[test]
fn a_folder_becomes_a_bundle_that_answers() {
    let (_dir, bundle) = built();
    let b = bundle.to_str().unwrap();

    let verified = run(&["verify", b]);
    assert!(verified.status.success(), "{}", err(&verified));
    assert!(out(&run(&["inspect", b])).contains("documents"));

    for (question, url) in [
        ("which rope stops the boat sliding along the quay?", "sailing/mooring.html#spring-line"),
        ("how hot should the oven be for bread?", "baking.html#oven"),
        ("a loop that does not slip", "page.html#bow"),
        ("where do anchors hold well?", "notes.txt"),
    ] {
        let found = run(&["search", b, question, "--json"]);
        assert!(found.status.success(), "{}", err(&found));
        let result: serde_json::Value = serde_json::from_str(&out(&found)).unwrap();
        assert_eq!(result["hits"][0]["url"], url, "{question}: {result:#}");
        assert_eq!(result["stage"], "model");
    }
    assert!(
        !out(&run(&["search", b, "secret nobody"])).contains("Nobody shall read"),
        "what .gitignore names is not read"
    );

    let answer = out(&run(&["ask", b, "What keeps the boat from moving along the quay?"]));
    assert!(
        answer.contains("The spring line keeps the boat from moving along the quay.")
            && answer.contains("[1]"),
        "{answer}"
    );
    let unknown = out(&run(&["ask", b, "Who won the football world cup in 1974?"]));
    assert!(unknown.contains("Nothing near enough was found"), "{unknown}");
}

#[test]
fn a_reader_who_has_read_enough_ends_the_program_without_a_word() {
    let (_keep, bundle) = built();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let read = program().arg("inspect").arg(&bundle).stdout(writer).output().unwrap();
    assert_eq!((read.status.code(), err(&read).as_str()), (Some(141), ""));
}

#[test]
fn what_cannot_be_read_is_named_and_counted_and_the_rest_is_built() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    documents(&docs);
    let bundle = dir.path().join("out/bundle");
    let output = run(&["build", docs.to_str().unwrap(), "-o", bundle.to_str().unwrap()]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(err(&output).contains("broken.md"), "{}", err(&output));
    assert!(out(&output).contains("1 skipped"), "{}", out(&output));
}

#[test]
fn the_same_documents_give_the_same_bytes() {
    let (dir, first) = built();
    let second = dir.path().join("again");
    let docs = dir.path().join("docs");
    assert!(
        run(&["build", docs.to_str().unwrap(), "-o", second.to_str().unwrap(), "--no-cache", "--jobs", "1"])
            .status
            .success()
    );
    let (a, b) = (files_of(&first), files_of(&second));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    assert!(a == b);
}

#[test]
fn a_bundle_for_words_alone_holds_no_vectors_and_is_searched_and_quoted() {
    let dir = tempfile::tempdir().unwrap();
    documents(&dir.path().join("docs"));
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (docs, bundle) = (at("docs"), at("bundle"));
    let built = run(&["build", &docs, "-o", &bundle, "--no-runtime", "--retrievers", "lexical"]);
    assert!(built.status.success(), "{}", err(&built));
    let sections: BTreeMap<PathBuf, usize> =
        files_of(Path::new(&bundle)).into_iter().map(|(name, bytes)| (name, bytes.len())).collect();
    let named = |part: &str| sections.keys().any(|name| name.to_string_lossy().contains(part));
    assert!(
        !["vectors", "sketches", "words", "layers", "table", "vocabulary", "planner", "keyword"]
            .iter()
            .any(|part| named(part)),
        "{sections:?}"
    );
    assert!(sections.values().sum::<usize>() < 100_000, "{sections:?}");
    let verified = run(&["verify", &bundle]);
    assert!(verified.status.success(), "{}", err(&verified));
    for retriever in ["auto", "lexical", "hybrid"] {
        let hits = out(&run(&["search", &bundle, "--retriever", retriever, "spring line bollard"]));
        assert!(hits.contains("sailing/mooring.html#spring-line"), "{retriever}: {hits}");
    }
    let answer = out(&run(&["ask", &bundle, "What keeps the boat from moving along the quay?"]));
    assert!(answer.contains("The spring line keeps the boat from moving along the quay."), "{answer}");
    let unknown = out(&run(&["ask", &bundle, "Who won the football world cup in 1974?"]));
    assert!(!unknown.contains("Sourdough") && !unknown.contains("bollard"), "{unknown}");
}

#[test]
fn a_pdf_is_read_in_a_process_of_its_own_and_a_hostile_one_costs_nothing_but_itself() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    let file = |content: &[u8], about: &str| {
        let mut bytes = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type \
            /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n\
            3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F 5 0 R >> \
            >> /Contents 4 0 R >>\nendobj\n\
            5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding \
            >>\nendobj\n"
            .to_vec();
        bytes.extend(format!("4 0 obj\n<< /Length {} {about} >>\nstream\n", content.len()).into_bytes());
        bytes.extend(content);
        bytes.extend(b"\nendstream\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n");
        bytes
    };
    std::fs::write(
        docs.join("good.pdf"),
        file(b"BT /F 12 Tf 60 700 Td (The shuttle is thrown by hand.) Tj ET", ""),
    )
    .unwrap();
    // Unpacked twice it is more than two gigabytes.
    let packed = |bytes: &[u8]| {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    };
    let mut inner = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    let blank = vec![b' '; 1 << 20];
    (0..2200).for_each(|_| std::io::Write::write_all(&mut inner, &blank).unwrap());
    std::fs::write(
        docs.join("bomb.pdf"),
        file(&packed(&inner.finish().unwrap()), "/Filter [/FlateDecode /FlateDecode]"),
    )
    .unwrap();
    let bundle = dir.path().join("bundle");
    let built = run(&[
        "build",
        docs.to_str().unwrap(),
        "-o",
        bundle.to_str().unwrap(),
        "--no-runtime",
        "--retrievers",
        "lexical",
    ]);
    assert!(built.status.success(), "{}", err(&built));
    assert!(out(&built).contains("1 documents") || out(&built).contains("1 document"), "{}", out(&built));
    assert!(err(&built).contains("bomb.pdf"), "{}", err(&built));
    let answer = out(&run(&["search", bundle.to_str().unwrap(), "How is the shuttle thrown?"]));
    assert!(answer.contains("good.pdf#page=1"), "{answer}");
}

#[test]
fn nothing_that_no_build_wrote_is_replaced_or_removed() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("site/docs");
    documents(&docs);
    let at = |name: &str| dir.path().join(name);
    // Any web app has a manifest.json.
    std::fs::create_dir(at("app")).unwrap();
    std::fs::write(at("app/manifest.json"), "{\"name\":\"My app\",\"start_url\":\"/\",\"icons\":[]}")
        .unwrap();
    std::fs::write(at("app/thesis.txt"), "years").unwrap();
    std::fs::write(at("site/manifest.json"), "{}").unwrap();
    let build = |out: &Path| {
        run(&[
            "build",
            docs.to_str().unwrap(),
            "-o",
            out.to_str().unwrap(),
            "--no-runtime",
            "--no-keywords",
            "-q",
        ])
    };
    for (out, why) in
        [(at("app"), "no bundle of pocketgraph's"), (at("site"), "holds"), (at("site/docs"), "is")]
    {
        let output = build(&out);
        assert!(!output.status.success());
        assert!(err(&output).contains(why), "{}: {}", out.display(), err(&output));
    }
    assert!(at("app/thesis.txt").is_file() && docs.join("sailing/mooring.md").is_file());
    // What somebody put into a bundle stays, and is named.
    assert!(build(&at("kg")).status.success());
    std::fs::write(at("kg/notes.txt"), "mine").unwrap();
    let output = build(&at("kg"));
    assert!(!output.status.success() && err(&output).contains("notes.txt"), "{}", err(&output));
    assert_eq!(std::fs::read_to_string(at("kg/notes.txt")).unwrap(), "mine");
    std::fs::remove_file(at("kg/notes.txt")).unwrap();
    assert!(build(&at("kg")).status.success());
}

#[test]
fn an_empty_folder_is_a_clear_message() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    let output = run(&["build", docs.to_str().unwrap(), "-o", dir.path().join("b").to_str().unwrap()]);
    assert!(!output.status.success());
    assert!(err(&output).contains("nothing to read"), "{}", err(&output));
}

#[test]
fn a_knowledge_graph_alone_is_a_bundle_whose_plans_answer_and_whose_searches_find_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let films = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/films.tsv");
    let [first, second] = ["first", "second"].map(|name| dir.path().join(name));
    for bundle in [&first, &second] {
        let output = run(&["build", "--kg", films, "-o", bundle.to_str().unwrap(), "--no-runtime"]);
        assert!(output.status.success(), "{}", err(&output));
        assert!(!out(&output).lines().any(|line| line.trim().is_empty()), "{}", out(&output));
    }
    assert!(files_of(&first) == files_of(&second), "two builds of one graph differ");
    let bundle = first.to_str().unwrap();
    assert!(out(&run(&["ask", bundle, "Who directed Heat?"])).starts_with("Michael Mann"));
    assert!(out(&run(&["ask", bundle, "How do I bake bread?"])).starts_with("Nothing near enough was found"));
    for retriever in ["auto", "lexical", "dense", "hybrid", "autokg"] {
        let output = run(&["search", bundle, "bread", "--retriever", retriever]);
        assert!(
            output.status.success() && out(&output).starts_with("Nothing found."),
            "{retriever}: {}{}",
            out(&output),
            err(&output)
        );
    }
    assert!(run(&["verify", bundle]).status.success());
    let output = run(&["build", "-o", bundle]);
    assert!(!output.status.success() && err(&output).contains("--kg"), "{}", err(&output));
}

#[test]
fn a_damaged_bundle_is_found_out_by_verify() {
    let (_dir, bundle) = built();
    let victim = files_of(&bundle).into_keys().find(|p| p.to_string_lossy().starts_with("pack-")).unwrap();
    let path = bundle.join(&victim);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let output = run(&["verify", bundle.to_str().unwrap()]);
    assert!(!output.status.success());
    let printed: String = err(&output).split_whitespace().collect();
    assert!(printed.contains(victim.file_name().unwrap().to_str().unwrap()), "{}", err(&output));
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_old_bundle_and_no_trace() {
    let (dir, bundle) = built();
    let before = files_of(&bundle);
    let docs = dir.path().join("docs");
    // Enough text that the build is still embedding when it is stopped.
    for i in 0..250 {
        let text: String = (0..60).map(|k| format!("Sentence {k} about harbours and page {i}. ")).collect();
        std::fs::write(docs.join(format!("long-{i}.md")), format!("# Page {i}\n\n{text}")).unwrap();
    }
    let cache = dir.path().join("cache");
    let build = |quiet: &str| {
        let mut build = program();
        build.args([
            "build",
            docs.to_str().unwrap(),
            "-o",
            bundle.to_str().unwrap(),
            "--cache",
            cache.to_str().unwrap(),
            quiet,
        ]);
        build
    };
    let mut child = build("-q").spawn().unwrap();
    // Until the folder in which the new bundle grows is there.
    let staging = || {
        std::fs::read_dir(dir.path())
            .unwrap()
            .flatten()
            .any(|e| e.file_name().to_string_lossy().starts_with(".pocketgraph-"))
    };
    while !staging() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // And a little longer, until something has been embedded.
    let embedded = || std::fs::metadata(cache.join("computed.redb")).is_ok_and(|m| m.len() > 1_600_000);
    while !embedded() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!staging(), "the unfinished bundle is removed");
    assert!(files_of(&bundle) == before, "the old bundle is as it was");
    let again = build("--no-keywords").output().unwrap();
    let (reused, of) = reused(&again);
    assert!(
        reused > 0 && reused < of,
        "what was computed before the interruption is not computed again: {reused} of {of}"
    );
}

#[test]
fn chunks_and_vectors_from_outside_are_searched_by_words() {
    let dir = tempfile::tempdir().unwrap();
    let chunks = dir.path().join("chunks.jsonl");
    std::fs::write(
        &chunks,
        "{\"title\":\"A\",\"url\":\"a\",\"text\":\"tidal \
         lagoon\"}\n{\"title\":\"B\",\"url\":\"b\",\"text\":\"wind farm\"}\n",
    )
    .unwrap();
    let vectors = dir.path().join("v.safetensors");
    let header = r#"{"vectors":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}"#;
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend([1.0f32, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()));
    std::fs::write(&vectors, file).unwrap();
    let bundle = dir.path().join("b");
    let args = [
        "build",
        "--chunks",
        chunks.to_str().unwrap(),
        "--vectors",
        vectors.to_str().unwrap(),
        "-o",
        bundle.to_str().unwrap(),
    ];
    let refused = run(&args);
    assert!(
        !refused.status.success() && err(&refused).contains("--embedder"),
        "the query embedder's id must be given"
    );
    let output = program().args(args).args(["--embedder", "mine"]).output().unwrap();
    assert!(output.status.success(), "{}", err(&output));
    let found = run(&["search", bundle.to_str().unwrap(), "lagoon", "--json"]);
    let result: serde_json::Value = serde_json::from_str(&out(&found)).unwrap();
    assert_eq!(result["hits"][0]["title"], "A");
    assert_eq!(result["stage"], "feedback");
}

/// Forty pages, each about its own thing.
fn pages(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    for (i, thing) in
        ["harbour", "lighthouse", "anchor", "sail", "keel", "rudder", "mast", "compass"].iter().enumerate()
    {
        for (j, place) in
            ["north sea", "river mouth", "old dock", "stone quay", "open bay"].iter().enumerate()
        {
            let text = format!(
                "# The {thing} of the {place}\n\nThe {thing} lies at the {place}. Sailors of boat \
                 {i}{j} watch the {thing} there.\n"
            );
            std::fs::write(folder.join(format!("{thing}-{j}.md")), text).unwrap();
        }
    }
}

#[test]
fn a_changed_page_is_all_that_is_embedded_anew_and_the_bundle_is_that_of_a_build_from_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (docs, cache) = (dir.path().join("docs"), dir.path().join("cache"));
    pages(&docs);
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let build = |name: &str, more: &[&str]| {
        let out = at(name);
        let mut args = vec!["build", docs.to_str().unwrap(), "-o", &out];
        args.extend(more);
        run(&args)
    };
    let kept = ["--cache", cache.to_str().unwrap()];
    assert_eq!(reused(&build("cold", &kept)), (0, 40));
    assert_eq!(reused(&build("unchanged", &kept)), (40, 40));
    assert!(files_of(&dir.path().join("cold")) == files_of(&dir.path().join("unchanged")));
    std::fs::write(docs.join("keel-3.md"), "# The keel\n\nA new keel was laid today.\n").unwrap();
    assert_eq!(reused(&build("changed", &kept)), (39, 40));
    assert_eq!(reused(&build("anew", &["--no-cache"])), (0, 40));
    assert!(files_of(&dir.path().join("changed")) == files_of(&dir.path().join("anew")));
    assert_eq!(
        reused(&build("options", &["--cache", cache.to_str().unwrap(), "--seed", "4", "--clusters", "3"])),
        (40, 40)
    );
}

#[test]
fn two_builds_at_once_share_a_cache() {
    let dir = tempfile::tempdir().unwrap();
    let (docs, cache) = (dir.path().join("docs"), dir.path().join("cache"));
    pages(&docs);
    let start = |name: &str| {
        let mut build = program();
        build.arg("build").arg(&docs).arg("-o").arg(dir.path().join(name)).arg("--cache").arg(&cache);
        build.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        build.spawn().unwrap()
    };
    let both = [start("one"), start("two")];
    for build in both {
        let output = build.wait_with_output().unwrap();
        assert!(output.status.success() && !err(&output).contains("warning"), "{}", err(&output));
    }
    assert!(files_of(&dir.path().join("one")) == files_of(&dir.path().join("two")));
}

#[test]
fn a_damaged_cache_is_reported_left_alone_and_done_without() {
    let dir = tempfile::tempdir().unwrap();
    let (docs, cache) = (dir.path().join("docs"), dir.path().join("cache"));
    pages(&docs);
    std::fs::create_dir(&cache).unwrap();
    std::fs::write(cache.join("computed.redb"), b"not a cache at all").unwrap();
    let output = program()
        .arg("build")
        .arg(&docs)
        .arg("-o")
        .arg(dir.path().join("b"))
        .arg("--cache")
        .arg(&cache)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", err(&output));
    assert!(
        err(&output).contains("computed.redb") && err(&output).contains("building without it"),
        "{}",
        err(&output)
    );
    assert_eq!(std::fs::read(cache.join("computed.redb")).unwrap(), b"not a cache at all");
}

#[test]
fn options_come_from_files_and_the_command_line_wins() {
    let dir = tempfile::tempdir().unwrap();
    pages(&dir.path().join("docs"));
    let (named, own) = (dir.path().join("build.toml"), dir.path().join("own/pocketgraph"));
    let build = |more: &[&str]| {
        let mut command = program();
        command
            .current_dir(dir.path())
            .env("XDG_CONFIG_HOME", dir.path().join("own"))
            .env("HOME", dir.path());
        command.args(["build", "docs"]).args(more).output().unwrap()
    };
    let inspected = |bundle: &str| out(&run(&["inspect", dir.path().join(bundle).to_str().unwrap()]));
    std::fs::write(&named, "out = \"kg\"\nseed = 7\nclusters = 2\nno-runtime = true\n").unwrap();
    let output = build(&["--seed", "5", "--config", "build.toml"]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(
        err(&output).contains("options from build.toml: --out=kg --clusters=2 --no-runtime"),
        "{}",
        err(&output)
    );
    assert!(
        inspected("kg").contains("option seed = 5") && inspected("kg").contains("option clusters = 2"),
        "{}",
        inspected("kg")
    );
    std::fs::write(&named, "out = \"kg\"\nmax_tokens = 100\n").unwrap();
    let refused = build(&["--config", "build.toml"]);
    assert!(!refused.status.success());
    assert!(
        err(&refused).contains("max_tokens") && err(&refused).contains("the nearest is max-tokens"),
        "{}",
        err(&refused)
    );
    // The user's own may set anything; what came with the documents is nearer to them, and may set little.
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(
        own.join("pocketgraph.toml"),
        format!("out = '{}'\nseed = 7\nclusters = 3\n", dir.path().join("both").display()),
    )
    .unwrap();
    std::fs::write(dir.path().join("pocketgraph.toml"), "seed = 6\n").unwrap();
    if cfg!(all(unix, not(target_os = "macos"))) {
        let output = build(&["--no-runtime"]);
        assert!(output.status.success(), "{}", err(&output));
        assert!(
            inspected("both").contains("option seed = 6")
                && inspected("both").contains("option clusters = 3"),
            "{}",
            inspected("both")
        );
    }
}

/// Returns the bytes of a bundle of one document, without those of models.
fn bytes_of_bundle(name: &str, text: &str) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(docs.join(name), text).unwrap();
    let bundle = dir.path().join("b");
    let build =
        program().args(["build", "--no-runtime", "-q", "-o"]).args([&bundle, &docs]).output().unwrap();
    assert!(build.status.success(), "{}", err(&build));
    let sections = out(&program().arg("inspect").arg(&bundle).output().unwrap());
    let columns = sections.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let of_models = ["layers", "words", "vocabulary", "planner", "table", "all"];
    let bytes = columns.filter_map(|c| match *c.as_slice() {
        [name, files, bytes] if !of_models.contains(&name) => {
            files.parse::<usize>().ok().and(bytes.parse::<usize>().ok())
        }
        _ => None,
    });
    bytes.sum::<usize>()
}

#[test]
fn a_bundle_of_tiny_sections_is_twenty_times_its_documents_and_a_megabyte_at_most() {
    let word = |i: usize| -> String {
        (0..4).map(|place| char::from(b'a' + (i / 26usize.pow(place) % 26) as u8)).collect()
    };
    for (name, entry) in [
        ("a.md", "# W\nW.\n"),
        ("a.md", "# W\nw\n"),
        ("a.md", "## W V\n\nw.\n\n"),
        ("a.html", "<h2 id=W>W</h2>w. "),
    ] {
        let entry = |i: usize| entry.replace('W', &word(i)).replace('V', &word(i + 9));
        let text: String = (0..40_000 / entry(0).len()).map(entry).collect();
        let bytes = bytes_of_bundle(name, &text);
        assert!(
            bytes > text.len() && bytes < 20 * text.len() + (1 << 20),
            "{name}: {bytes} of {}: {}",
            text.len(),
            &text[..20]
        );
    }
}

#[test]
fn documents_cannot_bring_options_that_write_read_or_send_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("repo/docs");
    pages(&docs);
    let victim = dir.path().join("victim/index.html");
    std::fs::create_dir(victim.parent().unwrap()).unwrap();
    std::fs::write(&victim, "precious").unwrap();
    let target = dir.path().join("b");
    let hostile =
        "pages = \"../../victim\"\nllm-url = \"http://127.0.0.1:9/v1\"\nllm-model = \"m\"\nkg-llm = true\n";
    // The file among the documents or beside them; the user above, beside or among them.
    for (file, working, documents) in [
        ("repo/docs", ".", "repo/docs"),
        ("repo/docs", "repo", "docs"),
        ("repo/docs", "repo/docs", "."),
        ("repo", ".", "repo/docs"),
        ("repo", "repo", "docs"),
        ("repo", "repo/docs", "."),
        (".", ".", "repo/docs"),
    ] {
        let file = dir.path().join(file).join("pocketgraph.toml");
        std::fs::write(&file, hostile).unwrap();
        let mut command = program();
        command
            .current_dir(dir.path().join(working))
            .args(["build", documents, "--no-runtime", "-q", "-o"])
            .arg(&target);
        let build = command.output().unwrap();
        assert!(!build.status.success(), "{working}");
        // Lines are broken to the terminal's width, also behind hyphens.
        let printed: String = err(&build).chars().filter(|c| !c.is_whitespace() && *c != '│').collect();
        for name in ["pages", "llm-url", "llm-model", "kg-llm", "--config"] {
            assert!(printed.contains(name), "{working}: {name}: {printed}");
        }
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
        assert!(!target.exists());
        std::fs::remove_file(file).unwrap();
    }
    std::fs::write(docs.join("pocketgraph.toml"), "base-url = \"javascript:alert(1)//\"\n").unwrap();
    let build =
        program().args(["build", "--no-runtime", "-q", "-o"]).arg(&target).arg(&docs).output().unwrap();
    assert!(!build.status.success() && err(&build).contains("write a web URL or a path"), "{}", err(&build));
}

#[test]
fn the_key_goes_to_no_address_of_a_file_and_unencrypted_to_no_other_machine() {
    let dir = tempfile::tempdir().unwrap();
    let (docs, bundle) = (dir.path().join("docs"), dir.path().join("b"));
    pages(&docs);
    let output =
        program().args(["build", "--no-runtime", "-q", "-o"]).args([&bundle, &docs]).output().unwrap();
    assert!(output.status.success(), "{}", err(&output));
    let named = dir.path().join("build.toml");
    std::fs::write(&named, "llm-url = \"https://example.invalid/v1\"\nllm-model = \"m\"\nkg-llm = true\n")
        .unwrap();
    let (docs, bundle, named) = (docs.to_str().unwrap(), bundle.to_str().unwrap(), named.to_str().unwrap());
    let plain = "http://192.0.2.1/v1";
    for (line, why) in [
        (vec!["build", docs, "-o", bundle, "--config", named], "addressfromafile"),
        (
            vec!["build", docs, "-o", bundle, "--kg-llm", "--llm-url", plain, "--llm-model", "m"],
            "unencryptedtoanothermachine,192.0.2.1",
        ),
        (
            vec!["ask", bundle, "why?", "--base-url", plain, "--model", "m"],
            "unencryptedtoanothermachine,192.0.2.1",
        ),
        (vec!["serve", bundle, "--llm-proxy", plain], "unencryptedtoanothermachine,192.0.2.1"),
    ] {
        let refused = program().env("POCKETGRAPH_API_KEY", "sk-secret").args(&line).output().unwrap();
        let printed: String = err(&refused).chars().filter(|c| !c.is_whitespace() && *c != '│').collect();
        assert!(
            !refused.status.success() && printed.contains(why) && !printed.contains("sk-secret"),
            "{line:?}: {printed}"
        );
    }
}

#[test]
fn a_bundle_among_the_documents_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let (docs, outside) = (dir.path().join("docs"), dir.path().join("kg"));
    pages(&docs);
    let build = |out: &Path| {
        let built = program().args(["build", "-q", "-o"]).args([out, &docs]).output().unwrap();
        assert!(built.status.success(), "{}", err(&built));
        std::fs::read(out.join("manifest.json")).unwrap()
    };
    let first = build(&docs.join("kg"));
    assert!(build(&docs.join("kg")) == first && build(&outside) == first);
}

#[test]
fn a_build_takes_what_init_writes() {
    for (site, config, docs) in [
        ("sphinx", "docs/conf.py", "docs"),
        ("vitepress", "docs/.vitepress/config.ts", "docs"),
        ("jekyll", "_config.yml", "."),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("project");
        let write = |name: &str, text: &str| {
            let path = project.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(config, "project = 'x'\n");
        write(&format!("{docs}/kettle.md"), "# Kettle\n\nFill it with vinegar.\n");
        write(&format!("{docs}/kettle.rst"), "Toaster\n=======\n\nEmpty the tray.\n");
        let here = |args: &[&str]| program().current_dir(&project).args(args).output().unwrap();
        let written = here(&["init", "--yes"]);
        assert!(written.status.success(), "{site}: {}", err(&written));
        assert!(out(&written).contains(&format!("generator = \"{site}\"")), "{}", out(&written));
        let built = here(&["build", "--config", "pocketgraph.toml", "--no-runtime", "--no-keywords"]);
        assert!(built.status.success(), "{site}: {}", err(&built));
        assert!(!here(&["init", "--yes"]).status.success(), "what is there is not written over");
    }
}

/// A build of one file with these bytes.
fn build_of(name: &str, bytes: &[u8]) -> (tempfile::TempDir, Output) {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(docs.join(name), bytes).unwrap();
    let output =
        run(&["build", docs.to_str().unwrap(), "-o", dir.path().join("b").to_str().unwrap(), "--no-runtime"]);
    (dir, output)
}

#[test]
fn a_folder_with_nothing_that_can_be_read_is_a_clear_message() {
    for (name, bytes, why) in [
        ("empty.md", &b""[..], "holds no text"),
        ("empty.txt", b" \n\n", "holds no text"),
        ("latin.md", b"# Caf\xe9\n", "not UTF-8"),
        ("nul.txt", b"a\0b", "NUL byte"),
    ] {
        let (_dir, output) = build_of(name, bytes);
        // Long messages are broken into lines.
        let printed: String =
            err(&output).split_whitespace().filter(|w| *w != "│").collect::<Vec<_>>().join(" ");
        assert!(
            !output.status.success() && printed.contains("nothing to read") && printed.contains(why),
            "{name}: {printed}"
        );
    }
}

#[test]
fn a_page_of_thousands_of_headings_is_a_good_bundle() {
    let mut page = String::from("# All\n");
    for i in 0..3000 {
        page.push_str(&format!("{} Part {i}\n", "#".repeat(1 + i % 6)));
    }
    page.push_str("\nThe ending tells of a walrus.\n");
    let (dir, output) = build_of("headings.md", page.as_bytes());
    assert!(output.status.success(), "{}", err(&output));
    let bundle = dir.path().join("b");
    assert!(run(&["verify", bundle.to_str().unwrap()]).status.success());
    assert!(out(&run(&["search", bundle.to_str().unwrap(), "walrus"])).contains("walrus"));
}

#[test]
fn a_long_text_without_a_line_break_is_a_good_bundle() {
    let text: String = (0..8000).map(|i| format!("w{} ", i % 700)).collect();
    let (dir, output) = build_of("long.txt", text.as_bytes());
    assert!(output.status.success(), "{}", err(&output));
    assert!(run(&["verify", dir.path().join("b").to_str().unwrap()]).status.success());
}

#[test]
fn a_question_is_drawn_and_every_graph_is_exported_in_every_format() {
    let (dir, bundle) = built();
    let b = bundle.to_str().unwrap();
    let file = |name: &str| dir.path().join(name);
    let draw = |name: &str, more: &[&str]| {
        let path = file(name);
        let drawn =
            run(&[&["draw", b, "which rope <keeps> the boat?", "-o", path.to_str().unwrap()], more].concat());
        assert!(drawn.status.success(), "{}", err(&drawn));
        std::fs::read_to_string(path).unwrap()
    };
    let picture = draw("a.svg", &[]);
    assert_eq!(picture, draw("b.svg", &[]), "the same bundle and question give the same bytes");
    assert!(
        picture.starts_with("<svg ") && picture.contains("&lt;keeps&gt;") && !picture.contains("<keeps>")
    );
    assert!(
        picture.contains("class=\"chunk\"") && !draw("c.svg", &["--no-passages"]).contains("class=\"chunk\"")
    );
    for what in ["keywords", "kg", "chunks", "associations"] {
        for format in ["graphml", "csv", "json"] {
            let path = file(&format!("{what}.{format}"));
            let written = run(&["export", b, "-o", path.to_str().unwrap(), "--what", what]);
            assert!(written.status.success(), "{what} {format}: {}", err(&written));
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.len() > 40, "{what} {format}");
            if format == "csv" {
                assert!(file(&format!("{what}.nodes.csv")).is_file());
                assert!(text.starts_with("Source,Target,Type,"));
            }
        }
    }
    let graph: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(file("kg.json")).unwrap()).unwrap();
    let labels: Vec<&str> =
        graph["nodes"].as_array().unwrap().iter().filter_map(|n| n["Label"].as_str()).collect();
    assert!(labels.contains(&"Mooring a boat") && labels.contains(&"Spring line"), "{labels:?}");
    assert!(
        !run(&["export", b, "-o", file("x.dat").to_str().unwrap()]).status.success(),
        "no format is guessed"
    );
}

#[test]
fn documents_give_a_knowledge_graph_unless_it_is_turned_off_and_a_search_does_not_load_it() {
    let (dir, bundle) = built();
    let inspected = out(&run(&["inspect", bundle.to_str().unwrap()]));
    assert!(
        inspected.contains("knowledge graph:") && inspected.contains("contains (page to section)"),
        "{inspected}"
    );
    assert!(inspected.contains("kg-labels"));
    let found = out(&run(&["search", bundle.to_str().unwrap(), "the spring line"]));
    assert!(found.contains("Entities: Spring line (section"), "{found}");
    let docs = dir.path().join("docs");
    let without = dir.path().join("without");
    let built = run(&[
        "build",
        docs.to_str().unwrap(),
        "-o",
        without.to_str().unwrap(),
        "--kg-from-documents",
        "off",
    ]);
    assert!(built.status.success(), "{}", err(&built));
    assert!(!out(&run(&["inspect", without.to_str().unwrap()])).contains("knowledge graph:"));
}
