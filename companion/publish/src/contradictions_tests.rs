//! Contradictions planted into the handbook's own sentences, and statements that only look alike.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use std::path::Path;

fn passage<'a>(heading: &'a str, text: &'a str) -> Passage<'a> {
    Passage { headings: vec![heading], text }
}

fn differ(a: &str, b: &str) -> bool {
    !find_contradictions(&[passage("Timeouts", a), passage("Timeouts", b)]).is_empty()
}

#[test]
fn two_values_for_one_thing_are_a_pair() {
    for (a, b) in [
        ("The timeout defaults to 30 seconds.", "The timeout defaults to 60 seconds."),
        ("The body of a request may have 64 kB.", "The body of a request may have 32kB."),
        ("Support for the old format ends on 2026-03-01.", "Support for the old format ends on 2027-03-01."),
        ("The server needs version v1.2 of the library.", "The server needs version v1.4 of the library."),
        ("Uploads are limited to 10 files.", "Note that uploads are limited to 20 files."),
        ("The series \"2\" gasket keeps steam inside.", "The series \"5\" gasket keeps steam inside."),
        (
            "The workshop repairs pumps that came in the versions 1.5.0, 1.5.1, 2.0.0 and 3.0.0 only.",
            "The workshop repairs pumps that came in the versions 1.5.7, 1.5.1, 2.0.0 and 3.0.0 only.",
        ),
    ] {
        assert!(differ(a, b), "{a} / {b}");
    }
}

#[test]
fn other_things_and_equal_values_are_none() {
    for (a, b) in [
        ("The timeout defaults to 30 seconds.", "The timeout defaults to 30 seconds."),
        ("A file may have 1,000 lines.", "A file may have 1000 lines."),
        ("The timeout defaults to 30 seconds.", "The timeout defaults to 3 attempts."),
        ("The timeout of reading defaults to 30 seconds.", "The timeout of writing defaults to 60 seconds."),
        ("Set `port` to 80.", "Set `workers` to 4."),
        ("With 2 threads it takes 9 seconds.", "With 4 threads it takes 5 seconds."),
    ] {
        assert!(!differ(a, b), "{a} / {b}");
    }
    let versions = ["Updating to 4", "Updating to 5"];
    let text = ["Your app has the latest release of 3.", "Your app has the latest release of 4."];
    let versions = [passage(versions[0], text[0]), passage(versions[1], text[1])];
    assert!(find_contradictions(&versions).is_empty(), "pages of two versions");
    let guides = ["3", "4"].map(|n| format!("This guide takes an app to the version \"{n}\" of it."));
    let guides = [passage("Third", &guides[0]), passage("Fourth", &guides[1])];
    assert!(find_contradictions(&guides).is_empty(), "names of versions under other headings");
    let reading = passage("Reading", "The default is 30 seconds.");
    let apart = [reading, passage("Writing", "The default is 60 seconds.")];
    assert!(find_contradictions(&apart).is_empty(), "what short sentences speak of stands in their headings");
}

/// The handbook's sections: address, heading and text.
fn handbook() -> Vec<(String, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut pages: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    let mut out = Vec::new();
    for page in pages.iter().filter(|page| page.extension().is_some_and(|e| e == "md")) {
        let text = std::fs::read_to_string(page).unwrap();
        for section in text.split("\n#") {
            let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
            let rows = |p: &&str| !p.starts_with(['|', '`', '-']);
            let body: Vec<String> =
                body.split("\n\n").filter(rows).map(|p| p.trim().replace('\n', " ")).collect();
            out.push((
                page.display().to_string(),
                heading.trim_start_matches('#').to_owned(),
                body.join("\n\n"),
            ));
        }
    }
    out
}

/// A sentence that says the same of its thing with another value, in one of five wordings.
fn planted(wording: usize, sentence: &str) -> Option<String> {
    // A digit in a name is no value.
    let token = sentence.split_whitespace().find(|token| value_of(token, "").is_some())?;
    let at = sentence.find(token)? + token.find(|c: char| c.is_ascii_digit())?;
    let end = at + sentence[at..].find(|c: char| !c.is_ascii_digit()).unwrap_or(sentence.len() - at);
    let value: u64 = sentence[at..end].parse().ok()?;
    let changed = format!("{}{}{}", &sentence[..at], value * 2 + 1, &sentence[end..]);
    let bare = changed.trim_end_matches('.');
    Some(match wording % 5 {
        0 => changed,
        1 => format!("Note that {}", changed[..1].to_lowercase() + &changed[1..]),
        2 => format!("{bare}, as a rule."),
        3 => format!("In this release, {}", changed[..1].to_lowercase() + &changed[1..]),
        _ => format!("{bare}, as readers often ask."),
    })
}

#[test]
fn most_of_sixty_planted_contradictions_are_found_and_hardly_anything_else() {
    let handbook = handbook();
    let sections = handbook.iter().map(|(_, heading, text)| passage(heading, text));
    let mut sections: Vec<Passage<'_>> = sections.collect();
    let stated = |(i, p): (usize, &Passage<'_>)| stated_in(i, p).into_iter().map(|s| s.statement);
    let stated: Vec<Statement> = sections.iter().enumerate().flat_map(stated).collect();
    let all: Vec<(usize, &str)> =
        stated.into_iter().map(|s| (s.passage, sections[s.passage].text[s.span].trim())).collect();
    let step = all.len() / 60;
    let plant = |(n, &(i, sentence)): (usize, &(usize, &'_ str))| {
        Some((i, sentence.to_owned(), planted(n, sentence)?))
    };
    let spread = all.iter().step_by(step.max(1)).enumerate();
    let plants: Vec<(usize, String, String)> = spread.filter_map(plant).take(60).collect();
    assert_eq!(plants.len(), 60);
    for (i, _, text) in &plants {
        let heading = sections[*i].headings[0];
        sections.push(passage(heading, text));
    }
    let found = find_contradictions(&sections);
    let expressed = |s: &Statement| sections[s.passage].text[s.span.clone()].trim();
    let is_found = |(_, sentence, text): &&(usize, String, String)| {
        let is_pair = |(a, b): &(Statement, Statement)| expressed(a) == sentence && expressed(b) == text;
        found.iter().any(is_pair)
    };
    let (hit, missed): (Vec<_>, Vec<_>) = plants.iter().partition(|plant| is_found(plant));
    assert!(hit.len() >= 50, "{missed:#?}");
    assert!(found.len() - hit.len() <= 6, "{found:#?}");
}
