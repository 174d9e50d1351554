//! Ragged lists of numbers in one run of memory.

/// Lists of numbers, one after the other: list `i` is `items[offsets[i]..offsets[i + 1]]`, unsorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists {
    offsets: Vec<u32>,
    items: Vec<u32>,
}

impl Default for Lists {
    fn default() -> Self {
        Lists { offsets: vec![0], items: Vec::new() }
    }
}

impl Lists {
    /// Appends a list.
    pub fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.items.extend(list);
        self.offsets.push(self.items.len() as u32);
    }

    /// Number of lists.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns true if there is no list.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of items of all lists together.
    pub fn items(&self) -> usize {
        self.items.len()
    }

    /// Returns list `i`; empty if there is no such list.
    pub fn get(&self, i: usize) -> &[u32] {
        match (self.offsets.get(i), self.offsets.get(i + 1)) {
            (Some(&a), Some(&b)) => &self.items[a as usize..b as usize],
            _ => &[],
        }
    }

    /// Iterates over all lists, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Returns for each of `n` items the lists that have it, ascending, each once. Drops items from `n` on.
    pub fn inverted(&self, n: usize) -> Lists {
        let mut last = vec![u32::MAX; n];
        let mut offsets = vec![0u32; n + 1];
        let mut each = |found: &mut dyn FnMut(u32, u32)| {
            last.fill(u32::MAX);
            for i in 0..self.len() as u32 {
                for &item in self.get(i as usize) {
                    if last.get(item as usize).is_some_and(|&l| l != i) {
                        last[item as usize] = i;
                        found(item, i);
                    }
                }
            }
        };
        each(&mut |item, _| offsets[item as usize + 1] += 1);
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut items = vec![0u32; offsets[n] as usize];
        each(&mut |item, list| {
            items[next[item as usize] as usize] = list;
            next[item as usize] += 1;
        });
        Lists { offsets, items }
    }
}

impl FromIterator<Vec<u32>> for Lists {
    fn from_iter<I: IntoIterator<Item = Vec<u32>>>(lists: I) -> Self {
        let mut out = Lists::default();
        lists.into_iter().for_each(|l| out.push(l));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn inverting_says_which_lists_hold_an_item(
            lists in prop::collection::vec(prop::collection::vec(0u32..9, 0..6), 0..8),
        ) {
            let inverted = lists.iter().cloned().collect::<Lists>().inverted(7);
            prop_assert_eq!(inverted.len(), 7);
            for item in 0..7u32 {
                let wanted: Vec<u32> =
                    (0..lists.len() as u32).filter(|&i| lists[i as usize].contains(&item)).collect();
                prop_assert_eq!(inverted.get(item as usize), wanted);
            }
        }
    }
}
