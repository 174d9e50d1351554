//! Which of a bundle's files share one file: those that are wanted together. A request costs a reader on a
//! phone half a second, and the host's compression does nothing for files of some kilobytes.

use super::writer::{SectionWriter, WriteError};
use pocketgraph::bundle::{Ahead, PackInfo};
use pocketgraph::kg;

/// Files of a section that go into a pack.
#[derive(Clone, Copy)]
enum Part {
    /// Its own file and its first page.
    First,
    /// Its own file, and its page where there is but one.
    Only,
    /// Its own file and all its pages.
    All,
}

/// Pages of chunks in a small corpus, at most: a list of hits reads nearly all of them.
pub(super) const PAGES_OF_A_SMALL_CORPUS: usize = 4;

/// Files that are wanted together.
struct Together<'a> {
    /// In the order in which they stand in the pack.
    sections: &'a [(&'a str, Part)],
    /// Maximum length of a file in the pack.
    longest: u64,
    /// Maximum length of the pack; files without room have files of their own.
    most: u64,
}

/// A first question's files: what it loads besides is found by its words.
const FIRST: [(&str, Part); 9] = [
    ("lexical", Part::Only),
    ("chunks-lists", Part::Only),
    ("chunks", Part::Only),
    ("documents", Part::Only),
    ("names", Part::Only),
    ("titles", Part::Only),
    ("chunk-documents", Part::Only),
    ("function-words", Part::Only),
    ("translations", Part::Only),
];

/// All packs but the first question's, in the order in which a question comes to want them.
const LATER: [Together<'static>; 5] = [
    // Ranking by meaning before the token table is there: hits by words do not wait for it.
    Together { sections: &[("sketches", Part::Only)], longest: 128 << 10, most: 224 << 10 },
    // The token table: any question has some of the commonest tokens.
    Together {
        sections: &[("vocabulary", Part::Only), ("table", Part::First)],
        longest: 64 << 10,
        most: 128 << 10,
    },
    // A knowledge graph is loaded whole; the layout is what an answer wants beside it.
    Together {
        sections: &[
            (kg::SECTIONS[0], Part::Only),
            (kg::SECTIONS[1], Part::Only),
            (kg::SECTIONS[2], Part::Only),
            (kg::SECTIONS[3], Part::Only),
            ("layout", Part::Only),
        ],
        longest: 512 << 10,
        most: 768 << 10,
    },
    // Of a small corpus a question looks at all cells.
    Together { sections: &[("vectors", Part::All)], longest: 384 << 10, most: 448 << 10 },
    Together {
        sections: &[("keywords", Part::Only), ("keyword-graph", Part::Only)],
        longest: 384 << 10,
        most: 512 << 10,
    },
];

/// Puts together what is wanted together, and returns the packs with the files that are wanted at once, by
/// the names that the folder now has.
pub(super) fn write_packs(w: &SectionWriter) -> Result<(Vec<PackInfo>, Ahead), WriteError> {
    let together = first_of(w);
    let mut packs = Vec::new();
    for group in
        std::iter::once(Together { sections: &together, longest: 96 << 10, most: 224 << 10 }).chain(LATER)
    {
        let files = list_group_files(w, &group);
        if files.len() > 1 {
            packs.push(w.pack(&files)?);
        }
    }
    let named = |files: Vec<String>, but: &[String]| {
        let mut named: Vec<String> = Vec::new();
        for file in files {
            let held = packs.iter().find(|p| p.holds.iter().any(|(name, _)| *name == file));
            let name = held.map_or(file, |p| p.file.clone());
            if !named.contains(&name) && !but.contains(&name) {
                named.push(name);
            }
        }
        named
    };
    let first = named(files_of_words(w), &[]);
    let (next, passages) =
        (named(list_own_files(w, "sketches"), &first), named(files_of_passages(w), &first));
    Ok((packs, Ahead { first, next, passages }))
}

/// The files that a first question needs whatever it is, as far as they are not in the manifest: those of the
/// word index and of the lists of passages where each is one file.
fn files_of_words(w: &SectionWriter) -> Vec<String> {
    let lists = if w.has("chunks-lists") { "chunks-lists" } else { "chunks" };
    // Pages of many documents bring these along.
    let wanted =
        ["lexical", lists, "documents"].into_iter().filter(|name| *name != "documents" || lists == "chunks");
    wanted.flat_map(|name| list_own_files(w, name)).collect()
}

/// The passages of a corpus that has no more pages of them than hits are likely to stand in.
fn files_of_passages(w: &SectionWriter) -> Vec<String> {
    let (_, pages) = w.files_of("chunks");
    if pages.len() <= PAGES_OF_A_SMALL_CORPUS {
        pages.iter().map(|file| file.0.clone()).collect()
    } else {
        Vec::new()
    }
}

/// A section's own file, and its page where there is but one.
fn list_own_files(w: &SectionWriter, section: &str) -> Vec<String> {
    let (own, pages) = w.files_of(section);
    let only = if let [page] = pages { Some(page) } else { None };
    own.into_iter().chain(only).map(|file| file.0.clone()).collect()
}

/// Returns the parts of [`FIRST`] that this bundle's first question loads whole: not a list of pages that is
/// itself paged, nor all documents if pages hold theirs.
fn first_of(w: &SectionWriter) -> Vec<(&'static str, Part)> {
    let without: &[&str] = if w.has("chunks-lists") { &["chunks", "documents"] } else { &[] };
    FIRST.into_iter().filter(|(name, _)| !without.contains(name)).collect()
}

fn list_group_files(w: &SectionWriter, group: &Together<'_>) -> Vec<(String, u64)> {
    let mut out: Vec<(String, u64)> = Vec::new();
    let mut room = group.most;
    for &(section, part) in group.sections {
        let (root, pages) = w.files_of(section);
        let pages = match (part, pages) {
            (Part::First, pages) => pages.get(..1).unwrap_or_default(),
            (Part::Only, [_]) | (Part::All, _) => pages,
            (Part::Only, _) => &[],
        };
        let wanted: Vec<&(String, u64)> = root.into_iter().chain(pages).collect();
        let whole = matches!(part, Part::All) && wanted.iter().map(|f| f.1).sum::<u64>() > room;
        for file in wanted.into_iter().filter(|f| !whole && f.1 <= group.longest) {
            if file.1 <= room && !out.contains(file) {
                room -= file.1;
                out.push(file.clone());
            }
        }
    }
    out
}
