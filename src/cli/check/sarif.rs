//! SARIF 2.1.0, for code scanning services and editors.
//!
//! All rules are listed in a fixed order, also those without results. Paths are relative to the project root, which is in
//! `originalUriBaseIds`. A fingerprint does not change when lines are added above the problem.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::report::{CheckReport, CheckedFile, Fingerprints};
use calls::file_part::FilePart;
use check::rule;
use document::{Problem, RuleId};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifLog<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun<'a> {
    tool: Member<Driver>,
    invocations: [Member<bool>; 1],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    original_uri_base_ids: BTreeMap<String, Member<String>>,
    column_kind: &'static str,
    results: Vec<SarifResult<'a>>,
}

/// An object with one member.
type Member<T> = BTreeMap<&'static str, T>;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    information_uri: &'static str,
    rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    short_description: Member<String>,
    full_description: Member<String>,
    help: Member<String>,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
    /// Left out for a rule that is on, as the standard says.
    #[serde(skip_serializing_if = "is_on")]
    enabled: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'a> {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Member<String>,
    locations: [SarifLocation<'a>; 1],
    partial_fingerprints: Member<String>,
    /// Members of Retake's own. A link is none of the standard's: `fullyQualifiedName` has the pointer of the value, and `hostedViewerUri` must be
    /// an absolute URI, which opens a site and not a program. `retake LINK`, from the project root, shows the call, the chunk or the line.
    properties: Member<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifLocation<'a> {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    logical_locations: Option<[Member<&'a str>; 1]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
}

pub(super) fn document<'a>(report: &CheckReport<'a>) -> SarifLog<'a> {
    let bases = Bases::of(report);
    let mut fingerprints = Fingerprints::default();
    let results = report
        .problems()
        .map(|(file, problem)| SarifResult {
            rule_id: problem.rule.as_str(),
            // The list of rules in the driver has the same order.
            rule_index: RuleId::ALL.iter().position(|id| *id == problem.rule).unwrap_or_default(),
            level: problem.severity.as_str(),
            message: message(problem),
            locations: [location(file, problem, &bases)],
            partial_fingerprints: member("retake/v1", fingerprints.next(file.item, problem)),
            properties: member(
                "link",
                FilePart::of_problem(file.item, problem).link(file.item.root_path()),
            ),
        })
        .collect();
    SarifLog {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [SarifRun {
            tool: member("driver", driver()),
            // Findings do not make an invocation fail; paths that could not be opened do.
            invocations: [member("executionSuccessful", report.is_complete)],
            original_uri_base_ids: bases.uris(),
            // Columns count characters; SARIF's default is UTF-16 code units.
            column_kind: "unicodeCodePoints",
            results,
        }],
    }
}

fn driver() -> Driver {
    Driver {
        name: "Retake",
        version: document::program::VERSION,
        semantic_version: document::program::VERSION,
        information_uri: document::program::REPOSITORY,
        rules: RuleId::ALL.iter().map(|id| descriptor(*id)).collect(),
    }
}

fn descriptor(id: RuleId) -> Descriptor {
    let rule = rule(id);
    Descriptor {
        id: id.as_str(),
        short_description: sarif_text(format!("{}.", rule.title)),
        full_description: sarif_text(rule.text()),
        help: sarif_text(rule.fix),
        default_configuration: Configuration {
            level: id.default_level().as_str(),
            enabled: !id.is_off_by_default(),
        },
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_on(enabled: &bool) -> bool {
    *enabled
}

fn member<T>(name: &'static str, value: T) -> Member<T> {
    BTreeMap::from([(name, value)])
}

fn sarif_text(text: impl Into<String>) -> Member<String> {
    member("text", text.into())
}

/// The message, and the problem's own help, if any. The help of the rule is in the list of rules.
fn message(problem: &Problem) -> Member<String> {
    match &problem.help {
        Some(help) => sarif_text(format!("{}.\n\n{help}", problem.message)),
        None => sarif_text(&*problem.message),
    }
}

fn location<'a>(file: &CheckedFile<'a>, problem: &'a Problem, bases: &Bases) -> SarifLocation<'a> {
    let place_name = member("fullyQualifiedName", &*problem.pointer);
    SarifLocation {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation {
                uri: encoded(file.item.root_path()),
                uri_base_id: file.root.and_then(|root| bases.id(root)),
            },
            region: Region { start_line: problem.place.line, start_column: problem.place.column },
        },
        // An empty pointer is the whole file, which the physical location says already.
        logical_locations: (!problem.pointer.is_empty()).then_some([place_name]),
    }
}

/// The project roots of all files, each with an id.
struct Bases<'a>(Vec<&'a Path>);

impl<'a> Bases<'a> {
    fn of(report: &CheckReport<'a>) -> Self {
        let mut roots = Vec::new();
        for root in report.files.iter().filter_map(|file| file.root) {
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        Self(roots)
    }

    fn id(&self, root: &Path) -> Option<String> {
        let number = self.0.iter().position(|r| *r == root)?;
        Some(Self::name(number))
    }

    fn name(number: usize) -> String {
        match number {
            // Without a number for the usual single project.
            0 => "ROOT".to_owned(),
            number => format!("ROOT{}", number + 1),
        }
    }

    fn uris(&self) -> BTreeMap<String, Member<String>> {
        let uri = |root: &Path| {
            let path = root.to_string_lossy().replace('\\', "/");
            // A base must end in exactly one slash, or the last folder is replaced when a path is resolved.
            let path = encoded(path.trim_matches('/'));
            match path.as_str() {
                "" => "file:///".to_owned(),
                path => format!("file:///{path}/"),
            }
        };
        let roots = self.0.iter().enumerate();
        roots.map(|(number, root)| (Self::name(number), member("uri", uri(root)))).collect()
    }
}

/// A path as a URI reference: all but letters, digits, `-._~` and `/` is percent-encoded.
pub(super) fn encoded(path: &str) -> String {
    use std::fmt::Write as _;
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::check::report::testing::{items, report};
    use calls::Item;

    fn log(report: &CheckReport) -> Value {
        serde_json::to_value(document(report)).unwrap()
    }

    #[test]
    fn a_finding_names_its_rule_file_and_place() {
        let log = log(&report(&items()));
        let run = &log["runs"][0];
        let result = serde_json::to_string_pretty(&run["results"][1]).unwrap();
        insta::assert_snapshot!(result, @r#"
        {
          "level": "warning",
          "locations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "fixtures/set/a%2C%2050%25%20%3Cb%3E.json",
                  "uriBaseId": "ROOT"
                },
                "region": {
                  "startColumn": 2,
                  "startLine": 9
                }
              }
            }
          ],
          "message": {
            "text": "The source has changed.\n\n1. Review: it\n2. Regenerate"
          },
          "partialFingerprints": {
            "retake/v1": "338255ced184b03844874101ed252471"
          },
          "properties": {
            "link": "fixtures/set/a, 50% <b>.json#line=9"
          },
          "ruleId": "source-stale",
          "ruleIndex": 16
        }
        "#);
        insta::assert_snapshot!(run["originalUriBaseIds"], @r#"{"ROOT":{"uri":"file:///home/a%20b/"}}"#);
    }

    #[test]
    fn fingerprints_survive_added_lines_and_are_unique() {
        let fingerprints = |items: &[Item]| {
            let log = log(&report(items));
            let results = log["runs"][0]["results"].as_array().unwrap().iter();
            let fingerprint =
                |r: &Value| r["partialFingerprints"]["retake/v1"].as_str().map(str::to_owned);
            results.map(|r| fingerprint(r).unwrap()).collect::<Vec<_>>()
        };
        let mut items = items();
        let problem = items[0].problems[0].clone();
        items[0].change_problems(|problems| problems.push(problem));
        let old_fingerprints = fingerprints(&items);
        for problem in std::sync::Arc::make_mut(&mut items[0].problems) {
            problem.place.line += 10;
        }
        assert_eq!(old_fingerprints, fingerprints(&items));
        let distinct_fingerprints: std::collections::BTreeSet<_> =
            old_fingerprints.iter().collect();
        assert_eq!(distinct_fingerprints.len(), old_fingerprints.len());
    }

    /// Members that the schema knows at a place, with their types; the required ones first.
    struct SchemaShape {
        required: &'static [(&'static str, SchemaType)],
        optional: &'static [(&'static str, SchemaType)],
    }

    #[derive(Clone, Copy)]
    enum SchemaType {
        Text,
        /// An integer of at least this value.
        Number(u64),
        Truth,
        OneOf(&'static [&'static str]),
        UriReference,
        Object(&'static SchemaShape),
        List(&'static SchemaShape),
        MapOf(&'static SchemaType),
    }

    use SchemaType::{List, MapOf, Number, Object, OneOf, Text, Truth, UriReference};

    const LEVELS: SchemaType = OneOf(&["none", "note", "warning", "error"]);
    static LOG: SchemaShape = SchemaShape {
        required: &[("version", OneOf(&["2.1.0"])), ("runs", List(&RUN))],
        optional: &[("$schema", UriReference)],
    };
    static RUN: SchemaShape = SchemaShape {
        required: &[("tool", Object(&TOOL))],
        optional: &[
            ("invocations", List(&INVOCATION)),
            ("originalUriBaseIds", MapOf(&Object(&ARTIFACT))),
            ("columnKind", OneOf(&["utf16CodeUnits", "unicodeCodePoints"])),
            ("results", List(&RESULT)),
        ],
    };
    static TOOL: SchemaShape =
        SchemaShape { required: &[("driver", Object(&DRIVER))], optional: &[] };
    static DRIVER: SchemaShape = SchemaShape {
        required: &[("name", Text)],
        optional: &[
            ("version", Text),
            ("semanticVersion", Text),
            ("informationUri", Text),
            ("rules", List(&RULE)),
        ],
    };
    static RULE: SchemaShape = SchemaShape {
        required: &[("id", Text)],
        optional: &[
            ("shortDescription", Object(&MESSAGE)),
            ("fullDescription", Object(&MESSAGE)),
            ("help", Object(&MESSAGE)),
            ("defaultConfiguration", Object(&CONFIGURATION)),
        ],
    };
    static CONFIGURATION: SchemaShape =
        SchemaShape { required: &[], optional: &[("level", LEVELS), ("enabled", Truth)] };
    static MESSAGE: SchemaShape = SchemaShape { required: &[("text", Text)], optional: &[] };
    static INVOCATION: SchemaShape =
        SchemaShape { required: &[("executionSuccessful", Truth)], optional: &[] };
    static RESULT: SchemaShape = SchemaShape {
        required: &[("message", Object(&MESSAGE))],
        optional: &[
            ("ruleId", Text),
            ("ruleIndex", Number(0)),
            ("level", LEVELS),
            ("locations", List(&LOCATION)),
            ("partialFingerprints", MapOf(&Text)),
            ("properties", MapOf(&Text)),
        ],
    };
    static LOCATION: SchemaShape = SchemaShape {
        required: &[],
        optional: &[("physicalLocation", Object(&PHYSICAL)), ("logicalLocations", List(&LOGICAL))],
    };
    static PHYSICAL: SchemaShape = SchemaShape {
        required: &[("artifactLocation", Object(&ARTIFACT))],
        optional: &[("region", Object(&REGION))],
    };
    static LOGICAL: SchemaShape =
        SchemaShape { required: &[], optional: &[("fullyQualifiedName", Text)] };
    static ARTIFACT: SchemaShape =
        SchemaShape { required: &[], optional: &[("uri", UriReference), ("uriBaseId", Text)] };
    static REGION: SchemaShape = SchemaShape {
        required: &[],
        optional: &[("startLine", Number(1)), ("startColumn", Number(1))],
    };

    /// All violations of the schema, with their places.
    fn faults(value: &Value, kind: SchemaType, pointer: &str, violations: &mut Vec<String>) {
        let is_right = match kind {
            Text => value.is_string(),
            Number(least) => value.as_u64().is_some_and(|number| number >= least),
            Truth => value.is_boolean(),
            OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            UriReference => value.as_str().is_some_and(|uri| {
                let fits = |c: char| c.is_ascii_alphanumeric() || "-._~/:%$".contains(c);
                uri.chars().all(fits)
            }),
            Object(shape) => return members(value, shape, pointer, violations),
            List(shape) => {
                for (index, element) in value.as_array().into_iter().flatten().enumerate() {
                    members(element, shape, &format!("{pointer}/{index}"), violations);
                }
                value.is_array()
            }
            MapOf(kind) => {
                for (key, member) in value.as_object().into_iter().flatten() {
                    faults(member, *kind, &format!("{pointer}/{key}"), violations);
                }
                value.is_object()
            }
        };
        if !is_right {
            violations.push(format!("{pointer}: {value}"));
        }
    }

    fn members(value: &Value, shape: &SchemaShape, pointer: &str, violations: &mut Vec<String>) {
        let Some(object) = value.as_object() else {
            return violations.push(format!("{pointer}: is no object"));
        };
        for (key, _) in shape.required {
            if !object.contains_key(*key) {
                violations.push(format!("{pointer}: lacks {key}"));
            }
        }
        let members = || shape.required.iter().chain(shape.optional);
        for (key, value) in object {
            match members().find(|(name, _)| name == key) {
                Some((_, kind)) => faults(value, *kind, &format!("{pointer}/{key}"), violations),
                None => violations.push(format!("{pointer}: does not know {key}")),
            }
        }
    }

    #[test]
    fn a_log_has_the_shape_that_the_schema_requires() {
        let violations = |report: &CheckReport| {
            let mut lines = Vec::new();
            let log = log(report);
            faults(&log, Object(&LOG), "", &mut lines);
            let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
            for result in log["runs"][0]["results"].as_array().unwrap() {
                let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
                assert_eq!(rules[index]["id"], result["ruleId"]);
            }
            lines
        };
        assert_eq!(violations(&report(&items())), [""; 0]);
        assert_eq!(violations(&report(&[])), [""; 0]);
    }
}
