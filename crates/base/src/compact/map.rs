//! A map and a set in one sorted run of memory.

use super::sort::{sort_by, sort_unique};
use std::borrow::Borrow;

/// Map in key order. Lookup is a binary search. An insertion moves all later entries: collect many at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Map<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Map { entries: Vec::new() }
    }
}

impl<K: Ord, V> Map<K, V> {
    /// Returns an empty map.
    pub fn new() -> Self {
        Map::default()
    }

    /// Returns the place of `key`, or the place where it belongs.
    fn find_place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.entries.binary_search_by(|(k, _)| k.borrow().cmp(key))
    }

    /// Returns the value of `key`.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find_place(key).ok().map(|at| &self.entries[at].1)
    }

    /// Returns the value of `key`, to change.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.find_place(key).ok().map(|at| &mut self.entries[at].1)
    }

    /// Returns the value of `key`; inserts the result of `make` if there is none.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let at = match self.find_place(&key) {
            Ok(at) => at,
            Err(at) => {
                self.entries.insert(at, (key, make()));
                at
            }
        };
        &mut self.entries[at].1
    }

    /// Sets the value of `key`; replaces an earlier one.
    pub fn insert(&mut self, key: K, value: V) {
        match self.find_place(&key) {
            Ok(at) => self.entries[at].1 = value,
            Err(at) => self.entries.insert(at, (key, value)),
        }
    }

    /// Removes `key` and returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.find_place(key).ok().map(|at| self.entries.remove(at).1)
    }

    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Iterates over the entries in key order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(k, v)| (k, v))
    }

    /// Iterates over the keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.entries.iter().map(|(k, _)| k)
    }

    /// Iterates over the values in key order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|(_, v)| v)
    }
}

impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    /// Adds many entries at once. The last of equal keys wins.
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        self.entries.extend(entries);
        sort_by(&mut self.entries, |a, b| a.0.cmp(&b.0));
        self.entries.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                std::mem::swap(later, kept);
            }
            same
        });
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut out = Map::new();
        out.extend(entries);
        out
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

/// Ordered set. Collect its items at once, then look them up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set<T> {
    items: Vec<T>,
}

impl<T> Default for Set<T> {
    fn default() -> Self {
        Set { items: Vec::new() }
    }
}

impl<T: Ord> Set<T> {
    /// Returns true if `item` is in the set.
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.items.binary_search_by(|i| i.borrow().cmp(item)).is_ok()
    }

    /// Returns the items from `start` on, in order.
    pub fn from<Q: Ord + ?Sized>(&self, start: &Q) -> &[T]
    where
        T: Borrow<Q>,
    {
        &self.items[self.items.partition_point(|i| i.borrow() < start)..]
    }

    /// Returns all items, in order.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Returns all items as a vector, in order.
    pub fn into_items(self) -> Vec<T> {
        self.items
    }

    /// Returns the number of items that are also in the other set.
    pub fn shared(&self, other: &Set<T>) -> usize {
        self.items.iter().filter(|i| other.contains(*i)).count()
    }
}

impl<T: Ord> Extend<T> for Set<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.items.extend(items);
        sort_unique(&mut self.items);
    }
}

impl<T: Ord> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut out = Set::default();
        out.extend(items);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        #[test]
        fn maps_behave_as_the_standard_librarys(
            first in prop::collection::vec((0u8..40, any::<u8>()), 0..60),
            then in prop::collection::vec((0u8..4, 0u8..40, any::<u8>()), 0..60),
        ) {
            let mut ours: Map<u8, u8> = first.iter().copied().collect();
            let mut theirs: BTreeMap<u8, u8> = first.into_iter().collect();
            for (what, key, value) in then {
                match what {
                    0 => {
                        ours.insert(key, value);
                        theirs.insert(key, value);
                    }
                    1 => prop_assert_eq!(ours.remove(&key), theirs.remove(&key)),
                    2 => prop_assert_eq!(
                        ours.get_or_insert_with(key, || value),
                        theirs.entry(key).or_insert(value)
                    ),
                    _ => {
                        ours.extend([(key, value), (value, key)]);
                        theirs.extend([(key, value), (value, key)]);
                    }
                }
                prop_assert_eq!(ours.get(&key), theirs.get(&key));
            }
            prop_assert_eq!(ours.into_iter().collect::<Vec<_>>(), theirs.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn sets_behave_as_the_standard_librarys(
            a in prop::collection::vec(0u8..40, 0..30),
            b in prop::collection::vec(0u8..40, 0..30),
            x in 0u8..40,
        ) {
            let (ours, other): (Set<u8>, Set<u8>) =
                (a.iter().copied().collect(), b.iter().copied().collect());
            let (theirs, b): (BTreeSet<u8>, BTreeSet<u8>) =
                (a.into_iter().collect(), b.into_iter().collect());
            prop_assert_eq!(ours.contains(&x), theirs.contains(&x));
            prop_assert_eq!(ours.from(&x).to_vec(), theirs.range(x..).copied().collect::<Vec<_>>());
            prop_assert_eq!(ours.shared(&other), theirs.intersection(&b).count());
            prop_assert_eq!(ours.items().to_vec(), theirs.into_iter().collect::<Vec<_>>());
        }
    }
}
