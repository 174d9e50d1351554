//! Jekyll: pages anywhere, posts in `_posts`, collections in folders that the configuration names.

use super::{
    Config, Dialect, Generator, Globs, HeadingIds, Page, Rules, Site, UrlStyle, field, split_date,
    split_path, without_ending,
};
use pocketgraph_native::today::today;

pub(super) const GENERATOR: Generator = Generator {
    name: "jekyll",
    label: "Jekyll",
    configurations: "_config.yml _config.yaml _config.toml",
    published: "_site",
    // Jupyter Book has a file of this name, too.
    accepts: |config| !(config.project.join("_toc.yml").is_file() && config.after("sphinx").is_some()),
    publishes: |format| matches!(format, "md" | "html" | "text" | "ipynb"),
    configure,
    ..super::UNKNOWN
};

fn configure(config: &Config) -> Site {
    let permalink = config.value("permalink").unwrap_or("date").to_owned();
    // GitHub's own builds, which need no Gemfile, make pages of all Markdown.
    let gems = config.beside("Gemfile").unwrap_or_default();
    let all = ["github-pages", "optional-front-matter"]
        .iter()
        .any(|name| gems.contains(name) || config.text.contains(name));
    let is_folder = permalink == "pretty" || permalink.ends_with('/');
    let rules = Jekyll {
        collections: collections(&config.text),
        posts: match permalink.as_str() {
            "date" => "/:categories/:year/:month/:day/:title.html".to_owned(),
            "pretty" => "/:categories/:year/:month/:day/:title/".to_owned(),
            "none" => "/:categories/:title.html".to_owned(),
            "ordinal" => "/:categories/:year/:y_day/:title.html".to_owned(),
            _ => permalink,
        },
        today: today(),
    };
    Site {
        style: if is_folder { UrlStyle::Directory } else { UrlStyle::Html },
        dialect: Dialect::with_ids(HeadingIds::Kramdown),
        excluded: Globs::tolerant(&config.list("exclude")),
        claimed_address: config
            .value("url")
            .map(|url| format!("{url}{}", config.value("baseurl").unwrap_or(""))),
        languages: config.values("lang"),
        reads_underscored: true,
        needs_front_matter: !gems.is_empty() && !all,
        rules: Box::new(rules),
        ..Site::default()
    }
}

struct Jekyll {
    collections: Vec<String>,
    /// Address of posts, in Jekyll's placeholders.
    posts: String,
    today: String,
}

impl Rules for Jekyll {
    fn no_page(&self, _site: &Site, path: &str) -> Option<&'static str> {
        let hidden = |part: &str| {
            part.strip_prefix('_')
                .is_some_and(|c| c != "posts" && !self.collections.iter().any(|known| known == c))
        };
        path.split('/').any(hidden).then_some("in a folder that is not published: its name begins with _")
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        let (folder, name) = split_path(without_ending(page.path));
        let collection =
            page.path.split('/').find_map(|part| part.strip_prefix('_')).filter(|c| *c != "posts");
        if let Some(own) = page.field("permalink") {
            return fill_permalink(own, page, folder, name);
        }
        if page.path.split('/').any(|part| part == "_posts") {
            return fill_permalink(&self.posts, page, folder, name);
        }
        if let Some(collection) = collection {
            let below = page.path.split_once(&format!("_{collection}/")).map_or(page.path, |(_, rest)| rest);
            return Some(site.of_page(&format!("{collection}/{}", without_ending(below)), &[]));
        }
        Some(site.of_path(page.path, &["index"]))
    }

    fn unread(&self, path: &str, fields: &[(String, String)]) -> Option<&'static str> {
        let name = split_path(path).1;
        let day = field(fields, "date")
            .and_then(|d| d.get(..10))
            .or_else(|| split_date(without_ending(name)).and_then(|_| name.get(..10)));
        let post = path.split('/').any(|part| part == "_posts");
        (post && day.is_some_and(|d| d > self.today.as_str())).then_some("published later")
    }

    fn has_templates(&self) -> bool {
        true
    }
}

/// A permalink with its placeholders filled in; `None` where one is not known.
fn fill_permalink(permalink: &str, page: &Page<'_>, folder: &str, name: &str) -> Option<String> {
    let ([year, month, day], title) = match split_date(name) {
        Some(parts) => parts,
        None => (["", "", ""], name),
    };
    let day_given = page.field("date").and_then(|d| d.get(..10)).map(|d| d.split('-').collect::<Vec<_>>());
    let [year, month, day] = match day_given.as_deref() {
        Some(&[y, m, d]) => [y, m, d],
        _ => [year, month, day],
    };
    let title = page.field("slug").unwrap_or(title);
    let listed = page
        .fields
        .iter()
        .filter(|(n, _)| matches!(n.as_str(), "categories" | "category"))
        .map(|(n, v)| (n.as_str(), v.to_lowercase()))
        .collect::<Vec<_>>();
    // Several in one text are parted by spaces; those of a list may have some.
    let listed = match listed.as_slice() {
        [("categories", all)] => all.split_whitespace().map(str::to_owned).collect(),
        all => all.iter().map(|(_, v)| v.clone()).collect::<Vec<_>>(),
    };
    let above = folder.split('/').take_while(|p| *p != "_posts").filter(|p| !p.is_empty()).map(str::to_owned);
    let categories = above.chain(listed).collect::<Vec<_>>().join("/");
    let mut out = permalink.to_owned();
    for (placeholder, value) in [
        (":categories", categories.as_str()),
        (":year", year),
        (":month", month),
        (":day", day),
        (":title", title),
        (":slug", title),
        (":name", name),
        (":basename", name),
        (":path", &format!("{folder}{name}")),
        (":output_ext", ".html"),
    ] {
        out = out.replace(placeholder, value);
    }
    let out = out.split('/').filter(|p| !p.is_empty()).collect::<Vec<_>>().join("/")
        + if out.ends_with('/') { "/" } else { "" };
    let out = out.strip_suffix("index.html").map(str::to_owned).unwrap_or(out);
    (!out.contains(':')).then(|| out.trim_start_matches('/').to_owned())
}

fn collections(text: &str) -> Vec<String> {
    let mut lines = text.lines().skip_while(|l| l.trim_end() != "collections:");
    let mut out: Vec<(String, bool)> = Vec::new();
    lines.next();
    for line in lines.take_while(|l| l.trim().is_empty() || l.starts_with([' ', '\t'])) {
        match line.trim() {
            "output: true" => {
                if let Some(last) = out.last_mut() {
                    last.1 = true;
                }
            }
            name if name.ends_with(':') => {
                out.push((name.trim_end_matches(':').trim_start_matches("- ").to_owned(), false))
            }
            _ => {}
        }
    }
    out.into_iter().filter(|(_, published)| *published).map(|(name, _)| name).collect()
}
