//! `retake export picture`: a tape's timeline, to be put into a document.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;

use super::Destination;
use crate::cli::{Failure, Verdict, read_document};
use crate::ops::tape::picture::{Ask, Look, drawn};
use crate::ops::tape::reel::Reel;
use crate::ops::tape::timeline::Stretch;
use crate::ops::tape::timing::{MILLISECOND, Pace};

/// Draw the timeline of a tape as SVG or PNG, as the name of the file ends.
///
/// In SVG text is text, and each mark tells its chunk where it is pointed at. A PNG has 2400 by 760 pixels. A file that holds
/// something else is left, unless --force is given.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake export picture tapes/answer.json --to answer.svg\n  \
                  retake export picture tapes/answer.json --to answer.png --colors dark --from 1200 --until 4000"
)]
pub(super) struct Arguments {
    /// The tape.
    #[arg(value_name = "TAPE")]
    tape: PathBuf,
    #[command(flatten)]
    destination: Destination,
    /// In which colours.
    #[arg(long, value_enum, default_value = "light")]
    colors: Colors,
    /// Milliseconds at which the picture begins [default: the start].
    #[arg(long, value_name = "MS")]
    from: Option<f64>,
    /// Milliseconds at which it ends [default: the end].
    #[arg(long, value_name = "MS")]
    until: Option<f64>,
    /// Mark silences of so many milliseconds and more.
    #[arg(long, value_name = "MS", default_value = "500")]
    silence: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Colors {
    Light,
    Dark,
}

pub(super) fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    let document = read_document(&arguments.tape, arguments.destination.within.root())?;
    let reel = Reel::of(Arc::new(document));
    let reel = reel.ok_or_else(|| Failure("The file is no tape".to_owned()))?;
    let to = arguments.destination.to.to_string_lossy();
    let stem = arguments.tape.file_stem().unwrap_or_default();
    let tape = reel.tape().and_then(|tape| tape.label.as_ref());
    let ask = Ask {
        title: tape.map_or_else(
            || stem.to_string_lossy().into_owned(),
            |label| label.value.clone(),
        ),
        shown: arguments.stretch(&reel)?,
        pace: Pace::Recorded,
        silence_nanos: arguments.silence * MILLISECOND,
        look: match arguments.colors {
            Colors::Light => Look::Light,
            Colors::Dark => Look::Dark,
        },
    };
    // On the standard output it is what a terminal can stand.
    let name = if to == "-" { "picture.svg" } else { &*to };
    let bytes = drawn(&reel, &ask, name).map_err(Failure)?;
    arguments.destination.write_bytes(&bytes)?;
    Ok(Verdict::Passed)
}

impl Arguments {
    fn stretch(&self, reel: &Reel) -> Result<Option<Stretch>, Failure> {
        if self.from.is_none() && self.until.is_none() {
            return Ok(None);
        }
        let total = reel.schedule(Pace::Recorded).total_nanos();
        let stretch = Stretch {
            from_nanos: self.from.map_or(0.0, |from| from * MILLISECOND),
            to_nanos: self.until.map_or(total, |until| until * MILLISECOND),
        };
        if stretch.from_nanos >= 0.0 && stretch.nanos() > 0.0 && stretch.nanos().is_finite() {
            Ok(Some(stretch))
        } else {
            Err(Failure("The picture ends before it begins".to_owned()))
        }
    }
}
