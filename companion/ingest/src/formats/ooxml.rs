//! What spreadsheets and presentations of Office share: files in a package, and how they refer to each other.

use super::archive::Archive;
use super::xml::{self, attribute};
use std::collections::HashMap;

/// The files that a file of a package refers to, by their ids, with the kinds of the references.
pub(crate) fn relations(
    archive: &mut Archive,
    file: &str,
) -> Result<HashMap<String, (String, String)>, String> {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let mut all = HashMap::new();
    let Some(text) = archive.text(&format!("{folder}/_rels/{name}.rels"))? else { return Ok(all) };
    xml::elements(&text, |element, e| {
        if element == "Relationship"
            && let (Some(id), Some(target), Some(kind)) =
                (attribute(e, "Id"), attribute(e, "Target"), attribute(e, "Type"))
        {
            let kind = kind.rsplit('/').next().unwrap_or("").to_owned();
            all.insert(id, (path(folder, &target), kind));
        }
    });
    Ok(all)
}

/// The path of a file that one in `folder` refers to.
fn path(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
