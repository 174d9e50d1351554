//! One file of the cache: a redb database of hashes and checked values.

use pocketgraph_native::panics::catch_panic;
use redb::{Database, ReadableDatabase, TableDefinition, TableError};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Table of entries; its name has the version of this layout.
const ENTRIES: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("pocketgraph-cache-1");

/// Number of check bytes before each value.
const CHECK: usize = 8;

/// Maximum time to wait for another program that reads or writes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Memory of an open file, in bytes.
const MEMORY: usize = 32 << 20;

/// Reasons for which a file of the cache cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system refused.
    #[error("cannot use the cache {}: {reason}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Message of the system.
        reason: String,
    },
    /// The file is damaged, or no cache at all.
    #[error("{} is damaged or not a build cache ({reason}); it is left as it is: delete it or name another \
        folder with --cache", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Fault of the file.
        reason: String,
    },
    /// Another program used it for too long.
    #[error("the cache {} has been in use by another program for {} \
        seconds", path.display(), PATIENCE.as_secs())]
    Busy {
        /// The file.
        path: PathBuf,
    },
}

/// Creates the cache's folder, for its owner alone: replies may quote documents.
pub(super) fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| StoreError::Io { path: folder.to_owned(), reason: e.to_string() })
}

/// A file of entries, open only during a transaction.
#[derive(Debug)]
pub(super) struct Store {
    path: PathBuf,
}

impl Store {
    /// Checks or creates the file. A file larger than `most_bytes` starts empty again.
    pub(super) fn open(path: &Path, most_bytes: Option<u64>) -> Result<Store, StoreError> {
        let store = Store { path: path.to_owned() };
        let long = fs::metadata(path).is_ok_and(|m| most_bytes.is_some_and(|most| m.len() > most));
        if long {
            fs::remove_file(path).map_err(|e| store.io(&e))?;
        }
        // An empty table marks a new file as ours; a redb file without it belongs to another program.
        store.with(|database| {
            let known = {
                let reading = database.begin_read()?;
                match reading.open_table(ENTRIES) {
                    Ok(_) => true,
                    Err(TableError::TableDoesNotExist(_)) => {
                        if reading.list_tables()?.next().is_some() {
                            return Err(redb::Error::Corrupted("it holds other tables".to_owned()));
                        }
                        false
                    }
                    Err(error) => return Err(error.into()),
                }
            };
            if !known {
                let writing = database.begin_write()?;
                writing.open_table(ENTRIES)?;
                writing.commit()?;
            }
            Ok(())
        })?;
        Ok(store)
    }

    /// Calls `found` with each wanted number whose key has an undamaged value.
    pub(super) fn read(
        &self,
        wanted: &[(usize, &[u8; 32])],
        found: &mut impl FnMut(usize, &[u8]),
    ) -> Result<(), StoreError> {
        self.with(|database| {
            let table = database.begin_read()?.open_table(ENTRIES)?;
            for (number, key) in wanted {
                if let Some(value) = table.get(key.as_slice())?
                    && let Some((check, value)) = value.value().split_at_checked(CHECK)
                    && check == check_of(key, value)
                {
                    found(*number, value);
                }
            }
            Ok(())
        })
    }

    /// Writes entries in one transaction: all of them or none.
    pub(super) fn write(&self, entries: &[(&[u8; 32], &[u8])]) -> Result<(), StoreError> {
        self.with(|database| {
            let writing = database.begin_write()?;
            {
                let mut table = writing.open_table(ENTRIES)?;
                let mut bytes = Vec::new();
                for (key, value) in entries {
                    bytes.clear();
                    bytes.extend_from_slice(&check_of(key, value));
                    bytes.extend_from_slice(value);
                    table.insert(key.as_slice(), bytes.as_slice())?;
                }
            }
            Ok(writing.commit()?)
        })
    }

    /// Opens the file, runs `work`, closes it. Waits for other programs; a panic means a damaged file.
    fn with<T>(&self, mut work: impl FnMut(&Database) -> Result<T, redb::Error>) -> Result<T, StoreError> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(2);
        loop {
            let attempt = catch_panic(|| {
                let database = redb::Builder::new().set_cache_size(MEMORY).create(&self.path)?;
                work(&database)
            });
            match attempt {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(redb::Error::DatabaseAlreadyOpen)) if begun.elapsed() < PATIENCE => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(50));
                }
                Ok(Err(error)) => return Err(self.error(&error)),
                Err(_) => {
                    return Err(StoreError::Foreign {
                        path: self.path.clone(),
                        reason: "its pages do not fit together".to_owned(),
                    });
                }
            }
        }
    }

    fn error(&self, error: &redb::Error) -> StoreError {
        let path = self.path.clone();
        match error {
            redb::Error::DatabaseAlreadyOpen => StoreError::Busy { path },
            redb::Error::Io(e)
                if e.kind() != std::io::ErrorKind::InvalidData
                    && e.kind() != std::io::ErrorKind::UnexpectedEof =>
            {
                self.io(e)
            }
            other => StoreError::Foreign { path, reason: other.to_string() },
        }
    }

    fn io(&self, error: &dyn std::fmt::Display) -> StoreError {
        StoreError::Io { path: self.path.clone(), reason: error.to_string() }
    }
}

/// Computes the check before a value: the database checks pages only after a crash, but bits may flip.
fn check_of(key: &[u8; 32], value: &[u8]) -> [u8; CHECK] {
    let mut hasher = Sha256::new();
    hasher.update(key);
    hasher.update(value);
    let hash: [u8; 32] = hasher.finalize().into();
    std::array::from_fn(|i| hash[i])
}
