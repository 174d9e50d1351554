//! Pages that ask to be left out of a site's search, by the flags of generators and of their themes.

/// Fields of front matter that, when true, ask it.
const ASKING: [&str; 16] = [
    // MkDocs Material; Just the Docs; Docusaurus; any.
    "search.exclude",
    "search_exclude",
    "unlisted",
    "noindex",
    "no_index",
    "nosearch",
    "page-noindex",
    // Themes of Hugo: Docsy, Hextra, Book, Geekdoc, PaperMod, Congo and Blowfish.
    "exclude_search",
    "excludeSearch",
    "params.excludeSearch",
    "bookSearchExclude",
    "geekdocSearchExclude",
    "searchHidden",
    "excludeFromSearch",
    "search_disable",
    "data-pagefind-ignore",
];

/// Those that ask it when false: VitePress and Minimal Mistakes; Starlight; Nextra and hugoDocs.
const REFUSING: [&str; 4] = ["search", "pagefind", "searchable", "params.searchable"];

/// Why a page is left out of a search, by its front matter.
pub(in super::super) fn unsearched(fields: &[(String, String)]) -> Option<&'static str> {
    let asks = fields.iter().any(|(name, value)| {
        let is = |names: &[&str]| names.iter().any(|n| n.eq_ignore_ascii_case(name));
        let value = value.trim();
        // Written without a value, a field of reStructuredText or an attribute of AsciiDoc says yes.
        let yes = value.eq_ignore_ascii_case("true") || value.is_empty() && matches!(name.as_str(), "nosearch" | "page-noindex");
        yes && is(&ASKING) || value.eq_ignore_ascii_case("false") && is(&REFUSING)
    });
    let robots = fields.iter().any(|(name, value)| name.eq_ignore_ascii_case("robots") && value.to_ascii_lowercase().contains("noindex"));
    (asks || robots).then_some("its front matter asks to be left out of the search")
}

#[cfg(test)]
mod tests {
    use super::unsearched;

    #[test]
    fn each_themes_flag_is_heard_and_its_opposite_is_not() {
        let is_unsearched = |name: &str, value: &str| unsearched(&[(name.to_owned(), value.to_owned())]).is_some();
        for (name, value) in
            [("search.exclude", "true"), ("Pagefind", "false"), ("excludeSearch", "True"), ("robots", "noindex, follow"), ("nosearch", "")]
        {
            assert!(is_unsearched(name, value), "{name}");
        }
        for (name, value) in
            [("search.exclude", "false"), ("pagefind", "true"), ("robots", "index"), ("unlisted", "no"), ("searching", "false")]
        {
            assert!(!is_unsearched(name, value), "{name}");
        }
    }
}
