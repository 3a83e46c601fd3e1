//! Describes what a configuration lists, and whether it exists.

use std::sync::Arc;

use super::super::project::sentence;
use super::look::{File, Looking, joined};
use crate::format::config::{Config, ReplaySource};
use crate::format::{Body, Node, NodeKind, text};
use crate::ops::diff::thousands;
use crate::ops::import::RunStatus;
use crate::ops::session::{ResolvedSession, SessionPlace, path_from, resolve_sessions};
use crate::workbench::{
    ConfigFound, ConfigListing, FetchForm, FetchOf, ListedInConfig, RunFilter, SourceInConfig,
};

pub(super) fn found(looking: &Looking<'_>, file: &File) -> ConfigFound {
    let Body::Config(config) = &file.document.body else {
        return ConfigFound {
            path: file.path.as_str().into(),
            doc: file.doc,
            listing: ConfigListing::Inline,
            sessions: Vec::new(),
            sources: Vec::new(),
        };
    };
    let all = resolve_sessions(config);
    let own = looking.item().map_or("", |item| &item.root_path);
    let is_own = |session: &ResolvedSession| match &session.place {
        SessionPlace::File(path) => joined(file.folder(), path).as_deref() == Some(own),
        SessionPlace::Inline(_) => false,
    };
    let listing = match all.iter().any(is_own) {
        _ if looking.wanted.id.is_inline() => ConfigListing::Inline,
        true => ConfigListing::Listed,
        false => ConfigListing::Possible(path_from(file.folder(), own).into()),
    };
    ConfigFound {
        path: file.path.as_str().into(),
        doc: file.doc,
        listing,
        sessions: all.iter().map(|it| listed(looking, file, it)).collect(),
        sources: sources(file, config),
    }
}

fn listed(looking: &Looking<'_>, file: &File, session: &ResolvedSession) -> ListedInConfig {
    let spot = file.spot(file.document.node(session.node));
    match &session.place {
        SessionPlace::Inline(id) => ListedInConfig {
            name: id.as_deref().unwrap_or("no id").into(),
            missing: None,
            is_inline: true,
            doc: file.doc,
            spot,
        },
        SessionPlace::File(path) => {
            let probe = looking.project.probe(looking.index, file.folder(), path);
            let there = joined(file.folder(), path).and_then(|path| looking.at(&path));
            let missing = probe.err().map(|it| sentence(&it.to_string()).into());
            ListedInConfig {
                name: path.as_str().into(),
                missing,
                is_inline: false,
                doc: there.map(|(doc, _)| doc),
                spot,
            }
        }
    }
}

fn sources(file: &File, config: &Config) -> Vec<SourceInConfig> {
    let sources = config.sources.iter();
    let sources = sources.map(|source| {
        let node = file.document.node(source.node);
        let fetch = form(source, node);
        SourceInConfig {
            name: text(&source.name).unwrap_or("not named").into(),
            words: words(fetch.as_ref(), node),
            spot: file.spot(node),
            fetch,
        }
    });
    sources.collect()
}

/// What is fetched of a source; `None` of an unknown type.
fn form(source: &ReplaySource, node: Node<'_>) -> Option<FetchForm> {
    let name = text(&source.name).unwrap_or_default().to_owned();
    let form = FetchForm::default();
    match text(&source.kind)? {
        "langsmith_run" => Some(FetchForm {
            of: FetchOf::Run,
            run: name,
            ..form
        }),
        "langsmith" => Some(FetchForm {
            of: FetchOf::Project,
            project: name,
            filter: filter(node.get("filter")),
            ..form
        }),
        _ => None,
    }
}

/// Returns which runs are imported, as Flakestorm reads it: those with an error, unless the configuration sets another filter.
fn filter(node: Option<Node<'_>>) -> RunFilter {
    let field = |key| node.and_then(|filter| filter.get(key));
    let status = match field("status").and_then(Node::as_str) {
        Some("all") => RunStatus::All,
        Some("warning") => RunStatus::Warning,
        _ => RunStatus::Error,
    };
    // Without quotes YAML 1.1 reads a day as a date: use it as written.
    let since = field("date_range").filter(|node| node.kind() != NodeKind::Null);
    let since = since.map(|node| node.as_str().unwrap_or(node.raw()));
    let least = field("min_latency_ms").and_then(Node::as_f64);
    RunFilter {
        status,
        since: since.unwrap_or_default().to_owned(),
        least: least.map_or_else(String::new, |ms| format!("{ms}")),
        ..RunFilter::default()
    }
}

/// Describes a source and what is imported from it.
fn words(form: Option<&FetchForm>, node: Node<'_>) -> Arc<str> {
    let Some(form) = form else {
        return "of an unknown type".into();
    };
    if form.of == FetchOf::Run {
        return "LangSmith run, fetched on each `flakestorm ci`".into();
    }
    let filter = &form.filter;
    let status = match filter.status {
        RunStatus::All => "all",
        RunStatus::Error => "error",
        RunStatus::Warning => "warning",
    };
    let mut words = vec![format!("LangSmith project, status {status}")];
    words.extend(Some(filter.since.clone()).filter(|since| !since.is_empty()));
    if let Ok(ms) = filter.least.parse::<f64>() {
        words.push(format!("from {} ms", thousands(ms as usize)));
    }
    let fetches = node.get("auto_import").and_then(Node::as_bool);
    words.push(match fetches {
        Some(true) => "fetched on each `flakestorm ci`".to_owned(),
        _ => "not fetched automatically".to_owned(),
    });
    words.join(", ").into()
}
