//! The JSON Schemas in docs/schema.
//!
//! A validator for the keywords that those schemas use; any other keyword is an error, so that no schema says
//! something that is not checked.

use crate::root;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fs;
use std::sync::LazyLock;

static SCHEMAS: LazyLock<HashMap<String, Value>> = LazyLock::new(|| {
    let folder = fs::read_dir(root().join("docs/schema")).expect("the schemas");
    let read = |path: std::path::PathBuf| {
        let name = path.file_name()?.to_str()?.to_owned();
        let text = fs::read_to_string(&path).ok()?;
        Some((name, serde_json::from_str(&text).expect("a schema is JSON")))
    };
    folder.filter_map(|entry| read(entry.ok()?.path())).collect()
});

/// Validates every line that a command printed with `--json`: by the schema of that name in docs/schema.
pub fn validate_lines(command: &str, out: &str) {
    let schema = format!("{command}.json");
    for line in out.lines() {
        let value: Value = serde_json::from_str(line).expect("a line is JSON");
        validate(&schema, &value);
    }
}

/// Whether a line is what the schema of that name in docs/schema describes; otherwise, what it is not.
pub fn line_holds(schema: &str, line: &str) -> Result<(), String> {
    let file = format!("{schema}.json");
    let whole = SCHEMAS.get(&file).ok_or_else(|| format!("no schema {file}"))?;
    let value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    check(whole, &file, &value)
}

/// The words of an `enum` in a schema in docs/schema; `at` is a JSON Pointer.
pub fn words(schema: &str, at: &str) -> Vec<String> {
    let found = SCHEMAS.get(schema).and_then(|schema| schema.pointer(at)).and_then(Value::as_array);
    let words = found.unwrap_or_else(|| panic!("{schema}{at} is not a list")).iter();
    words.map(|word| word.as_str().expect("a word").to_owned()).collect()
}

/// Validates a document.
pub fn validate(schema: &str, value: &Value) {
    let whole = SCHEMAS.get(schema).unwrap_or_else(|| panic!("no schema {schema}"));
    if let Err(fault) = check(whole, schema, value) {
        panic!("{schema}: {fault}\n{value:#}");
    }
}

fn check(rule: &Value, file: &str, value: &Value) -> Result<(), String> {
    let rule = rule.as_object().ok_or("a schema is an object")?;
    rule.iter().try_for_each(|(keyword, arg)| keyword_holds(rule, keyword, arg, file, value))
}

fn keyword_holds(
    rule: &Map<String, Value>,
    keyword: &str,
    arg: &Value,
    file: &str,
    value: &Value,
) -> Result<(), String> {
    let items = || arg.as_array().map(Vec::as_slice).unwrap_or_default();
    let number = || value.as_f64().zip(arg.as_f64());
    let holds = match keyword {
        "$schema" | "$id" | "$defs" | "title" | "description" => true,
        "$ref" => return referred(arg.as_str().unwrap_or_default(), file, value),
        "type" => match arg {
            Value::Array(types) => types.iter().any(|name| has_type(name, value)),
            name => has_type(name, value),
        },
        "enum" => items().contains(value),
        "const" => arg == value,
        "minimum" => number().is_none_or(|(value, least)| value >= least),
        "maximum" => number().is_none_or(|(value, most)| value <= most),
        "minItems" => value.as_array().is_none_or(|all| Some(all.len() as u64) >= arg.as_u64()),
        "maxItems" => value.as_array().is_none_or(|all| Some(all.len() as u64) <= arg.as_u64()),
        // The one pattern that there is: a fingerprint.
        "pattern" => value.as_str().is_some_and(|text| {
            text.strip_prefix("fnv1a128:").is_some_and(|digits| digits.len() == 32)
        }),
        "anyOf" => items().iter().any(|rule| check(rule, file, value).is_ok()),
        "oneOf" => items().iter().filter(|rule| check(rule, file, value).is_ok()).count() == 1,
        "required" => {
            items().iter().all(|name| name.as_str().is_some_and(|name| value.get(name).is_some()))
        }
        "items" => {
            return value
                .as_array()
                .into_iter()
                .flatten()
                .try_for_each(|item| check(arg, file, item));
        }
        "properties" => return fields(arg, file, value),
        "additionalProperties" => return others(rule, arg, file, value),
        other => return Err(format!("the keyword {other} is not one of those that are checked")),
    };
    match holds {
        true => Ok(()),
        false => Err(format!("{keyword} {arg} does not hold for {value}")),
    }
}

fn referred(to: &str, file: &str, value: &Value) -> Result<(), String> {
    let (named, pointer) = to.split_once('#').ok_or("a reference has a pointer")?;
    let file = if named.is_empty() { file } else { named };
    let rule = SCHEMAS.get(file).and_then(|schema| schema.pointer(pointer));
    check(rule.ok_or_else(|| format!("{to} is not there"))?, file, value)
}

fn has_type(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap_or_default() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

fn fields(rules: &Value, file: &str, value: &Value) -> Result<(), String> {
    let Some(fields) = value.as_object() else { return Ok(()) };
    fields.iter().try_for_each(|(name, field)| match rules.get(name) {
        Some(rule) => check(rule, file, field).map_err(|fault| format!("{name}: {fault}")),
        None => Ok(()),
    })
}

/// Fields that `properties` does not name.
fn others(rule: &Map<String, Value>, arg: &Value, file: &str, value: &Value) -> Result<(), String> {
    let known = rule.get("properties").and_then(Value::as_object);
    let fields = value.as_object().into_iter().flatten();
    let mut others =
        fields.filter(|(name, _)| !known.is_some_and(|known| known.contains_key(*name)));
    match arg {
        Value::Bool(false) => match others.next() {
            None => Ok(()),
            Some((name, _)) => Err(format!("the field {name} is not described")),
        },
        rule => others.try_for_each(|(_, field)| check(rule, file, field)),
    }
}

#[test]
fn the_validator_finds_faults() {
    let bound = serde_json::json!({ "kind": "events", "file": "a.c", "line": null, "count": 1 });
    let rule = serde_json::json!({ "$ref": "common.json#/$defs/bound" });
    assert_eq!(check(&rule, "x", &bound), Ok(()));
    for (field, wrong) in
        [("kind", "evens".into()), ("line", "3".into()), ("count", (-1).into()), ("more", 1.into())]
    {
        let mut bound = bound.clone();
        bound[field] = wrong;
        assert!(check(&rule, "x", &bound).is_err(), "{field}");
    }
    let mut short = bound.clone();
    short.as_object_mut().expect("an object").remove("line");
    assert!(check(&rule, "x", &short).is_err());
    assert!(check(&serde_json::json!({ "maxLength": 3 }), "x", &bound).is_err());
}
