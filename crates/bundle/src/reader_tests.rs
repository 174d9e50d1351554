use super::*;
use crate::bundle::{
    Bytes, Counts, EmbedderInfo, FORMAT, MOST_CHUNKS, MemorySource, PACKED_FORMAT, PAGE_HASH, PackInfo,
    SectionInfo, section_file,
};
use futures::future::FutureExt;

/// Runs a future over bytes in memory, which is ready at once.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().unwrap()
}

/// Makes a bundle of pages and of sections, each with its stored bytes, inflated length and encoding.
fn bundle(sections: &[(&str, &[u8], u64, Encoding)], pages: &[(&str, &PageRef, &[u8])]) -> Bundle {
    let mut files = MemorySource::default();
    let mut listed = Vec::new();
    for &(name, bytes, raw, encoding) in sections {
        let sha256 = content_hash(bytes);
        let file = section_file(name, &sha256);
        files.files.insert(file.clone(), bytes.to_vec());
        let (bytes, page_encoding) = (bytes.len() as u64, Encoding::Raw);
        listed.push(SectionInfo {
            name: name.into(),
            file,
            bytes,
            raw,
            sha256,
            encoding,
            page_encoding,
            pages: 0,
            page_bytes: 0,
            inline: None,
        });
    }
    for (name, page, bytes) in pages {
        files.files.insert(page_file(name, page), bytes.to_vec());
    }
    let manifest = Manifest {
        format: FORMAT.into(),
        oldest_reader: FORMAT.into(),
        built_by: "test".into(),
        counts: Counts::default(),
        options: Vec::new(),
        embedder: EmbedderInfo::default(),
        sections: listed,
        packs: Vec::new(),
    };
    files.files.insert(MANIFEST.into(), manifest.to_json().into_bytes());
    block_on(Bundle::open(Rc::new(files), 1 << 20)).unwrap()
}

fn page(bytes: &[u8]) -> PageRef {
    let mut sha256 = [0; PAGE_HASH];
    sha256.copy_from_slice(&content_hash(bytes)[..PAGE_HASH]);
    PageRef { sha256, bytes: bytes.len() as u32, raw: bytes.len() as u32 }
}

/// Returns the bytes themselves, which must be as many as the items.
fn counted(items: u32, file: &str, bytes: &[u8]) -> Result<Vec<u8>, BundleError> {
    if bytes.len() == items as usize {
        Ok(bytes.to_vec())
    } else {
        Err(Bytes::new(file, bytes).corrupt("another number"))
    }
}

#[test]
fn a_page_that_is_in_a_list_twice_is_checked_for_each_place() {
    let of_three = page(b"abc");
    let bundle = bundle(&[("s", b"", 0, Encoding::Raw)], &[("s", &of_three, b"abc")]);
    let mut index = PagedIndex::empty();
    index.push(of_three.clone(), 3);
    index.push(of_three.clone(), 1);
    index.push(of_three, 3);
    let pages = block_on(bundle.pages("s", &index, &[0, 1, 2], counted));
    assert_eq!((pages.loaded.keys().copied().collect::<Vec<_>>(), pages.failed.len()), (vec![0, 2], 1));
    assert_eq!(bundle.stats().requests, 3, "the manifest, and the page for each number of items");
}

#[test]
fn a_list_that_says_something_else_of_a_loaded_page_is_not_answered_from_memory() {
    let honest = page(b"abc");
    let bundle = bundle(&[("s", b"", 0, Encoding::Raw)], &[("s", &honest, b"abc")]);
    let load = |page: PageRef| {
        let mut index = PagedIndex::empty();
        index.push(page, 3);
        block_on(bundle.pages("s", &index, &[0], counted)).failed.into_iter().next().map(|e| e.code())
    };
    let mut sha256 = honest.sha256;
    sha256[PAGE_HASH - 1] ^= 1;
    assert_eq!(load(honest.clone()), None);
    assert_eq!(load(PageRef { sha256, ..honest.clone() }), Some("hash-mismatch"));
    assert_eq!(load(PageRef { bytes: 4, ..honest }), Some("truncated"));
}

/// Packs some files of a bundle into one, given with their lengths in the manifest.
fn packed(bundle: &Bundle, whole: &[u8], holds: &[(&str, u64)]) -> Bundle {
    let sha256 = content_hash(whole);
    let pack = PackInfo {
        file: section_file("pack", &sha256),
        bytes: whole.len() as u64,
        sha256,
        holds: holds.iter().map(|&(file, bytes)| (file.to_owned(), bytes)).collect(),
    };
    let mut files = MemorySource::default();
    files.files.insert(pack.file.clone(), whole.to_vec());
    let manifest =
        Manifest { oldest_reader: PACKED_FORMAT.into(), packs: vec![pack], ..bundle.manifest().clone() };
    files.files.insert(MANIFEST.into(), manifest.to_json().into_bytes());
    block_on(Bundle::open(Rc::new(files), 1 << 20)).unwrap()
}

#[test]
fn files_that_share_one_are_read_with_one_request() {
    let of_three = page(b"xyz");
    let alone =
        bundle(&[("a", b"abc", 3, Encoding::Raw), ("s", b"", 0, Encoding::Raw)], &[("s", &of_three, b"xyz")]);
    let (a, s) = (alone.manifest().sections[0].file.clone(), page_file("s", &of_three));
    let bundle = packed(&alone, b"abcxyz", &[(&a, 3), (&s, 3)]);
    let section = block_on(bundle.section("a", |f, b| counted(3, f, b))).unwrap();
    let page = block_on(bundle.page("s", &of_three, 3, |f, b| counted(3, f, b))).unwrap();
    assert_eq!((section.as_slice(), page.as_slice()), (b"abc".as_slice(), b"xyz".as_slice()));
    assert_eq!(
        (bundle.stats().requests, bundle.stats().bytes - alone.stats().bytes < 1000),
        (2, true),
        "the manifest and the pack"
    );
}

#[test]
fn a_pack_that_lies_is_an_error_that_names_a_file() {
    let alone = bundle(&[("a", b"abc", 3, Encoding::Raw)], &[]);
    let a = alone.manifest().sections[0].file.clone();
    let code = |whole: &[u8], holds: &[(&str, u64)]| {
        block_on(packed(&alone, whole, holds).section("a", |f, b| counted(3, f, b)))
            .map(|_| ())
            .map_err(|e| e.code())
    };
    assert_eq!(code(b"abc", &[(&a, 3)]), Ok(()));
    assert_eq!(code(b"ab", &[(&a, 3)]), Err("truncated"));
    assert_eq!(code(b"abc", &[("b.pgs", 1 << 40), (&a, 3)]), Err("truncated"));
    assert_eq!(code(b"abc", &[("b.pgs", 1), (&a, 3)]), Err("truncated"));
    assert_eq!(code(b"abd", &[(&a, 3)]), Err("hash-mismatch"));
    // A pack that claims to be in itself is read all the same: packs are in no other.
    let itself = section_file("pack", &content_hash(b"abc"));
    assert_eq!(code(b"abc", &[(&a, 3), (&itself, 3)]), Ok(()));
}

#[test]
fn one_file_as_two_sections_is_decoded_for_each() {
    let bundle = bundle(&[("a", b"abc", 3, Encoding::Raw), ("b", b"abc", 3, Encoding::Raw)], &[]);
    let read = |name: &'static str, items: u32| {
        block_on(bundle.section(name, move |f, b| counted(items, f, b))).map(|_| ())
    };
    assert!(read("a", 3).is_ok());
    assert!(read("b", 2).is_err(), "what was checked for one section does not stand in for another");
    assert!(read("b", 3).is_ok());
}

#[test]
fn sizes_are_believed_as_far_as_stored_bytes_back_them() {
    let read = |bytes: &[u8], raw: u64, encoding| {
        let bundle = bundle(&[("a", bytes, raw, encoding)], &[]);
        block_on(bundle.section("a", |_, b| Ok(b.len()))).map(|n| *n).unwrap_err().to_string()
    };
    // Not even the first byte is inflated: nothing in it is gzip.
    assert!(read(&[0; 100], 3 << 30, Encoding::Gzip).contains("larger than its stored bytes can back"));
    assert!(read(&[0; 100], 1 << 20, Encoding::Gzip).contains("not a gzip file"));
    let large = PageRef { raw: 100_000, ..page(b"abc") };
    let of_pages = bundle(&[("s", b"", 0, Encoding::Raw)], &[("s", &large, b"abc")]);
    assert_eq!(
        block_on(of_pages.page("s", &large, 3, |f, b| counted(3, f, b))).unwrap().len(),
        3,
        "a page that is not compressed is as long as it is"
    );
}

#[test]
fn a_manifest_cannot_count_more_than_a_bundle_can_hold() {
    let manifest = |chunks: u64, documents: u64| {
        let counts = Counts { chunks, documents, keywords: 0 };
        let (embedder, built_by) = (EmbedderInfo::default(), String::new());
        let manifest = Manifest {
            format: FORMAT.into(),
            oldest_reader: FORMAT.into(),
            built_by,
            counts,
            options: vec![],
            embedder,
            sections: vec![],
            packs: vec![],
        };
        Manifest::from_json(manifest.to_json().as_bytes()).is_ok()
    };
    assert!(manifest(MOST_CHUNKS, MOST_CHUNKS));
    assert!(!manifest(MOST_CHUNKS + 1, 0) && !manifest(0, u64::from(u32::MAX)));
}
