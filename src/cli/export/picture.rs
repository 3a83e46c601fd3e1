//! `retake export picture`: the timeline of a tape as a picture for documents.

use std::path::PathBuf;
use std::sync::Arc;

use super::Destination;
use crate::common::one_of;
use crate::{CommandError, CommandResult, CommandVerdict, read_document};
use author::tape_picture::{PictureOptions, draw_picture};
use calls::tape::prepared_tape::PreparedTape;
use calls::tape::timeline::TimeRange;
use calls::tape::timing::{MILLISECOND, TapePace};
use engine::undo::StepRecorder;
use machine::picture::{Picture, PictureTheme};

/// Draw the timeline of a tape as SVG.
///
/// Text can be selected, and each mark has a tooltip with its chunk. An existing file with different content is not replaced, unless
/// --force is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  retake export picture tapes/answer.json --to answer.svg\n  \
                  retake export picture tapes/answer.json --to answer.svg --colors dark --from 1200 --until 4000 --silence 250 --json")]
pub(super) struct ExportPictureArgs {
    /// The tape.
    #[arg(value_name = "TAPE")]
    tape: PathBuf,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    colors: PictureColors,
    /// Where the picture starts, in milliseconds [default: the start of the tape].
    #[arg(long, value_name = "MS")]
    from: Option<f64>,
    /// Where the picture ends, in milliseconds [default: the end of the tape].
    #[arg(long, value_name = "MS")]
    until: Option<f64>,
    /// Mark stalls of at least this many milliseconds.
    #[arg(long, value_name = "MS", default_value = "500")]
    silence: f64,
}

/// The colors of a picture.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct PictureColors {
    /// The color scheme.
    #[arg(
        long,
        default_value = "light",
        value_parser = one_of([("light", "", PictureTheme::Light), ("dark", "", PictureTheme::Dark)])
    )]
    pub(super) colors: PictureTheme,
}

impl Destination {
    /// Writes a picture as SVG.
    pub(super) fn write_picture(
        &self,
        recorder: &StepRecorder,
        picture: &Picture,
    ) -> CommandResult {
        let path = self.to.to_string_lossy();
        // The ending decides the format, and standard output has none.
        let name = if self.is_stdout() { "picture.svg" } else { &*path };
        let outcome = self.write_bytes(recorder, &picture.render(name)?)?;
        self.report(outcome)?;
        Ok(CommandVerdict::Passed)
    }
}

pub(super) fn run(arguments: &ExportPictureArgs, recorder: &StepRecorder) -> CommandResult {
    arguments.destination.check()?;
    let document = read_document(&arguments.tape, arguments.destination.within.root())?;
    let prepared_tape = PreparedTape::new(Arc::new(document))
        .ok_or_else(|| CommandError::from("The file is not a tape"))?;
    let stem = arguments.tape.file_stem().unwrap_or_default();
    let tape = prepared_tape.tape().and_then(|tape| tape.label.as_ref());
    let options = PictureOptions {
        title: tape.map_or_else(|| stem.to_string_lossy().into_owned(), |name| name.value.clone()),
        shown: arguments.time_range(&prepared_tape)?,
        pace: TapePace::Recorded,
        silence_nanos: arguments.silence * MILLISECOND,
        theme: arguments.colors.colors,
    };
    arguments.destination.write_picture(recorder, &draw_picture(&prepared_tape, &options))
}

impl ExportPictureArgs {
    fn time_range(&self, prepared_tape: &PreparedTape) -> CommandResult<Option<TimeRange>> {
        if self.from.is_none() && self.until.is_none() {
            return Ok(None);
        }
        let total = prepared_tape.schedule(TapePace::Recorded).total_nanos();
        let range = TimeRange {
            from_nanos: self.from.map_or(0.0, |ms| ms * MILLISECOND),
            to_nanos: self.until.map_or(total, |ms| ms * MILLISECOND),
        };
        // clap parses `nan` and `inf` as numbers, too.
        if range.from_nanos >= 0.0 && range.nanos() > 0.0 && range.nanos().is_finite() {
            Ok(Some(range))
        } else {
            Err("The picture ends before it starts; check --from and --until".into())
        }
    }
}
