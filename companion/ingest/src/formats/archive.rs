//! Files that are ZIP archives: one entry at a time, each bounded.

use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Bytes of one entry, unpacked.
const LARGEST: u64 = 64 << 20;

/// An archive in memory.
pub(crate) struct Archive {
    zip: ZipArchive<Cursor<Vec<u8>>>,
    /// Bytes that may still be unpacked.
    left: u64,
}

impl Archive {
    /// Opens an archive of which at most `limit` bytes are unpacked, all entries together.
    ///
    /// # Errors
    /// What is wrong with it, for the user.
    pub fn open(bytes: Vec<u8>, limit: u64) -> Result<Archive, String> {
        // The compound files of older and of encrypted documents.
        if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
            let encrypted: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
            let is_encrypted = bytes.windows(encrypted.len()).any(|w| w == encrypted);
            return Err(if is_encrypted {
                "encrypted: it asks for a password"
            } else {
                "of an older format than its name says"
            }
            .to_owned());
        }
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|e| format!("damaged: {e}"))?;
        Ok(Archive { zip, left: limit })
    }

    /// Returns true if there is an entry of this name.
    pub fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// The text of an entry; `None` where there is none.
    ///
    /// # Errors
    /// One that is encrypted, damaged, too large or no text.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, String> {
        if !self.has(name) {
            return Ok(None);
        }
        let limit = LARGEST.min(self.left);
        let entry = self.zip.by_name(name).map_err(|e| format!("{name}: {e}"))?;
        let mut bytes = Vec::new();
        entry.take(limit + 1).read_to_end(&mut bytes).map_err(|e| format!("{name}: {e}"))?;
        if bytes.len() as u64 > limit {
            return Err(format!("{name} is larger than {limit} bytes when it is unpacked"));
        }
        self.left -= bytes.len() as u64;
        super::decode::decode_text(bytes).map(Some).map_err(|e| format!("{name}: {e}"))
    }
}
