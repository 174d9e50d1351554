//! Which chunks are searched.

/// Whether `chunk` is among those that are searched: all of them where there is no list.
pub fn is_kept(kept: Option<&Vec<bool>>, chunk: u32) -> bool {
    kept.is_none_or(|kept| kept.get(chunk as usize) == Some(&true))
}
