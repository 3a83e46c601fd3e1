//! `retake export strip`: the calls of a run as a picture for documents.

use super::Destination;
use super::picture::PictureColors;
use crate::CommandResult;
use crate::matching::PlayedOptions;
use engine::undo::StepRecorder;
use play::playback::RunStrip;
use play::playback::strip_picture::draw_strip;

/// Play requests against a set of recordings, and draw the calls along the time axis as SVG.
///
/// Each call is a block, as long as its answer took, with a line to the recording that answers it. An existing file with different
/// content is not replaced, unless --force is given.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake export strip --recordings fixtures/triage --requests ci-run.log --to run.svg\n  \
                  retake export strip --recordings fixtures/triage --requests machines/triage.dygram --to run.svg --colors dark"
)]
pub(super) struct ExportStripArgs {
    #[command(flatten)]
    played: PlayedOptions,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    colors: PictureColors,
}

pub(super) fn run(arguments: &ExportStripArgs, recorder: &StepRecorder) -> CommandResult {
    arguments.destination.check()?;
    let (run, name) = arguments.played.run(arguments.destination.within.root())?;
    let picture = draw_strip(&run, &RunStrip::new(&run), &name, arguments.colors.colors);
    arguments.destination.write_picture(recorder, &picture)
}
