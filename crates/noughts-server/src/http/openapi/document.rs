//! Completes the description that utoipa generates, so that client generators can use it.
//!
//! Generators need a name for every object and a discriminator for every union. utoipa writes the variants of
//! a union inline and without discriminators.

use serde_json::{Map, Value, json};

use super::examples::examples;

/// The complete description as JSON.
pub(super) fn complete(description: &utoipa::openapi::OpenApi) -> Value {
    let mut document = serde_json::to_value(description).expect("a description is JSON");
    let schemas = document["components"]["schemas"]
        .as_object_mut()
        .expect("the API has schemas");
    add_nine_boards(schemas);
    let names: Vec<String> = schemas.keys().cloned().collect();
    for name in names {
        name_variants(schemas, &name);
        merge_variants(&mut schemas[&name]);
    }
    schemas["StreamMessage"]["properties"]["id"] = json!({
        "type": "string",
        "description": "Only over a WebSocket: the id of the message that this one answers.",
    });
    schemas["StreamMessage"]["maxProperties"] = json!(2);
    for (name, example) in examples() {
        schemas[name]["examples"] = json!([example]);
    }
    document["servers"] = json!([{"url": "/", "description": "this server"}]);
    document
}

/// Adds the fields of `NineBoards` to the schemas `View` and `Change` as optional fields. utoipa would make the
/// fields of a flattened struct required.
fn add_nine_boards(schemas: &mut Map<String, Value>) {
    let fields = schemas["NineBoards"]["properties"].clone();
    for name in ["View", "Change"] {
        let properties = schemas[name]["properties"].as_object_mut();
        let fields = fields.as_object().into_iter().flatten();
        let fields = fields.map(|(name, schema)| (name.clone(), schema.clone()));
        properties
            .into_iter()
            .for_each(|properties| properties.extend(fields.clone()));
    }
}

/// Makes each variant of a tagged union a schema whose name is the variant's title, and adds a discriminator to the
/// union.
fn name_variants(schemas: &mut Map<String, Value>, union: &str) {
    let variants = schemas[union]["oneOf"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let tags: Option<Vec<(&str, &str, &str)>> = variants.iter().map(tag).collect();
    let Some(tags) = tags.filter(|tags| !tags.is_empty()) else {
        return;
    };
    let (property, ..) = tags[0];
    let place = |title: &str| format!("#/components/schemas/{title}");
    let references = tags.iter().map(|(.., title)| json!({"$ref": place(title)}));
    let mapping = tags
        .iter()
        .map(|(_, value, title)| ((*value).to_owned(), place(title).into()));
    schemas[union]["oneOf"] = references.collect();
    schemas[union]["discriminator"] =
        json!({"propertyName": property, "mapping": mapping.collect::<Map<_, _>>()});
    for ((.., title), variant) in tags.iter().zip(&variants) {
        schemas.insert((*title).to_owned(), variant.clone());
    }
}

/// The tag of a variant: the name and the value of the tag's property, and the variant's title. `None` if the variant
/// has no title or no tag.
fn tag(variant: &Value) -> Option<(&str, &str, &str)> {
    let title = variant["title"].as_str()?;
    let properties = variant["properties"].as_object()?;
    let mut tags = properties.iter().filter_map(|(name, schema)| {
        let is_tag = ["kind", "state"].contains(&name.as_str());
        let [value] = &schema["enum"].as_array()?[..] else {
            return None;
        };
        is_tag.then_some((name.as_str(), value.as_str()?, title))
    });
    tags.next()
}

/// Turns a union of objects with one field each, such as `{"human":…}` and `{"robot":…}`, into one object
/// that has exactly one of these fields.
fn merge_variants(schema: &mut Value) {
    let variants = schema["oneOf"].as_array().cloned().unwrap_or_default();
    let field = |variant: &Value| {
        let fields = variant["properties"].as_object()?;
        let (name, field) = fields.iter().next().filter(|_| fields.len() == 1)?;
        let mut field = field.clone();
        if let (Some(about), None) = (variant.get("description"), field.get("$ref")) {
            field["description"] = about.clone();
        }
        Some((name.clone(), field))
    };
    let fields: Option<Map<String, Value>> = variants.iter().map(field).collect();
    let Some(fields) = fields.filter(|fields| !fields.is_empty()) else {
        return;
    };
    let about = schema["description"].clone();
    *schema = json!({
        "type": "object", "description": about, "properties": fields,
        "minProperties": 1, "maxProperties": 1,
    });
}
