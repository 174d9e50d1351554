//! Errors as JavaScript sees them: an `Error` with a stable `code`.

use crate::engine::EngineError;
use wasm_bindgen::{JsCast, JsValue};

/// Makes an `Error` without a code, whose message becomes part of another one.
pub fn plain(message: &str) -> JsValue {
    js_sys::Error::new(message).into()
}

/// An `Error` with a `code`.
pub fn with_code(code: &str, message: &str) -> JsValue {
    let error = plain(message);
    let _ = js_sys::Reflect::set(&error, &"code".into(), &code.into());
    error
}

/// Makes the error of an aborted call.
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

/// Returns the message of a thrown JavaScript value.
pub fn thrown(value: &JsValue) -> String {
    value.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{value:?}"), |e| String::from(e.message()))
}
