//! JSON as a tree of bounded depth that keeps repeated fields.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

/// Maximum number of levels of lists and objects. Valid bodies have at most three.
const MAX_DEPTH: usize = 32;

/// A JSON value. Unlike `serde_json::Value`, this type keeps repeated fields. It does not store whether a
/// boolean is true.
pub(super) enum Node {
    Null,
    Bool,
    Integer(i128),
    /// A number with a fraction or an exponent, or a number that does not fit into 64 bits.
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    /// The type of the value in words.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Node::Null => "null",
            Node::Bool => "true or false",
            Node::Integer(_) => "a number",
            Node::Float(_) => "a number with a fraction",
            Node::Text(_) => "a text",
            Node::List(_) => "a list",
            Node::Object(_) => "an object",
        }
    }

    /// Whether a schema whose `type` is `name` allows the value.
    pub(super) fn has_type(&self, name: &str) -> bool {
        match self {
            Node::Null => name == "null",
            Node::Bool => name == "boolean",
            Node::Integer(_) => name == "integer" || name == "number",
            // A number that is too large for an integer is out of range, not of the wrong type.
            Node::Float(number) => name == "number" || name == "integer" && is_huge(*number),
            Node::Text(_) => name == "string",
            Node::List(_) => name == "array",
            Node::Object(_) => name == "object",
        }
    }
}

/// Whether a number is whole and its absolute value is larger than `u32::MAX`. If a schema has no maximum, such a
/// number counts as out of range: no valid request has a number of this size.
pub(super) fn is_huge(number: f64) -> bool {
    number.abs() > u32::MAX.into() && number.fract() == 0.0
}

/// Parses JSON. The error message says what is wrong, and calls the JSON text `subject`, for example `body`.
pub(super) fn read_tree(bytes: &[u8], subject: &str) -> Result<Node, String> {
    if bytes.trim_ascii().is_empty() {
        return Err(format!("the {subject} is empty; send a JSON object"));
    }
    if std::str::from_utf8(bytes).is_err() {
        return Err(format!("the {subject} is not UTF-8"));
    }
    if bytes.starts_with("\u{feff}".as_bytes()) {
        return Err(format!(
            "the {subject} begins with a byte order mark; send UTF-8 without one"
        ));
    }
    let is_too_deep = Cell::new(false);
    let reader = TreeReader {
        depth: 0,
        is_too_deep: &is_too_deep,
    };
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = reader.deserialize(&mut json);
    read.and_then(|node| json.end().map(|()| node))
        .map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            match error.classify() {
                _ if is_too_deep.get() => {
                    format!("the {subject} has more than {MAX_DEPTH} levels of lists and objects")
                }
                Category::Eof => {
                    format!("the JSON of the {subject} is not complete: it ends after {place}")
                }
                Category::Io | Category::Syntax | Category::Data => {
                    format!("the {subject} is not valid JSON: see {place}")
                }
            }
        })
}

/// Reads a [`Node`] of bounded depth.
#[derive(Clone, Copy)]
struct TreeReader<'c> {
    depth: usize,
    is_too_deep: &'c Cell<bool>,
}

impl TreeReader<'_> {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth == MAX_DEPTH {
            self.is_too_deep.set(true);
            return Err(E::custom("too deep"));
        }
        Ok(TreeReader {
            depth: self.depth + 1,
            ..self
        })
    }
}

impl<'de> DeserializeSeed<'de> for TreeReader<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TreeReader<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Bool)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Integer(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Integer(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Float(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let deeper = self.deeper()?;
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element_seed(deeper)? {
            nodes.push(node);
        }
        Ok(Node::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Node, A::Error> {
        let deeper = self.deeper()?;
        let mut fields = Vec::new();
        while let Some(name) = object.next_key::<String>()? {
            fields.push((name, object.next_value_seed(deeper)?));
        }
        Ok(Node::Object(fields))
    }
}
