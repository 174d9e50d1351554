//! Charts are as long as their values, and text of others stays text.

use super::*;
use proptest::prelude::*;

fn bars(least: f64, values: &[f64]) -> String {
    let mut page = HtmlPage::new("t");
    let bar =
        |&value: &f64| Bar { label: "l".to_owned(), value, interval: None, value_text: value.to_string() };
    page.bars("c", least, &values.iter().map(bar).collect::<Vec<_>>());
    page.finish()
}

#[test]
fn bars_are_as_long_as_their_values() {
    let page = bars(1.0, &[0.5, 1.0]);
    assert!(page.contains("x=\"0.0\" y=\"3\" width=\"500.0\"") && page.contains("width=\"1000.0\""));
    // A value beyond the scale stretches it, and one below zero goes to the left of a line.
    assert!(bars(1.0, &[2.0, 1.0]).contains("width=\"500.0\""));
    let signed = bars(0.0, &[-1.0, 3.0]);
    assert!(
        signed.contains("x=\"0.0\" y=\"3\" width=\"250.0\"")
            && signed.contains("x=\"250.0\" y=\"3\" width=\"750.0\"")
    );
    assert!(signed.contains("class=\"zero\" d=\"M250.0 0V20\""));
}

#[test]
fn values_that_are_no_numbers_draw_nothing_wrong() {
    for values in [&[f64::NAN, 1.0][..], &[f64::INFINITY, f64::NEG_INFINITY], &[], &[0.0, 0.0]] {
        let page = bars(0.0, values);
        assert!(
            !page.contains("width=\"NaN") && !page.contains("width=\"inf") && !page.contains("width=\"-"),
            "{values:?}"
        );
    }
}

proptest! {
    #[test]
    fn any_text_is_only_text(text in "\\PC{0,40}|(<|>|&|\"|'|/|script|\u{0}|\u{1b}|\n|é){0,30}") {
        let escaped_text = escape_html(&text);
        prop_assert!(!escaped_text.contains(['<', '>', '"', '\'']));
        prop_assert!(escaped_text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
        let back = escaped_text
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&amp;", "&");
        prop_assert_eq!(
            back,
            text.chars()
                .map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c })
                .collect::<String>()
        );
    }
}
