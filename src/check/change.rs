//! Every planned edit, in one type: it is named, planned in a text, and then applied or only shown. Typed text is not planned.

mod cassette_fix;
mod rule_fix;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use author::replace::ReplaceChange;
use author::seeds::{self, NewSeed, SeedFileEdit};
use author::session::{SessionEdit, SessionListing, add};
use calls::Item;
use calls::tape::edits::{self, TapeEdit};
use compare::review::value_edits;
use document::edit::{self, Edit, EditRefusal, JsonValue, TextPlan};
use document::text::{Source, TextEdit, counted, quoted};
use document::{Document, RuleId};
use machine::stamp::{Renewal, StampContextKeys, StampOptions, repath, stamp};
use play::playback::fixes::Fix;

pub use cassette_fix::CassetteFix;
pub use rule_fix::{FIXES, RuleFix, fix_at, fix_of};

/// An edit of a document, or of many in the same way.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Value(Edit),
    Body(BodyChange),
    Tape(TapeEdit),
    Session(SessionEdit),
    Seed(SeedFileEdit),
    Config(ConfigEdit),
    /// Adds or updates the signature and the source of a recording, which is found among the sources of the project.
    Stamp,
    /// Updates the signature and the source of a recording that still matches the source that it names.
    Restamp,
    /// Sets this path, from the project root, as the source of a recording, and changes nothing else.
    RewritePath(Arc<str>),
    /// Adds a missing signature to a recording, which matches the same requests as before.
    Sign,
    /// Applies a fix to a set.
    Fix(Fix),
    /// Applies several fixes to the files of each, as one edit of each file.
    Fixes(Arc<[FileFix]>),
    /// Applies a fix to a cassette.
    Cassette(CassetteFix),
    /// Fixes what a rule reports. What this changes in a document depends on its row: see [`RuleFix`].
    FixRule(RuleId),
    /// Replaces something wherever it is.
    Replace(ReplaceChange),
    /// Replaces what names the machine of a recording by placeholders, whose numbers follow from a key of the project.
    RedactMachine,
}

/// New JSON of a body, which is written only in the parts in which it differs.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyChange {
    /// The body.
    pub pointer: String,
    /// Its JSON as it is in the file, and as it is to be.
    pub old: JsonValue,
    pub new: JsonValue,
}

/// A fix of some files.
#[derive(Clone, Debug, PartialEq)]
pub struct FileFix {
    pub fix: Fix,
    /// The paths of the files from the project root.
    pub paths: BTreeSet<Arc<str>>,
}

/// An edit of a configuration or a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigEdit {
    /// Adds an element to `replays.sessions`.
    List {
        /// The file, from the configuration's folder.
        path: String,
        /// Name of the session in the name of the step.
        session: String,
    },
    /// Sets the type of the invariant at a JSON Pointer.
    SetType(String, String),
}

impl Change {
    /// Returns the name of the step in the history. `document` is one that is edited, as it was before, and `file` its name; `count`
    /// is how many are edited.
    pub fn name(&self, document: &Document, file: &str, count: usize) -> String {
        match self {
            Self::Value(edit) => edit::describe_edit(document, edit),
            Self::Body(_) => format!("Edit a body of {file}"),
            Self::Tape(edit) => edit.name(),
            Self::Session(edit) => edit.label(),
            Self::Seed(edit) => match edit.seed() {
                NewSeed::Trace { schema, model, job, round, .. } => {
                    format!("Seed {schema}:{model}:{job}:{round}")
                }
                NewSeed::Hash { .. } => format!("Add a seed to {file}"),
            },
            Self::Config(ConfigEdit::List { session, .. }) => {
                format!("Add {session} to the configuration")
            }
            Self::Config(ConfigEdit::SetType(_, kind)) => format!("Change the type to {kind}"),
            _ => self.name_of_many(count).unwrap_or_default(),
        }
    }

    /// Returns the name of a step that edits many documents; `None` for an edit of a single one.
    pub fn name_of_many(&self, count: usize) -> Option<String> {
        if let Some(fix) = self.rule_fix() {
            return Some(fix.step_name(count));
        }
        let recordings = counted(count, "recording", "recordings");
        match self {
            Self::Fix(Fix::RenameTool { from, to, .. }) => {
                Some(format!("Rename {} to {} in {recordings}", quoted(from), quoted(to),))
            }
            Self::Fix(fix) => {
                let title = fix.title();
                Some(format!("{} in {recordings}", title.trim_end_matches('…')))
            }
            Self::Fixes(_) => Some(format!("Fix {recordings}")),
            Self::Stamp
            | Self::Restamp
            | Self::Sign
            | Self::FixRule(_)
            | Self::Cassette(_)
            | Self::RedactMachine
            | Self::RewritePath(_) => Some(format!("Edit {recordings}")),
            Self::Replace(change) => Some(change.name(count)),
            Self::Value(_)
            | Self::Body(_)
            | Self::Tape(_)
            | Self::Session(_)
            | Self::Seed(_)
            | Self::Config(_) => None,
        }
    }

    /// Returns the fix of a rule that writes the same.
    fn rule_fix(&self) -> Option<&'static RuleFix> {
        fix_of(match self {
            Self::FixRule(rule) => *rule,
            Self::Stamp => RuleId::SourceUnstamped,
            Self::Restamp => RuleId::SourceStale,
            // The fix of `SourcePathMismatch` makes the same change, under the same name.
            Self::RewritePath(_) => RuleId::SourceRenamed,
            Self::Sign => RuleId::SignatureMissing,
            Self::RedactMachine => RuleId::MachineBound,
            Self::Fix(Fix::WrapResponses(_)) => RuleId::ResponseNotWrapped,
            Self::Cassette(CassetteFix::Lengths) => RuleId::LengthMismatch,
            Self::Cassette(CassetteFix::Encodings) => RuleId::EncodingMismatch,
            Self::Cassette(CassetteFix::Remove(_)) => RuleId::RepeatUnreachable,
            Self::Fix(Fix::RecomputeSignatures(_)) => RuleId::SignatureOutdated,
            Self::Fix(Fix::DropContextKeys(_)) => RuleId::SignatureUnmatchable,
            _ => return None,
        })
    }

    /// Describes what it writes, as a sentence.
    pub fn does(&self) -> Cow<'static, str> {
        match (self.rule_fix(), self) {
            (Some(fix), _) => fix.does.into(),
            // The name of this fix contains the names of the tools.
            (None, Self::Fix(Fix::RenameTool { .. })) => {
                "Renames the tool wherever it is offered, called or stored, and sorts the stored names again.".into()
            }
            (None, Self::Fix(fix)) => fix.describe().into(),
            (None, Self::Fixes(_)) => "Applies the fixes of all causes, each to its own files.".into(),
            (None, Self::Replace(_)) => "Changes the places that you have chosen.".into(),
            (None, _) => "Edits these files.".into(),
        }
    }

    /// Describes what it does not change, as a sentence.
    pub fn leaves(&self) -> &'static str {
        self.rule_fix().map_or("All other bytes stay unchanged.", |fix| fix.leaves)
    }

    /// Returns what the user has to know or decide before it edits these items, as a sentence.
    pub fn question<'a>(&self, mut items: impl Iterator<Item = &'a Item>) -> Option<&'static str> {
        let has_changed = |item: &Item| {
            let source = item.source.as_ref();
            source.is_some_and(|source| source.found.has_changed())
        };
        // A stamp also updates the hash of a source of which only the line ends have changed.
        let has_question = *self != Self::Restamp || items.any(has_changed);
        self.rule_fix()?.question.filter(|_| has_question)
    }

    /// Returns the change of one item: the fix of a rule differs between items, every other change is the same. `None` if the rule
    /// has no fix for the item.
    pub fn of_item(&self, item: &Item) -> Option<Cow<'_, Self>> {
        match self {
            Self::FixRule(rule) => fix_of(*rule)?.change(item).map(Cow::Owned),
            Self::Fixes(fixes) => {
                let own_fixes: Arc<[FileFix]> =
                    fixes.iter().filter(|f| f.paths.contains(item.root_path())).cloned().collect();
                (!own_fixes.is_empty()).then_some(Cow::Owned(Self::Fixes(own_fixes)))
            }
            Self::Replace(edit) => Some(Cow::Owned(Self::Replace(edit.of_file(item.root_path())))),
            other => Some(Cow::Borrowed(other)),
        }
    }

    /// Plans the edit of a document; `None` if nothing would change. A stamp is planned without a source, which only the engine can
    /// read: it writes the signature.
    ///
    /// # Errors
    ///
    /// Returns the reason why it cannot be made, as a sentence without a full stop.
    pub fn plan(&self, document: &Document) -> Result<Option<TextPlan>, String> {
        let message = |refusal: EditRefusal| refusal.to_string();
        let edit = match self {
            Self::Value(edit) => {
                let text_edit = edit::plan(&document.tree, edit).map_err(message)?;
                let remark = edit::followers(&document.tree, edit).first().map(|alias| {
                    format!(
                        "The alias {} at line {} refers to the changed value, so its value changes too",
                        alias.raw(),
                        alias.place().line
                    )
                });
                return Ok(Some(TextPlan { edit: text_edit, remark }));
            }
            Self::Body(BodyChange { pointer, old, new }) => {
                // `#` stands for the content within the layers of a body.
                let edits = value_edits(old.tree(), new.tree(), &format!("{pointer}#"));
                edit::plan_all(&document.tree, &edits).map_err(message)?
            }
            Self::Tape(edit) => return edits::plan(document, edit).map_err(message),
            Self::Session(edit) => edit.plan(document).map_err(message)?,
            Self::Seed(edit) => Some(seeds::plan(document, edit)?),
            Self::Config(edit) => Some(edit.plan(document)?),
            Self::Stamp | Self::Restamp => signed(document, Renewal::Renew)?,
            Self::Sign => signed(document, Renewal::Keep)?,
            // `of_item` has the change of each item, and only the engine has the key of a project.
            Self::FixRule(_) | Self::RedactMachine => None,
            Self::RewritePath(path) => repath(document, path)?,
            Self::Cassette(fix) => fix.edit(document)?,
            Self::Fix(fix) => fix.edit(document)?,
            Self::Fixes(fixes) => fix_all(document, fixes)?,
            Self::Replace(change) => change.edit(document),
        };
        Ok(edit.map(TextPlan::from))
    }
}

/// Plans several fixes of a document as one edit.
fn fix_all(document: &Document, fixes: &[FileFix]) -> Result<Option<TextEdit>, String> {
    let mut text = document.source().text().to_owned();
    for FileFix { fix, .. } in fixes {
        // Read again for each fix, because the one before moved every place after it. The name decides the syntax only.
        let document = document::read(Source::new(&*text), "recording.json");
        if let Some(edit) = fix.edit(&document)? {
            edit.apply(&mut text);
        }
    }
    Ok(TextEdit::between(document.source().text(), &text))
}

/// Plans the signature of a recording.
fn signed(document: &Document, renewal: Renewal) -> Result<Option<TextEdit>, String> {
    // Recorders store context keys that they omit from the request, so these cannot be computed again.
    let options = StampOptions { source: None, renewal, context_keys: StampContextKeys::AsStored };
    Ok(stamp(document, &options)?.map(|stamp| stamp.edit))
}

impl ConfigEdit {
    fn plan(&self, document: &Document) -> Result<TextEdit, String> {
        let message = |refusal: EditRefusal| refusal.to_string();
        match self {
            Self::List { path, .. } => add(document, SessionListing::File(path))
                .map_err(message)?
                .ok_or_else(|| "The session is already listed".to_owned()),
            Self::SetType(pointer, kind) => {
                let edit =
                    Edit::Set { pointer: format!("{pointer}/type"), value: JsonValue::text(kind) };
                edit::plan(&document.tree, &edit).map_err(message)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_source, present};
    use calls::source::SourceFinding;

    #[test]
    fn only_a_changed_source_has_to_be_reviewed_before_a_restamp() {
        let item = |found: fn(_) -> _| at_source("a.json", found(present("a.dygram", true)));
        let (ends, stale) = (item(SourceFinding::LineEndings), item(SourceFinding::Stale));
        let question = |items: &[&Item]| Change::Restamp.question(items.iter().copied());
        assert_eq!(question(&[&ends]), None);
        let review = Some("Review the change of the source before you save.");
        assert_eq!(question(&[&ends, &stale]), review);
        assert!(Change::Stamp.question([&ends].into_iter()).is_some());
    }

    #[test]
    fn several_fixes_are_one_edit_of_each_file_and_only_of_its_own() {
        let rename = |old: &str, new: &str, paths: &[&str]| FileFix {
            fix: Fix::RenameTool { from: old.into(), to: new.into(), recordings: Vec::new() },
            paths: paths.iter().map(|path| Arc::from(*path)).collect(),
        };
        let fixes =
            [rename("a", "b", &["set/1.json", "set/2.json"]), rename("b", "c", &["set/1.json"])];
        let change = Change::Fixes(fixes.into());
        let text = r#"{"request": {"requestId": "r", "messages": [], "tools": [{"name": "a"}]}, "response": {"response": {"content": []}}}"#;
        let document = document::read(Source::new(text), "1.json");
        let fixed_text = |path: &str| {
            let plan = change.of_item(&Item::new(path))?.plan(&document).unwrap()?;
            let mut text = text.to_owned();
            plan.edit.apply(&mut text);
            Some(text)
        };
        let text_of = |name: &str| Some(text.replace("\"a\"", &format!("\"{name}\"")));
        assert_eq!(fixed_text("set/1.json"), text_of("c"));
        assert_eq!(fixed_text("set/2.json"), text_of("b"));
        assert_eq!(fixed_text("set/3.json"), None);
        assert_eq!(change.name_of_many(2).unwrap(), "Fix 2 recordings");
    }
}
