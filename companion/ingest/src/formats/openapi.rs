//! OpenAPI: the operations of an interface as sections of a page, with what they take and give.

use super::made_html::Html;
use super::openapi_schema::{Schemas, allowed, example, items, kind_of, line, text, value_text};
use super::{Format, ReadMethod};
use serde_json::Value;
use std::collections::HashMap;

/// The methods of HTTP that a path may have, in the order in which they are shown.
const METHODS: [&str; 8] = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];

/// The columns of a table of parameters or fields behind the first; those that are empty in all rows are left
/// out.
const COLUMNS: [&str; 7] = ["In", "Type", "Required", "Default", "Allowed", "Example", "Description"];

pub(super) const FORMAT: Format = Format {
    examples: &["openapi.json", "openapi.yaml"],
    // Other files of these endings are for programs.
    recognizes: |stem, ending| {
        matches!(ending, "json" | "yaml" | "yml") && (stem.ends_with("openapi") || stem.ends_with("swagger"))
    },
    ..Format::new("openapi", &[], ReadMethod::Made(|source| Ok((write_html(source)?, None))))
};

/// Writes the description as HTML.
fn write_html(source: &str) -> Result<String, String> {
    let whole: Value = match serde_json::from_str(source) {
        Ok(whole) => whole,
        Err(json) if source.trim_start().starts_with('{') => return Err(format!("damaged: {json}")),
        Err(_) => serde_saphyr::from_str(source)
            .map_err(|e| format!("damaged: {}", e.to_string().lines().next().unwrap_or("")))?,
    };
    if whole.get("openapi").is_none() && whole.get("swagger").is_none() {
        return Err("no description of an interface: it has no field openapi or swagger".to_owned());
    }
    let mut out = Html::of_file(source.len());
    Page { whole: &whole, schemas: Schemas::of(&whole) }.write(&mut out);
    out.finish()
}

struct Page<'v> {
    whole: &'v Value,
    schemas: Schemas<'v>,
}

impl<'v> Page<'v> {
    fn write(&self, out: &mut Html) {
        let info = self.whole.get("info").unwrap_or(&Value::Null);
        out.title(text(info, "title"));
        out.element("h1", text(info, "title"));
        out.markdown(text(info, "description"));
        if !text(info, "version").is_empty() {
            out.element("p", &format!("Version: {}", text(info, "version")));
        }
        self.servers(out);
        self.security(out);
        let paths = self.operations("paths");
        for (tag, operations) in self.by_tag(&paths) {
            out.element("h2", if tag.is_empty() { "Operations" } else { tag });
            if let Some(about) = items(self.whole, "tags").find(|t| !tag.is_empty() && text(t, "name") == tag)
            {
                out.markdown(text(about, "description"));
            }
            for operation in operations {
                self.operation(out, operation);
            }
        }
        let webhooks = self.operations("webhooks");
        if !webhooks.is_empty() {
            out.element("h2", "Webhooks");
        }
        for webhook in &webhooks {
            self.operation(out, webhook);
        }
        self.described_schemas(out);
    }

    fn servers(&self, out: &mut Html) {
        for server in items(self.whole, "servers") {
            let mut url = text(server, "url").to_owned();
            for (name, variable) in
                server.get("variables").and_then(Value::as_object).into_iter().flatten().take(20)
            {
                url = url.replace(&format!("{{{name}}}"), text(variable, "default"));
            }
            out.element("p", &format!("Server: {url} {}", text(server, "description")));
        }
        // As descriptions of version 2 have it.
        if !text(self.whole, "host").is_empty() {
            let scheme = items(self.whole, "schemes").next().and_then(Value::as_str).unwrap_or("https");
            out.element(
                "p",
                &format!("Server: {scheme}://{}{}", text(self.whole, "host"), text(self.whole, "basePath")),
            );
        }
    }

    /// Writes how callers say who they are.
    fn security(&self, out: &mut Html) {
        let schemes = self
            .whole
            .pointer("/components/securitySchemes")
            .or_else(|| self.whole.get("securityDefinitions"));
        let Some(schemes) = schemes.and_then(Value::as_object).filter(|s| !s.is_empty()) else { return };
        out.element("h2", "Authentication");
        for (name, scheme) in schemes {
            let scheme = self.schemas.resolved(scheme);
            out.element("h3", name);
            let means = match text(scheme, "type") {
                "apiKey" => format!("API key {} in the {}.", text(scheme, "name"), text(scheme, "in")),
                "http" => format!(
                    "HTTP authentication: {} {}",
                    text(scheme, "scheme"),
                    text(scheme, "bearerFormat")
                ),
                "openIdConnect" => format!("OpenID Connect: {}", text(scheme, "openIdConnectUrl")),
                kind => kind.to_owned(),
            };
            out.element("p", &means);
            out.markdown(text(scheme, "description"));
            for (flow, about) in scheme.get("flows").and_then(Value::as_object).into_iter().flatten() {
                let addresses = ["authorizationUrl", "tokenUrl"].map(|n| text(about, n)).join(" ");
                out.element("p", &format!("{flow}: {}", addresses.trim()));
                let scopes = about.get("scopes").and_then(Value::as_object);
                out.table(
                    &["Scope", "Description"],
                    scopes.into_iter().flatten().map(|(scope, about)| [scope.clone(), value_text(about)]),
                );
            }
        }
        if let Some(needed) = needs(self.whole) {
            out.element("p", &format!("Unless an operation says otherwise: {needed}"));
        }
    }

    /// The operations below a field of the description, in its order.
    fn operations(&self, field: &str) -> Vec<Operation<'v>> {
        let mut all = Vec::new();
        for (path, item) in self.whole.get(field).and_then(Value::as_object).into_iter().flatten() {
            let of_path = self.schemas.resolved(item);
            for method in METHODS {
                let Some(operation) = of_path.get(method) else { continue };
                all.push(Operation { path, method, of_path, operation });
            }
        }
        all
    }

    /// By the first tag of each: in the order in which the description lists them, then others as operations
    /// name them.
    fn by_tag<'o>(&self, operations: &'o [Operation<'v>]) -> Vec<(&'v str, Vec<&'o Operation<'v>>)> {
        let mut groups: Vec<(&str, Vec<&Operation<'_>>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let listed = items(self.whole, "tags").map(|t| (text(t, "name"), None));
        let named = operations
            .iter()
            .map(|o| (items(o.operation, "tags").next().and_then(Value::as_str).unwrap_or(""), Some(o)));
        for (tag, operation) in listed.chain(named) {
            let place = *places.entry(tag).or_insert_with(|| {
                groups.push((tag, Vec::new()));
                groups.len() - 1
            });
            if let Some((_, group)) = groups.get_mut(place) {
                group.extend(operation);
            }
        }
        groups.retain(|(_, group)| !group.is_empty());
        groups
    }

    fn operation(&self, out: &mut Html, o: &Operation<'v>) {
        if out.is_full() {
            return;
        }
        let (method, id, summary) =
            (o.method.to_ascii_uppercase(), text(o.operation, "operationId"), text(o.operation, "summary"));
        let call = format!("{method} {}", o.path);
        let is_webhook = !o.path.starts_with('/');
        let named = match () {
            () if is_webhook && !summary.is_empty() => format!("{}: {summary}", o.path),
            () if is_webhook => o.path.to_owned(),
            () => [summary, id, call.as_str()]
                .into_iter()
                .find(|n| !n.trim().is_empty())
                .unwrap_or("")
                .to_owned(),
        };
        out.element("h3", &named);
        out.element("pre", &call);
        if !id.is_empty() {
            out.element("p", &format!("Operation: {id}"));
        }
        if is_set(o.operation, "deprecated") {
            out.element("p", &format!("Deprecated: {}.", if id.is_empty() { call.as_str() } else { id }));
        }
        out.markdown(text(o.operation, "description"));
        if let Some(needed) = needs(o.operation) {
            out.element("p", &needed);
        }
        let parameters: Vec<&'v Value> = items(o.of_path, "parameters")
            .chain(items(o.operation, "parameters"))
            .map(|p| self.schemas.resolved(p))
            .collect();
        table(
            out,
            "Parameter",
            parameters.iter().copied().filter(|p| text(p, "in") != "body").map(|p| self.parameter(p)),
        );
        for body in parameters.iter().copied().filter(|p| text(p, "in") == "body") {
            self.body(out, "Request body", body);
        }
        if let Some(body) = o.operation.get("requestBody") {
            self.body(out, "Request body", self.schemas.resolved(body));
        }
        self.responses(out, o.operation);
    }

    fn parameter(&self, p: &'v Value) -> Row {
        let schema = self.schemas.resolved(p.get("schema").unwrap_or(p));
        let required = if is_set(p, "required") { "yes" } else { "no" };
        Row {
            name: text(p, "name").to_owned(),
            cells: [
                text(p, "in").to_owned(),
                kind_of(p.get("schema").unwrap_or(p)),
                required.to_owned(),
                schema.get("default").map(value_text).unwrap_or_default(),
                allowed(schema),
                example(p).or_else(|| example(schema)).unwrap_or_default(),
                line(if text(p, "description").is_empty() {
                    text(schema, "description")
                } else {
                    text(p, "description")
                }),
            ],
        }
    }

    fn responses(&self, out: &mut Html, operation: &'v Value) {
        let responses = operation.get("responses").and_then(Value::as_object);
        out.table(
            &["Status", "Description", "Content"],
            responses.into_iter().flatten().map(|(status, response)| {
                let response = self.schemas.resolved(response);
                [status.clone(), line(text(response, "description")), contents(response)]
            }),
        );
        for (status, response) in responses.into_iter().flatten() {
            for content in
                response.get("content").and_then(Value::as_object).into_iter().flat_map(|c| c.values())
            {
                self.example(out, &format!("Example of the response {status}:"), content);
            }
        }
    }

    /// Writes what a body holds, and its fields where they are described in place.
    fn body(&self, out: &mut Html, name: &str, body: &'v Value) {
        out.element("p", &format!("{name}: {}", contents(body)));
        out.markdown(text(body, "description"));
        let content =
            body.get("content").and_then(Value::as_object).and_then(|c| c.values().next()).unwrap_or(body);
        if let Some(schema) = content.get("schema").filter(|s| s.get("$ref").is_none()) {
            self.fields(out, schema);
        }
        self.example(out, "Example:", content);
    }

    fn example(&self, out: &mut Html, lead: &str, content: &Value) {
        if let Some(example) = example(content) {
            out.element("p", lead);
            out.element("pre", &example);
        }
    }

    fn described_schemas(&self, out: &mut Html) {
        let schemas = self.schemas.all();
        if schemas.is_some() {
            out.element("h2", "Schemas");
        }
        for (name, schema) in schemas.into_iter().flatten() {
            if out.is_full() {
                return;
            }
            out.element("h3", name);
            out.markdown(text(schema, "description"));
            if is_set(schema, "deprecated") {
                out.element("p", &format!("Deprecated: {name}."));
            }
            let fields: Vec<String> = self.schemas.fields(schema).map(|f| f.name.to_owned()).collect();
            let choices: Vec<String> =
                ["oneOf", "anyOf"].iter().flat_map(|f| items(schema, f)).map(kind_of).collect();
            match () {
                () if !fields.is_empty() => {
                    out.element("p", &format!("{name} has the fields {}.", fields.join(", ")))
                }
                () if !choices.is_empty() => {
                    out.element("p", &format!("{name} is one of {}.", choices.join(", ")))
                }
                () if !allowed(schema).is_empty() => {
                    out.element("p", &format!("{name} is {}: {}.", kind_of(schema), allowed(schema)))
                }
                () => out.element("p", &format!("{name}: {}", kind_of(schema))),
            }
            self.fields(out, schema);
            self.example(out, "Example:", schema);
        }
    }

    fn fields(&self, out: &mut Html, schema: &'v Value) {
        let row = |field: super::openapi_schema::Field<'v>| {
            let schema = self.schemas.resolved(field.schema);
            Row {
                name: field.name.to_owned(),
                cells: [
                    String::new(),
                    kind_of(field.schema),
                    if field.required { "yes" } else { "no" }.to_owned(),
                    [field.schema, schema]
                        .iter()
                        .find_map(|s| s.get("default"))
                        .map(value_text)
                        .unwrap_or_default(),
                    allowed(schema),
                    example(schema).unwrap_or_default(),
                    line(
                        [field.schema, schema]
                            .iter()
                            .map(|s| text(s, "description"))
                            .find(|d| !d.is_empty())
                            .unwrap_or(""),
                    ),
                ],
            }
        };
        table(out, "Field", self.schemas.fields(schema).map(row));
    }
}

struct Operation<'v> {
    path: &'v str,
    method: &'static str,
    of_path: &'v Value,
    operation: &'v Value,
}

/// A parameter or a field, and what [`COLUMNS`] say of it.
struct Row {
    name: String,
    cells: [String; COLUMNS.len()],
}

fn table(out: &mut Html, first: &str, rows: impl Iterator<Item = Row> + Clone) {
    let mut used = [false; COLUMNS.len()];
    for row in rows.clone() {
        used.iter_mut().zip(&row.cells).for_each(|(used, cell)| *used |= !cell.is_empty());
        if used.iter().skip(1).all(|u| *u) {
            break;
        }
    }
    let is_used = |column: usize| used.get(column).copied().unwrap_or(false);
    let heads: Vec<&str> = std::iter::once(first)
        .chain((0..).zip(COLUMNS).filter(|(c, _)| is_used(*c)).map(|(_, name)| name))
        .collect();
    let shown = |row: Row| {
        std::iter::once(row.name)
            .chain((0..).zip(row.cells).filter(|(c, _)| is_used(*c)).map(|(_, cell)| cell))
            .collect::<Vec<_>>()
    };
    out.table(&heads, rows.map(shown));
}

fn is_set(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_bool) == Some(true)
}

/// Returns a sentence with the ways of authentication that are needed.
fn needs(about: &Value) -> Option<String> {
    let ways = about.get("security")?.as_array()?;
    let names = |way: &Value| {
        way.as_object().map(|w| w.keys().cloned().collect::<Vec<_>>().join(" and ")).unwrap_or_default()
    };
    let named: Vec<String> = ways.iter().map(names).filter(|n| !n.is_empty()).collect();
    Some(if named.is_empty() {
        "Needs no authentication.".to_owned()
    } else {
        format!("Needs {}.", named.join(" or "))
    })
}

/// Media types of a body, and what they hold.
fn contents(body: &Value) -> String {
    let of = |(kind, content): (&String, &Value)| {
        format!("{kind} {}", content.get("schema").map(kind_of).unwrap_or_default()).trim().to_owned()
    };
    let all: Vec<String> =
        body.get("content").and_then(Value::as_object).into_iter().flatten().map(of).collect();
    match (all.is_empty(), body.get("schema")) {
        (true, Some(schema)) => kind_of(schema),
        _ => all.join(", "),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::write_html;

    const PETS: &str = "openapi: 3.0.0\ninfo:\n  title: Pets\n  description: All **pets** <b>.\ntags:\n  - \
        name: \
        pet\n    description: About pets\npaths:\n  /pets/{id}:\n    parameters:\n      - $ref: \
        '#/components/parameters/Id'\n    get:\n      tags: [pet]\n      operationId: getPet\n      \
        summary: Find a pet\n      responses:\n        '200':\n          description: The \
        pet\n          content:\n            application/json:\n              schema:\n                \
        $ref: '#/components/schemas/Pet'\n    delete:\n      deprecated: true\n      responses: \
        {}\ncomponents:\n  parameters:\n    Id:\n      name: id\n      in: path\n      required: \
        true\n      schema: {type: integer, format: int64}\n  schemas:\n    Pet:\n      required: \
        [name]\n      properties:\n        name: {type: string, description: What it is \
        called}\n        friends:\n          type: array\n          items: {$ref: \
        '#/components/schemas/Pet'}\n";

    #[test]
    fn operations_are_sections_with_what_they_take_and_give() {
        let made = write_html(PETS).unwrap();
        for part in [
            "<h1>Pets</h1>",
            "<h2>pet</h2>",
            "<h3>Find a pet</h3>",
            "<pre>GET /pets/{id}</pre>",
            "<td>id</td><td>path</td><td>integer (int64)</td><td>yes</td>",
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
    fn what_is_named_once_and_used_often_is_not_written_without_end() {
        let uses = "      - $ref: '#/components/parameters/P'\n".repeat(2000);
        let long = "word ".repeat(4000);
        for field in ["name", "description"] {
            let source = format!(
                "openapi: 3.0.0\npaths:\n  /a:\n    parameters:\n{uses}    get: {{}}\ncomponents:\n  \
                 parameters:\n    P: {{{field}: '{long}'}}\n"
            );
            assert!(write_html(&source).unwrap_err().contains("times its size"));
        }
    }

    #[test]
    fn limits_inherited_fields_webhooks_and_keys_are_read() {
        let source = r##"{"openapi": "3.1.0", "paths": {"/a": {"get": {"deprecated": true,
            "operationId": "getA", "parameters": [
            {"name": "n", "in": "query", "schema": {"type": "integer", "default": 25, "minimum": 1,
            "maximum": 200}},
            {"name": "s", "in": "query", "schema": {"$ref": "#/components/schemas/State"}}]}}},
            "webhooks": {"moored": {"post": {"summary": "A ship has moored"}}},
            "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key",
            "description": "Ask Ann."}},
            "schemas": {"State": {"enum": ["free", "taken"]},
            "Berth": {"properties": {"length": {"type": "number"}}, "required": ["length"]},
            "Deep": {"allOf": [{"$ref": "#/components/schemas/Berth"},
            {"properties": {"draught": {"minimum": 2}}}]},
            "Round": {"allOf": [{"$ref": "#/components/schemas/Round"}]}}}}"##;
        let made = write_html(source).unwrap();
        for part in [
            "<td>n</td><td>query</td><td>integer</td><td>no</td><td>25</td><td>1 to 200</td>",
            "<td>s</td><td>query</td><td>State</td><td>no</td><td></td><td>free, taken</td>",
            "<p>Deprecated: getA.</p>",
            "<h3>moored: A ship has moored</h3>",
            "<p>API key X-Key in the header.</p>",
            "<p>Ask Ann.</p>",
            "<p>Deep has the fields length, draught.</p>",
            "<td>length</td><td>number</td><td>yes</td>",
            "<td>draught</td><td></td><td>no</td><td>at least 2</td>",
        ] {
            assert!(made.contains(part), "{part} in {made}");
        }
    }

    #[test]
    fn what_is_no_description_is_refused() {
        for bad in ["{}", "{\"openapi\":", "a: b", "- 1", "a: &a [*a, *a]\nopenapi: *a", ""] {
            assert!(write_html(bad).is_err() || write_html(bad).unwrap().len() < 200, "{bad}");
        }
    }
}
