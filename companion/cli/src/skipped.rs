//! Files that were not read, told by their reasons.

use pocketgraph_ingest::Skipped;
use pocketgraph_native::single_line::first_few;
use pocketgraph_native::terminal::line;
use std::collections::HashMap;

/// A line for each reason, in the order in which reasons first occur, with the first files that it kept out.
pub(super) fn skipped_by_reason(skipped: &[Skipped]) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for s in skipped {
        let place = *places.entry(&s.reason).or_insert_with(|| {
            reasons.push((&s.reason, Vec::new()));
            reasons.len() - 1
        });
        if let Some((_, paths)) = reasons.get_mut(place) {
            paths.push(&s.path);
        }
    }
    let of_reason = |(reason, paths): (&str, Vec<&str>)| match paths.len() {
        1 => format!("skipped {}: {reason}", paths[0]),
        n => format!("skipped {n} files: {reason}: {}", first_few(&paths)),
    };
    // A file's name may hold the end of a line, and another line behind it that looks like the program's.
    reasons.into_iter().map(|read_error| line(&of_reason(read_error)).into_owned()).collect()
}
