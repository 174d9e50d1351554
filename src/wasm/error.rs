//! Errors as JavaScript sees them: an `Error` with a stable `code`.

use crate::engine::EngineError;
use wasm_bindgen::{JsCast, JsValue};

/// An `Error` without a code, for what is told on under another.
pub fn plain(message: &str) -> JsValue {
    js_sys::Error::new(message).into()
}

/// An `Error` with a `code`.
pub fn with_code(code: &str, message: &str) -> JsValue {
    let error = plain(message);
    let _ = js_sys::Reflect::set(&error, &"code".into(), &code.into());
    error
}

/// What an aborted call throws.
pub fn aborted() -> JsValue {
    with_code("aborted", "the call was aborted")
}

/// The engine's error.
pub fn engine(e: &EngineError) -> JsValue {
    with_code(e.code(), &e.to_string())
}

/// An option or argument of the wrong shape.
pub fn bad_argument(what: &str) -> JsValue {
    with_code("bad-argument", what)
}

/// What a thrown JavaScript value says.
pub fn thrown(value: &JsValue) -> String {
    value.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{value:?}"), |e| String::from(e.message()))
}
