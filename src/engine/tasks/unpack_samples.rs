//! Unpacks the samples into a temporary folder.

use std::sync::PoisonError;

use jiff::Timestamp;

use crate::engine::disk::root::describe_error;
use crate::engine::disk::samples::SampleCopy;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{EngineEvent, UnpackSamples, UnpackedSamples};

impl Task for UnpackSamples {
    fn lane() -> Lane {
        Lane::Independent("samples")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        if context.root.is_some() {
            let refused = "The samples cannot be opened with --root. Start Retake without it.";
            return Some(EngineEvent::Failed(refused.to_owned()));
        }
        let temp = std::env::temp_dir();
        let copy = match SampleCopy::create(&temp, Timestamp::now()) {
            Ok(copy) => copy,
            Err(error) => {
                let temp = temp.display();
                let reason = describe_error(&error);
                let failed = format!("The samples cannot be unpacked into {temp}: {reason}.");
                return Some(EngineEvent::Failed(failed));
            }
        };
        let unpacked =
            UnpackedSamples { project: copy.opened(), report: copy.report(), stop: self.0 };
        let copies = &context.services.samples;
        let mut copies = copies.lock().unwrap_or_else(PoisonError::into_inner);
        copies.push(copy);
        Some(EngineEvent::SamplesUnpacked(unpacked))
    }
}
