//! The walls of the house: which crate may use which, and no circle of files inside a crate.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The engine's crates, each after all that it may use.
const ORDER: &[&str] = &[
    "base",
    "kernels",
    "relaxed",
    "text",
    "question",
    "bundle",
    "embed",
    "search",
    "llm",
    "kg",
    "graph-retrieval",
    "plan",
    "planner",
    "agent",
    "testing",
];

/// The native crates, each after all that it may use; all of them may use the engine's.
const COMPANION: &[&str] = &[
    "native",
    "cache",
    "languages",
    "pdf",
    "ingest",
    "publish",
    "cluster",
    "models",
    "llm-client",
    "keywords",
    "knowledge",
    "build",
    "export",
    "measure",
    "serve",
    "mcp",
    "cli",
    "python",
];

/// The crates of research, each after all that it may use; all of them may use those above.
const LAB: &[&str] = &["eval", "train", "lab", "fuzz"];

/// The crates of tools that are shipped to nobody.
const TOOLS: &[&str] = &["fuzz", "bindings"];

/// The crates that may use the engine's face instead of its crates.
const FACE_USERS: &[&str] = &["build", "measure", "mcp", "cli", "eval", "train", "lab", "fuzz"];

/// Crates that the module that a page loads first must not reach.
const NOT_TO_SEARCH: &[&str] = &["llm", "kg", "graph-retrieval", "plan", "planner", "agent"];

/// The name of the face among dependencies.
const FACE: &str = "";

/// Maximum number of feature gates in the face.
const MOST_GATES: usize = 20;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The crates of ours that a manifest names under `[dependencies]`, and whether each is optional.
fn dependencies(manifest: &Path) -> Vec<(String, bool)> {
    let text = fs::read_to_string(manifest).unwrap();
    let mut section = "";
    let mut out = Vec::new();
    for line in text.lines() {
        if line.starts_with('[') {
            section = line;
        }
        let plain = section == "[dependencies]"
            || (section.starts_with("[target") && section.ends_with(".dependencies]"));
        if plain && (line.starts_with("pocketgraph.") || line.starts_with("pocketgraph =")) {
            out.push((FACE.to_owned(), false));
        }
        if let Some(rest) = line.strip_prefix("pocketgraph-").filter(|_| plain) {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
            out.push((name, rest.contains("optional = true")));
        }
    }
    out
}

/// Returns the folder of a crate.
fn folder(name: &str) -> PathBuf {
    match name {
        FACE => root(),
        "lab" => root().join("lab"),
        "fuzz" => root().join("fuzz"),
        "bindings" => root().join("scripts/bindings"),
        _ if LAB.contains(&name) => root().join("lab").join(name),
        _ if COMPANION.contains(&name) => root().join("companion").join(name),
        _ => root().join("crates").join(name),
    }
}

/// Everything that a crate reaches.
fn reached(from: &str, out: &mut BTreeSet<String>) {
    for (name, _) in dependencies(&folder(from).join("Cargo.toml")) {
        if out.insert(name.clone()) {
            reached(&name, out);
        }
    }
}

fn rust_files(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

#[test]
fn every_crate_uses_only_those_before_it() {
    for (place, order) in [("crates", ORDER), ("companion", COMPANION)] {
        let mut found: Vec<String> = fs::read_dir(root().join(place))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        found.sort();
        let mut listed: Vec<&str> = order.to_vec();
        listed.sort_unstable();
        assert_eq!(found, listed, "a new crate needs its place in the order");
    }
    let all: Vec<&str> = ORDER.iter().chain(COMPANION).chain(LAB).copied().collect();
    for (at, name) in all.iter().enumerate() {
        for (used, _) in dependencies(&folder(name).join("Cargo.toml")) {
            assert!(
                used == FACE || all[..at].contains(&used.as_str()),
                "{name} uses {used}, which comes after it"
            );
        }
    }
}

#[test]
fn native_crates_name_the_crates_that_they_use_and_not_the_face() {
    for name in COMPANION.iter().chain(LAB).chain(TOOLS) {
        let names_face = dependencies(&folder(name).join("Cargo.toml")).iter().any(|(used, _)| used == FACE);
        assert!(!names_face || FACE_USERS.contains(name), "{name} names the engine's face");
    }
}

#[test]
fn the_program_reaches_nothing_of_the_lab() {
    let mut all = BTreeSet::new();
    reached("cli", &mut all);
    assert!(
        all.contains("measure") && LAB.iter().all(|name| !all.contains(*name)),
        "the program reaches the lab: {all:?}"
    );
}

#[test]
fn what_searches_reaches_no_graph_of_knowledge_no_plan_no_protocol_and_no_model() {
    let mut all = BTreeSet::new();
    reached("search", &mut all);
    for (name, _) in dependencies(&root().join("Cargo.toml")).iter().filter(|(_, optional)| !optional) {
        all.insert(name.clone());
        reached(name, &mut all);
    }
    for name in NOT_TO_SEARCH {
        assert!(!all.contains(*name), "the module that searches reaches {name}");
    }
    assert!(all.contains("search") && all.contains("kernels"));
}

#[test]
fn only_the_face_asks_whether_it_is_compiled_in_full() {
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    let gates = |path: &PathBuf| {
        fs::read_to_string(path)
            .unwrap()
            .lines()
            .filter(|l| l.contains("feature = \"full\"") && l.trim_start().starts_with('#'))
            .count()
    };
    for path in files {
        assert_eq!(gates(&path), 0, "{}", path.display());
    }
    let mut face = Vec::new();
    rust_files(&root().join("src"), &mut face);
    let count: usize = face.iter().map(gates).sum();
    assert!(count <= MOST_GATES, "the face asks {count} times");
}

#[test]
fn the_lock_file_of_the_network_workspace_names_what_our_crates_use() {
    let locked = fs::read_to_string(root().join("gpu/Cargo.lock")).unwrap();
    let mut seen = 0;
    for package in locked.split("[[package]]") {
        let field =
            |line: &str| line.strip_prefix("name = \"pocketgraph-")?.strip_suffix('"').map(str::to_owned);
        let Some(name) = package.lines().find_map(field).filter(|name| name != "gpu") else { continue };
        seen += 1;
        for (used, _) in dependencies(&folder(&name).join("Cargo.toml")) {
            let full = if used == FACE { "pocketgraph".to_owned() } else { format!("pocketgraph-{used}") };
            let is_locked = package.lines().any(|line| line.trim() == format!("\"{full}\","));
            assert!(
                is_locked,
                "gpu/Cargo.lock does not know that {name} uses {full}: run `cargo update --workspace` in gpu/"
            );
        }
    }
    assert!(seen > 10, "the crates that the networks are built on");
}

#[test]
fn no_crate_has_a_circle_of_files() {
    let mut crates: Vec<PathBuf> =
        ORDER.iter().chain(COMPANION).chain(LAB).chain(TOOLS).map(|name| folder(name).join("src")).collect();
    crates.push(root().join("src"));
    let circles: Vec<String> = crates.iter().flat_map(|dir| circles(&Modules::read(dir))).collect();
    assert!(circles.is_empty(), "circles of files:\n{}", circles.join("\n"));
}

/// The modules of a crate, by path (`retrieve::auto`; empty for the root), each a file, and what they use of
/// each other.
struct Modules {
    /// Code without comments, texts and tests.
    code: BTreeMap<String, String>,
    /// Original modules of the names in a module's `pub use`.
    given: BTreeMap<(String, String), String>,
}

impl Modules {
    fn read(src: &Path) -> Modules {
        let mut files = Vec::new();
        rust_files(src, &mut files);
        let mut code = BTreeMap::new();
        for file in files {
            let path = file.strip_prefix(src).unwrap().with_extension("");
            let mut names: Vec<&str> = path.iter().map(|n| n.to_str().unwrap()).collect();
            let last = names[names.len() - 1];
            if last.ends_with("tests") || last == "testing" || last == "arbitrary" {
                continue;
            }
            if last == "mod" || last == "lib" {
                names.pop();
            }
            code.insert(names.join("::"), plain(&fs::read_to_string(&file).unwrap()));
        }
        let mut modules = Modules { code, given: BTreeMap::new() };
        for (module, code) in &modules.code {
            for (public, path) in uses(code) {
                if let Some((name, from)) = path.last().zip(modules.resolve(module, &path)).filter(|_| public)
                {
                    modules.given.insert((module.clone(), name.clone()), from);
                }
            }
        }
        modules
    }

    /// The module that a path of names leads to from within `module`; `None` where it leads out of the crate.
    fn resolve(&self, module: &str, path: &[String]) -> Option<String> {
        let mut at: Vec<&str> = module.split("::").filter(|n| !n.is_empty()).collect();
        let mut rest = path;
        let mut own = false;
        while let Some((first, more)) = rest.split_first() {
            match first.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                _ => break,
            }
            (own, rest) = (true, more);
        }
        if !own {
            let child =
                at.iter().copied().chain(rest.first().map(String::as_str)).collect::<Vec<_>>().join("::");
            if !self.code.contains_key(&child) {
                return None;
            }
        }
        while let Some((first, more)) = rest.split_first() {
            let here = at.join("::");
            let child = if here.is_empty() { first.clone() } else { format!("{here}::{first}") };
            if self.code.contains_key(&child) {
                at.push(first);
                rest = more;
            } else {
                return Some(self.given.get(&(here.clone(), first.clone())).cloned().unwrap_or(here));
            }
        }
        Some(at.join("::"))
    }

    /// The modules that a module uses, without those inside it: a module is made of these.
    fn used(&self, module: &str) -> BTreeSet<String> {
        let inside = |other: &String| {
            module.is_empty() || *other == module || other.starts_with(&format!("{module}::"))
        };
        let code = &self.code[module];
        let all = uses(code).into_iter().map(|(_, path)| path).chain(inline_paths(code));
        all.filter_map(|path| self.resolve(module, &path)).filter(|other| !inside(other)).collect()
    }
}

/// Code without comments, texts, and everything behind the first test.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if line.trim() == "#[cfg(test)]" && !out.is_empty() {
            // Test modules stand last; a line for tests alone among the first is passed over with the next.
            if text.split(line).last().is_some_and(|rest| rest.contains("mod tests"))
                && !line.starts_with(' ')
            {
                break;
            }
        }
        let code = line.split("//").next().unwrap_or("");
        let mut texts = code.split('"');
        out.push_str(texts.next().unwrap_or(""));
        texts.skip(1).step_by(2).for_each(|code| out.push_str(code));
        out.push('\n');
    }
    out
}

/// The paths of `use` statements, groups written out, and whether they are given on.
fn uses(code: &str) -> Vec<(bool, Vec<String>)> {
    let mut out = Vec::new();
    for statement in code.split(';') {
        let statement = statement
            .rsplit(['}', '{'])
            .next()
            .filter(|s| s.trim_start().starts_with("use ") || s.contains(" use "))
            .map_or(statement, |_| statement);
        let Some(at) = statement
            .match_indices("use ")
            .map(|(at, _)| at)
            .find(|&at| at == 0 || statement[..at].ends_with(['\n', ' ', ')']))
        else {
            continue;
        };
        let public = statement[..at].trim_end().ends_with("pub") || statement[..at].trim_end().ends_with(')');
        let mut all = Vec::new();
        expand(statement[at + 4..].trim(), &[], &mut all);
        out.extend(all.into_iter().map(|path| (public, path)));
    }
    out
}

fn expand(tree: &str, before: &[String], out: &mut Vec<Vec<String>>) {
    if let Some(open) = tree.find('{') {
        let mut path = before.to_vec();
        path.extend(tree[..open].split("::").map(str::trim).filter(|n| !n.is_empty()).map(str::to_owned));
        let inside = tree[open + 1..].rsplit_once('}').map_or("", |(inside, _)| inside);
        let (mut depth, mut start) = (0i32, 0);
        for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    expand(inside[start..at].trim(), &path, out);
                    start = at + 1;
                }
                _ => {}
            }
        }
    } else if !tree.is_empty() {
        let mut path = before.to_vec();
        let tree = tree.split(" as ").next().unwrap_or(tree);
        path.extend(
            tree.split("::").map(|n| n.trim().to_owned()).filter(|n| n != "self" || before.is_empty()),
        );
        out.push(path);
    }
}

/// Paths that begin with `crate::` or `super::` outside `use` statements.
fn inline_paths(code: &str) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let path: String =
                code[at..].chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':')).collect();
            let names: Vec<String> = path.split("::").map(str::to_owned).filter(|n| !n.is_empty()).collect();
            // Groups and globs are read as statements.
            if !path.ends_with("::") {
                out.push(names);
            }
        }
    }
    out
}

/// The circles of files in a crate, each as its files.
fn circles(modules: &Modules) -> Vec<String> {
    let names: Vec<&String> = modules.code.keys().collect();
    let used: BTreeMap<&String, BTreeSet<String>> = names.iter().map(|&n| (n, modules.used(n))).collect();
    let reach = |from: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(at) = open.pop() {
            for next in used.get(&at).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<String>> = names.iter().map(|&n| (n, reach(n))).collect();
    let mut out = BTreeSet::new();
    for &name in &names {
        if reached[name].contains(name) {
            let circle: Vec<&str> = names
                .iter()
                .filter(|&&o| reached[name].contains(o) && reached[o].contains(name))
                .map(|o| o.as_str())
                .collect();
            let arrows: Vec<String> = circle
                .iter()
                .map(|c| {
                    format!(
                        "{c} uses {}",
                        used[&(*c).to_owned()]
                            .iter()
                            .filter(|u| circle.contains(&u.as_str()))
                            .cloned()
                            .collect::<Vec<_>>()
                            .join(", ")
                    )
                })
                .collect();
            out.insert(arrows.join("; "));
        }
    }
    out.into_iter().collect()
}

#[test]
fn a_circle_is_seen_through_names_that_are_given_on() {
    let code = |files: &[(&str, &str)]| Modules {
        code: files.iter().map(|(n, c)| ((*n).to_owned(), plain(c))).collect(),
        given: BTreeMap::new(),
    };
    let mut modules = code(&[
        ("", "mod a;\nmod b;\npub use b::B;\n"),
        ("a", "use super::B;\npub struct A(B);\n"),
        ("b", "use crate::a::{A};\npub struct B;\n"),
    ]);
    modules.given.insert((String::new(), "B".to_owned()), "b".to_owned());
    assert_eq!(circles(&modules), ["a uses b; b uses a"]);
    let without =
        code(&[("", "mod a;\nmod b;\n"), ("a", "use super::b::B;\n"), ("b", "pub struct B; // crate::a\n")]);
    assert!(circles(&without).is_empty());
}
