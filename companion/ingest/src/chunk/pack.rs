//! Which units share a chunk.

use super::units::Unit;
use std::ops::Range;

/// Groups the units of a section in order, each group within `max` tokens: as full as possible, but what
/// announces the next unit goes with it, steps that fit into one group share it, and a small rest at the end
/// takes some of the group before it. `steps` gives the end of the steps that begin at a unit; the unit
/// itself where none do.
pub(super) fn group_units(
    units: &[Unit],
    max: usize,
    leads_in: impl Fn(&Unit) -> bool,
    steps: impl Fn(usize) -> usize,
) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    let tokens = |i: usize| units.get(i).map_or(0, |u| u.tokens);
    let glued = |i: usize| units.get(i).is_some_and(|u| u.glued);
    let (mut start, mut sum) = (0, 0);
    // Where the steps end that are kept together.
    let mut together = 0;
    for i in 0..units.len() {
        let end = steps(i);
        let whole: usize = (i..end).map(tokens).sum();
        if end > i && whole <= max {
            together = together.max(end);
        }
        let parted = whole <= max && sum + whole > max;
        if i > start && (glued(i) || sum + tokens(i) > max || parted) {
            let next = if parted { whole } else { tokens(i) };
            let carried = i - 1 > start
                && !glued(i)
                && tokens(i - 1) + next <= max
                && units.get(i - 1).is_some_and(&leads_in);
            let cut = if carried { i - 1 } else { i };
            groups.push(start..cut);
            start = cut;
            sum = if carried { tokens(i - 1) } else { 0 };
        }
        sum += tokens(i);
    }
    if start < units.len() {
        groups.push(start..units.len());
    }
    balance_end(&mut groups, max, tokens, |i| glued(i) || i < together);
    groups
}

/// Evens out the last two groups if the last is less than a quarter full, as far as its units may be parted.
fn balance_end(
    groups: &mut [Range<usize>],
    max: usize,
    tokens: impl Fn(usize) -> usize,
    kept: impl Fn(usize) -> bool,
) {
    let [.., before, last] = groups else { return };
    let sum = |r: &Range<usize>| r.clone().map(&tokens).sum::<usize>();
    let (mut a, mut b) = (sum(before), sum(last));
    if b * 4 >= max {
        return;
    }
    while before.len() > 1 && !kept(last.start) && !kept(before.end - 1) {
        let t = tokens(before.end - 1);
        if b + t > max || b + t > a - t {
            break;
        }
        a -= t;
        b += t;
        before.end -= 1;
        last.start -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn units(tokens: &[usize]) -> Vec<Unit> {
        tokens
            .iter()
            .enumerate()
            .map(|(i, &tokens)| Unit { block: i, range: 0..1, tokens, glued: false })
            .collect()
    }

    #[test]
    fn what_announces_the_next_goes_with_it() {
        assert_eq!(group_units(&units(&[5, 2, 6]), 10, |u| u.block == 1, |i| i), [0..1, 1..3]);
        assert_eq!(group_units(&units(&[5, 2, 6]), 10, |_| false, |i| i), [0..2, 2..3]);
    }

    #[test]
    fn a_small_rest_is_evened_out() {
        assert_eq!(group_units(&units(&[30, 30, 30, 5]), 90, |_| false, |i| i), [0..2, 2..4]);
    }

    #[test]
    fn steps_that_fit_into_one_group_share_it() {
        let steps = |i: usize| if i == 1 { 4 } else { i };
        assert_eq!(group_units(&units(&[5, 3, 3, 3]), 10, |_| false, steps), [0..1, 1..4]);
        assert_eq!(group_units(&units(&[5, 5, 5, 5]), 10, |_| false, steps), [0..2, 2..4]);
        assert_eq!(group_units(&units(&[0, 30, 30, 30, 5]), 90, |_| false, steps), [0..4, 4..5]);
    }

    proptest! {
        #[test]
        fn groups_are_in_order_whole_and_within_the_limit(
            tokens in proptest::collection::vec((0usize..=20, any::<bool>(), any::<bool>()), 0..40),
        ) {
            let mut units = units(&tokens.iter().map(|t| t.0).collect::<Vec<_>>());
            for (u, t) in units.iter_mut().zip(&tokens) {
                u.glued = t.1;
            }
            let groups = group_units(
                &units,
                20,
                |u| tokens[u.block].2,
                |i| if i % 3 == 1 { tokens.len().min(i + 4) } else { i },
            );
            prop_assert_eq!(
                groups.iter().flat_map(|g| g.clone()).collect::<Vec<_>>(),
                (0..units.len()).collect::<Vec<_>>()
            );
            for g in groups {
                prop_assert!(units[g.clone()].iter().map(|u| u.tokens).sum::<usize>() <= 20);
                prop_assert!(units[g].iter().skip(1).all(|u| !u.glued));
            }
        }
    }
}
