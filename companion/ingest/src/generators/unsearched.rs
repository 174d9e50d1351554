//! Pages that ask to be left out of a site's search, by the flags of generators and of their themes.

use pocketgraph_text::table;

/// Returns the reason in a page's front matter for leaving it out of the search, if there is one.
pub(in super::super) fn unsearched(fields: &[(String, String)]) -> Option<&'static str> {
    let asks = fields.iter().any(|(name, value)| {
        let row = table!("unsearched.tsv").row(&name.to_ascii_lowercase());
        // Written without a value, a field of reStructuredText or an attribute of AsciiDoc says yes.
        let empty = value.trim().is_empty() && matches!(name.as_str(), "nosearch" | "page-noindex");
        row.is_some_and(|row| empty || value.trim().eq_ignore_ascii_case(row.field(0)))
    });
    let robots = fields.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("robots") && value.to_ascii_lowercase().contains("noindex")
    });
    (asks || robots).then_some("its front matter asks to be left out of the search")
}

#[cfg(test)]
mod tests {
    use super::unsearched;

    #[test]
    fn each_themes_flag_is_heard_and_its_opposite_is_not() {
        let is_unsearched =
            |name: &str, value: &str| unsearched(&[(name.to_owned(), value.to_owned())]).is_some();
        for (name, value) in [
            ("search.exclude", "true"),
            ("Pagefind", "false"),
            ("excludeSearch", "True"),
            ("robots", "noindex, follow"),
            ("nosearch", ""),
        ] {
            assert!(is_unsearched(name, value), "{name}");
        }
        for (name, value) in [
            ("search.exclude", "false"),
            ("pagefind", "true"),
            ("robots", "index"),
            ("unlisted", "no"),
            ("searching", "false"),
        ] {
            assert!(!is_unsearched(name, value), "{name}");
        }
    }
}
