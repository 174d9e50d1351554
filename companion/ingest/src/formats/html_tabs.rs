//! Tabs of HTML: their names, which lead into the panels that they open.

use super::html_tokens::Attributes;
use pocketgraph_native::single_line::one_line;
use std::collections::VecDeque;

/// Tabs whose panels have not come yet, at most.
const MOST: usize = 256;

/// Longer names are none.
const LONGEST: usize = 200;

/// A tab and what it is called.
#[derive(Debug, Default)]
struct Tab {
    id: String,
    controls: String,
    name: String,
}

/// The tabs of a page whose panels are still to come.
#[derive(Debug, Default)]
pub(crate) struct Tabs {
    waiting: VecDeque<Tab>,
    /// The tab that is open, and how many elements are open around it.
    open: Option<(Tab, usize)>,
}

impl Tabs {
    /// Begins a tab.
    pub fn begin(&mut self, attributes: &Attributes<'_>, depth: usize) {
        let value = |name: &str| attributes.get(name).unwrap_or_default().into_owned();
        self.open =
            Some((Tab { id: value("id"), controls: value("aria-controls"), name: String::new() }, depth));
    }

    /// Returns `true` if text stands in a tab.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Takes text, if it stands in a tab.
    pub fn text(&mut self, text: &str) {
        if let Some((tab, _)) = self.open.as_mut().filter(|(tab, _)| tab.name.len() + text.len() <= LONGEST) {
            tab.name.push_str(text);
        }
    }

    /// Ends the tab that is open, if no more than `depth` elements are.
    pub fn close(&mut self, depth: usize) {
        if let Some((tab, _)) = self.open.take_if(|(_, at)| depth <= *at)
            && !tab.name.trim().is_empty()
            && self.waiting.len() < MOST
        {
            self.waiting.push_back(tab);
        }
    }

    /// Returns the name of the tab that opens a panel: the one that either names the other by, else the next
    /// one.
    pub fn name_of(&mut self, panel: &Attributes<'_>) -> Option<String> {
        let (id, by) =
            (panel.get("id").unwrap_or_default(), panel.get("aria-labelledby").unwrap_or_default());
        let named = |tab: &Tab| !id.is_empty() && tab.controls == *id || !by.is_empty() && tab.id == *by;
        let at = self.waiting.iter().position(named).unwrap_or(0);
        let name = self.waiting.remove(at)?.name;
        Some(one_line(&name))
    }
}
