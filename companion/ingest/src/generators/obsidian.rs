//! Vaults of notes: Obsidian, and Quartz and Publish, which publish such; Logseq and Foam, which write alike.

use super::{Config, FoundFile, Generator, Page, Rules, Site, UrlStyle, name_of, without_ending};
use std::collections::HashSet;

/// Number of links between notes that make a folder a vault, and of files that are looked through for them.
const LINKS_OF_VAULT: usize = 3;
const MOST_LOOKED_THROUGH: usize = 200;
/// Longer files are not looked through.
const LONGEST_LOOKED_THROUGH: u64 = 1 << 20;

pub(super) const GENERATOR: Generator = Generator {
    name: "obsidian",
    label: "Obsidian",
    configurations: "quartz.config.ts quartz.config.yaml .obsidian/app.json .obsidian/core-plugins.json \
        logseq/config.edn .vscode/foam.json .foam/config.json",
    published: "site",
    recognizes: is_vault,
    configure,
    ..super::UNKNOWN
};

fn configure(config: &Config) -> Site {
    let mut site = Site { is_vault: true, rules: Box::new(Obsidian), ..Site::default() };
    if config.name.starts_with("quartz") {
        site.style = UrlStyle::Clean;
        site.content = config.content_folder("content");
        site.claimed_address = config.value("baseUrl").map(str::to_owned);
    }
    site
}

struct Obsidian;

impl Rules for Obsidian {
    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        if let Some(permalink) = page.field("permalink") {
            return Some(permalink.trim_start_matches('/').to_owned());
        }
        let path = without_ending(page.path);
        match site.style {
            // As Quartz names its pages.
            UrlStyle::Clean => {
                let named = path
                    .replace(' ', "-")
                    .replace('&', "-and-")
                    .replace('%', "-percent")
                    .replace(['?', '#'], "");
                Some(site.of_page(&named, &["index"]))
            }
            _ => Some(site.of_path(page.path, &["index", "readme"])),
        }
    }
}

/// Returns `true` if the files of a folder link to each other as notes do, by their names in double brackets.
fn is_vault(files: &[FoundFile]) -> bool {
    let notes = || files.iter().filter(|f| f.format.name == "md");
    let names: HashSet<String> = notes().map(|f| name_of(&f.path).to_lowercase()).collect();
    let short = notes().filter(|f| f.bytes <= LONGEST_LOOKED_THROUGH).take(MOST_LOOKED_THROUGH);
    let mut links = 0;
    for file in short {
        let bytes = std::fs::read(&file.file).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let targets = text.split("[[").skip(1).filter_map(|t| t.split_once("]]")?.0.split(['|', '#']).next());
        links += targets.filter(|page| names.contains(&name_of(page.trim()).to_lowercase())).count();
        if links >= LINKS_OF_VAULT {
            return true;
        }
    }
    false
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::is_vault;
    use crate::IngestOptions;
    use crate::walk::walk_files;

    #[test]
    fn notes_that_link_to_each_other_are_a_vault_without_its_configuration() {
        for (link, expected) in
            [("[[Mill pond|pond]] [[b]] ![[b#Sluice]]", true), ("[[b]] [[ -f c ]] [[bin]]", false)]
        {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("b.md"), link).unwrap();
            std::fs::write(folder.path().join("Mill pond.md"), "Water.").unwrap();
            let files = walk_files(folder.path(), &IngestOptions::default()).unwrap().found;
            assert_eq!(is_vault(&files), expected);
        }
    }
}
