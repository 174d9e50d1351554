//! What GeoQuery calls its entities, and which of them are major.

/// What makes a thing of a type major: the relation and what it must exceed.
pub(super) const MAJOR: [(&str, &str, f64); 3] = [("city", "population", 150_000.0), ("river", "length", 750.0), ("lake", "area", 750.0)];

/// The identifier of an entity: a river and a state may share a name.
pub(super) fn entity_id(of: &str, name: &str) -> String {
    format!("{of}:{name}")
}
