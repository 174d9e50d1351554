//! Sets of answers: read from `[A#B]`, compared by their words, with the passages that they came from.

use crate::compact::sort_unique;
use crate::text::{fold, words};

/// Members of a set beyond this many are not kept.
const MOST: usize = 64;
/// Characters of one member, at most.
const LONGEST: usize = 200;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its words.
    pub text: String,
    /// The numbers of the passages that hold them, ascending.
    pub numbers: Vec<u32>,
}

impl Member {
    /// An answer with its passages.
    pub fn new(text: String, numbers: &[u32]) -> Member {
        let mut numbers = numbers.to_vec();
        sort_unique(&mut numbers);
        Member { text, numbers }
    }
}

/// Answers without repetition, in the order in which they were found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Set {
    members: Vec<Member>,
}

impl Set {
    /// A set of these; of members with the same words the first stands for all.
    pub fn new(members: Vec<Member>) -> Set {
        let mut set = Set::default();
        members.into_iter().for_each(|m| set.add(m));
        set
    }

    fn add(&mut self, member: Member) {
        let wanted = fold_answer(&member.text);
        let room = self.members.len() < MOST;
        match self.members.iter_mut().find(|m| fold_answer(&m.text) == wanted) {
            Some(known) => {
                *known =
                    Member::new(known.text.clone(), &[known.numbers.as_slice(), &member.numbers].concat())
            }
            None if room => self.members.push(member),
            None => {}
        }
    }

    /// Its members.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns true if it has no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The passages of all members.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.members.iter().flat_map(|m| m.numbers.iter().copied())
    }

    /// Returns true if two sets have the same members.
    pub fn same(&self, other: &Set) -> bool {
        self.members.len() == other.members.len() && self.members.iter().all(|m| other.holds(m))
    }

    fn holds(&self, member: &Member) -> bool {
        let wanted = fold_answer(&member.text);
        self.members.iter().any(|m| fold_answer(&m.text) == wanted)
    }

    /// Returns the members of either set.
    pub fn union(&self, other: &Set) -> Set {
        Set::new(self.members.iter().chain(&other.members).cloned().collect())
    }

    /// Returns the members of all of several sets; empty if one is empty, or if there are no sets.
    pub fn intersection(sets: &[Set]) -> Set {
        let Some((first, rest)) = sets.split_first() else { return Set::default() };
        let in_all: Vec<Member> =
            first.members.iter().filter(|m| rest.iter().all(|set| set.holds(m))).cloned().collect();
        // A member keeps the passages of every operand.
        let wanted = |m: &&Member| in_all.iter().any(|kept| fold_answer(&kept.text) == fold_answer(&m.text));
        let sources: Vec<Member> =
            rest.iter().flat_map(|set| set.members.iter()).filter(wanted).cloned().collect();
        Set::new(in_all.iter().chain(&sources).cloned().collect())
    }

    /// The members with commas between them, each with its citations if those are wanted.
    pub fn render(&self, cited: bool) -> String {
        if self.is_empty() {
            return "nothing".to_owned();
        }
        let one = |m: &Member| {
            let marks: String = m.numbers.iter().filter(|_| cited).map(|n| format!("[{n}]")).collect();
            if marks.is_empty() { m.text.clone() } else { format!("{} {marks}", m.text) }
        };
        self.members.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the key by which answers are equal: their words, without case, punctuation and articles.
pub fn fold_answer(text: &str) -> String {
    let words: Vec<String> = words(text)
        .iter()
        .map(|w| fold(w.text))
        .filter(|w| !matches!(w.as_str(), "the" | "a" | "an"))
        .collect();
    if words.is_empty() { fold(text.trim()) } else { words.join(" ") }
}

/// The answers in a reply: `[A#B]`, none for `[None]`. Without brackets a single short line is one answer.
pub fn parse_answers(reply: &str) -> Vec<String> {
    let reply = reply.trim();
    let inside = match (reply.starts_with('['), reply.find('['), reply.rfind(']')) {
        (true, _, _) => reply[1..].split(']').next(),
        // The last bracket: what stands before it are the model's reasons.
        (false, Some(_), Some(end)) => reply[..end].rfind('[').map(|start| &reply[start + 1..end]),
        _ if !reply.contains('\n') && reply.chars().count() <= LONGEST => Some(reply),
        _ => None,
    };
    let known = |answer: &&str| !matches!(fold(answer).as_str(), "" | "none" | "unknown" | "n/a");
    let answers =
        inside.unwrap_or("").split('#').map(|a| a.trim().trim_matches(['"', '\'']).trim()).filter(known);
    answers.take(MOST).map(|a| a.chars().take(LONGEST).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(members: &[(&str, &[u32])]) -> Set {
        Set::new(members.iter().map(|(text, numbers)| Member::new((*text).to_owned(), numbers)).collect())
    }

    #[test]
    fn answers_are_read_from_their_brackets() {
        assert_eq!(parse_answers("[Apple#Banana]"), ["Apple", "Banana"]);
        assert!(
            parse_answers("[None]").is_empty()
                && parse_answers("").is_empty()
                && parse_answers("[]").is_empty()
        );
        assert_eq!(parse_answers("Passage [2] says so: [\"Apple\"#none]"), ["Apple"]);
        assert_eq!(parse_answers("Apple"), ["Apple"]);
        assert_eq!(parse_answers("[1931] by passage [2]"), ["1931"]);
        assert!(parse_answers("I do not know.\nNobody says.").is_empty());
    }

    #[test]
    fn an_empty_operand_makes_an_intersection_empty() {
        assert!(Set::intersection(&[Set::default(), set(&[("a", &[])])]).is_empty());
        assert!(Set::intersection(&[set(&[("a", &[])]), Set::default()]).is_empty());
        assert!(Set::intersection(&[]).is_empty());
    }

    #[test]
    fn members_are_the_same_by_their_words_and_keep_all_their_passages() {
        let both =
            Set::intersection(&[set(&[("The Weir", &[1]), ("Kiln", &[1])]), set(&[("weir.", &[3, 2])])]);
        assert_eq!(both.render(true), "The Weir [1][2][3]");
        assert_eq!(
            set(&[("a b", &[1])]).union(&set(&[("A  B", &[2]), ("c", &[])])).render(true),
            "a b [1][2], c"
        );
        assert!(set(&[("x", &[]), ("y", &[])]).same(&set(&[("Y", &[]), ("X", &[])])));
        assert!(!set(&[("1", &[])]).same(&set(&[("2", &[])])));
        assert!(!set(&[("+", &[])]).same(&set(&[("-", &[])])));
    }

    proptest! {
        #[test]
        fn no_reply_makes_it_panic(text in "(\\[|\\]|#|None|a|é|\\n|\"| ){0,24}") {
            let found = Set::new(parse_answers(&text).into_iter().map(|t| Member::new(t, &[])).collect());
            prop_assert!(found.same(&found.union(&found)));
            prop_assert!(found.same(&Set::intersection(&[found.clone(), found.clone()])));
        }
    }
}
