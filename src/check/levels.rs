//! The severity of each problem: defaults, the mode for sources, and the user's settings.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use document::text::named_enum;
use document::{Problem, RuleId, Severity};

named_enum! {
    /// Severity with which stale or missing sources are reported.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum SourceMode {
        /// As errors.
        Strict = "strict",
        #[default]
        Warn = "warn",
        /// Not at all.
        Skip = "skip",
    }

    /// Every mode, the strictest first.
    const ALL;

    /// Returns its name on the command line.
    pub fn as_str;
}

impl fmt::Display for SourceMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SourceMode {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().copied().find(|mode| mode.as_str() == word);
        found.ok_or_else(|| format!("there is no mode \"{word}\"; it is strict, warn or skip"))
    }
}

/// Whether a recording must name its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metadata {
    /// A recording without a source is reported, but does not fail the check.
    #[default]
    Optional,
    /// A recording without a source fails the check.
    Required,
}

/// The level that the user sets for a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleLevel {
    /// Its problems are omitted.
    Off,
    /// Its problems have this severity.
    At(Severity),
}

impl FromStr for RuleLevel {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "error" => Ok(Self::At(Severity::Error)),
            "warning" => Ok(Self::At(Severity::Warning)),
            "note" => Ok(Self::At(Severity::Note)),
            "off" => Ok(Self::Off),
            _ => Err(format!("there is no level \"{word}\"; use error, warning, note or off")),
        }
    }
}

/// The severity of each problem.
///
/// The mode `skip` disables the `source-…` rules regardless of other settings. Otherwise the level that the user sets for a
/// rule has priority, then the mode, then the severity that the rule gives the problem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    pub mode: SourceMode,
    /// Whether every recording has to name its source.
    pub metadata: Metadata,
    /// The lowest level that fails a check; `None`: error.
    pub fail_on: Option<Severity>,
    /// The user's level for each rule.
    pub rules: BTreeMap<RuleId, RuleLevel>,
}

impl Levels {
    /// Returns these levels with `overrides` applied.
    #[must_use]
    pub fn overridden(mut self, overrides: &Overrides) -> Self {
        self.mode = overrides.mode.unwrap_or(self.mode);
        self.metadata = overrides.metadata.unwrap_or(self.metadata);
        self.fail_on = overrides.fail_on.or(self.fail_on);
        self.rules.extend(&overrides.rules);
        self
    }

    /// Returns whether the user has set a rule to `off`, as opposed to one that is off by default.
    pub fn is_set_off(&self, rule: RuleId) -> bool {
        self.rules.get(&rule) == Some(&RuleLevel::Off)
    }

    /// Returns the lowest level that fails a check.
    pub fn fail_on(&self) -> Severity {
        self.fail_on.unwrap_or(Severity::Error)
    }

    /// Sets the severity of each problem and removes those of rules that are off.
    pub fn apply(&self, problems: &mut Vec<Problem>) {
        problems.retain_mut(|problem| match self.level_of(problem.rule, problem.severity) {
            Some(severity) => {
                problem.severity = severity;
                true
            }
            None => false,
        });
    }

    /// Returns the severity of a problem that its rule reports as `default_severity`; `None` if the rule is off.
    pub fn level_of(&self, rule: RuleId, default_severity: Severity) -> Option<Severity> {
        if self.mode == SourceMode::Skip && rule.as_str().starts_with("source-") {
            return None;
        }
        match self.rules.get(&rule) {
            Some(RuleLevel::Off) => return None,
            Some(RuleLevel::At(severity)) => return Some(*severity),
            None if rule.is_off_by_default() => return None,
            None => {}
        }
        let is_raised = match rule {
            RuleId::SourceStale
            | RuleId::SourceRenamed
            | RuleId::SourceMissing
            | RuleId::SourceOutside
            | RuleId::SourcePathMismatch => self.mode == SourceMode::Strict,
            RuleId::SourceUnstamped => self.metadata == Metadata::Required,
            _ => false,
        };
        Some(if is_raised { Severity::Error } else { default_severity })
    }
}

/// Settings of the command line, which override those of the project's file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    pub mode: Option<SourceMode>,
    /// Whether every recording has to name its source.
    pub metadata: Option<Metadata>,
    /// The lowest level that fails a check.
    pub fail_on: Option<Severity>,
    pub rules: BTreeMap<RuleId, RuleLevel>,
}

impl Overrides {
    /// Sets a rule's level from `ID=LEVEL`, the form of the command line.
    ///
    /// # Errors
    /// Returns a message that names the part that is not understood, with a similar rule if there is one.
    pub fn set(&mut self, setting: &str) -> Result<(), String> {
        let Some((id, level)) = setting.split_once('=') else {
            return Err(format!("expected ID=LEVEL, found \"{setting}\""));
        };
        self.rules.insert(near_rule(id)?, level.parse()?);
        Ok(())
    }
}

/// Returns the rule with this id.
///
/// # Errors
/// Returns a message that the rule does not exist, with a similar rule if there is one.
pub fn near_rule(id: &str) -> Result<RuleId, String> {
    id.parse().map_err(|error| {
        let ids: Vec<&str> = RuleId::ALL.iter().map(|rule| rule.as_str()).collect();
        // 0.6 is the default cutoff of Python's function of this name (`difflib`).
        match similar::get_close_matches(id, &ids, 1, 0.6).first() {
            Some(nearest_id) => format!("{error}; did you mean \"{nearest_id}\"?"),
            None => error,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(mode: SourceMode, metadata: Metadata, rules: &[&str]) -> Levels {
        let mut overrides =
            Overrides { mode: Some(mode), metadata: Some(metadata), ..Overrides::default() };
        for rule in rules {
            overrides.set(rule).expect(rule);
        }
        Levels::default().overridden(&overrides)
    }

    fn says(levels: &Levels) -> String {
        let rules = [
            RuleId::SourceStale,
            RuleId::SourceLineEndings,
            RuleId::SourceUnstamped,
            RuleId::Syntax,
        ];
        let word = |rule: RuleId| match levels.level_of(rule, rule.default_level()) {
            Some(severity) => severity.as_str(),
            None => "-",
        };
        rules.map(word).join(" ")
    }

    #[test]
    fn the_mode_moves_sources_and_the_user_has_the_last_word() {
        use Metadata::{Optional, Required};
        use SourceMode::{Skip, Strict, Warn};
        let table = [
            (levels(Warn, Optional, &[]), "warning warning note error"),
            (levels(Strict, Optional, &[]), "error warning note error"),
            (levels(Warn, Required, &[]), "warning warning error error"),
            (levels(Skip, Required, &["source-stale=error"]), "- - - error"),
            (levels(Strict, Optional, &["source-stale=note", "syntax=off"]), "note warning note -"),
        ];
        for (levels, expected) in table {
            assert_eq!(says(&levels), expected, "{levels:?}");
        }
    }

    #[test]
    fn what_is_set_elsewhere_leaves_the_rest_as_it_is() {
        let file = levels(SourceMode::Strict, Metadata::Required, &["syntax=note", "encoding=off"]);
        let mut overrides = Overrides::default();
        overrides.set("syntax=warning").unwrap();
        let levels = file.overridden(&overrides);
        assert_eq!(says(&levels), "error warning error warning");
        assert_eq!(levels.rules[&RuleId::Encoding], RuleLevel::Off);
    }

    #[test]
    fn a_setting_that_is_not_understood_is_reported_with_a_similar_one() {
        let error = |setting| Overrides::default().set(setting).expect_err("a fault");
        assert_eq!(
            error("source-stail=off"),
            r#"there is no rule "source-stail"; did you mean "source-stale"?"#
        );
        assert_eq!(
            error("syntax=loud"),
            r#"there is no level "loud"; use error, warning, note or off"#
        );
        assert_eq!(error("syntax"), r#"expected ID=LEVEL, found "syntax""#);
    }
}
