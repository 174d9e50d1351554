//! Words that only training questions need: a further language is a folder beside `lexicon/en` and an entry
//! here. The program's words are in [`pocketgraph::text::lexicon`].

use pocketgraph::text::lexicon::Table;
use pocketgraph::text::table;

/// Returns the beginnings of questions with this mark, in order, each as often as it is drawn.
pub fn frames(mark: &'static str) -> Vec<&'static str> {
    let rows = table!("lexicon/en/frames.tsv").rows().filter(|row| row.has(0, mark));
    rows.flat_map(|row| std::iter::repeat_n(row.word, row.field(1).parse().unwrap_or(1))).collect()
}

/// Types, and what a question may call things of them instead.
pub fn type_wordings() -> Table<'static> {
    table!("lexicon/en/type_wordings.tsv")
}

/// Verbs in the third person that a label may begin with.
pub fn finite_verbs() -> Table<'static> {
    table!("lexicon/en/finite_verbs.tsv")
}

/// Irregular participles, and the form in which somebody does it.
pub fn active_forms() -> Table<'static> {
    table!("lexicon/en/active_forms.tsv")
}

/// Returns questions about a title, in order; `{}` is the title.
pub fn title_questions() -> Vec<&'static str> {
    table!("lexicon/en/title_questions.tsv").rows().map(|row| row.word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order_and_frames_are_drawn_as_often_as_they_say() {
        for table in [type_wordings(), finite_verbs(), active_forms()] {
            let words: Vec<&str> = table.rows().map(|row| row.word).collect();
            assert!(!words.is_empty() && words.windows(2).all(|w| w[0] < w[1]), "{words:?}");
        }
        assert_eq!(frames("whole").iter().filter(|w| **w == "the ").count(), 3);
        assert!(frames("request").iter().all(|r| r.ends_with(' ')));
        assert!(title_questions().iter().all(|q| q.contains("{}")));
    }
}
