//! Which lines of a file are shown: by their numbers, or between marks.

/// Lines from `first` to `last`, both counted from 1 and both shown.
pub(super) fn range(text: &str, first: usize, last: usize) -> String {
    let first = first.max(1);
    text.lines().skip(first - 1).take((last + 1).saturating_sub(first)).flat_map(|l| [l, "\n"]).collect()
}

/// Lines by a list such as `1,3-5,20-` or `1..3;7..-1`; `between` parts first and last. Each line once, in
/// the order of the text.
pub(super) fn take_listed(text: &str, list: &str, between: &str) -> String {
    let number = |s: &str, or: usize| s.trim().parse::<usize>().unwrap_or(or);
    let range = |one: &str| match one.split_once(between) {
        Some((first, last)) => (number(first, 1), number(last, usize::MAX)),
        None => (number(one, 0), number(one, 0)),
    };
    let mut ranges: Vec<(usize, usize)> =
        list.split([',', ';']).map(str::trim).filter(|s| !s.is_empty()).map(range).collect();
    ranges.retain(|(first, _)| *first > 0);
    ranges.sort_unstable();
    let mut ranges = ranges.into_iter().peekable();
    let mut last = 0;
    let shown = |(number, _): &(usize, &str)| {
        while let Some((_, end)) = ranges.next_if(|(first, _)| first <= number) {
            last = last.max(end);
        }
        *number <= last
    };
    (1..).zip(text.lines()).filter(shown).flat_map(|(_, line)| [line, "\n"]).collect()
}

/// The lines between one that `opens` accepts and one that `closes` accepts, without lines that `is_mark`
/// accepts.
pub(super) fn take_between(
    text: &str,
    opens: impl Fn(&str) -> bool,
    closes: impl Fn(&str) -> bool,
    is_mark: impl Fn(&str) -> bool,
) -> Option<String> {
    let mut out = String::new();
    let (mut inside, mut found) = (false, false);
    for line in text.lines() {
        if inside && closes(line) {
            inside = false;
        } else if opens(line) {
            (inside, found) = (true, true);
        } else if inside && !is_mark(line) {
            out.push_str(line);
            out.push('\n');
        }
    }
    found.then_some(out)
}

/// Without the indentation that all lines have.
pub(super) fn moved_left(text: &str) -> String {
    let least = text
        .lines()
        .filter(|l| !l.trim().is_empty())
        .map(|l| l.len() - l.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    text.lines().flat_map(|l| [l.get(least..).unwrap_or(l.trim_start()), "\n"]).collect()
}

/// Each line further to the right.
pub(super) fn moved_right(text: &str, indent: &str) -> String {
    if indent.is_empty() {
        return text.to_owned();
    }
    text.lines().flat_map(|l| if l.is_empty() { ["", "", "\n"] } else { [indent, l, "\n"] }).collect()
}

/// The region of this name, as editors mark it: `#region name`, `// #region name`, `<!-- #region name -->`.
pub(super) fn region(text: &str, name: &str) -> Option<String> {
    let named = |line: &str, mark: &str| {
        line.split_once(mark).is_some_and(|(_, rest)| {
            let rest = rest.trim().trim_end_matches("-->").trim_end_matches("*/").trim();
            rest == name
        })
    };
    let ends = |line: &str| {
        line.contains("endregion")
            && (named(line, "endregion")
                || line
                    .trim_end()
                    .trim_end_matches("-->")
                    .trim_end_matches("*/")
                    .trim_end()
                    .ends_with("endregion"))
    };
    take_between(
        text,
        |l| !l.contains("endregion") && named(l, "region"),
        ends,
        |l| l.contains("#region") || l.contains("#endregion"),
    )
}
