//! Files of HTML: a site's own pages, and those that a template engine still fills in.

use super::block::{Block, BlockKind, CharIndex};
use super::front_matter::{field, front_matter};
use super::html;
use super::includes::Includer;
use super::slug::{HeadingIds, Slugs};
use super::{
    Format, FoundFile, Outcome, ReadDocument, ReadMethod, Reading, SourceDocument, address, first_heading,
};
use crate::UrlStyle;
use crate::generators::is_list_of_pages;
use std::borrow::Cow;

pub(super) const FORMAT: Format =
    Format { is_copied: true, ..Format::new("html", &["html", "htm"], ReadMethod::Text(read_page)) };

fn read_page(
    source: &str,
    found: &FoundFile,
    reading: &Reading<'_>,
    _: &Includer<'_>,
    outcome: &mut Outcome,
) -> ReadDocument {
    // Of Jekyll, Hugo and Eleventy, pages of HTML have front matter, too.
    let templated = reading.site.rules.has_templates();
    let (fields, from) = if templated { front_matter(source) } else { (Vec::new(), 0) };
    if let Some(reason) = reading.site.unread(&found.path, &fields) {
        return Err(reason.into());
    }
    let masked = if templated {
        let blanks: String =
            source.get(..from).unwrap_or("").chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
        Cow::Owned(blanks + &without_template(source.get(from..).unwrap_or("")))
    } else {
        Cow::Borrowed(source)
    };
    let mut page = html::page(&masked);
    if page.redirect {
        return Err("a redirect to another page".into());
    }
    if is_list_of_pages(&found.path, &page.generator, &page.classes) {
        return Err("a list of other pages".into());
    }
    outcome.pagefind_body = Some(page.pagefind_body);
    outcome.unindexed = page.noindex;
    let index = CharIndex::new(&masked);
    // Eleventy's plug-in works on what is published, whatever it was made of.
    if templated && reading.site.dialect.ids == HeadingIds::Eleventy {
        let mut slugs = Slugs::new(reading.site.dialect.ids);
        for draft in
            page.drafts.iter_mut().filter(|d| matches!(d.kind, BlockKind::Heading(_)) && d.fragment.is_none())
        {
            draft.fragment = slugs.of_heading(&draft.text);
        }
    }
    let blocks: Vec<Block> = page.drafts.into_iter().filter_map(|d| d.finish(&index)).collect();
    let first = blocks.iter().find(|b| b.kind == BlockKind::Heading(1)).map(|b| b.text.clone());
    let given = field(&fields, "title").map(str::to_owned);
    let title = given
        .or(first)
        .or_else(|| Some(page.title).filter(|t| !t.is_empty()))
        .or_else(|| first_heading(&blocks));
    let base = reading.options.base_url.as_str();
    let url = match reading.rendered.address(&found.path, page.canonical.as_deref()) {
        Some(local) if reading.options.url_style != UrlStyle::Source => address::published(&local, base),
        _ if templated => reading.url(&found.path, &fields),
        _ => address::published(&found.path, base),
    };
    let changed = reading.rendered.changed(&found.path).map(|time| ("date".to_owned(), time.to_owned()));
    Ok(SourceDocument {
        url,
        title: title.unwrap_or_default(),
        blocks,
        links: page.links,
        marked_fields: page.fields.into_vec(),
        front_matter: fields.into_iter().chain(page.meta).chain(changed).collect(),
        ..SourceDocument::default()
    })
}

/// HTML with spaces in place of what a template engine puts something else for: `{{ }}` and `{% %}`.
fn without_template(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(open) = rest.find('{') {
        let (before, tag) = rest.split_at(open);
        out.push_str(before);
        let closer = match tag.as_bytes().get(1) {
            Some(b'{') => "}}",
            Some(b'%') => "%}",
            _ => {
                out.push('{');
                rest = tag.get(1..).unwrap_or("");
                continue;
            }
        };
        let Some(end) = tag.find(closer).map(|at| at + closer.len()) else {
            out.push_str(tag);
            return out;
        };
        let (tag, after) = tag.split_at(end);
        out.extend(tag.chars().map(|c| if c == '\n' { c } else { ' ' }));
        rest = after;
    }
    out + rest
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    #[test]
    fn elements_name_fields_and_docsearch_s_are_called_as_others_are() {
        let head = "<meta name=docsearch:author content=Ann><meta name=docsearch:level content=3>";
        let marks =
            "<p data-pocketgraph-field=by>Ann <b>Rook</b></p><i data-pocketgraph-field=' price =12'></i>";
        let source = format!("<head>{head}</head><main><h1>A</h1>{marks}</main>");
        let corpus =
            crate::ingest_bytes("a.html", source.into_bytes(), &crate::IngestOptions::default()).unwrap();
        let fields: Vec<_> = corpus.documents[0].list_fields(7).collect();
        assert_eq!(
            fields,
            [(7, "author", "Ann"), (7, "level", "3"), (7, "by", "Ann Rook"), (7, "price", "12")]
        );
    }
}
