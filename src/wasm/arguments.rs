//! Options as pages give them: plain objects whose members are looked up by name.
//!
//! A derived reader would be a tenth of the wasm for the sake of a dozen members.

#[cfg(feature = "full")]
pub mod full;

use super::error::bad_argument;
use crate::answer::AskOptions;
use crate::engine::SearchOptions;
use crate::retrieve::Filter;
use js_sys::{Array, Function, Reflect};
use std::sync::Arc;
use wasm_bindgen::{JsCast, JsValue};

/// An object of the page; one that is absent has no members.
pub struct JsOptions(JsValue);

impl JsOptions {
    /// Takes what a caller gave.
    ///
    /// # Errors
    /// A `bad-argument` error for a value that is neither an object nor absent; below also for members of a
    /// wrong type.
    pub fn new(value: JsValue) -> Result<JsOptions, JsValue> {
        if value.is_object() || value.is_undefined() || value.is_null() {
            Ok(JsOptions(value))
        } else {
            Err(bad_argument("options must be an object"))
        }
    }

    /// Reads the member `name` with `read`; `None` if it is absent or null.
    fn member<T>(
        &self,
        name: &str,
        what: &str,
        read: impl FnOnce(&JsValue) -> Option<T>,
    ) -> Result<Option<T>, JsValue> {
        let value =
            if self.0.is_object() { Reflect::get(&self.0, &name.into())? } else { JsValue::UNDEFINED };
        if value.is_undefined() || value.is_null() {
            return Ok(None);
        }
        read(&value).map(Some).ok_or_else(|| bad_argument(&format!("{name} must be {what}")))
    }

    fn text(&self, name: &str) -> Result<Option<String>, JsValue> {
        self.member(name, "a string", JsValue::as_string)
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, JsValue> {
        self.member(name, "a number", JsValue::as_f64)
    }

    pub(super) fn function(&self, name: &str) -> Result<Option<Function>, JsValue> {
        self.member(name, "a function", |v| v.dyn_ref::<Function>().cloned())
    }

    fn count(&self, name: &str) -> Result<Option<u32>, JsValue> {
        let whole = |n: &f64| n.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(n);
        self.member(name, "a whole number", |v| v.as_f64().filter(whole).map(|n| n as u32))
    }

    fn flag(&self, name: &str) -> Result<bool, JsValue> {
        self.flag_or(name, false)
    }

    fn flag_or(&self, name: &str, absent: bool) -> Result<bool, JsValue> {
        Ok(self.member(name, "true or false", JsValue::as_bool)?.unwrap_or(absent))
    }

    fn list(&self, name: &str) -> Result<Array, JsValue> {
        Ok(self.member(name, "an array", |v| v.dyn_ref::<Array>().cloned())?.unwrap_or_default())
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, JsValue> {
        let text = |v: JsValue| v.as_string().ok_or_else(|| bad_argument("a condition must be a string"));
        self.list(name)?.iter().map(text).collect()
    }

    fn object(&self, name: &str) -> Result<Option<JsOptions>, JsValue> {
        self.member(name, "an object", |v| v.is_object().then(|| JsOptions(v.clone())))
    }
}

/// The options of `search`.
pub fn search_options(given: &JsOptions) -> Result<SearchOptions, JsValue> {
    Ok(SearchOptions {
        k: given.count("k")?,
        retriever: given.text("retriever")?,
        typing: given.flag("typing")?,
        per_page: given.count("perPage")?,
        filter: filter(given)?,
        reader_language: given.text("readerLanguage")?,
    })
}

/// Reads the filter of the documents that are searched.
fn filter(given: &JsOptions) -> Result<Arc<Filter>, JsValue> {
    let Some(given) = given.object("filter")? else { return Ok(Arc::default()) };
    Ok(Arc::new(Filter {
        language: given.text("language")?,
        folder: given.text("folder")?,
        version: given.text("version")?,
        fields: given.texts("fields")?,
        boost: given.texts("boost")?,
        boost_by: given.count("boostBy")?,
        sort: given.text("sort")?,
    }))
}

/// Reads the options of an answer by quotation.
pub fn ask_options(given: &JsOptions) -> Result<AskOptions, JsValue> {
    Ok(AskOptions {
        k: given.count("k")?,
        retriever: given.text("retriever")?,
        filter: filter(given)?,
        reader_language: given.text("readerLanguage")?,
        reader_version: given.text("readerVersion")?,
        no_answer_text: given.text("noAnswerText")?,
        ..AskOptions::default()
    })
}
