//! Explains why a body or query is invalid: which field is wrong, and what is allowed there.
//!
//! serde parses each JSON body first. serde is fast, but its messages are not meant for users. If serde fails, or if
//! the body is a list, this module compares the body with the schema of the expected type. The OpenAPI description has
//! the same schema. Query parameters are compared with their schemas before serde parses them.

mod json_tree;

use std::collections::HashSet;

use noughts_api::{FieldError, FieldLocation, ProblemKind};
use noughts_rules::Quoted;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::Parameter;
use utoipa::openapi::schema::Schema;
use utoipa::{IntoParams, ToSchema};

use super::error::{ApiError, api_error};
use json_tree::{Node, is_huge, read_tree};

/// Maximum number of wrong fields that a response lists.
const MAX_ERRORS: usize = 8;

/// Maximum length of a field name in a JSON pointer, in bytes. Longer names are left out of the pointer.
const MAX_NAME_BYTES: usize = 100;

/// Explains why JSON is not a valid `T`. The explanation calls the JSON text `subject`, for example `body`.
pub(super) fn explain_json<T: DeserializeOwned + ToSchema>(
    bytes: &[u8],
    subject: &str,
) -> ApiError {
    let node = match read_tree(bytes, subject) {
        Ok(node) => node,
        Err(detail) => return api_error(ProblemKind::BadJson, detail),
    };
    if !matches!(node, Node::Object(_)) {
        let detail = format!(
            "the {subject} must be a JSON object, not {}",
            node.type_name()
        );
        return api_error(ProblemKind::NotAnObject, detail);
    }
    let (schema, schemas) = (to_value(&T::schema()), schemas_of::<T>());
    let mut check = Check::new(FieldLocation::Body, &schemas);
    check.value(&schema, &node, "");
    check.into_error(|| not_allowed::<T>(bytes))
}

/// The error for a value that matches its schema but is still not allowed. For example, a number may be too
/// large for its type.
fn not_allowed<T: DeserializeOwned>(bytes: &[u8]) -> ApiError {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let place = serde_path_to_error::deserialize::<_, T>(&mut json).err();
    let path = place.as_ref().map(serde_path_to_error::Error::path);
    let segments = path.into_iter().flat_map(|path| path.iter());
    let pointer: String = segments
        .map(|segment| pointer_to("", &segment.to_string()))
        .collect();
    let pointer = pointer.replace("/[", "/").replace(']', "");
    let value: Option<Value> = serde_json::from_slice(bytes).ok();
    let is_number =
        value.is_some_and(|value| value.pointer(&pointer).is_some_and(Value::is_number));
    let (kind, what) = match is_number {
        true => (ProblemKind::OutOfRange, "is too large"),
        false => (ProblemKind::WrongType, "has a value that is not allowed"),
    };
    let detail = format!(
        "{} {what}; /api/openapi.json describes all fields",
        field(&pointer)
    );
    api_error(kind, detail).in_body(pointer)
}

/// Checks query parameters against the schemas of `T`. serde alone would ignore unknown parameters.
pub(super) fn check_query<T: IntoParams>(pairs: &[(String, String)]) -> Result<(), ApiError> {
    let schema_of = |parameter: Parameter| {
        let schema = parameter.schema.as_ref().map(to_value);
        (parameter.name, schema.unwrap_or_default())
    };
    let known: Vec<(String, Value)> = T::into_params(|| None).into_iter().map(schema_of).collect();
    let mut check = Check::new(FieldLocation::Query, &[]);
    let mut seen = HashSet::new();
    for (name, text) in pairs {
        if !seen.insert(name) {
            check.repeated(name, "");
        }
        match known.iter().find(|(known, _)| known == name) {
            Some((name, schema)) => check.parameter(name, schema, text),
            None => check.unknown(name, "", known.iter().map(|(name, _)| name.as_str())),
        }
    }
    match check.faults.is_empty() {
        true => Ok(()),
        false => Err(check.into_error(unreadable_query)),
    }
}

/// The error for a query that cannot be parsed, if it is not known which parameter is wrong.
pub(super) fn unreadable_query() -> ApiError {
    let detail =
        "a parameter has a value that is not allowed; /api/openapi.json describes all parameters";
    api_error(ProblemKind::WrongType, detail)
}

/// The names and schemas of the types that `T` contains.
fn schemas_of<T: ToSchema>() -> Vec<(String, Value)> {
    let mut schemas: Vec<(String, RefOr<Schema>)> = Vec::new();
    T::schemas(&mut schemas);
    let schemas = schemas.into_iter();
    schemas
        .map(|(name, schema)| (name, to_value(&schema)))
        .collect()
}

fn to_value(schema: &RefOr<Schema>) -> Value {
    serde_json::to_value(schema).unwrap_or_default()
}

/// Compares a request with the schemas of its fields.
struct Check<'s> {
    location: FieldLocation,
    /// The schemas to which a `$ref` may refer, with their names.
    schemas: &'s [(String, Value)],
    faults: Vec<(ProblemKind, FieldError)>,
}

impl<'s> Check<'s> {
    fn new(location: FieldLocation, schemas: &'s [(String, Value)]) -> Check<'s> {
        Check {
            location,
            schemas,
            faults: Vec::new(),
        }
    }

    /// Returns an error with all wrong fields that were found. If there are none, returns the error that
    /// `otherwise` creates.
    fn into_error(self, otherwise: impl FnOnce() -> ApiError) -> ApiError {
        let Some((kind, first)) = self.faults.first() else {
            return otherwise();
        };
        let mut error = api_error(*kind, &first.detail);
        error.problem.errors = self.faults.into_iter().map(|(_, fault)| fault).collect();
        error
    }

    fn fault(&mut self, kind: ProblemKind, pointer: &str, detail: String) {
        if !self.is_full() {
            let fault = FieldError {
                location: self.location,
                pointer: pointer.to_owned(),
                detail,
            };
            self.faults.push((kind, fault));
        }
    }

    /// Whether the maximum number of wrong fields was found.
    fn is_full(&self) -> bool {
        self.faults.len() >= MAX_ERRORS
    }

    fn unknown<'n>(&mut self, name: &str, object: &str, known: impl Iterator<Item = &'n str>) {
        let what = match self.location {
            FieldLocation::Query => "parameter",
            _ => "field",
        };
        let known = list(known);
        let place = match object {
            "" => "here".to_owned(),
            object => format!("in {}", field(object)),
        };
        let detail = format!(
            "there is no {what} {} {place}; there is {known}",
            Quoted::from(name)
        );
        self.fault(ProblemKind::UnknownField, &pointer_to(object, name), detail);
    }

    fn repeated(&mut self, name: &str, object: &str) {
        let pointer = pointer_to(object, name);
        let detail = format!("{} appears twice; send it once", field(&pointer));
        self.fault(ProblemKind::RepeatedField, &pointer, detail);
    }

    /// Checks a query parameter against its schema.
    fn parameter(&mut self, name: &str, schema: &'s Value, text: &str) {
        let types = types_of(schema);
        let node = match text.parse() {
            Ok(number) if types.contains(&"integer") => Node::Integer(number),
            _ if types.contains(&"integer") && is_number(text) => Node::Float(f64::MAX),
            _ if types.contains(&"boolean") && matches!(text, "true" | "false") => Node::Bool,
            _ => Node::Text(text.to_owned()),
        };
        self.value(schema, &node, &pointer_to("", name));
    }

    /// Checks a value against a schema.
    fn value(&mut self, schema: &'s Value, node: &Node, pointer: &str) {
        if self.is_full() {
            return;
        }
        let schema = self.resolve(schema);
        for part in children(schema, "allOf") {
            self.value(part, node, pointer);
        }
        for union in ["oneOf", "anyOf"] {
            let options = children(schema, union).iter();
            let options: Vec<&Value> = options.map(|option| self.resolve(option)).collect();
            if !options.is_empty() {
                return self.union(schema, &options, node, pointer);
            }
        }
        let types = types_of(schema);
        if !types.is_empty() && !types.iter().any(|name| node.has_type(name)) {
            let wanted = alternatives(
                types
                    .into_iter()
                    .filter(|name| *name != "null")
                    .map(type_in_words),
            );
            let detail = format!(
                "{} must be {wanted}, not {}",
                field(pointer),
                node.type_name()
            );
            self.fault(ProblemKind::WrongType, pointer, detail);
            return;
        }
        match node {
            Node::Null | Node::Bool => {}
            Node::Integer(number) => {
                self.range(schema, *number as f64, &number.to_string(), pointer);
            }
            Node::Float(number) => self.range(schema, *number, "that", pointer),
            Node::Text(text) => self.text(schema, text, pointer),
            Node::List(nodes) => {
                self.length(schema, ("minItems", "maxItems"), nodes.len(), pointer);
                let Some(items) = schema.get("items") else {
                    return;
                };
                for (index, node) in nodes.iter().enumerate() {
                    self.value(items, node, &format!("{pointer}/{index}"));
                }
            }
            Node::Object(fields) => self.object(schema, fields, pointer),
        }
    }

    fn range(&mut self, schema: &Value, number: f64, written: &str, pointer: &str) {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        let (least, most) = (bound("minimum"), bound("maximum"));
        let is_large = most.map_or(is_huge(number), |most| number > most);
        if is_large || least.is_some_and(|least| number < least) {
            let range = range_in_words(least, most);
            let detail = format!("{} must be {range}, not {written}", field(pointer));
            self.fault(ProblemKind::OutOfRange, pointer, detail);
        }
    }

    fn text(&mut self, schema: &Value, text: &str, pointer: &str) {
        let words: Vec<&str> = children(schema, "enum")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        if !words.is_empty() && !words.contains(&text) {
            let words = alternatives(words.into_iter());
            let detail = format!(
                "{} must be {words}, not {}",
                field(pointer),
                Quoted::from(text)
            );
            self.fault(ProblemKind::UnknownValue, pointer, detail);
        }
        self.length(
            schema,
            ("minLength", "maxLength"),
            text.chars().count(),
            pointer,
        );
    }

    /// Checks the number of characters in a text, or the number of items in a list.
    fn length(
        &mut self,
        schema: &Value,
        (least, most): (&str, &str),
        length: usize,
        pointer: &str,
    ) {
        let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
        let (least, most) = (bound(least), bound(most));
        let fits = |length| {
            least.is_none_or(|least| length >= least) && most.is_none_or(|most| length <= most)
        };
        if !fits(length as u64) {
            let range = range_in_words(least.map(|n| n as f64), most.map(|n| n as f64));
            let detail = format!(
                "the length of {} must be {range}, not {length}",
                field(pointer)
            );
            self.fault(ProblemKind::OutOfRange, pointer, detail);
        }
    }

    fn object(&mut self, schema: &'s Value, fields: &[(String, Node)], pointer: &str) {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return;
        };
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let mut seen = HashSet::new();
        for (name, node) in fields {
            if self.is_full() {
                return;
            }
            if !seen.insert(name) {
                self.repeated(name, pointer);
            }
            let known = properties
                .get(name)
                .or_else(|| properties.get(aliased(name)));
            match known {
                Some(schema) => self.value(schema, node, &pointer_to(pointer, name)),
                None if is_closed => {
                    self.unknown(name, pointer, properties.keys().map(String::as_str));
                }
                None => {}
            }
        }
        for name in children(schema, "required")
            .iter()
            .filter_map(Value::as_str)
        {
            let is_it = |(field, _): &(String, Node)| field == name || aliased(field) == name;
            if !fields.iter().any(is_it) {
                let pointer = pointer_to(pointer, name);
                let detail = format!("{} is missing", field(&pointer));
                self.fault(ProblemKind::MissingField, &pointer, detail);
            }
        }
    }

    /// Checks a value that must match one of several schemas.
    fn union(&mut self, schema: &'s Value, options: &[&'s Value], node: &Node, pointer: &str) {
        let is_null = |option: &Value| types_of(option) == ["null"];
        if matches!(node, Node::Null) && options.iter().any(|option| is_null(option)) {
            return;
        }
        let options = options.iter().copied();
        let options: Vec<&Value> = options.filter(|option| !is_null(option)).collect();
        if let [option] = options[..] {
            return self.value(option, node, pointer);
        }
        if let Some(name) = schema["discriminator"]["propertyName"].as_str() {
            return self.tagged(name, &options, node, pointer);
        }
        let single: Vec<Option<&str>> = options
            .iter()
            .map(|option| single_property(option))
            .collect();
        if let Some(names) = single.into_iter().collect::<Option<Vec<_>>>() {
            return self.one_property(&names, &options, node, pointer);
        }
        let fitting = options.iter().find(|option| {
            let types = types_of(option);
            types.is_empty() || types.iter().any(|name| node.has_type(name))
        });
        match fitting {
            Some(option) => self.value(option, node, pointer),
            None => {
                let types = options.iter().flat_map(|option| types_of(option));
                let wanted = alternatives(types.map(type_in_words));
                let detail = format!(
                    "{} must be {wanted}, not {}",
                    field(pointer),
                    node.type_name()
                );
                self.fault(ProblemKind::WrongType, pointer, detail);
            }
        }
    }

    /// Checks an object that must match one of the schemas `options`. The object's field `name` says which schema.
    fn tagged(&mut self, name: &str, options: &[&'s Value], node: &Node, pointer: &str) {
        let Node::Object(fields) = node else {
            let detail = format!(
                "{} must be an object, not {}",
                field(pointer),
                node.type_name()
            );
            return self.fault(ProblemKind::WrongType, pointer, detail);
        };
        let tag_of = |option: &'s Value| -> Option<&'s str> {
            let tag = self.resolve(&option["properties"][name]);
            let word = children(tag, "enum").first().or(tag.get("const"));
            word.and_then(Value::as_str)
        };
        let tagged: Vec<(&str, &Value)> = options
            .iter()
            .filter_map(|option| Some((tag_of(option)?, *option)))
            .collect();
        let place = pointer_to(pointer, name);
        let words = alternatives(tagged.iter().map(|(tag, _)| *tag));
        let text = match fields.iter().find(|(field, _)| field == name) {
            Some((_, Node::Text(text))) => text,
            Some((_, other)) => {
                let detail = format!(
                    "{} must be {words}, not {}",
                    field(&place),
                    other.type_name()
                );
                return self.fault(ProblemKind::WrongType, &place, detail);
            }
            None => {
                let detail = format!("{} is missing; it must be {words}", field(&place));
                return self.fault(ProblemKind::MissingField, &place, detail);
            }
        };
        match tagged.iter().find(|(tag, _)| tag == text) {
            Some((_, option)) => self.value(option, node, pointer),
            None => {
                let detail = format!(
                    "{} must be {words}, not {}",
                    field(&place),
                    Quoted::from(text.as_str())
                );
                self.fault(ProblemKind::UnknownValue, &place, detail);
            }
        }
    }

    /// Checks an object that must have exactly one of several fields. `options` has a schema for each field in `names`.
    fn one_property(&mut self, names: &[&str], options: &[&'s Value], node: &Node, pointer: &str) {
        let Node::Object(fields) = node else {
            let detail = format!(
                "{} must be an object with one of {}, not {}",
                field(pointer),
                list(names.iter().copied()),
                node.type_name()
            );
            return self.fault(ProblemKind::WrongType, pointer, detail);
        };
        match &fields[..] {
            [(name, _)] => match names.iter().position(|known| known == name) {
                Some(index) => self.value(options[index], node, pointer),
                None => self.unknown(name, pointer, names.iter().copied()),
            },
            _ => {
                let detail = format!(
                    "{} must have exactly one of {}",
                    field(pointer),
                    list(names.iter().copied())
                );
                self.fault(ProblemKind::NotOneOf, pointer, detail);
            }
        }
    }

    /// The schema to which `schema` refers, or `schema` itself if it is not a reference.
    fn resolve(&self, schema: &'s Value) -> &'s Value {
        let name = schema.get("$ref").and_then(Value::as_str);
        let name = name.and_then(|path| path.rsplit('/').next());
        let known = name.and_then(|name| self.schemas.iter().find(|(known, _)| known == name));
        known.map_or(schema, |(_, schema)| schema)
    }
}

/// Returns `after` for `turn`, which was the name of this field in older versions. Returns any other name unchanged.
fn aliased(name: &str) -> &str {
    match name {
        "turn" => "after",
        name => name,
    }
}

/// The name of a schema's only property, if the schema has one property and requires it. Otherwise `None`.
fn single_property(schema: &Value) -> Option<&str> {
    let properties = schema.get("properties")?.as_object()?;
    let name = properties.keys().next()?;
    let is_needed = children(schema, "required")
        .iter()
        .any(|needed| needed == name);
    (properties.len() == 1 && is_needed).then_some(name)
}

fn children<'s>(schema: &'s Value, name: &str) -> &'s [Value] {
    let list = schema.get(name).and_then(Value::as_array);
    list.map(Vec::as_slice).unwrap_or_default()
}

/// The types that a schema allows: its `type` is one name or a list of names.
fn types_of(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn type_in_words(name: &str) -> &str {
    match name {
        "integer" => "a whole number",
        "number" => "a number",
        "string" => "a text",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        other => other,
    }
}

fn range_in_words(least: Option<f64>, most: Option<f64>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("{least} or more, but not so large"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => "smaller".to_owned(),
    }
}

/// A field as it appears in a message: `"history"`, or `"seats/0/robot"` if the field is nested.
fn field(pointer: &str) -> Quoted {
    Quoted::from(pointer.strip_prefix('/').unwrap_or(pointer))
}

fn pointer_to(object: &str, name: &str) -> String {
    match name.len() <= MAX_NAME_BYTES {
        true => format!("{object}/{}", name.replace('~', "~0").replace('/', "~1")),
        false => object.to_owned(),
    }
}

/// Joins names: `"a", "b" and "c"`.
fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    join(names.map(|name| format!("{name:?}")).collect(), " and ")
}

/// Joins names: `a, b or c`.
fn alternatives<'n>(names: impl Iterator<Item = &'n str>) -> String {
    join(names.map(str::to_owned).collect(), " or ")
}

fn join(mut names: Vec<String>, last: &str) -> String {
    match (names.pop(), names.is_empty()) {
        (None, _) => "none".to_owned(),
        (Some(only), true) => only,
        (Some(end), false) => format!("{}{last}{end}", names.join(", ")),
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use noughts_api::{ActionRequest, GameRecord, Hello, NewPlayer, NewTable, TakeSeat};
    use proptest::prelude::*;

    use super::*;

    /// Returns the explanation if the body is a list or is not a valid `T`.
    fn explained<T: DeserializeOwned + ToSchema>(body: &str) -> Option<ApiError> {
        let is_list = body.starts_with('[');
        let is_read = serde_json::from_str::<T>(body).is_ok() && !is_list;
        (!is_read).then(|| explain_json::<T>(body.as_bytes(), "body"))
    }

    /// Generates JSON that looks like a request: it has names of real fields, with values of any type.
    fn json() -> impl Strategy<Value = String> {
        let word = prop::sample::select(vec![
            "variant", "history", "seats", "take", "from", "game", "turn", "after", "human",
            "robot", "open", "play", "rewind", "resign", "id", "token", "name", "bot", "noughts",
            "turns", "result", "symbol", "kind", "seat", "move", "count", "lobby", "3x3k3",
            "\u{e9}~/",
        ]);
        let leaf = prop_oneof![
            Just("null".to_owned()),
            any::<bool>().prop_map(|value| value.to_string()),
            any::<i64>().prop_map(|value| value.to_string()),
            (-3_i64..300).prop_map(|value| value.to_string()),
            Just("1.5".to_owned()),
            Just("1e30".to_owned()),
            word.clone().prop_map(|word| format!("{word:?}")),
        ];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            let field = (word.clone(), inner.clone());
            let field = field.prop_map(|(name, value)| format!("{name:?}:{value}"));
            let fields = prop::collection::vec(field, 0..4);
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(|list| format!("[{}]", list.join(","))),
                fields.prop_map(|fields| format!("{{{}}}", fields.join(","))),
            ]
        })
    }

    proptest! {
        /// Every body that is a list or that serde refuses gets an explanation. The explanation names a field, or says
        /// that the body must be an object.
        #[test]
        fn every_refused_body_is_explained(body in json()) {
            let explained = [
                explained::<NewTable>(&body),
                explained::<TakeSeat>(&body),
                explained::<ActionRequest>(&body),
                explained::<GameRecord>(&body),
                explained::<Hello>(&body),
                explained::<NewPlayer>(&body),
            ];
            for error in explained.into_iter().flatten() {
                let problem = &error.problem;
                let is_whole = error.kind == ProblemKind::NotAnObject;
                prop_assert!(is_whole || !problem.errors.is_empty(), "{body}: {problem:?}");
                for word in ["expected", "invalid", "`", "struct"] {
                    prop_assert!(!problem.detail.contains(word), "{body}: {problem:?}");
                }
                // The message of `not_allowed` gives no reason, so it must not appear here.
                let is_vague = problem.detail.contains("has a value that is not allowed");
                prop_assert!(!is_vague, "{body}: {problem:?}");
            }
        }
    }
}
