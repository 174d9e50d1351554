//! What each generator of documentation sites does with the files of its authors: which are pages, where they are published, which ids their headings get.
//!
//! A generator is known by its configuration in the folder that is read or above it. A configuration is only looked at, never run, and nothing that it
//! says leads out of the folder or makes a hit link to another site.

mod antora;
mod config;
mod docusaurus;
mod eleventy;
mod hugo;
mod jekyll;
mod mdbook;
mod mkdocs;
mod nextra;
mod obsidian;
mod paths;
mod sphinx;
mod starlight;
mod unsearched;
mod vitepress;

use super::UrlStyle;
use super::address::styled;
use super::globs::Globs;
use super::markdown::PyMdown;
use super::slug::HeadingIds;
use super::walk::Format;
use config::Config;
use std::collections::BTreeSet;
use std::path::Path;

pub(super) use unsearched::unsearched;

/// Folders above the one that is read in which a configuration is looked for.
const ABOVE: usize = 4;

/// Which generator's rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GeneratorChoice {
    /// That of the configuration in the folder or above it.
    #[default]
    Auto,
    /// None: files are read for what they are.
    None,
    /// The one of this name, see [`generator_names`].
    Named(&'static str),
}

/// The generators that are known, by the names that an option may give.
pub fn generator_names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|g| g.name())
}

/// The name of the generator whose configuration lies in a folder of documents or above it, as a build of that folder finds it.
pub fn detected_generator(documents: &Path) -> Option<&'static str> {
    Site::of(documents, GeneratorChoice::Auto, UrlStyle::Auto).name()
}

/// A generator's rules.
trait Generator: Sync {
    /// What it is called in options: lower case.
    fn name(&self) -> &'static str;
    /// What it calls itself.
    fn label(&self) -> &'static str;
    /// Its configurations, as paths in a project's folder.
    fn configurations(&self) -> &'static [&'static str];
    /// Whether a file of such a name is a configuration of this generator's and has to do with the folder that is read.
    fn accepts(&self, _config: &Config) -> bool {
        true
    }
    /// Reads the configuration.
    fn configure(&self, config: &Config, site: &mut Site);
    /// Why a file is no page, if it is none.
    fn no_page(&self, _site: &Site, _path: &str, _format: Format) -> Option<&'static str> {
        None
    }
    /// Where a page is published, below the address of the folder that is read. `None` where it is not published at all.
    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        Some(site.of_path(page.path, &["index", "readme"]))
    }
}

/// A page, to be given its address.
pub(super) struct Page<'a> {
    /// Its path in the folder that is read.
    pub path: &'a str,
    /// Its front matter.
    pub fields: &'a [(String, String)],
}

impl Page<'_> {
    fn field(&self, name: &str) -> Option<&str> {
        super::front_matter::field(self.fields, name)
    }
}

/// Why files are passed over that a generator does not publish as pages.
const NOT_PUBLISHED: &str = "not a kind of file that the site's generator makes pages of";
/// Why files are passed over that lie beside the folders of pages.
const ELSEWHERE: &str = "not among the site's pages";

const ALL: [&dyn Generator; 12] = [
    &docusaurus::Docusaurus,
    &vitepress::VitePress,
    &mkdocs::MkDocs,
    &sphinx::Sphinx,
    &starlight::Starlight,
    &hugo::Hugo,
    &mdbook::MdBook,
    &antora::Antora,
    &nextra::Nextra,
    &eleventy::Eleventy,
    &jekyll::Jekyll,
    &obsidian::Obsidian,
];

/// What is known of the site that a folder is the source of.
#[derive(Default)]
pub(crate) struct Site {
    generator: Option<&'static dyn Generator>,
    /// The configuration that told the generator, for people.
    pub configuration: Option<String>,
    /// Where the folder that is read lies in the project, with a slash at its end; empty for the project's own.
    place: String,
    /// How addresses end.
    style: UrlStyle,
    /// How the generator's own addresses end, where another style was asked for.
    own_style: Option<UrlStyle>,
    /// The rule for ids of headings.
    pub ids: HeadingIds,
    /// Set if pages are notes of a vault, called after their files.
    pub is_vault: bool,
    /// Whether `.md` is MDX.
    pub mdx: bool,
    /// Extensions of Python-Markdown that are in use.
    pub pymdown: PyMdown,
    /// Folders of the project that parts of pages are looked for in.
    pub parts_in: Vec<String>,
    /// Addresses of pages that are not those of their files: patterns of paths, and what stands for them.
    rewrites: Vec<(String, String)>,
    /// Files that the configuration says are no pages.
    excluded: Globs,
    /// The only pages, where there is a list of them.
    only: Option<BTreeSet<String>>,
    /// Pages that the configuration leaves out of the search.
    unsearched: BTreeSet<String>,
    /// Whether Markdown without front matter is no page.
    front_matter_needed: bool,
    /// Folders whose pages are never published.
    never: Vec<String>,
    /// Folders that are one page with its resources.
    bundles: BTreeSet<String>,
    /// Languages, by the names of their folders or endings; the first is the default.
    pub languages: Vec<String>,
    /// Whether the default language has a folder of its own in addresses.
    default_in_folder: bool,
    /// Attributes that pages may use.
    pub attributes: Vec<(String, String)>,
    /// Where posts are published, in Jekyll's placeholders.
    posts: Option<String>,
    /// Collections that are published, in Jekyll.
    collections: Vec<String>,
    /// Whether numbers before names of files and folders are left out of addresses.
    numbers_stripped: bool,
    /// Whether the page of a folder has no slash at its end.
    folders_clean: bool,
    /// Where documents are published in a project of several parts, without slashes.
    docs_at: String,
    /// Where pages lie below the folder that is read, with a slash at its end.
    content: String,
    /// Whether upper case stays in addresses.
    keeps_case: bool,
    /// Where `.txt` is a page in reStructuredText.
    pub text_is_rst: bool,
    /// The site's own name for its newest version, and where pages of versions are.
    latest_version: Option<String>,
    /// The address that the configuration says that the site has.
    pub claimed_address: Option<String>,
    /// Today, for pages that are published later.
    today: String,
}

impl Site {
    /// The site that `root` is the source of, addresses in the style asked for.
    pub fn of(root: &Path, choice: GeneratorChoice, style: UrlStyle) -> Site {
        let mut site = match choice {
            GeneratorChoice::None => Site::default(),
            GeneratorChoice::Auto => detected(root, &ALL).unwrap_or_default(),
            GeneratorChoice::Named(name) => {
                let named: Vec<&'static dyn Generator> = ALL.into_iter().filter(|g| g.name() == name).collect();
                detected(root, &named).or_else(|| Some(configured(*named.first()?, &Config::default()))).unwrap_or_default()
            }
        };
        if style != UrlStyle::Auto && site.generator.is_some() {
            site.own_style = Some(site.style).filter(|&own| own != style);
        }
        if style != UrlStyle::Auto {
            site.style = style;
        }
        site
    }

    /// The generator's own name.
    pub fn label(&self) -> Option<&'static str> {
        self.generator.map(Generator::label)
    }

    /// The generator's name in options.
    pub fn name(&self) -> Option<&'static str> {
        self.generator.map(Generator::name)
    }

    /// Where the folder that is read lies in the project.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The style of addresses of the generator, where another was asked for.
    pub fn disagrees(&self) -> Option<UrlStyle> {
        self.own_style
    }

    /// Hears what front matter says of all pages of a folder, before pages are read.
    pub fn apply_front_matter(&mut self, path: &str, fields: &[(String, String)]) {
        if self.name() == Some("hugo") {
            let content = self.content.clone();
            hugo::apply_front_matter(self, path.strip_prefix(&content).unwrap_or(path), fields);
        }
    }

    /// Files whose front matter speaks of other pages.
    pub fn is_heard(&self, path: &str) -> bool {
        self.name() == Some("hugo") && hugo::is_index(path)
    }

    /// Why a file is no page of the site, if it is none.
    pub fn no_page(&self, path: &str, format: Format) -> Option<&'static str> {
        if format == Format::JsonLines {
            return None;
        }
        let generator = self.generator?;
        let Some(path) = path.strip_prefix(&self.content) else { return Some(ELSEWHERE) };
        if self.excluded.matches(path) {
            return Some("the site's configuration leaves it out");
        }
        if self.only.as_ref().is_some_and(|only| !only.contains(path)) {
            return Some("not in the site's table of contents");
        }
        if self.unsearched.contains(path) {
            return Some("the site's configuration leaves it out of the search");
        }
        generator.no_page(self, path, format)
    }

    /// Why a page is not read, from what its front matter says, if it is not.
    pub fn unread(&self, path: &str, fields: &[(String, String)]) -> Option<&'static str> {
        let is = |name: &str, value: &str| super::front_matter::field(fields, name).is_some_and(|v| v.eq_ignore_ascii_case(value));
        if is("draft", "true") || is("published", "false") {
            return Some("marked as a draft");
        }
        if let Some(asked) = unsearched(fields) {
            return Some(asked);
        }
        let path = path.strip_prefix(&self.content).unwrap_or(path);
        match self.name()? {
            "hugo" => hugo::unread(self, path, fields),
            "jekyll" => jekyll::unread(self, path, fields),
            "eleventy" if is("permalink", "false") => Some("not published: permalink is false"),
            _ => None,
        }
    }

    /// Why a page in Markdown is not read that has front matter or none, if it is not.
    pub fn unopened(&self, has_front_matter: bool) -> Option<&'static str> {
        (self.front_matter_needed && !has_front_matter).then_some("not published: it has no front matter")
    }

    /// Where a page is published, below the base; `None` where the generator has no rule of its own for it.
    pub fn address(&self, page: &Page<'_>) -> Option<String> {
        // On a code host every file has the address of its path.
        let generator = self.generator.filter(|_| self.style != UrlStyle::Source)?;
        generator.address(self, &Page { path: page.path.strip_prefix(&self.content).unwrap_or(page.path), fields: page.fields })
    }

    /// How addresses end.
    pub fn style(&self) -> UrlStyle {
        self.style
    }

    /// The address of the page of a file: one named as `index` says is its folder.
    fn of_path(&self, path: &str, index: &[&str]) -> String {
        self.of_page(paths::without_ending(path), index)
    }

    fn of_page(&self, page: &str, index: &[&str]) -> String {
        let (folder, name) = page.rsplit_once('/').map_or(("", page), |(f, n)| (f, n));
        if index.iter().any(|i| name.eq_ignore_ascii_case(i)) { self.of_folder(folder) } else { styled(page, self.style) }
    }

    /// The address of a folder's own page.
    fn of_folder(&self, folder: &str) -> String {
        match self.style {
            _ if folder.is_empty() => String::new(),
            UrlStyle::Clean | UrlStyle::Directory if self.folders_clean && self.style == UrlStyle::Clean => folder.to_owned(),
            _ => format!("{folder}/"),
        }
    }

    /// Says that pages lie in a folder of the project: below the one that is read, or around it.
    fn content_in(&mut self, folder: &str) {
        let folder = folder.trim_matches(['.', '/']);
        if !folder.is_empty() && self.place.is_empty() {
            self.content = format!("{folder}/");
        }
    }

    /// Whether pages lie in this folder of the project.
    fn in_content(&self, folder: &str) -> bool {
        self.place.starts_with(folder) || self.content == folder
    }

    /// The language of a file, where the site has several.
    pub fn language(&self, path: &str) -> Option<&str> {
        let of = |name: &str| self.languages.iter().find(|l| l.as_str() == name).map(String::as_str);
        let whole = format!("{}{path}", self.place);
        let folder = || whole.split('/').rev().skip(1).find_map(of);
        let ending = || paths::without_ending(path).rsplit_once('.').and_then(|(_, e)| of(e));
        ending().or_else(folder).or_else(|| self.languages.first().map(String::as_str))
    }

    /// The version of the product that a file is about, where the site has several.
    pub fn version(&self, path: &str) -> Option<String> {
        let whole = format!("{}{path}", self.place);
        let mut folders = whole.split('/');
        let named = folders.by_ref().find_map(|f| f.strip_prefix("version-"));
        match named {
            Some(version) if self.name() == Some("docusaurus") => Some(version.to_owned()),
            _ => self.latest_version.clone().filter(|_| self.name() == Some("antora")),
        }
    }
}

/// The generator whose configuration lies nearest.
fn detected(root: &Path, among: &[&'static dyn Generator]) -> Option<Site> {
    let folder = if root.is_dir() { root } else { root.parent()? };
    let folder = folder.canonicalize().ok()?;
    for above in folder.ancestors().take(ABOVE + 1) {
        for &generator in among {
            let found = generator.configurations().iter().filter_map(|name| Config::read(above, name, &folder));
            if let Some(config) = found.into_iter().find(|c| generator.accepts(c)) {
                return Some(configured(generator, &config));
            }
        }
        // What lies above a repository has nothing to do with it.
        if above.join(".git").exists() {
            break;
        }
    }
    None
}

fn configured(generator: &'static dyn Generator, config: &Config) -> Site {
    let mut site = Site {
        generator: Some(generator),
        configuration: Some(config.name.clone()).filter(|n| !n.is_empty()),
        place: config.place.clone(),
        today: pocketgraph_native::today::today(),
        ..Site::default()
    };
    generator.configure(config, &mut site);
    // A generator that was only named says nothing of folders.
    if config.project.as_os_str().is_empty() {
        site.content.clear();
    }
    site
}

#[cfg(test)]
mod tests;
