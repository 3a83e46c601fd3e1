//! The findings above the list as sentences, each with a button.

use calls::ItemStatus;
use check::change::fix_of;
use document::Severity;
use document::text::{counted, thousands, visible};
use protocol::{Finding, FindingKind};
use widgets::icons;
use workbench::Command;

/// A finding as a sentence. Code in it is between backticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingRow {
    pub kind: FindingKind,
    pub severity: Severity,
    pub sign: &'static str,
    /// The problem, and how often it occurs.
    pub lead: String,
    /// The place, up to the full stop.
    pub rest: String,
    pub icon: &'static str,
    /// Label of the button; empty if the list already shows what it would show.
    pub button: String,
}

impl FindingRow {
    pub(super) fn new(finding: &Finding) -> Self {
        let count = finding.count;
        let place = finding.place.as_deref().unwrap_or_default();
        // A whole path would leave no room for the sentence.
        let last = visible(place.rsplit('/').next().unwrap_or(place));
        let in_set = match &*last {
            "" => String::new(),
            set => format!(" in `{set}`"),
        };
        let (lead, rest, icon, button) = match &finding.kind {
            FindingKind::Breaks { nodes, .. } => {
                let lead = counted(count, "recording breaks", "recordings break");
                let rest = format!(": {} no longer match {last}", requests_at(nodes));
                (lead, rest, icons::COLUMNS_2, Command::CompareSource.name().to_owned())
            }
            FindingKind::Fixable(rule) => {
                let fix = fix_of(*rule);
                let (one, many) = fix.map_or((rule.as_str(), rule.as_str()), |fix| fix.found);
                let button = fix.map(|fix| fix.label(count)).unwrap_or_default();
                (counted(count, one, many), in_set, icons::WAND_SPARKLES, button)
            }
            FindingKind::Listed(status) => {
                let (one, many) = match status {
                    ItemStatus::Unreadable => ("file could not be read", "files could not be read"),
                    ItemStatus::Incomplete => ("file is incomplete", "files are incomplete"),
                    _ => (
                        "recording names a source that is missing",
                        "recordings name a source that is missing",
                    ),
                };
                let button = format!("Show {}", counted(count, "file", "files"));
                (counted(count, one, many), in_set, icons::FUNNEL, button)
            }
            FindingKind::OrderDecides { settled, is_assumed } => {
                let (one, many) =
                    ("cassette depends on file order", "cassettes depend on file order");
                let lead = counted(count, one, many);
                let condition =
                    if *is_assumed { ", unless their settings say otherwise" } else { "" };
                let rest = match *settled {
                    0 => condition.to_owned(),
                    settled if settled == count => {
                        format!("{condition}; comparing bodies would settle all")
                    }
                    settled => {
                        format!("{condition}; comparing bodies would settle {}", thousands(settled))
                    }
                };
                let button = format!("Show {}", counted(count, "cassette", "cassettes"));
                (lead, rest, icons::FUNNEL, button)
            }
            FindingKind::Others => {
                let lead = counted(count, "problem to fix by hand", "problems to fix by hand");
                (lead, in_set, icons::TRIANGLE_ALERT, "Show problems".to_owned())
            }
            FindingKind::FailedRuns(_) => {
                let lead = counted(count, "run of a report failed", "runs of a report failed");
                let rest = format!(": {}", last.trim_end_matches(".json"));
                let button = format!("Make {}…", counted(count, "session", "sessions"));
                (lead, rest, icons::MESSAGES_SQUARE, button)
            }
            FindingKind::Waiting => {
                let (one, many) = ("request waits for an answer", "requests wait for an answer");
                (counted(count, one, many), String::new(), icons::RADIO, "Answer".to_owned())
            }
            FindingKind::Undecided => {
                let (one, many) =
                    ("changed file is not reviewed", "changed files are not reviewed");
                (counted(count, one, many), String::new(), icons::GIT_COMPARE, "Review".to_owned())
            }
        };
        let severity = finding.severity;
        Self {
            kind: finding.kind.clone(),
            severity,
            sign: match finding.kind {
                FindingKind::Breaks { .. } => icons::CLOCK_ALERT,
                // A waiting request is no problem, so no icon of a severity fits.
                FindingKind::Waiting => icons::HOURGLASS,
                _ => icons::severity(severity),
            },
            lead,
            rest,
            icon,
            button,
        }
    }
}

/// Names the requests at some nodes: ``requests at `a` and `b` ``.
fn requests_at(nodes: &[std::sync::Arc<str>]) -> String {
    match nodes {
        [] => "their requests".to_owned(),
        [node] => format!("requests at `{}`", visible(node)),
        [a, b] => format!("requests at `{}` and `{}`", visible(a), visible(b)),
        [node, others @ ..] => {
            let others = thousands(others.len());
            format!("requests at `{}` and {others} other nodes", visible(node))
        }
    }
}
