//! Uses of the tools of a run, and renames of them.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _, HashSet};

use super::{PlayedCall, RecordingSet, RequestOrigin};
use machine::tool_prefix;

/// Uses of the tools of a run; made once, because each miss of each call may be a rename.
#[derive(Debug)]
pub(super) struct ToolUses {
    /// Tools that calls offer, except calls with the requests of the set itself.
    offered: HashSet<Arc<str>>,
    /// Positions of the recordings that name a tool, in order.
    recordings: HashMap<Arc<str>, Vec<usize>>,
}

impl ToolUses {
    pub(super) fn new(set: &RecordingSet, calls: &[PlayedCall]) -> Self {
        // Requests of the set itself offer every recorded name, and would rule out each rename.
        let is_own = |call: &&PlayedCall| matches!(call.request.origin, RequestOrigin::Own(_));
        let calls = calls.iter().filter(|call| !is_own(call));
        let offered_tools = calls.flat_map(|call| call.request.offered.iter().cloned());
        let mut recordings: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
        for (index, recording) in set.recordings.iter().enumerate() {
            let stored_names = recording.signature().tool_names.iter();
            for tool in stored_names.chain(recording.offered()).chain(&*recording.calls) {
                let positions = recordings.entry(Arc::clone(tool)).or_default();
                // One recording may name a tool several times; positions ascend, as the search below needs.
                if positions.last() != Some(&index) {
                    positions.push(index);
                }
            }
        }
        Self { offered: offered_tools.collect(), recordings }
    }

    /// Returns the positions of the recordings that name a tool, in order.
    pub(super) fn recordings_of(&self, tool: &Arc<str>) -> &[usize] {
        self.recordings.get(tool).map_or(&[], Vec::as_slice)
    }

    /// Returns the old and the new name of a tool if only one of each differs, both are of one kind of tools, and no place offers both.
    pub(super) fn find_rename<'a>(
        &self,
        missing: &'a [Arc<str>],
        extra: &'a [Arc<str>],
    ) -> Option<[&'a Arc<str>; 2]> {
        let ([to], [from]) = (missing, extra) else { return None };
        if tool_prefix(to) != tool_prefix(from) {
            return None;
        }
        // This runs for each miss of each call, and most often no recording has the new name yet.
        let (mut few, mut many) = (self.recordings_of(from), self.recordings_of(to));
        if few.len() > many.len() {
            std::mem::swap(&mut few, &mut many);
        }
        let has_both = few.iter().any(|index| many.binary_search(index).is_ok());
        (!has_both && !self.offered.contains(from)).then_some([from, to])
    }
}
