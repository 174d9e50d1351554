//! Makes a type of each folder of `lexicon/`: a language is what its folder holds, and no code lists it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Lists the names in a folder without their endings, sorted.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let stem = |entry: io::Result<fs::DirEntry>| {
        Ok(entry?.path().file_stem().unwrap_or_default().to_string_lossy().into_owned())
    };
    let mut out = fs::read_dir(folder)?.map(stem).collect::<io::Result<Vec<String>>>()?;
    out.sort();
    Ok(out)
}

/// Writes the languages as Rust: a type each, a list of all, and a list of each concept's tables.
pub fn languages(lexicon: &Path) -> io::Result<String> {
    let (mut out, mut types) = (String::new(), String::new());
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let codes = names(lexicon)?;
    for code in &codes {
        let (first, rest) = code.split_at(code.len().min(1));
        let name = first.to_uppercase() + rest;
        let _ = write!(
            out,
            "/// The language `{code}`.\n#[derive(Debug, Clone, Copy, Default)]\npub struct {name};\n\n\
             impl Language for {name} {{\n    fn code(&self) -> &str {{\n        {code:?}\n    }}\n"
        );
        for concept in names(&lexicon.join(code))? {
            let table = format!("crate::table!(\"lexicon/{code}/{concept}.tsv\")");
            let _ = writeln!(out, "    fn {concept}(&self) -> Table<'_> {{ {table} }}");
            tables.entry(concept).or_default().push(table);
        }
        let _ = writeln!(out, "}}");
        let _ = write!(types, "&{name}, ");
    }
    let count = codes.len();
    let _ = writeln!(out, "/// All languages, by their codes. Only a build asks for all their tables.");
    let _ = writeln!(out, "pub const LANGUAGES: [&dyn Language; {count}] = [{types}];");
    for (concept, of) in tables {
        let (name, count, all) = (concept.to_uppercase(), of.len(), of.join(", "));
        let _ = writeln!(out, "/// The tables `{concept}` of all languages.");
        let _ = writeln!(out, "pub const {name}: [Table<'static>; {count}] = [{all}];");
    }
    Ok(out)
}

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=lexicon");
    let path = |name| PathBuf::from(env::var_os(name).unwrap_or_default());
    let code = languages(&path("CARGO_MANIFEST_DIR").join("lexicon"))?;
    fs::write(path("OUT_DIR").join("languages.rs"), code)
}
