//! Numbers that may only go down: `tests/ratchets.txt` holds what was measured last. A change that needs more
//! of something removes as much elsewhere. With `POCKETGRAPH_UPDATE_RATCHETS=1` numbers that went down are
//! written; none is ever raised.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use syn::visit::{self, Visit};

/// Folders of Rust.
const RUST: &[&str] = &["src", "crates", "companion", "lab", "gpu", "scripts/bindings"];
/// Crates whose code asks what words of a question mean.
const ASKING: &[&str] = &["crates/question", "crates/planner", "crates/search"];
/// Tables of words that only hold a sentence together.
const FUNCTION_WORDS: &[&str] = &["stop_words", "function_words", "linking_words", "question_words"];
/// Folders of all sources, whose lines have a width.
const WRITTEN: &[&str] = &["src", "crates", "companion", "lab", "gpu", "pkg", "www", "scripts", "tests"];
/// Openings of comments that name a thing by a clause.
const CLAUSES: &[&str] = &["What", "Whether", "Of", "How", "Where", "So many", "Who", "Which", "Why", "When"];

/// Words that need a second reading in a name.
const WORN: &[&str] = &["stand", "stands", "told", "tells", "speaks", "said"];

/// Tokens of a function that is long: 60 lines of the usual length.
const LONGEST_FUNCTION: usize = 400;
const MOST_COMPLEX: usize = 25;
const WIDEST_LINE: usize = 120;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path, endings: &[&str], out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() {
            if !["target", "dist", "node_modules"].contains(&&*name) {
                files(&path, endings, out);
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            out.push(path);
        }
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A Rust file without what only tests use.
struct Source {
    path: PathBuf,
    code: String,
}

/// The code that is shipped. What `#[cfg(test)]` stands above is left out, in its file or as a file, and so
/// are folders of tests and the crate for them.
fn sources() -> Vec<Source> {
    let mut paths = Vec::new();
    for folder in RUST {
        files(&root().join(folder), &[".rs"], &mut paths);
    }
    let of_tests = |path: &Path| {
        let inside = path.strip_prefix(root()).unwrap();
        inside.starts_with("crates/testing")
            || inside.iter().any(|part| ["tests", "benches", "examples"].iter().any(|name| part == *name))
    };
    paths.retain(|path| !of_tests(path));
    let mut tests = BTreeSet::new();
    let mut sources = Vec::new();
    for path in paths {
        let (code, modules) = without_tests(&read(&path));
        let stem = path.file_stem().unwrap();
        let beside = if ["lib", "main", "mod"].iter().any(|name| stem == *name) {
            path.with_file_name("")
        } else {
            path.with_extension("")
        };
        for module in modules {
            match module {
                Module::Named(name) => {
                    tests.insert(beside.join(format!("{name}.rs")));
                    tests.insert(beside.join(name).join("mod.rs"));
                }
                Module::At(file) => {
                    tests.insert(path.with_file_name(file));
                }
            }
        }
        sources.push(Source { path, code });
    }
    sources.retain(|source| !tests.contains(&source.path));
    sources
}

/// A module in a file of its own.
#[derive(Debug, PartialEq)]
enum Module {
    /// In the file of its name.
    Named(String),
    /// In the file that `#[path]` gives.
    At(String),
}

/// Returns the text without the items below `#[cfg(test)]`, and the modules among them that are files.
/// As rustfmt writes it, an item is one line, or ends with a brace as far in as its beginning.
fn without_tests(text: &str) -> (String, Vec<Module>) {
    let mut code = String::new();
    let mut modules = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            code.push_str(line);
            code.push('\n');
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let mut file = None;
        let mut take_path = |line: &str| {
            let path =
                line.trim_start().strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]"));
            file = path.map(str::to_owned).or(file.take());
            !line.trim_start().starts_with("#[")
        };
        let Some(item) = lines.by_ref().find(|line| take_path(line)) else { break };
        if let Some(name) = item.trim().strip_suffix(';') {
            let named = name.split_once("mod ").map(|(_, name)| Module::Named(name.to_owned()));
            modules.extend(file.map(Module::At).or(named));
        } else if item.ends_with(['{', '(']) {
            let end = format!("{indent}}}");
            lines.by_ref().find(|line| line.starts_with(&end));
        }
    }
    (code, modules)
}

/// Returns how many tokens the code has. Commas, semicolons and brackets are not counted: their number depends
/// on where lines are broken. Nor are comments.
fn count_tokens(code: TokenStream) -> usize {
    let mut count = 0;
    let mut tokens = code.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(sign) if matches!(sign.as_char(), ',' | ';') => {}
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                tokens.next_if(|next| matches!(next, TokenTree::Punct(sign) if sign.as_char() == '!'));
                let of_comment = |next: &TokenTree| match next {
                    TokenTree::Group(group) => group.stream().to_string().starts_with("doc ="),
                    _ => false,
                };
                count += usize::from(tokens.next_if(of_comment).is_none());
            }
            TokenTree::Group(group) => count += count_tokens(group.stream()),
            _ => count += 1,
        }
    }
    count
}

/// Counts the names in code that have a worn word.
fn count_worn(code: TokenStream) -> usize {
    let is_worn = |name: &str| name.to_lowercase().split('_').any(|part| WORN.contains(&part));
    let count = |token| match token {
        TokenTree::Group(group) => count_worn(group.stream()),
        TokenTree::Ident(name) => usize::from(is_worn(&name.to_string())),
        _ => 0,
    };
    code.into_iter().map(count).sum()
}

/// A function with a body or without.
#[derive(Debug, PartialEq)]
struct Function {
    name: String,
    tokens: usize,
    points: usize,
}

/// Counts how much a reader keeps in mind: a point for each branch and loop and one more for each that it is
/// inside of, one for each run of `&&` or `||`.
#[derive(Default)]
struct Complexity {
    points: usize,
    depth: usize,
    /// The functions that were finished.
    functions: Vec<Function>,
}

impl Complexity {
    fn inside(&mut self, visit: impl FnOnce(&mut Self)) {
        self.depth += 1;
        visit(self);
        self.depth -= 1;
    }

    fn branch(&mut self, visit: impl FnOnce(&mut Self)) {
        self.points += 1 + self.depth;
        self.inside(visit);
    }

    fn function(&mut self, name: &syn::Ident, item: &impl ToTokens, visit: impl FnOnce(&mut Self)) {
        let outer = (std::mem::take(&mut self.points), std::mem::take(&mut self.depth));
        visit(self);
        let tokens = count_tokens(item.to_token_stream());
        self.functions.push(Function { name: name.to_string(), tokens, points: self.points });
        (self.points, self.depth) = outer;
    }
}

impl<'ast> Visit<'ast> for Complexity {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig.ident, item, |own| visit::visit_item_fn(own, item));
    }
    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig.ident, item, |own| visit::visit_impl_item_fn(own, item));
    }
    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.function(&item.sig.ident, item, |own| visit::visit_trait_item_fn(own, item));
    }
    fn visit_expr_if(&mut self, node: &'ast syn::ExprIf) {
        self.branch(|own| {
            own.visit_expr(&node.cond);
            own.visit_block(&node.then_branch);
        });
        let mut rest = node.else_branch.as_ref();
        while let Some((_, other)) = rest {
            self.points += 1;
            rest = None;
            match &**other {
                syn::Expr::If(next) => {
                    self.inside(|own| {
                        own.visit_expr(&next.cond);
                        own.visit_block(&next.then_branch);
                    });
                    rest = next.else_branch.as_ref();
                }
                other => self.inside(|own| own.visit_expr(other)),
            }
        }
    }
    fn visit_expr_match(&mut self, node: &'ast syn::ExprMatch) {
        self.branch(|own| visit::visit_expr_match(own, node));
    }
    fn visit_expr_for_loop(&mut self, node: &'ast syn::ExprForLoop) {
        self.branch(|own| visit::visit_expr_for_loop(own, node));
    }
    fn visit_expr_while(&mut self, node: &'ast syn::ExprWhile) {
        self.branch(|own| visit::visit_expr_while(own, node));
    }
    fn visit_expr_loop(&mut self, node: &'ast syn::ExprLoop) {
        self.branch(|own| visit::visit_expr_loop(own, node));
    }
    fn visit_expr_closure(&mut self, node: &'ast syn::ExprClosure) {
        self.inside(|own| visit::visit_expr_closure(own, node));
    }
    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        let is_and = |op: &syn::BinOp| matches!(op, syn::BinOp::And(_));
        let is_logic = |op: &syn::BinOp| is_and(op) || matches!(op, syn::BinOp::Or(_));
        let goes_on = matches!(&*node.left, syn::Expr::Binary(left) if is_logic(&left.op)
            && is_and(&left.op) == is_and(&node.op));
        self.points += usize::from(is_logic(&node.op) && !goes_on);
        visit::visit_expr_binary(self, node);
    }
}

/// The functions of a file's code.
fn functions(code: &str) -> syn::Result<Vec<Function>> {
    let mut complexity = Complexity::default();
    complexity.visit_file(&syn::parse_file(code)?);
    Ok(complexity.functions)
}

/// The texts in the code that are one of `words`.
fn literals_among(code: &str, words: &BTreeSet<String>) -> usize {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| line.split('"').skip(1).step_by(2).filter(|text| words.contains(*text)).count()).sum()
}

fn english_function_words() -> BTreeSet<String> {
    let table = |name: &&str| read(&root().join(format!("crates/text/lexicon/en/{name}.tsv")));
    let text: String = FUNCTION_WORDS.iter().map(table).collect();
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split('\t').next())
        .map(str::to_owned)
        .collect()
}

/// Counts results whose error is nothing but a text.
fn text_errors(code: &str) -> usize {
    let ends_with_text = |rest: &str| {
        let mut depth = 0;
        for (at, c) in rest.char_indices() {
            match c {
                '<' => depth += 1,
                '>' if depth == 0 => return rest[..at].ends_with(", String"),
                '>' if !rest[..at].ends_with('-') => depth -= 1,
                ';' | '{' => return false,
                _ => {}
            }
        }
        false
    };
    code.match_indices("Result<").filter(|(at, _)| ends_with_text(&code[at + 7..])).count()
}

/// Comments on items that open with a clause, where the field wants a verb or a noun.
fn clauses(code: &str) -> usize {
    let mut before = "";
    let mut count = 0;
    for line in code.lines().map(str::trim_start) {
        let text = line.strip_prefix("/// ").or_else(|| line.strip_prefix("/** ")).unwrap_or_default();
        let opens = CLAUSES
            .iter()
            .any(|clause| text.strip_prefix(clause).is_some_and(|rest| rest.starts_with([' ', ','])));
        count += usize::from(opens && !before.starts_with("///"));
        before = line;
    }
    count
}

fn wide_lines(paths: &[PathBuf]) -> usize {
    paths
        .iter()
        .map(|path| read(path).lines().filter(|line| line.chars().count() > WIDEST_LINE).count())
        .sum()
}

/// The bytes of a module as a host sends it; none where it is not built, or there is no gzip to ask.
fn module_bytes(name: &str) -> Option<usize> {
    let path = root().join("pkg/dist").join(name);
    if !path.is_file() {
        return None;
    }
    let output = Command::new("gzip")
        .args(["-9", "-c"])
        .arg(path)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(output.stdout.len())
}

/// Returns the measured numbers, by name.
fn measured() -> BTreeMap<&'static str, usize> {
    let sources = sources();
    let read_functions = |source: &Source| {
        functions(&source.code).unwrap_or_else(|e| panic!("{}: {e}", source.path.display()))
    };
    let all: Vec<Function> = sources.iter().flat_map(read_functions).collect();
    let tokens = |source: &Source| count_tokens(source.code.parse().expect("code that was parsed"));
    let words = english_function_words();
    let asks = |source: &&Source| ASKING.iter().any(|folder| source.path.starts_with(root().join(folder)));
    let (mut pages, mut written) = (Vec::new(), Vec::new());
    files(&root().join("docs"), &[".md"], &mut pages);
    for folder in WRITTEN {
        files(&root().join(folder), &[".rs", ".js", ".mjs", ".sh"], &mut written);
    }
    let rust = written.iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    let worn = |path: &PathBuf| count_worn(read(path).parse().expect("Rust code"));
    let mut package = Vec::new();
    files(&root().join("pkg"), &[".js"], &mut package);
    let in_package: usize = package.iter().map(|path| clauses(&read(path))).sum();
    let one_word = all.iter().filter(|function| !function.name.contains('_')).count();
    let mut measured = BTreeMap::from([
        ("rust_tokens", sources.iter().map(tokens).sum()),
        ("long_functions", all.iter().filter(|function| function.tokens > LONGEST_FUNCTION).count()),
        ("complex_functions", all.iter().filter(|function| function.points > MOST_COMPLEX).count()),
        (
            "english_literals",
            sources.iter().filter(asks).map(|source| literals_among(&source.code, &words)).sum(),
        ),
        ("text_errors", sources.iter().map(|source| text_errors(&source.code)).sum()),
        ("locked_packages", read(&root().join("Cargo.lock")).matches("[[package]]").count()),
        ("clauses", sources.iter().map(|source| clauses(&source.code)).sum::<usize>() + in_package),
        ("wide_lines", wide_lines(&written)),
        ("handbook_words", pages.iter().map(|path| read(path).split_whitespace().count()).sum()),
        ("worn_names", rust.map(worn).sum()),
        ("one_word_functions", (one_word * 1000).div_ceil(all.len())),
    ]);
    measured.extend(module_bytes("pocketgraph_wasm_bg.wasm").map(|bytes| ("search_module", bytes)));
    measured.extend(module_bytes("pocketgraph_full_bg.wasm").map(|bytes| ("full_module", bytes)));
    measured
}

#[test]
fn no_number_goes_up() {
    let path = root().join("tests/ratchets.txt");
    let update = std::env::var_os("POCKETGRAPH_UPDATE_RATCHETS").is_some();
    let measured = measured();
    let (mut grown, mut text, mut named) = (Vec::new(), String::new(), BTreeSet::new());
    for line in read(&path).lines() {
        let written = line.split_once(' ').filter(|(name, _)| *name != "#");
        let Some((name, rest)) = written else {
            text.push_str(&format!("{line}\n"));
            continue;
        };
        let (number, what) = rest.trim_start().split_once(' ').unwrap_or((rest, ""));
        let limit: usize = number.trim().parse().unwrap_or_else(|e| panic!("{line}: {e}"));
        named.insert(name.to_owned());
        let now = measured.get(name).copied().unwrap_or(limit);
        if now > limit {
            grown.push(format!("{name} is {now}, more than {limit}: remove as much elsewhere"));
        } else if now < limit && !update {
            // Past the test harness, which keeps what a test that passes prints.
            writeln!(
                std::io::stderr(),
                "{name} is {now}: lower the number from {limit} (POCKETGRAPH_UPDATE_RATCHETS=1)"
            )
            .unwrap();
        }
        let number = if update { now.min(limit) } else { limit };
        text.push_str(&format!("{name:<20}{number:>8}  {}\n", what.trim()));
    }
    let lacking: Vec<&&str> = measured.keys().filter(|name| !named.contains(**name)).collect();
    assert!(lacking.is_empty(), "tests/ratchets.txt lacks {lacking:?}");
    if update {
        fs::write(&path, text).unwrap();
    }
    assert!(grown.is_empty(), "{}", grown.join("\n"));
}

#[test]
fn what_only_tests_use_is_left_out() {
    let text = "fn kept() {\n    if x {\n    }\n}\n\n#[cfg(test)]\nmod \
        one_tests;\n\n#[cfg(test)]\n#[allow(a)]\n#[path = \"x.rs\"]\nmod more;\n#[cfg(test)]\nmod tests \
        {\n    fn gone() {}\n}\nfn last() {}\n";
    let (code, modules) = without_tests(text);
    assert_eq!(modules, [Module::Named("one_tests".to_owned()), Module::At("x.rs".to_owned())]);
    let names = functions(&code).unwrap().into_iter().map(|function| function.name);
    assert_eq!(names.collect::<Vec<_>>(), ["kept", "last"]);
}

#[test]
fn each_number_counts_what_it_says() {
    let points = |code: &str| -> Vec<usize> {
        functions(code).unwrap().iter().map(|function| function.points).collect()
    };
    let tokens = |code: &str| -> Vec<usize> {
        functions(code).unwrap().iter().map(|function| function.tokens).collect()
    };
    assert_eq!(tokens("/// A comment.\n#[inline]\nfn a(b: u8,) -> u8 { c(|d| { b + d }) }"), [17]);
    assert_eq!(tokens("fn a(b: u8) -> u8 {\n    #![doc = \"Inside.\"]\n    c(|d| b + d)\n}"), [15]);
    assert_eq!(
        points("fn a() { if b && c && d || e { for f in g { if h {} } } else if i {} else {} }"),
        [1 + 2 + 2 + 3 + 1 + 1]
    );
    assert_eq!(points("fn a() { fn b() { loop {} } match c { _ => d } }"), [1, 1]);
    assert_eq!(
        text_errors(
            "fn a() -> Result<(), String>; fn b() -> Result<Vec<u8>, String> {} fn c() -> \
             Result<String, Error> {}"
        ),
        2
    );
    assert_eq!(
        clauses(
            "/// What it is.\n/// Where it goes on.\nfn a() {}\n/// Returns it.\n/** Whether. */\n/// Ofter"
        ),
        1
    );
    assert_eq!(count_worn("fn what_is_told(a: Said) { \"told\"; untold(standing) }".parse().unwrap()), 2);
    let words = BTreeSet::from(["how".to_owned()]);
    assert_eq!(literals_among("matches!(w, \"how\" | \"now\") // \"x\"\n// \"how\"\n", &words), 1);
}
