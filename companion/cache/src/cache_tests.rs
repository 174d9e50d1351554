//! Promises of the cache: it finds what was stored, harms nothing that it does not understand, and can be
//! shared.

#![allow(clippy::unwrap_used)]

use super::*;

fn key(text: &str) -> Key {
    Key::new(Kind::Embedding, &[text.as_bytes()])
}

#[test]
fn what_was_put_is_found_again_also_by_the_next_build() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(folder.path()).unwrap();
    cache.put(key("a"), b"alpha".to_vec());
    assert_eq!(cache.get(&key("a")), Some(b"alpha".to_vec()), "before it is written");
    cache.put(Key::new(Kind::Reply, &[b"q"]), b"answer".to_vec());
    drop(cache);
    let cache = Cache::open(folder.path()).unwrap();
    assert_eq!(cache.get(&key("a")), Some(b"alpha".to_vec()));
    assert_eq!(cache.get(&Key::new(Kind::Reply, &[b"q"])), Some(b"answer".to_vec()));
    assert_eq!(cache.get(&key("b")), None);
    assert_eq!(cache.trouble(), None);
}

#[test]
fn keys_differ_by_kind_and_by_where_their_parts_end() {
    assert_ne!(Key::new(Kind::Embedding, &[b"ab", b"c"]), Key::new(Kind::Embedding, &[b"a", b"bc"]));
    assert_ne!(Key::new(Kind::Reply, &[b"a"]), Key::new(Kind::Embedding, &[b"a"]));
    assert_ne!(Key::new(Kind::Embedding, &[b"a"]), Key::new(Kind::Embedding, &[b"a", b""]));
}

#[test]
fn a_reply_is_on_disk_as_soon_as_it_is_put() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (Cache::open(folder.path()).unwrap(), Cache::open(folder.path()).unwrap());
    let paid = Key::new(Kind::Reply, &[b"question"]);
    one.put(paid, b"reply".to_vec());
    assert_eq!(other.get(&paid), Some(b"reply".to_vec()));
}

#[test]
fn flushing_all_writes_what_an_interrupted_build_has() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (Cache::open(folder.path()).unwrap(), Cache::open(folder.path()).unwrap());
    one.put(key("computed"), vec![7]);
    flush_all();
    assert_eq!(other.get(&key("computed")), Some(vec![7]));
}

#[test]
fn files_that_are_no_cache_are_refused_and_left_as_they_are() {
    let junk: Vec<u8> = (0..40_000u32).map(|i| ((i * 7919) >> 3) as u8).collect();
    let good = {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        (0..200).for_each(|i| cache.put(key(&i.to_string()), vec![i as u8; 300]));
        drop(cache);
        std::fs::read(folder.path().join("computed.redb")).unwrap()
    };
    let mut garbled = good.clone();
    garbled[..64].fill(0xa5);
    for (what, bytes) in [
        ("junk", junk),
        ("text", b"dear diary\n".repeat(1000)),
        ("cut", good[..good.len() / 3].to_vec()),
        ("garbled", garbled),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("computed.redb");
        std::fs::write(&file, &bytes).unwrap();
        let error = Cache::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("computed.redb") && error.contains("delete it"), "{what}: {error}");
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "{what}");
    }
}

#[test]
fn a_database_of_another_program_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("computed.redb");
    const THEIRS: redb::TableDefinition<'_, u64, u64> = redb::TableDefinition::new("theirs");
    let database = redb::Database::create(&file).unwrap();
    let writing = database.begin_write().unwrap();
    writing.open_table(THEIRS).unwrap().insert(1, 2).unwrap();
    writing.commit().unwrap();
    drop(database);
    let error = Cache::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("other tables"), "{error}");
}

#[test]
fn flipped_bits_are_absent_entries_or_a_refusal_and_never_wrong_values() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("computed.redb");
    let value = |i: usize| vec![i as u8 ^ 0x5a; 700];
    let cache = Cache::open(folder.path()).unwrap();
    (0..60).for_each(|i| cache.put(key(&i.to_string()), value(i)));
    drop(cache);
    let good = std::fs::read(&file).unwrap();
    let mut found = 0;
    for at in (4096..good.len()).step_by(good.len() / 40) {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("computed.redb"), &bad).unwrap();
        let Ok(cache) = Cache::open(folder.path()) else { continue };
        for i in 0..60 {
            if let Some(v) = cache.get(&key(&i.to_string())) {
                assert!(v == value(i), "byte {at}");
                found += 1;
            }
        }
    }
    assert!(found > 1000, "most entries survive one flipped bit elsewhere: {found}");
}

#[test]
fn caches_of_many_threads_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for t in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                let cache = Cache::open(folder).unwrap();
                for i in 0..10 {
                    cache.put(Key::new(Kind::Reply, &[&[t, i]]), vec![t, i]);
                }
                assert_eq!(cache.trouble(), None);
            });
        }
    });
    let cache = Cache::open(folder.path()).unwrap();
    for (t, i) in (0..4).flat_map(|t| (0..10).map(move |i| (t, i))) {
        assert_eq!(cache.get(&Key::new(Kind::Reply, &[&[t, i]])), Some(vec![t, i]));
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_a_clear_message() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a-file");
    std::fs::write(&file, "x").unwrap();
    let error = Cache::open(&file.join("cache")).unwrap_err().to_string();
    assert!(error.contains("cannot use the cache"), "{error}");
}
