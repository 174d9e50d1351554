//! Measures answers in words: exact match, overlap of tokens, containment, and sets of answers.
//!
//! The normalisation is that of SQuAD (Rajpurkar et al., 2016), as in multi-hop sets and published systems.

use pocketgraph::text::one_line;
use std::collections::BTreeMap;

/// Normalises a text for comparison: lower case, no ASCII punctuation, no a, an and the, single spaces.
pub fn normalise_answer(text: &str) -> String {
    let bare: String = text.to_lowercase().chars().filter(|c| !c.is_ascii_punctuation()).collect();
    bare.split_whitespace().filter(|w| !matches!(*w, "a" | "an" | "the")).collect::<Vec<_>>().join(" ")
}

/// Returns 1 if the whole answer is one of the accepted answers, else 0.
pub fn exact_match(given_answer: &str, accepted: &[String]) -> f64 {
    let given_answer = normalise_answer(given_answer);
    f64::from(accepted.iter().any(|a| normalise_answer(a) == given_answer))
}

/// Returns 1 if the answer contains an accepted one (Contain-EM), else 0. It favours long answers.
pub fn contains_accepted(given_answer: &str, accepted: &[String]) -> f64 {
    let given_answer = normalise_answer(given_answer);
    // Any answer would contain one of punctuation alone.
    f64::from(
        accepted
            .iter()
            .map(|a| normalise_answer(a))
            .any(|a| if a.is_empty() { given_answer.is_empty() } else { given_answer.contains(&a) }),
    )
}

/// Returns the best overlap of tokens with an accepted answer: the harmonic mean of precision and recall over
/// multisets of words. It is 0 if exactly one side is yes, no or noanswer.
pub fn token_f1(given_answer: &str, accepted: &[String]) -> f64 {
    let given_answer = normalise_answer(given_answer);
    accepted.iter().map(|a| token_overlap(&given_answer, &normalise_answer(a))).fold(0.0, f64::max)
}

fn token_overlap(given_answer: &str, gold: &str) -> f64 {
    let decided = |text: &str| matches!(text, "yes" | "no" | "noanswer");
    if given_answer != gold && (decided(given_answer) || decided(gold)) {
        return 0.0;
    }
    let count = |text: &str| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        text.split_whitespace().for_each(|w| *counts.entry(w.to_owned()).or_default() += 1);
        counts
    };
    let (ours, theirs) = (count(given_answer), count(gold));
    let (n, m): (usize, usize) = (ours.values().sum(), theirs.values().sum());
    if n == 0 || m == 0 {
        return f64::from(n == m);
    }
    let shared: usize = ours.iter().map(|(word, k)| theirs.get(word).map_or(0, |l| *k.min(l))).sum();
    2.0 * shared as f64 / (n + m) as f64
}

/// Comparison of a set of answers with the wanted set.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SetMeasures {
    /// Share of the given answers that are wanted.
    pub precision: f64,
    /// Share of the wanted answers that are given.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
    /// 1 if the first given answer is wanted.
    pub hits_1: f64,
}

/// Compares a list of answers, best first, with the wanted ones, each with its alternative wordings. Names
/// are normalised by [`normalise_answer`]; two names of one wanted answer count once.
pub fn set_measures(given_answer: &[String], wanted: &[Vec<String>]) -> SetMeasures {
    let wanted: Vec<Vec<String>> =
        wanted.iter().map(|names| names.iter().map(|n| normalise_answer(n)).collect()).collect();
    let meant = |name: &str| wanted.iter().position(|names| names.iter().any(|n| n == name));
    let mut distinct: Vec<String> = Vec::new();
    for name in given_answer.iter().map(|s| normalise_answer(s)).filter(|s| !s.is_empty()) {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    let mut found: Vec<usize> = distinct.iter().filter_map(|n| meant(n)).collect();
    let repeated = found.len();
    found.sort_unstable();
    found.dedup();
    // A second name of one wanted answer is neither right nor wrong.
    let given_count = distinct.len() - (repeated - found.len());
    let share = |of: usize| if of == 0 { 0.0 } else { found.len() as f64 / of as f64 };
    SetMeasures {
        precision: share(given_count),
        recall: share(wanted.len()),
        f1: share(given_count + wanted.len()) * 2.0,
        hits_1: f64::from(distinct.first().is_some_and(|n| meant(n).is_some())),
    }
}

/// Extracts the answer from a text: without citation marks `[1]`, `[1, 2]`, and after the last `Answer:`.
pub fn extract_answer(text: &str) -> String {
    let text = text.rfind("Answer:").map_or(text, |at| text.get(at + "Answer:".len()..).unwrap_or_default());
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        let inside = from.get(1..).and_then(|f| f.find(']')).and_then(|close| from.get(1..=close));
        match inside {
            Some(mark)
                if mark.chars().any(|c| c.is_ascii_digit())
                    && mark.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ')) =>
            {
                // "born in 1886 [1]." becomes "born in 1886."
                out.truncate(out.trim_end_matches(' ').len());
                rest = from.get(mark.len() + 2..).unwrap_or_default();
            }
            _ => {
                out.push('[');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    one_line(&out)
}

/// Splits a text into single answers at line ends, semicolons, commas and "and".
pub fn split_answers(text: &str) -> Vec<String> {
    let text = extract_answer(&text.replace('\n', ";"));
    let parts = text.split([';', ',']).flat_map(|part| part.split(" and "));
    let trimmed = parts.map(|p| {
        p.trim()
            .trim_start_matches("and ")
            .trim_start_matches(['-', '*', '•'])
            .trim()
            .trim_end_matches('.')
            .to_owned()
    });
    trimmed.filter(|p| !p.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(all: &[&str]) -> Vec<String> {
        all.iter().map(|a| (*a).to_owned()).collect()
    }

    #[test]
    fn answers_are_normalised_as_squad_does() {
        assert_eq!(normalise_answer("  The  God's-Gift, to a Woman! "), "godsgift to woman");
        // Articles go as whole words, and only ASCII punctuation goes.
        assert_eq!(normalise_answer("An Anthem — “Theatre”"), "anthem — “theatre”");
        assert_eq!(
            (normalise_answer("The."), normalise_answer("ÉCOLE")),
            (String::new(), "école".to_owned())
        );
    }

    #[test]
    fn exact_and_contained_by_hand() {
        let gold = of(&["20 March 851", "March 20, 851"]);
        assert_eq!(
            (exact_match("the 20 march, 851.", &gold), exact_match("on 20 March 851", &gold)),
            (1.0, 0.0)
        );
        assert_eq!(
            (
                contains_accepted("She died on 20 March 851.", &gold),
                contains_accepted("She died in 851.", &gold)
            ),
            (1.0, 0.0)
        );
        // The caveat: containment is of letters, not of words.
        assert_eq!(contains_accepted("He was known.", &of(&["no"])), 1.0);
        assert_eq!((contains_accepted("anything", &of(&["..."])), contains_accepted("x", &[])), (0.0, 0.0));
    }

    #[test]
    fn token_overlap_by_hand() {
        // Shared: "panthers" once (the second is not in the gold) and "308": 2·2 / (4 + 2).
        assert!((token_f1("Panthers Panthers gave 308", &of(&["308 Panthers"])) - 4.0 / 6.0).abs() < 1e-12);
        assert_eq!(token_f1("308 points", &of(&["nothing", "points 308"])), 1.0);
        // Yes and no are all or nothing.
        assert_eq!(
            (
                token_f1("yes it is", &of(&["yes"])),
                token_f1("Yes.", &of(&["yes"])),
                token_f1("no", &of(&["no man"]))
            ),
            (0.0, 1.0, 0.0)
        );
        assert_eq!((token_f1("", &of(&["x"])), token_f1("the", &of(&["a"]))), (0.0, 1.0));
    }

    #[test]
    fn sets_of_answers_by_hand() {
        let wanted = vec![of(&["USA", "United States"]), of(&["Peru"]), of(&["Chad"])];
        let m = set_measures(&of(&["the United States", "USA", "Rome", "peru."]), &wanted);
        // Told: USA (under two names), Rome, Peru; two of three are right, and two of three wanted are there.
        assert_eq!((m.precision, m.recall, m.hits_1), (2.0 / 3.0, 2.0 / 3.0, 1.0));
        assert!((m.f1 - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(set_measures(&[], &wanted), SetMeasures::default());
        assert_eq!(set_measures(&of(&["Rome", "Peru"]), &wanted).hits_1, 0.0);
    }

    #[test]
    fn marks_and_the_way_to_the_answer_are_no_part_of_it() {
        assert_eq!(
            extract_answer("She was born in Hallwil [1][2, 3]. [x] [] [1"),
            "She was born in Hallwil. [x] [] [1"
        );
        assert_eq!(extract_answer("Thought: hm.\nAnswer: Hallwil [1]"), "Hallwil");
        assert_eq!(
            split_answers("Low Tide [1], Heat [2] and Ran.\n- Dune"),
            of(&["Low Tide", "Heat", "Ran", "Dune"])
        );
    }

    /// The overlap as the published script computes it, over the words one by one.
    fn naive_f1(answer: &str, gold: &str) -> f64 {
        let ours: Vec<&str> = answer.split_whitespace().collect();
        let mut left: Vec<&str> = gold.split_whitespace().collect();
        let m = left.len();
        let mut shared = 0.0;
        for word in &ours {
            if let Some(at) = left.iter().position(|w| w == word) {
                left.remove(at);
                shared += 1.0;
            }
        }
        if shared == 0.0 {
            return 0.0;
        }
        let (p, r) = (shared / ours.len() as f64, shared / m as f64);
        2.0 * p * r / (p + r)
    }

    proptest! {
        #[test]
        fn overlap_agrees_with_the_published_script(answer in "([bcd] ){1,6}", gold in "([bcd] ){1,6}") {
            prop_assert!((token_f1(&answer, &of(&[&gold])) - naive_f1(&answer, &gold)).abs() < 1e-12);
        }

        #[test]
        fn any_text_is_measured_between_0_and_1(answer in ".{0,60}", gold in ".{0,20}", more in ".{0,20}") {
            let accepted = vec![gold.clone(), more.clone()];
            for value in
                [exact_match(&answer, &accepted), contains_accepted(&answer, &accepted), token_f1(&answer, &accepted)]
            {
                prop_assert!((0.0..=1.0).contains(&value));
            }
            let m = set_measures(&split_answers(&answer), &[vec![gold], vec![more]]);
            for value in [m.precision, m.recall, m.f1, m.hits_1] {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&value));
            }
            prop_assert_eq!(exact_match(&answer, std::slice::from_ref(&answer)), 1.0);
        }

        #[test]
        fn marks_of_any_text_are_cut_without_a_panic(text in "(\\[|\\]|1|,| |é|Answer:|x){0,20}") {
            let _ = extract_answer(&text);
        }
    }
}
