//! Small JSON reader and writer for the engine's few uses of JSON: the manifest and LLM endpoints.
//!
//! Bulk data is never JSON. A full-featured library would cost the wasm more than these few hundred lines.
//! The companion, where size does not matter, uses serde_json.

mod number;
mod parse;
mod write;

pub use number::{Hundredths, read_number as number};
pub use parse::{ParseError, parse};

/// JSON value (RFC 8259). Objects keep their order. [`Value::get`] returns the first of duplicate keys.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// Any number, as a double: integers are exact up to 2^53.
    Number(f64),
    /// A string, unescaped.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object, in the order of the text.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// Returns the member `key` of an object; `None` for other values and absent keys.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Object(members) => members.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Returns element `index` of an array; `None` for other values and beyond the end.
    pub fn at(&self, index: usize) -> Option<&Value> {
        match self {
            Value::Array(items) => items.get(index),
            _ => None,
        }
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(s) => Some(s),
            _ => None,
        }
    }

    /// Returns the value of a number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Number(n) => Some(*n),
            _ => None,
        }
    }

    /// Returns the number if it is a non-negative integer that a double holds exactly (at most 2^53).
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Number(n) if *n >= 0.0 && n.fract() == 0.0 && *n <= 9_007_199_254_740_992.0 => {
                Some(*n as u64)
            }
            _ => None,
        }
    }

    /// Returns the truth value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// Returns the elements of an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the members of an object.
    pub fn as_object(&self) -> Option<&[(String, Value)]> {
        match self {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Makes an object of its members, in the given order.
    pub fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
        Value::Object(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
    }
}

macro_rules! impl_from {
    ($($from:ty, $of:ident => $value:expr;)*) => {
        $(impl From<$from> for Value {
            fn from($of: $from) -> Self {
                $value
            }
        })*
    };
}

impl_from! {
    &str, s => Value::String(s.to_owned());
    String, s => Value::String(s);
    bool, b => Value::Bool(b);
    f64, n => Value::Number(n);
    // Keeps the digits of the single, not those of the nearest double.
    f32, n => Value::Number(number::widen_single(n));
    u32, n => Value::Number(f64::from(n));
    u64, n => Value::Number(n as f64);
    usize, n => Value::Number(n as f64);
    Vec<Value>, items => Value::Array(items);
}
