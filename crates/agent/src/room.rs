//! The room of a prompt, shared by the passages nearest to the question and those that keywords bring.

/// Part of the room that is kept for passages that keywords bring: one in so many. Algorithm 3 of AutoKG
/// (arXiv 2311.14740) brings them to the model, and filling by rank would leave them out first. Hand-set.
const KEYWORD_SHARE: usize = 3;

/// A passage that asks for room.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish {
    /// Its length in tokens.
    pub tokens: usize,
    /// True if only keywords lead to it.
    pub by_keyword: bool,
}

/// Indices of the passages that fit into `room` tokens, ascending: in rank order until one does not fit, with
/// a share of the room for those that keywords bring.
pub(crate) fn share_room(wishes: &[Wish], room: usize) -> Vec<usize> {
    let wanted: usize = wishes.iter().filter(|w| w.by_keyword).map(|w| w.tokens).sum();
    let kept = wanted.min(room / KEYWORD_SHARE);
    let mut chosen = Vec::new();
    let mut used = 0;
    for (by_keyword, limit) in [(false, room - kept), (true, room), (false, room)] {
        for (index, wish) in wishes.iter().enumerate().filter(|(_, w)| w.by_keyword == by_keyword) {
            if chosen.contains(&index) {
                continue;
            }
            if used + wish.tokens > limit {
                break;
            }
            used += wish.tokens;
            chosen.push(index);
        }
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wishes(nearest: &[usize], keywords: &[usize]) -> Vec<Wish> {
        let of = |tokens: &[usize], by_keyword| {
            tokens.iter().map(|&tokens| Wish { tokens, by_keyword }).collect::<Vec<_>>()
        };
        [of(nearest, false), of(keywords, true)].concat()
    }

    #[test]
    fn passages_that_keywords_bring_keep_a_third_of_a_full_prompt() {
        assert_eq!(share_room(&wishes(&[30, 30, 30, 30], &[30, 30]), 90), [0, 1, 4]);
    }

    #[test]
    fn room_that_keywords_do_not_want_goes_to_the_nearest() {
        assert_eq!(share_room(&wishes(&[30, 30, 30, 30], &[]), 90), [0, 1, 2]);
        assert_eq!(share_room(&wishes(&[30, 30, 20, 30], &[10]), 90), [0, 1, 2, 4]);
    }

    proptest! {
        #[test]
        fn no_more_is_given_than_there_is(
            near in prop::collection::vec(1usize..50, 0..8),
            by in prop::collection::vec(1usize..50, 0..8),
            room in 0usize..300,
        ) {
            let all = wishes(&near, &by);
            let chosen = share_room(&all, room);
            prop_assert!(chosen.iter().map(|&i| all[i].tokens).sum::<usize>() <= room);
            prop_assert!(chosen.windows(2).all(|w| w[0] < w[1]));
        }
    }
}
