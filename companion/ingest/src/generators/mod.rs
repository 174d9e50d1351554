//! Generators of documentation sites: which of an author's files are pages, where they are published, which
//! ids headings get.
//!
//! A generator is known by its configuration in the folder that is read or above it. A configuration is only
//! looked at, never run, and nothing that it says leads out of the folder or makes a hit link to another
//! site.

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

use super::address::{is_index, split_path, style_address, without_ending, without_index};
use super::formats::FoundFile;
use super::formats::front_matter::{field, front_matter};
use super::formats::markdown::{Dialect, PyMdown};
use super::formats::slug::{HeadingIds, Slugs};
use super::globs::Globs;
use super::{UrlStyle, name_of};
use config::{Config, find_value};
use paths::{resolve_dots, slug, split_date};
use std::io::Read;
use std::path::Path;

pub(super) use unsearched::unsearched;

/// Folders above the one that is read in which a configuration is looked for.
const ABOVE: usize = 4;

/// The generator whose rules hold.
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
    ALL.iter().map(|g| g.name)
}

/// Name of the generator whose configuration lies in a folder of documents or above it, as a build finds it.
pub fn detected_generator(documents: &Path) -> Option<&'static str> {
    Site::of(documents, &[], GeneratorChoice::Auto, UrlStyle::Auto).name()
}

/// Folder of a generator's project for files that are published as they are: static files, or the built site.
pub fn published_folder(generator: &str) -> Option<&'static str> {
    ALL.iter().find(|g| g.name == generator).map(|g| g.published)
}

/// A generator: how its projects and its output are known, and how its configuration is read. Each file here has
/// one.
#[derive(Debug)]
pub(super) struct Generator {
    /// Name in options: lower case.
    name: &'static str,
    /// Name as its authors write it.
    label: &'static str,
    /// Its configurations, as paths in a project's folder, with a space between two.
    configurations: &'static str,
    /// Folder of a project for files that are published as they are: static files, or the built site.
    published: &'static str,
    /// Returns true if a file of such a name is this generator's configuration and concerns the folder that
    /// is read.
    accepts: fn(&Config) -> bool,
    /// Returns true if a folder without a configuration is a project of this generator's, by its files.
    recognizes: fn(&[FoundFile]) -> bool,
    /// Returns true if files of a format, which is named as in options, may be pages.
    publishes: fn(&str) -> bool,
    /// Files that its output is known by; of those with a space between them, all.
    output_marks: &'static [&'static str],
    /// Returns why a file of its output is no page for readers, if it is none.
    pub no_output_page: fn(&str) -> Option<&'static str>,
    /// Returns true if a page of its output is a list of pages (by tag, by month, or all), by its path, what it
    /// says of its generator, and the classes in it.
    lists_pages: fn(&str, &str, &str) -> bool,
    /// Reads the configuration.
    configure: fn(&Config) -> Site,
}

/// Values of generators that need no others.
const UNKNOWN: Generator = Generator {
    name: "",
    label: "",
    configurations: "",
    published: "",
    accepts: |_| true,
    recognizes: |_| false,
    publishes: |_| true,
    output_marks: &[],
    no_output_page: |_| None,
    lists_pages: |_, _, _| false,
    configure: |_| Site::default(),
};

const ALL: [&Generator; 12] = [
    &docusaurus::GENERATOR,
    &vitepress::GENERATOR,
    &mkdocs::GENERATOR,
    &sphinx::GENERATOR,
    &starlight::GENERATOR,
    &hugo::GENERATOR,
    &mdbook::GENERATOR,
    &antora::GENERATOR,
    &nextra::GENERATOR,
    &eleventy::GENERATOR,
    &jekyll::GENERATOR,
    &obsidian::GENERATOR,
];

/// Rules of a generator for one project. Paths are those below the folder of pages.
pub(crate) trait Rules: Send + Sync {
    /// Returns why a file is no page, if it is none.
    fn no_page(&self, _site: &Site, _path: &str) -> Option<&'static str> {
        None
    }
    /// Returns true if the front matter of a file speaks of other pages.
    fn teaches(&self, _path: &str) -> bool {
        false
    }
    /// Takes up the front matter of such a file, before pages are read.
    fn learn(&mut self, _path: &str, _fields: &[(String, String)]) {}
    /// Returns why a page is not read, from its front matter, if it is not.
    fn unread(&self, _path: &str, _fields: &[(String, String)]) -> Option<&'static str> {
        None
    }
    /// Returns true if pages of HTML have front matter and the tags of a template engine.
    fn has_templates(&self) -> bool {
        false
    }
    /// Folders of the project in which parts of pages are looked for.
    fn part_folders(&self) -> &[String] {
        &[]
    }
    /// Returns the address of a page below that of the folder that is read. `None` where it is not published
    /// at all.
    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        Some(site.of_path(page.path, &["index", "readme"]))
    }
    /// Returns the version of the product that the file at a path of the project is about, where the site has
    /// several.
    fn version(&self, _path: &str) -> Option<String> {
        None
    }
}

/// Files that no generator makes pages of.
struct Files;

impl Rules for Files {}

impl Default for Box<dyn Rules> {
    fn default() -> Self {
        Box::new(Files)
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
        field(self.fields, name)
    }
}

/// Reason for passing over files that a generator does not publish as pages.
const NOT_PUBLISHED: &str = "not a kind of file that the site's generator makes pages of";
/// Reason for passing over pages for finding others.
pub(super) const INDEX: &str = "an index or a search page, not one of the site's own";
/// Reason for passing over files that lie beside the folders of pages.
const ELSEWHERE: &str = "not among the site's pages";
/// Reason for passing over files that pages include.
const PART: &str = "a part of other pages: its name begins with _";
/// Reason for passing over files that no known generator publishes.
const UNDERSCORE: &str =
    "no page of its own: its name, or that of its folder, begins with _ (--include reads it all the same)";

fn has_underscore(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('_'))
}

/// Returns true for names that begin with an underscore, but for those of pages that open a section and of
/// posts.
pub(super) fn is_private(name: &str) -> bool {
    name.starts_with('_') && name != "_posts" && name.split('.').next() != Some("_index")
}

/// The known facts about the site whose source is a folder.
#[derive(Default)]
pub(crate) struct Site {
    generator: Option<&'static Generator>,
    /// Rules of the generator.
    pub rules: Box<dyn Rules>,
    /// The configuration that told the generator, for people.
    pub configuration: Option<String>,
    /// Path in the project of the folder that is read, with a slash at its end; empty for the project's own.
    pub place: String,
    /// Path of the pages below the folder that is read, with a slash at its end.
    content: String,
    /// Form of the ends of addresses.
    pub style: UrlStyle,
    /// Form of the ends of the generator's own addresses, if another style was asked for.
    pub own_style: Option<UrlStyle>,
    /// Set if the page of a folder has no slash at its end.
    folders_clean: bool,
    /// The Markdown of pages.
    pub dialect: Dialect,
    /// Files that the configuration says are no pages.
    excluded: Globs,
    /// Languages, by the names of their folders or endings; the first is the default.
    languages: Vec<String>,
    /// The address that the configuration says that the site has.
    pub claimed_address: Option<String>,
    /// Set if files in folders that begin with an underscore may be pages.
    reads_underscored: bool,
    /// Set if Markdown without front matter is no page.
    needs_front_matter: bool,
    /// Set if files `.txt` are pages in reStructuredText.
    pub text_is_rst: bool,
    /// Set if pages are notes of a vault, called after their files.
    pub is_vault: bool,
    /// Attributes that pages of AsciiDoc may use.
    pub attributes: Vec<(String, String)>,
}

impl Site {
    /// The site that `root` with the files `found` is the source of, addresses in the style asked for.
    pub fn of(root: &Path, found: &[FoundFile], choice: GeneratorChoice, style: UrlStyle) -> Site {
        let plain = |generator: &'static Generator| build_site(generator, &Config::default());
        let site = match choice {
            GeneratorChoice::None => None,
            GeneratorChoice::Auto => detect_generator(root, &ALL)
                .or_else(|| ALL.into_iter().find(|g| (g.recognizes)(found)).map(plain)),
            GeneratorChoice::Named(name) => {
                let named: Vec<&'static Generator> = ALL.into_iter().filter(|g| g.name == name).collect();
                detect_generator(root, &named).or_else(|| named.first().copied().map(plain))
            }
        };
        let mut site = site.unwrap_or_default();
        if style != UrlStyle::Auto {
            site.own_style = Some(site.style).filter(|&own| own != style && site.generator.is_some());
            site.style = style;
        }
        for file in found {
            if site.rules.teaches(&file.path)
                && let Some(fields) = top_of(&file.file)
            {
                let path = file.path.strip_prefix(&site.content).unwrap_or(&file.path);
                site.rules.learn(path, &fields);
            }
        }
        site
    }

    /// The generator's own name.
    pub fn label(&self) -> Option<&'static str> {
        self.generator.map(|g| g.label)
    }

    /// The generator's name in options.
    pub fn name(&self) -> Option<&'static str> {
        self.generator.map(|g| g.name)
    }

    /// Returns why a file is no page of the site, if it is none.
    pub fn no_page(&self, path: &str, format: &str) -> Option<&'static str> {
        let Some(generator) = self.generator else {
            return path.split('/').any(is_private).then_some(UNDERSCORE);
        };
        let Some(inside) = path.strip_prefix(&self.content) else { return Some(ELSEWHERE) };
        if self.excluded.matches(inside) {
            return Some("the site's configuration leaves it out");
        }
        if !(generator.publishes)(if format == "text" && self.text_is_rst { "rst" } else { format }) {
            return Some(NOT_PUBLISHED);
        }
        self.rules.no_page(self, inside).or_else(|| {
            let folder = path.rsplit_once('/').unwrap_or_default().0;
            (!self.reads_underscored && has_underscore(folder)).then_some(UNDERSCORE)
        })
    }

    /// Returns the reason in a page's front matter for which it is not read, if there is one.
    pub fn unread(&self, path: &str, fields: &[(String, String)]) -> Option<&'static str> {
        let is = |name: &str, value: &str| field(fields, name).is_some_and(|v| v.eq_ignore_ascii_case(value));
        if is("draft", "true") || is("published", "false") {
            return Some("marked as a draft");
        }
        unsearched(fields)
            .or_else(|| self.rules.unread(path.strip_prefix(&self.content).unwrap_or(path), fields))
    }

    /// Returns the reason for which a Markdown page is not read, if it needs front matter and has none.
    pub fn unopened(&self, has_front_matter: bool) -> Option<&'static str> {
        (self.needs_front_matter && !has_front_matter).then_some("not published: it has no front matter")
    }

    /// Returns the address of a page below the base; `None` if the generator has no rule of its own for it.
    pub fn address(&self, page: &Page<'_>) -> Option<String> {
        // On a code host every file has the address of its path.
        self.generator.filter(|_| self.style != UrlStyle::Source)?;
        self.rules.address(
            self,
            &Page { path: page.path.strip_prefix(&self.content).unwrap_or(page.path), fields: page.fields },
        )
    }

    /// The address of the page of a file: one named as `index` says is its folder.
    fn of_path(&self, path: &str, index: &[&str]) -> String {
        self.of_page(without_ending(path), index)
    }

    fn of_page(&self, page: &str, index: &[&str]) -> String {
        let (folder, name) = page.rsplit_once('/').unwrap_or(("", page));
        if index.iter().any(|i| name.eq_ignore_ascii_case(i)) {
            self.of_folder(folder)
        } else {
            style_address(page, self.style)
        }
    }

    /// The address of a folder's own page.
    fn of_folder(&self, folder: &str) -> String {
        match self.style {
            _ if folder.is_empty() => String::new(),
            UrlStyle::Clean | UrlStyle::Directory if self.folders_clean && self.style == UrlStyle::Clean => {
                folder.to_owned()
            }
            _ => format!("{folder}/"),
        }
    }

    /// The language of a file, where the site has several.
    pub fn language(&self, path: &str) -> Option<&str> {
        let of = |name: &str| self.languages.iter().find(|l| l.as_str() == name).map(String::as_str);
        let whole = format!("{}{path}", self.place);
        let folder = || whole.split('/').rev().skip(1).find_map(of);
        let ending = || without_ending(path).rsplit_once('.').and_then(|(_, e)| of(e));
        ending().or_else(folder).or_else(|| self.languages.first().map(String::as_str))
    }

    /// The version of the product that a file is about, where the site has several.
    pub fn version(&self, path: &str) -> Option<String> {
        self.rules.version(&format!("{}{path}", self.place))
    }
}

/// Returns the generators whose output a folder may be.
pub(super) fn find_writers(folder: &Path) -> Vec<&'static Generator> {
    let has = |marks: &&str| marks.split(' ').all(|name| folder.join(name).exists());
    ALL.into_iter().filter(|generator| generator.output_marks.iter().any(has)).collect()
}

/// Returns true if a page of HTML is a list of pages, see [`Generator::lists_pages`].
pub(super) fn is_list_of_pages(path: &str, generator: &str, classes: &str) -> bool {
    ALL.iter().any(|known| (known.lists_pages)(path, generator, classes))
}

/// Reads the front matter of a file that speaks of other pages.
fn top_of(file: &Path) -> Option<Vec<(String, String)>> {
    const TOP: u64 = 64 << 10;
    let mut bytes = Vec::new();
    std::fs::File::open(file).ok()?.take(TOP).read_to_end(&mut bytes).ok()?;
    Some(front_matter(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}')).0)
}

/// The generator whose configuration lies nearest.
fn detect_generator(root: &Path, among: &[&'static Generator]) -> Option<Site> {
    let folder = if root.is_dir() { root } else { root.parent()? };
    let folder = folder.canonicalize().ok()?;
    for above in folder.ancestors().take(ABOVE + 1) {
        for &generator in among {
            let mut found =
                generator.configurations.split(' ').filter_map(|name| Config::read(above, name, &folder));
            if let Some(config) = found.find(|c| (generator.accepts)(c)) {
                return Some(build_site(generator, &config));
            }
        }
        // What lies above a repository has nothing to do with it.
        if above.join(".git").exists() {
            break;
        }
    }
    None
}

fn build_site(generator: &'static Generator, config: &Config) -> Site {
    let configuration = Some(config.name.clone()).filter(|n| !n.is_empty());
    Site {
        generator: Some(generator),
        configuration,
        place: config.place.clone(),
        ..(generator.configure)(config)
    }
}

#[cfg(test)]
mod tests;
