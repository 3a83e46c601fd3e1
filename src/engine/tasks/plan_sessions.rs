//! Finds out what saving drafts would write.

use std::sync::Arc;

use crate::engine::disk::project::{Project, to_sentence};
use crate::engine::disk::root::{ReadRefusal, beneath};
use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::diff::outline::Outline;
use crate::ops::diff::text::TextDiff;
use crate::ops::import::file_name;
use crate::ops::session::{SessionFormat, add_files, path_from};
use crate::text::Source;
use crate::workbench::{
    ConfigChange, DocId, EngineEvent, ExistingFile, ImportEvent, PlanSessions, PlannedFile,
    SessionPlan,
};

impl Task for PlanSessions {
    fn lane() -> Lane {
        Lane::Newest("import")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let plan = plan(context.project.as_deref()?, self).map(Arc::new);
        Some(EngineEvent::Import(ImportEvent::Planned(self.number, plan)))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::Import(ImportEvent::Planned(self.number, Err(reason)))
    }
}

/// Finds out what saving would do.
fn plan(project: &Project, wanted: &PlanSessions) -> Result<SessionPlan, String> {
    let root = project.root().ok_or("Nothing is open")?;
    let folder = wanted.to.folder.trim().trim_end_matches('/');
    let mut files: Vec<PlannedFile> = Vec::new();
    for (number, draft) in wanted.drafts.iter().enumerate() {
        let Some(session) = wanted.incident.session(*draft, &wanted.secrets) else {
            continue;
        };
        let name = file_name(&wanted.to.pattern, &session, number + 1);
        let path = beneath(&format!("{}/{name}", if folder.is_empty() { "." } else { folder }))
            .map_err(|refusal| format!("The folder cannot be used: {refusal}"))?;
        let form = if path.ends_with(".json") { SessionFormat::Json } else { SessionFormat::Yaml };
        let text = wanted.incident.text(*draft, &wanted.secrets, form);
        let text = Source::new(text.map_err(|reason| format!("{reason}: {path}"))?);
        let there = if files.iter().any(|file| file.path == path) {
            ExistingFile::DuplicateName
        } else {
            compare_existing(root.read(&path), &text)
                .map_err(|reason| format!("{reason}: {path}"))?
        };
        files.push(PlannedFile { path, text, existing: there });
    }
    let config = match wanted.config {
        Some(doc) => plan_config(project, wanted, doc, &files)?,
        None => None,
    };
    Ok(SessionPlan { files, config })
}

fn compare_existing(
    read: Result<Vec<u8>, ReadRefusal>,
    text: &Source,
) -> Result<ExistingFile, String> {
    match read {
        Err(ReadRefusal::Missing) => Ok(ExistingFile::Nothing),
        Err(refusal) => Err(to_sentence(&refusal.to_string())),
        Ok(bytes) if bytes == text.text().as_bytes() => Ok(ExistingFile::Same),
        Ok(bytes) => {
            let theirs = Source::from_bytes(bytes.clone());
            let diff = TextDiff::new(&theirs, text, Outline::Plain);
            Ok(ExistingFile::Other(bytes.into(), Arc::new(diff)))
        }
    }
}

/// Plans the configuration's edit that lists the files; `None` when it lists them already.
fn plan_config(
    project: &Project,
    wanted: &PlanSessions,
    doc: DocId,
    files: &[PlannedFile],
) -> Result<Option<ConfigChange>, String> {
    let Some(item) = wanted.items.get(doc) else {
        return Ok(None);
    };
    let document = project.read(doc.index(), item)?;
    let folder = item.root_path.rsplit_once('/').map_or("", |(it, _)| it);
    let is_there = |file: &&PlannedFile| !matches!(file.existing, ExistingFile::DuplicateName);
    let paths: Vec<String> =
        files.iter().filter(is_there).map(|file| path_from(folder, &file.path)).collect();
    let (after, added) = add_files(&document, &paths)
        .map_err(|refusal| format!("{} cannot list them: {refusal}", item.file_name()))?;
    let before = document.source().clone();
    Ok((added > 0).then(|| ConfigChange {
        path: item.root_path.to_string(),
        diff: Arc::new(TextDiff::new(&before, &after, Outline::Plain)),
        before,
        after,
    }))
}
