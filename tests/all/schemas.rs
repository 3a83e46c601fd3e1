//! Input schemas of tools as pydantic and zod generate them: which values fit was decided by Python's `jsonschema`. Where that is
//! installed, its verdicts are compared again.

use std::io::Write as _;
use std::process::{Command, Stdio};

use document::json;
use document::text::Source;
use play::live::form::InputForm;
use play::live::schema::misfits;
use serde_json::Value;

const MODELS: &str = include_str!("schemas/models.json");

/// Prints the verdict on each value, in order.
const SCRIPT: &str = "
import json, sys, jsonschema, rfc3339_validator
for model in json.load(sys.stdin):
    of = jsonschema.validators.validator_for(model['schema'], default=jsonschema.Draft202012Validator)
    check = of(model['schema'], format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    for value in model['valid'] + model['invalid']:
        print(check.is_valid(value))
";

fn models() -> Vec<Value> {
    let models: Value = serde_json::from_str(MODELS).unwrap();
    models.as_array().unwrap().clone()
}

fn values<'m>(model: &'m Value, key: &str) -> impl Iterator<Item = &'m Value> {
    model[key].as_array().unwrap().iter()
}

#[test]
fn values_of_models_are_judged_as_jsonschema_does() {
    let mut wrong = Vec::new();
    for model in models() {
        let (schema, _) = json::parse(&Source::new(model["schema"].to_string()));
        for (key, is_valid) in [("valid", true), ("invalid", false)] {
            for value in values(&model, key) {
                let (tree, _) = json::parse(&Source::new(value.to_string()));
                let found = misfits(schema.root().unwrap(), tree.root().unwrap());
                if found.is_empty() != is_valid {
                    wrong.push(format!("{} {key} {value} {found:?}\n", model["name"]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn the_verdicts_are_those_of_the_installed_jsonschema() {
    let mut command = Command::new("python3");
    command.args(["-c", SCRIPT]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        return;
    };
    // It ends early where a module is missing.
    let _ = child.stdin.take().unwrap().write_all(MODELS.as_bytes());
    let output = child.wait_with_output().unwrap();
    if !output.status.success() {
        return;
    }
    let expected: String = models()
        .iter()
        .map(|model| {
            "True\n".repeat(values(model, "valid").count())
                + &"False\n".repeat(values(model, "invalid").count())
        })
        .collect();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[test]
fn a_form_that_is_filled_with_a_value_of_a_model_gives_it_back() {
    for model in models() {
        let (schema, _) = json::parse(&Source::new(model["schema"].to_string()));
        let name = model["name"].as_str().unwrap();
        let value = values(&model, "valid").next().unwrap();
        let (tree, _) = json::parse(&Source::new(value.to_string()));
        let mut form = InputForm::new(schema.root());
        assert!(!form.entries.is_empty(), "{name}");
        form.fill(tree.root().unwrap());
        let filled = form.to_input(schema.root());
        assert_eq!(filled.misfits, [], "{name}");
        // An optional null is left out.
        let mut expected = value.clone();
        expected.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        let mut json: Value = serde_json::from_str(&filled.json).unwrap();
        json.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        assert_eq!(json, expected, "{name}");
    }
}
