//! The table that is printed, and the count of values that are above what is promised.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What a value may be at most, and what is aimed at; both in the unit of the value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) at_most: f64,
    pub(crate) goal: f64,
}

impl Target {
    pub(crate) const fn new(at_most: f64, goal: f64) -> Self {
        Self { at_most, goal }
    }

    /// Returns what is printed of a value: how it compares with the target.
    fn verdict(self, value: f64) -> &'static str {
        if value <= self.goal {
            "goal"
        } else if value <= self.at_most {
            "met"
        } else {
            MISSED_TARGETS.fetch_add(1, Ordering::Relaxed);
            "MISSED"
        }
    }
}

/// How many rows were above their target so far.
static MISSED_TARGETS: AtomicUsize = AtomicUsize::new(0);

/// Prints the heading of a section.
pub(crate) fn heading(title: &str) {
    println!(
        "\n{title:<48}{:>13}{:>9}{:>9}{:>7}  {:<6}  beside",
        "ours", "ratio", "at most", "goal", ""
    );
}

/// Prints a time beside that of what it is held against; nothing is promised of the ratio.
pub(crate) fn line(name: &str, ours: Duration, reference: (&str, Duration)) {
    ratio(name, ours, reference, None);
}

/// Prints a time beside that of what it is held against, and their ratio beside its target.
pub(crate) fn row(name: &str, ours: Duration, reference: (&str, Duration), target: Target) {
    ratio(name, ours, reference, Some(target));
}

/// Prints a value in a unit of its own beside its target.
pub(crate) fn amount(name: &str, ours: f64, unit: &str, target: Target) {
    let Target { at_most, goal } = target;
    let verdict = target.verdict(ours);
    println!(
        "{name:<48}{:>13}{:>9}{at_most:>9}{goal:>7}  {verdict:<6}",
        format!("{ours:.2} {unit}"),
        ""
    );
}

fn ratio(
    name: &str,
    ours: Duration,
    (reference_name, time): (&str, Duration),
    target: Option<Target>,
) {
    let ratio = ours.as_secs_f64() / time.as_secs_f64();
    let (ours, time) = (format!("{:.2} ms", millis(ours)), millis(time));
    let (at_most, goal, verdict) = match target {
        None => (String::new(), String::new(), ""),
        Some(target) => {
            (target.at_most.to_string(), target.goal.to_string(), target.verdict(ratio))
        }
    };
    println!(
        "{name:<48}{ours:>13}{ratio:>9.2}{at_most:>9}{goal:>7}  {verdict:<6}  {time:.2} ms  {reference_name}"
    );
}

/// Prints how many rows were above what is promised.
pub(crate) fn print_result() {
    match MISSED_TARGETS.load(Ordering::Relaxed) {
        0 => println!("\nEverything is within what is promised."),
        missed => println!("\n{missed} above what is promised."),
    }
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
