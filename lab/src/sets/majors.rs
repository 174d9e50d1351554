//! Names of entities in GeoQuery, and the rule for major ones.

/// Relation and threshold that make a thing of a type major.
pub(super) const MAJOR: [(&str, &str, f64); 3] =
    [("city", "population", 150_000.0), ("river", "length", 750.0), ("lake", "area", 750.0)];

/// The identifier of an entity: a river and a state may share a name.
pub(super) fn entity_id(of: &str, name: &str) -> String {
    format!("{of}:{name}")
}
