//! A page's own tools for a model: JavaScript functions, of which the engine knows the names and schemas.

use super::error::thrown;
use crate::agent::{CallerTool, CallerTools, EnvironmentError};
use crate::json::Value;
use futures::future::{FutureExt, LocalBoxFuture};
use js_sys::{Function, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Tools of the page, and the function that calls one by its name with JSON arguments and promises a text.
pub struct PageTools {
    pub all: Vec<CallerTool>,
    pub call: Function,
}

impl CallerTools for PageTools {
    fn all(&self) -> &[CallerTool] {
        &self.all
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a Value,
    ) -> LocalBoxFuture<'a, Result<String, EnvironmentError>> {
        async move {
            let failed = |e: JsValue| EnvironmentError::Failed(thrown(&e));
            let begun = self
                .call
                .call2(&JsValue::NULL, &name.into(), &arguments.to_string().into())
                .map_err(failed)?;
            let returned = match begun.dyn_into::<Promise>() {
                Ok(promise) => JsFuture::from(promise).await.map_err(failed)?,
                Err(value) => value,
            };
            Ok(returned.as_string().unwrap_or_default())
        }
        .boxed_local()
    }
}
