//! Which chunks are searched.

/// Returns true if `chunk` is searched. Without a list all chunks are.
pub fn is_kept(kept: Option<&Vec<bool>>, chunk: u32) -> bool {
    kept.is_none_or(|kept| kept.get(chunk as usize) == Some(&true))
}
