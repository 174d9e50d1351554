//! One merge sort for every type.

use std::cmp::Ordering;

/// Sorts by `compare`, keeping the order of equals.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut order = sorted_order(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    rearrange(&mut order, &mut |a, b| items.swap(a, b));
}

/// Sorts, and keeps one of equal items.
pub fn sort_unique<T: Ord>(items: &mut Vec<T>) {
    sort_by(items, T::cmp);
    items.dedup();
}

/// Returns the sorted order of `n` items, by a bottom-up merge sort.
fn sorted_order(n: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut merged: Vec<usize> = Vec::with_capacity(n);
    let mut width = 1;
    while width < n {
        merged.clear();
        for run in order.chunks(2 * width) {
            let (mut left, mut right) = run.split_at(width.min(run.len()));
            while let (Some((&a, further_left)), Some((&b, further_right))) =
                (left.split_first(), right.split_first())
            {
                if compare(a, b) == Ordering::Greater {
                    merged.push(b);
                    right = further_right;
                } else {
                    merged.push(a);
                    left = further_left;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut order, &mut merged);
        width *= 2;
    }
    order
}

/// Moves item `order[i]` to place `i`, for every `i`, by walking each cycle once.
fn rearrange(order: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorting_agrees_with_the_standard_library(
            items in prop::collection::vec((0u8..20, any::<u16>()), 0..200),
        ) {
            let (mut ours, mut theirs) = (items.clone(), items);
            sort_by(&mut ours, |a, b| a.0.cmp(&b.0));
            theirs.sort_by_key(|item| item.0);
            prop_assert_eq!(&ours, &theirs);
            sort_unique(&mut ours);
            theirs.sort();
            theirs.dedup();
            prop_assert_eq!(ours, theirs);
        }
    }
}
