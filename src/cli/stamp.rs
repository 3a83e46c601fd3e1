//! `retake stamp`: adds or updates signatures and source metadata.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::ValueEnum;

use super::common::Look;
use super::difference::difference;
use super::edit::store;
use super::output::{Output, shown, shown_path};
use super::{Everything, Failure, Verdict, complain, count, read_everything, tell, write};
use crate::engine::snapshots::Snapshots;
use crate::engine::{SourceFrom, SourceLookup, StampOrder, Stamping, state};
use crate::format::Kind;
use crate::format::recording::Version;
use crate::ops::Item;
use crate::ops::stamp::{Renewal, Stamp, StampChange, StampContextKeys};
use crate::text::Source;

/// Add or update `signature` and `sourceMetadata` of recordings, and change no other byte.
///
/// Recordings of version 1 have neither, those of version 2 have a signature, and those of version 3 also name their source.
/// Only differences are written: stamping again changes nothing. Without --source and --sources, the source that each
/// recording names is read again. With --sources, all clues must lead to the same source: the path or text in the existing
/// stamp, else the machine's title and the name of the recording's folder.
///
/// A copy of each source is stored with those of the window, so that `retake source` finds it after it has changed, also if
/// git ignores it. Set RETAKE_NO_SNAPSHOTS=1 to store none.
///
/// The path of each written file is printed. A recording that cannot be stamped is not changed, the reason is reported, and the
/// exit code is 1.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake stamp fixtures/triage --source machines/triage.dygram\n  \
                  retake stamp fixtures --sources machines --only-missing --dry-run\n  \
                  retake stamp fixtures --to v2\n  retake stamp fixtures"
)]
pub(super) struct Arguments {
    /// Files and folders. Files in a folder that are not recordings are skipped.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Use this source for all recordings.
    #[arg(long, value_name = "FILE", conflicts_with = "sources")]
    source: Option<PathBuf>,
    /// Choose the source of each recording from this folder and its subfolders.
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,
    /// The version to write: v2 has a signature and names no source.
    #[arg(long, value_name = "VERSION", default_value = "v3")]
    to: To,
    /// Add missing values only; do not change existing ones, even if they are wrong.
    #[arg(long)]
    only_missing: bool,
    /// The client whose context keys the signature lists [default: the stored keys, else none].
    #[arg(long, value_name = "CLIENT")]
    client: Option<Client>,
    /// Write nothing; show the differences.
    #[arg(long)]
    dry_run: bool,
    /// Read and write nothing outside this folder [default: the enclosing project].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    #[command(flatten)]
    look: Look,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    V2,
    V3,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Client {
    /// No keys: shipped clients compute none.
    Shipped,
    /// The sorted keys of the request's context.
    Documented,
}

/// Numbers for the summary.
#[derive(Debug, Default)]
struct Summary {
    stamped: usize,
    /// How many of those have a source whose text has changed since the last stamp.
    changed: usize,
    already: usize,
    left: usize,
    /// Recordings that could be stamped but not written.
    failed: usize,
}

pub(super) fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    let order = order(arguments)?;
    let root = arguments.root.as_deref();
    let read = read_everything(&arguments.paths, root, SourceLookup::LeaveAlone)?;
    read.project.look_in(state::sources().map(Snapshots::open));
    let read = &*read;
    let stamping = Stamping::new(&read.project, order).map_err(Failure)?;
    if !arguments.dry_run {
        read.project.clean_leftovers(&AtomicBool::new(false));
    }
    let mut summary = Summary::default();
    write(arguments.look.color, |output| {
        stamp_all(output, read, stamping, arguments, &mut summary)
    })?;
    if summary.left > 0 && arguments.needs_a_source() {
        tell("Give the source with --source FILE or --sources DIR");
    }
    tell(&summary.words(arguments));
    Ok(read.verdict(match summary {
        Summary { failed: 1.., .. } => Verdict::Incomplete,
        Summary { left: 1.., .. } => Verdict::Failed,
        _ => Verdict::Passed,
    }))
}

fn order(arguments: &Arguments) -> Result<StampOrder, Failure> {
    let from = match (&arguments.source, &arguments.sources) {
        (None, None) => SourceFrom::Named,
        _ if arguments.to == To::V2 => {
            let reason = "--to v2 stamps no source; leave out --source and --sources";
            return Err(Failure(reason.to_owned()));
        }
        (Some(file), _) => SourceFrom::File(file.clone()),
        (None, Some(folder)) => SourceFrom::Among(folder.clone()),
    };
    Ok(StampOrder {
        from,
        version: match arguments.to {
            To::V2 => Version::V2,
            To::V3 => Version::V3,
        },
        renewal: if arguments.only_missing {
            Renewal::Keep
        } else {
            Renewal::Renew
        },
        context_keys: match arguments.client {
            None => StampContextKeys::AsStored,
            Some(Client::Shipped) => StampContextKeys::Shipped,
            Some(Client::Documented) => StampContextKeys::Documented,
        },
    })
}

/// Stamps the recordings one by one, so that each file is complete if the program is interrupted.
fn stamp_all(
    output: &mut Output,
    read: &Everything,
    mut stamping: Stamping<'_>,
    arguments: &Arguments,
    summary: &mut Summary,
) -> std::io::Result<()> {
    // Printed at the end, so that a closed pipe does not prevent recordings from being stamped.
    let mut written = Vec::new();
    for (number, item) in read.numbers.iter().zip(&read.items) {
        if item.kind != Kind::Recording && !arguments.is_named(item) {
            continue;
        }
        let (before, stamp) = match plan(read, &mut stamping, *number, item) {
            Ok((before, Some(stamp))) => (before, stamp),
            Ok((_, None)) => {
                if !arguments.dry_run {
                    stamping.keep_source(*number);
                }
                summary.already += 1;
                continue;
            }
            Err(reason) => {
                summary.left += 1;
                complain(&format!("{reason}: {}", shown(&item.path)));
                continue;
            }
        };
        let mut after = before.text().to_owned();
        stamp.edit.apply(&mut after);
        if arguments.dry_run {
            difference(output, &item.path, before.text(), &after)?;
            summary.count(&stamp);
            continue;
        }
        let target = read.project.target(*number, item).map_err(Failure);
        match target.and_then(|target| store(target, &before, &Source::new(after))) {
            Ok(()) => {
                stamping.keep_source(*number);
                summary.count(&stamp);
                written.push(&*item.path);
            }
            Err(Failure(reason)) => {
                summary.failed += 1;
                complain(&reason);
            }
        }
    }
    let mut paths = written.into_iter();
    paths.try_for_each(|path| output.line(&shown_path(path)))
}

/// The text of a recording, and the edit to make in it.
fn plan(
    read: &Everything,
    stamping: &mut Stamping<'_>,
    number: usize,
    item: &Item,
) -> Result<(Source, Option<Stamp>), String> {
    let document = read.project.read(number, item)?;
    let planned = stamping.plan(number, item, &document)?;
    Ok((document.source().clone(), planned))
}

impl Arguments {
    /// Whether the source of each recording is the one it names.
    fn needs_a_source(&self) -> bool {
        self.to == To::V3 && self.source.is_none() && self.sources.is_none()
    }

    /// Whether the arguments name this file.
    fn is_named(&self, item: &Item) -> bool {
        let path = std::path::Path::new(&*item.path);
        self.paths.iter().any(|named| named == path)
    }
}

impl Summary {
    fn count(&mut self, stamp: &Stamp) {
        self.stamped += 1;
        self.changed += usize::from(stamp.source == StampChange::Changed);
    }

    fn words(&self, arguments: &Arguments) -> String {
        let all = self.stamped + self.already + self.left + self.failed;
        let stamped = if arguments.dry_run {
            "to be stamped"
        } else {
            "stamped"
        };
        let mut words = format!("{}: {} {stamped}", count(all, "recording"), self.stamped);
        if self.changed > 0 {
            words += &format!(" ({} with a source that changed since)", self.changed);
        }
        words += &format!(", {} unchanged", self.already);
        if self.left > 0 {
            words += &format!(", {} skipped", self.left);
        }
        if self.failed > 0 {
            words += &format!(", {} not written", self.failed);
        }
        words
    }
}
