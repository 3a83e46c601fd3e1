//! Which runs are fetched from LangSmith, as somebody types it, and what is to be said of each field.

use jiff::Timestamp;

use super::RunFilter;
use super::filter::starts;
use crate::ops::diff::counted;
use crate::ops::import::Status;
use crate::ops::live::langsmith::{Wanted, run_id};

/// How many runs of a project are fetched if nobody says otherwise.
const LIMIT: usize = 100;

/// Whether one run is fetched, or those of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FetchOf {
    /// A run, with all beneath it.
    #[default]
    Run,
    /// Runs of a project.
    Project,
}

/// What is fetched, as somebody types it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchForm {
    /// Which of both is meant.
    pub of: FetchOf,
    /// The id of a run, or the address of its page.
    pub run: String,
    /// The name of a project.
    pub project: String,
    /// Which of the project's runs; the longest is not asked for.
    pub filter: RunFilter,
    /// How many of the project's runs at most.
    pub limit: String,
}

impl Default for FetchForm {
    fn default() -> Self {
        Self {
            of: FetchOf::default(),
            run: String::new(),
            project: String::new(),
            filter: RunFilter {
                status: Status::Error,
                ..RunFilter::default()
            },
            limit: LIMIT.to_string(),
        }
    }
}

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchField {
    /// The run.
    Run,
    /// The project.
    Project,
    /// From when on.
    Since,
    /// Until when.
    Until,
    /// The shortest.
    Least,
    /// How many.
    Limit,
}

/// What is said of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldCheck {
    /// How it is understood.
    Understood(String),
    /// Nothing stands in it where something has to; in a few words what.
    Needed(&'static str),
    /// What is wrong, in a few words.
    Wrong(&'static str),
}

impl FetchForm {
    /// The fields that count, from the top down.
    pub fn fields(&self) -> &'static [FetchField] {
        match self.of {
            FetchOf::Run => &[FetchField::Run],
            FetchOf::Project => &[
                FetchField::Project,
                FetchField::Since,
                FetchField::Until,
                FetchField::Least,
                FetchField::Limit,
            ],
        }
    }

    /// What is to be said of a field.
    pub fn check(&self, field: FetchField) -> FieldCheck {
        let understood = |words: &str| FieldCheck::Understood(words.to_owned());
        match field {
            FetchField::Run if self.run.trim().is_empty() => {
                FieldCheck::Needed("name a run by its id or its address")
            }
            FetchField::Run => match run_id(&self.run) {
                Some(id) if id == self.run.trim() => understood("with all runs beneath it"),
                Some(id) => FieldCheck::Understood(format!("run {id}")),
                None if self.run.contains("://") => {
                    FieldCheck::Wrong("no run (/r/…) in this address")
                }
                None => FieldCheck::Wrong("an id has letters, digits and - only"),
            },
            FetchField::Project if self.project.trim().is_empty() => {
                FieldCheck::Needed("name a project")
            }
            FetchField::Project => understood("its root runs, each with all beneath it"),
            FetchField::Since => time(
                &self.filter.since,
                "however long ago; else a date or last_7_days",
                "on",
            ),
            FetchField::Until => time(&self.filter.until, "until now; else a date", "excluded"),
            FetchField::Least if self.filter.least.trim().is_empty() => {
                understood("ms; empty: however short")
            }
            FetchField::Least => match self.filter.least.trim().parse::<u32>() {
                Ok(_) => understood("ms or longer"),
                Err(_) => FieldCheck::Wrong("a whole number of milliseconds, such as 2000"),
            },
            FetchField::Limit => match self.most() {
                Some(_) => understood("root runs"),
                None => FieldCheck::Wrong("a whole number from 1 on"),
            },
        }
    }

    /// What is fetched at this time.
    ///
    /// # Errors
    ///
    /// What stands in the way, in a few words.
    pub fn wanted(&self, now: Timestamp) -> Result<Wanted, &'static str> {
        let faults = self.fields().iter().map(|field| self.check(*field));
        for fault in faults {
            if let FieldCheck::Needed(words) | FieldCheck::Wrong(words) = fault {
                return Err(words);
            }
        }
        Ok(match self.of {
            FetchOf::Run => Wanted::Run(run_id(&self.run).unwrap_or_default().to_owned()),
            FetchOf::Project => Wanted::Project {
                name: self.project.trim().to_owned(),
                filter: self.filter.filter(now),
                limit: self.most().unwrap_or(LIMIT),
            },
        })
    }

    /// What is asked, each with its method; `None` while it is not known of what.
    pub fn questions(&self) -> Option<[(&'static str, String); 2]> {
        let wanted = self.wanted(Timestamp::UNIX_EPOCH).ok()?;
        Some(wanted.questions())
    }

    /// What the drafts are called that come of it.
    pub(super) fn name(&self) -> String {
        match self.of {
            FetchOf::Run => "LangSmith run".to_owned(),
            FetchOf::Project => format!("LangSmith project {}", self.project.trim()),
        }
    }

    /// How many runs of a project at most.
    pub fn most(&self) -> Option<usize> {
        self.limit.trim().parse().ok().filter(|most| *most > 0)
    }
}

fn time(text: &str, empty: &str, after: &str) -> FieldCheck {
    const WRONG: &str = "a date, a time, or a range such as last_7_days";
    if text.trim().is_empty() {
        return FieldCheck::Understood(empty.to_owned());
    }
    match starts(text, Timestamp::UNIX_EPOCH) {
        None => FieldCheck::Wrong(WRONG),
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

    /// What is said of each field, line by line.
    fn checks(form: &FetchForm) -> String {
        let fields = form.fields().iter();
        let lines = fields.map(|field| format!("{field:?}: {:?}\n", form.check(*field)));
        lines.collect()
    }

    fn project(since: &str, until: &str, least: &str, limit: &str) -> FetchForm {
        FetchForm {
            of: FetchOf::Project,
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
        Project: Understood("its root runs, each with all beneath it")
        Since: Understood("7 days before now")
        Until: Understood("2026-03-31 00:00 UTC, excluded")
        Least: Understood("ms or longer")
        Limit: Understood("root runs")
        "#);
        insta::assert_snapshot!(checks(&project("", "5h", "", "100")), @r#"
        Project: Understood("its root runs, each with all beneath it")
        Since: Understood("however long ago; else a date or last_7_days")
        Until: Understood("5 hours before now")
        Least: Understood("ms; empty: however short")
        Limit: Understood("root runs")
        "#);
        insta::assert_snapshot!(checks(&project("soon", "31.3.", "2s", "0")), @r#"
        Project: Understood("its root runs, each with all beneath it")
        Since: Wrong("a date, a time, or a range such as last_7_days")
        Until: Wrong("a date, a time, or a range such as last_7_days")
        Least: Wrong("a whole number of milliseconds, such as 2000")
        Limit: Wrong("a whole number from 1 on")
        "#);
        let run = |run: &str| {
            checks(&FetchForm {
                run: run.to_owned(),
                ..FetchForm::default()
            })
        };
        let all = [
            "",
            "1f0a-22",
            "https://smith.langchain.com/o/7/projects/p/9/r/1f0a-22?x=1",
            "https://smith.langchain.com/",
            "one two",
        ];
        insta::assert_snapshot!(all.map(run).concat(), @r#"
        Run: Needed("name a run by its id or its address")
        Run: Understood("with all runs beneath it")
        Run: Understood("run 1f0a-22")
        Run: Wrong("no run (/r/…) in this address")
        Run: Wrong("an id has letters, digits and - only")
        "#);
    }

    #[test]
    fn only_a_form_that_is_understood_wants_something() {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let wanted = project("24h", "", "2000", "5").wanted(now).unwrap();
        let Wanted::Project {
            name,
            filter,
            limit,
        } = wanted
        else {
            panic!("a project")
        };
        assert_eq!((&*name, limit), ("help desk", 5));
        assert_eq!(
            filter.from,
            Timestamp::from_second(1_000_000 - 24 * 3600).ok()
        );
        assert_eq!(filter.min_latency_ms, Some(2000));
        assert!(project("soon", "", "", "5").wanted(now).is_err());
        assert_eq!(FetchForm::default().questions(), None);
    }
}
