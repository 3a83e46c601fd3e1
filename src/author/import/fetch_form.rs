//! The form to fetch runs from LangSmith, and the check of its fields.

use jiff::Timestamp;

use super::RunStatus;
use super::langsmith_api::{FetchTarget, run_id};
use super::run_filter::{RunFilter, start_time};
use document::text::counted;

/// Default maximum number of runs of a project.
const DEFAULT_MAX_RUNS: usize = 100;

/// Whether to fetch one run or the runs of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FetchScope {
    /// A run with all its child runs.
    #[default]
    Run,
    /// Runs of a project.
    Project,
}

/// The form as it is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchForm {
    pub scope: FetchScope,
    /// The id of a run, or the URL of its page.
    pub run: String,
    /// The name of a project.
    pub project: String,
    /// The filter of the project's runs, except for the maximum duration.
    pub filter: RunFilter,
    /// The maximum number of runs.
    pub limit: String,
}

impl Default for FetchForm {
    fn default() -> Self {
        Self {
            scope: FetchScope::default(),
            run: String::new(),
            project: String::new(),
            // Incidents are what failed.
            filter: RunFilter { status: RunStatus::Error, ..RunFilter::default() },
            limit: DEFAULT_MAX_RUNS.to_string(),
        }
    }
}

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchField {
    Run,
    Project,
    /// The start time.
    Since,
    /// The end time.
    Until,
    /// The minimum duration.
    Least,
    /// The maximum number of runs.
    Limit,
}

/// The check of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldCheck {
    /// Valid, with its meaning.
    Understood(String),
    /// Required but empty; says what to enter.
    Needed(&'static str),
    /// Invalid; says what to enter.
    Wrong(&'static str),
}

impl FetchForm {
    /// The fields that apply, from top to bottom.
    pub fn fields(&self) -> &'static [FetchField] {
        match self.scope {
            FetchScope::Run => &[FetchField::Run],
            FetchScope::Project => &[
                FetchField::Project,
                FetchField::Since,
                FetchField::Until,
                FetchField::Least,
                FetchField::Limit,
            ],
        }
    }

    pub fn check(&self, field: FetchField) -> FieldCheck {
        let understood = |words: &str| FieldCheck::Understood(words.to_owned());
        match field {
            FetchField::Run if self.run.trim().is_empty() => {
                FieldCheck::Needed("enter the run id or the URL of the run")
            }
            FetchField::Run => match run_id(&self.run) {
                Some(id) if id == self.run.trim() => understood("with all its child runs"),
                Some(id) => FieldCheck::Understood(format!("run {id}")),
                None if self.run.contains("://") => {
                    FieldCheck::Wrong("the URL contains no run (/r/…)")
                }
                None => FieldCheck::Wrong("an id contains only letters, digits and -"),
            },
            FetchField::Project if self.project.trim().is_empty() => {
                FieldCheck::Needed("enter a project name")
            }
            FetchField::Project => understood("its root runs, each with all child runs"),
            FetchField::Since => {
                time(&self.filter.since, "no limit; or enter a date or last_7_days", "on")
            }
            FetchField::Until => time(&self.filter.until, "until now; or enter a date", "excluded"),
            FetchField::Least if self.filter.least.trim().is_empty() => {
                understood("ms; empty for no minimum")
            }
            FetchField::Least => match self.filter.least.trim().parse::<u32>() {
                Ok(_) => understood("ms or longer"),
                Err(_) => FieldCheck::Wrong("enter a whole number of milliseconds, such as 2000"),
            },
            FetchField::Limit => match self.max_runs() {
                Some(_) => understood("root runs"),
                None => FieldCheck::Wrong("enter a whole number, at least 1"),
            },
        }
    }

    /// Returns what to fetch at this time.
    ///
    /// # Errors
    ///
    /// The first field that is missing or invalid, in a few words.
    pub fn target(&self, now: Timestamp) -> Result<FetchTarget, &'static str> {
        for fault in self.fields().iter().map(|field| self.check(*field)) {
            if let FieldCheck::Needed(words) | FieldCheck::Wrong(words) = fault {
                return Err(words);
            }
        }
        Ok(match self.scope {
            FetchScope::Run => FetchTarget::Run(run_id(&self.run).unwrap_or_default().to_owned()),
            FetchScope::Project => FetchTarget::Project {
                name: self.project.trim().to_owned(),
                filter: self.filter.filter(now),
                limit: self.max_runs().unwrap_or(DEFAULT_MAX_RUNS),
            },
        })
    }

    /// The requests that are sent, each with its method; `None` while the form is incomplete.
    pub fn requests(&self) -> Option<[(&'static str, String); 2]> {
        // Methods and paths do not depend on the time.
        Some(self.target(Timestamp::UNIX_EPOCH).ok()?.requests())
    }

    /// The name of the drafts made from the runs.
    pub fn name(&self) -> String {
        match self.scope {
            FetchScope::Run => "LangSmith run".to_owned(),
            FetchScope::Project => format!("LangSmith project {}", self.project.trim()),
        }
    }

    /// The maximum number of runs of a project.
    pub fn max_runs(&self) -> Option<usize> {
        self.limit.trim().parse().ok().filter(|most| *most > 0)
    }
}

fn time(text: &str, empty: &str, after: &str) -> FieldCheck {
    const TIME_ADVICE: &str = "enter a date, a time, or a range such as last_7_days";
    if text.trim().is_empty() {
        return FieldCheck::Understood(empty.to_owned());
    }
    match start_time(text, Timestamp::UNIX_EPOCH) {
        None => FieldCheck::Wrong(TIME_ADVICE),
        // A range that ends now, with the epoch as now, starts before the epoch.
        Some(start) if start < Timestamp::UNIX_EPOCH => {
            let hours = Timestamp::UNIX_EPOCH.duration_since(start).as_hours();
            let hours = usize::try_from(hours).unwrap_or_default();
            FieldCheck::Understood(match hours.checked_rem(24) {
                Some(0) => format!("{} before now", counted(hours / 24, "day", "days")),
                _ => format!("{} before now", counted(hours, "hour", "hours")),
            })
        }
        Some(start) => {
            FieldCheck::Understood(format!("{} UTC, {after}", start.strftime("%Y-%m-%d %H:%M")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check of each field, one per line.
    fn checks(form: &FetchForm) -> String {
        form.fields().iter().map(|field| format!("{field:?}: {:?}\n", form.check(*field))).collect()
    }

    fn project(since: &str, until: &str, least: &str, limit: &str) -> FetchForm {
        FetchForm {
            scope: FetchScope::Project,
            project: " help desk".to_owned(),
            filter: RunFilter {
                since: since.to_owned(),
                until: until.to_owned(),
                least: least.to_owned(),
                ..RunFilter::default()
            },
            limit: limit.to_owned(),
            ..FetchForm::default()
        }
    }

    #[test]
    fn each_field_says_how_it_is_understood() {
        insta::assert_snapshot!(checks(&project("last_7_days", "2026-03-31", "2000", "5")), @r#"
        Project: Understood("its root runs, each with all child runs")
        Since: Understood("7 days before now")
        Until: Understood("2026-03-31 00:00 UTC, excluded")
        Least: Understood("ms or longer")
        Limit: Understood("root runs")
        "#);
        insta::assert_snapshot!(checks(&project("", "5h", "", "100")), @r#"
        Project: Understood("its root runs, each with all child runs")
        Since: Understood("no limit; or enter a date or last_7_days")
        Until: Understood("5 hours before now")
        Least: Understood("ms; empty for no minimum")
        Limit: Understood("root runs")
        "#);
        insta::assert_snapshot!(checks(&project("soon", "31.3.", "2s", "0")), @r#"
        Project: Understood("its root runs, each with all child runs")
        Since: Wrong("enter a date, a time, or a range such as last_7_days")
        Until: Wrong("enter a date, a time, or a range such as last_7_days")
        Least: Wrong("enter a whole number of milliseconds, such as 2000")
        Limit: Wrong("enter a whole number, at least 1")
        "#);
        let run = |run: &str| checks(&FetchForm { run: run.to_owned(), ..FetchForm::default() });
        let all = [
            "",
            "1f0a-22",
            "https://smith.langchain.com/o/7/projects/p/9/r/1f0a-22?x=1",
            "https://smith.langchain.com/",
            "one two",
        ];
        insta::assert_snapshot!(all.map(run).concat(), @r#"
        Run: Needed("enter the run id or the URL of the run")
        Run: Understood("with all its child runs")
        Run: Understood("run 1f0a-22")
        Run: Wrong("the URL contains no run (/r/…)")
        Run: Wrong("an id contains only letters, digits and -")
        "#);
    }

    #[test]
    fn only_a_form_that_is_understood_wants_something() {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let target = project("24h", "", "2000", "5").target(now).unwrap();
        let FetchTarget::Project { name, filter, limit } = target else { panic!("a project") };
        assert_eq!((&*name, limit), ("help desk", 5));
        assert_eq!(filter.from, Timestamp::from_second(1_000_000 - 24 * 3600).ok());
        assert_eq!(filter.min_latency_ms, Some(2000));
        assert!(project("soon", "", "", "5").target(now).is_err());
        assert_eq!(FetchForm::default().requests(), None);
    }
}
