//! OpenAPI: the operations of an interface as sections of a page, with what they take and give.

use super::made_html::Html;
use super::marked::Allowance;
use serde_json::{Map, Value};

/// Bytes of the page that is made; what comes after is left out.
const LONGEST: usize = 32 << 20;

/// The methods of HTTP that a path may have, in the order in which they are shown.
const METHODS: [&str; 8] = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];

/// The description as HTML.
///
/// # Errors
/// Why it is none, for the user.
pub(super) fn html(source: &str) -> Result<String, String> {
    let whole: Value = match serde_json::from_str(source) {
        Ok(whole) => whole,
        Err(json) if source.trim_start().starts_with('{') => return Err(format!("damaged: {json}")),
        Err(_) => serde_saphyr::from_str(source).map_err(|e| format!("damaged: {}", e.to_string().lines().next().unwrap_or("")))?,
    };
    if whole.get("openapi").is_none() && whole.get("swagger").is_none() {
        return Err("no description of an interface: it has no field openapi or swagger".to_owned());
    }
    Ok(Page { whole: &whole, allowance: Allowance::of(source) }.html())
}

struct Page<'v> {
    whole: &'v Value,
    /// What descriptions that are named once and used often may still add.
    allowance: Allowance,
}

impl<'v> Page<'v> {
    fn html(&self) -> String {
        let info = self.whole.get("info");
        let title = info.map_or("", |i| text(i, "title"));
        let mut out = Html::titled(title);
        out.element("h1", title);
        if let Some(info) = info {
            self.described(&mut out, info);
        }
        for server in items(self.whole, "servers") {
            out.element("p", &format!("Server: {} {}", text(server, "url"), text(server, "description")));
        }
        let operations = self.operations();
        for tag in self.tags(&operations) {
            out.element("h2", if tag.is_empty() { "Operations" } else { tag });
            let about = items(self.whole, "tags").find(|t| text(t, "name") == tag);
            if let Some(about) = about {
                self.described(&mut out, about);
            }
            for operation in operations.iter().filter(|o| o.tag == tag) {
                if out.length() > LONGEST {
                    return out.finish();
                }
                self.operation(&mut out, operation);
            }
        }
        self.schemas(&mut out);
        out.finish()
    }

    fn described(&self, out: &mut Html, about: &Value) {
        out.markdown(text(about, "description"));
    }

    fn operations(&self) -> Vec<Operation<'v>> {
        let mut all = Vec::new();
        for (path, item) in self.whole.get("paths").and_then(Value::as_object).into_iter().flatten() {
            for method in METHODS {
                let Some(operation) = item.get(method) else { continue };
                let tag = items(operation, "tags").next().and_then(Value::as_str).unwrap_or("");
                all.push(Operation { path, method, tag, of_path: item, operation });
            }
        }
        all
    }

    /// In the order in which the description lists them, then others as operations name them.
    fn tags<'o>(&self, operations: &'o [Operation<'v>]) -> Vec<&'o str>
    where
        'v: 'o,
    {
        let mut tags: Vec<&str> = Vec::new();
        let listed = items(self.whole, "tags").map(|t| text(t, "name"));
        for tag in listed.chain(operations.iter().map(|o| o.tag)) {
            if !tags.contains(&tag) && operations.iter().any(|o| o.tag == tag) {
                tags.push(tag);
            }
        }
        tags
    }

    fn operation(&self, out: &mut Html, o: &Operation<'_>) {
        let (method, id) = (o.method.to_ascii_uppercase(), text(o.operation, "operationId"));
        let call = format!("{method} {}", o.path);
        let named = [text(o.operation, "summary"), id].into_iter().find(|n| !n.trim().is_empty()).unwrap_or(&call);
        out.element("h3", named);
        out.element("pre", &call);
        if !id.is_empty() {
            out.element("p", &format!("Operation: {id}"));
        }
        if o.operation.get("deprecated").and_then(Value::as_bool) == Some(true) {
            out.element("p", "Deprecated.");
        }
        self.described(out, o.operation);
        let parameters: Vec<&Value> =
            items(o.of_path, "parameters").chain(items(o.operation, "parameters")).map(|p| self.resolved(p)).collect();
        let row = |p: &&Value| {
            let required = if p.get("required").and_then(Value::as_bool) == Some(true) { "yes" } else { "no" };
            let kind = kind_of(p.get("schema").unwrap_or(p));
            vec![text(p, "name").to_owned(), text(p, "in").to_owned(), required.to_owned(), kind, self.repeated(text(p, "description"))]
        };
        out.table(&["Parameter", "In", "Required", "Type", "Description"], &parameters.iter().map(row).collect::<Vec<_>>());
        if let Some(body) = o.operation.get("requestBody").map(|b| self.resolved(b)) {
            out.element("p", &format!("Request body: {}", contents(body)));
            out.markdown(&self.repeated(text(body, "description")));
            self.fields_of(out, body);
        }
        let responses = o.operation.get("responses").and_then(Value::as_object);
        let row = |(status, response): (&String, &Value)| {
            let response = self.resolved(response);
            vec![status.clone(), self.repeated(text(response, "description")), contents(response)]
        };
        out.table(&["Status", "Description", "Content"], &responses.into_iter().flatten().map(row).collect::<Vec<_>>());
    }

    /// The fields of a body that is described in place.
    fn fields_of(&self, out: &mut Html, body: &Value) {
        let schema = body.get("content").and_then(Value::as_object).and_then(|c| c.values().next()).and_then(|c| c.get("schema"));
        if let Some(schema) = schema.filter(|s| s.get("$ref").is_none()) {
            out.table(&["Field", "Type", "Required", "Description"], &fields(schema));
        }
    }

    fn schemas(&self, out: &mut Html) {
        let schemas = self.whole.pointer("/components/schemas").or_else(|| self.whole.get("definitions")).and_then(Value::as_object);
        let Some(schemas) = schemas.filter(|s| !s.is_empty()) else { return };
        out.element("h2", "Schemas");
        for (name, schema) in schemas {
            if out.length() > LONGEST {
                return;
            }
            out.element("h3", name);
            self.described(out, schema);
            let values: Vec<String> = items(schema, "enum").map(value_text).collect();
            if !values.is_empty() {
                out.element("p", &format!("One of: {}", values.join(", ")));
            }
            out.table(&["Field", "Type", "Required", "Description"], &fields(schema));
        }
    }

    /// A description that may be used often, as one line; empty where it would add too much.
    fn repeated(&self, description: &str) -> String {
        if self.allowance.take(description) { plain(description) } else { String::new() }
    }

    /// What a reference into the same file names, one step far.
    fn resolved(&self, value: &'v Value) -> &'v Value {
        let target = value.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#'));
        target.and_then(|t| self.whole.pointer(t)).unwrap_or(value)
    }
}

/// An operation and where it stands.
struct Operation<'v> {
    path: &'v str,
    method: &'static str,
    tag: &'v str,
    of_path: &'v Value,
    operation: &'v Value,
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or("")
}

fn items<'v>(value: &'v Value, field: &str) -> impl Iterator<Item = &'v Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A description as one line without marks of its own.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Media types of a body, and what they hold.
fn contents(body: &Value) -> String {
    let of =
        |(kind, content): (&String, &Value)| format!("{kind} {}", content.get("schema").map(kind_of).unwrap_or_default()).trim().to_owned();
    let all: Vec<String> = body.get("content").and_then(Value::as_object).into_iter().flatten().map(of).collect();
    match (all.is_empty(), body.get("schema")) {
        (true, Some(schema)) => kind_of(schema),
        _ => all.join(", "),
    }
}

/// A schema in few words: `Pet`, `array of Pet`, `string (date-time)`.
fn kind_of(schema: &Value) -> String {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        return name.rsplit('/').next().unwrap_or(name).to_owned();
    }
    for (field, joint) in [("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")] {
        let parts: Vec<String> = items(schema, field)
            .take(8)
            .filter_map(|s| s.get("$ref").or_else(|| s.get("type")))
            .map(|s| {
                let name = value_text(s);
                name.rsplit('/').next().unwrap_or(&name).to_owned()
            })
            .collect();
        if !parts.is_empty() {
            return parts.join(joint);
        }
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().map(value_text).collect::<Vec<_>>().join(" or "),
        Some(kind) => value_text(kind),
        None => String::new(),
    };
    if kind == "array"
        && let Some(item) = schema.get("items")
    {
        let name =
            item.get("$ref").and_then(Value::as_str).map(|r| r.rsplit('/').next().unwrap_or(r)).unwrap_or_else(|| text(item, "type"));
        return format!("array of {name}");
    }
    match text(schema, "format") {
        "" => kind,
        format => format!("{kind} ({format})"),
    }
}

/// The fields of a schema, with those of what it joins.
fn fields(schema: &Value) -> Vec<Vec<String>> {
    let of = |schema: &Value| -> Vec<Vec<String>> {
        let required: Vec<&str> = items(schema, "required").filter_map(Value::as_str).collect();
        let none = Map::new();
        let all = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let row = |(name, field): (&String, &Value)| {
            let needed = if required.contains(&name.as_str()) { "yes" } else { "no" };
            vec![name.clone(), kind_of(field), needed.to_owned(), plain(text(field, "description"))]
        };
        all.iter().map(row).collect()
    };
    let mut rows = of(schema);
    rows.extend(items(schema, "allOf").flat_map(of));
    rows
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::html;

    const PETS: &str = "openapi: 3.0.0\ninfo:\n  title: Pets\n  description: All **pets** <b>.\ntags:\n  - name: pet\n    description: About pets\npaths:\n  /pets/{id}:\n    parameters:\n      - $ref: '#/components/parameters/Id'\n    get:\n      tags: [pet]\n      operationId: getPet\n      summary: Find a pet\n      responses:\n        '200':\n          description: The pet\n          content:\n            application/json:\n              schema:\n                $ref: '#/components/schemas/Pet'\n    delete:\n      deprecated: true\n      responses: {}\ncomponents:\n  parameters:\n    Id:\n      name: id\n      in: path\n      required: true\n      schema: {type: integer, format: int64}\n  schemas:\n    Pet:\n      required: [name]\n      properties:\n        name: {type: string, description: What it is called}\n        friends:\n          type: array\n          items: {$ref: '#/components/schemas/Pet'}\n";

    #[test]
    fn operations_are_sections_with_what_they_take_and_give() {
        let made = html(PETS).unwrap();
        for part in [
            "<h1>Pets</h1>",
            "<h2>pet</h2>",
            "<h3>Find a pet</h3>",
            "<pre>GET /pets/{id}</pre>",
            "<td>id</td><td>path</td><td>yes</td><td>integer (int64)</td>",
            "<td>200</td><td>The pet</td><td>application/json Pet</td>",
            "<h2>Operations</h2>",
            "<h3>DELETE /pets/{id}</h3>",
            "<td>friends</td><td>array of Pet</td><td>no</td>",
            "<td>name</td><td>string</td><td>yes</td><td>What it is called</td>",
        ] {
            assert!(made.contains(part), "{part} in {made}");
        }
    }

    #[test]
    fn a_description_that_is_named_once_and_used_often_is_not_written_without_end() {
        let uses = "      - $ref: '#/components/parameters/P'\n".repeat(2000);
        let long = "word ".repeat(4000);
        let source = format!(
            "openapi: 3.0.0\npaths:\n  /a:\n    parameters:\n{uses}    get: {{}}\n    put: {{}}\ncomponents:\n  parameters:\n    P: {{name: p, description: '{long}'}}\n"
        );
        let made = html(&source).unwrap();
        assert!(made.contains("word word") && made.len() < 8 * source.len(), "{} from {}", made.len(), source.len());
    }

    #[test]
    fn what_is_no_description_is_refused() {
        for bad in ["{}", "{\"openapi\":", "a: b", "- 1", "a: &a [*a, *a]\nopenapi: *a", ""] {
            assert!(html(bad).is_err() || html(bad).unwrap().len() < 200, "{bad}");
        }
    }
}
