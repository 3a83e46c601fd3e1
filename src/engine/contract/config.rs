//! What a configuration lists, and whether it is there.

use std::sync::Arc;

use super::super::project::sentence;
use super::look::{File, Looking, joined};
use crate::format::config::{Config, ReplaySource};
use crate::format::{Body, Node, text};
use crate::ops::diff::thousands;
use crate::ops::session::{Place, Resolved, path_from, resolved};
use crate::workbench::{ConfigFound, ConfigListing, ListedInConfig, SourceInConfig};

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
    let all = resolved(config);
    let own = looking.item().map_or("", |item| &item.root_path);
    let is_own = |session: &Resolved| match &session.place {
        Place::File(path) => joined(file.folder(), path).as_deref() == Some(own),
        Place::Inline(_) => false,
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

fn listed(looking: &Looking<'_>, file: &File, session: &Resolved) -> ListedInConfig {
    let spot = file.spot(file.document.node(session.node));
    match &session.place {
        Place::Inline(id) => ListedInConfig {
            name: id.as_deref().unwrap_or("no id").into(),
            missing: None,
            is_inline: true,
            doc: file.doc,
            spot,
        },
        Place::File(path) => {
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
        SourceInConfig {
            name: text(&source.name).unwrap_or("not named").into(),
            words: words(source, node),
            spot: file.spot(node),
        }
    });
    sources.collect()
}

/// What a source is and what is taken of it.
fn words(source: &ReplaySource, node: Node<'_>) -> Arc<str> {
    if text(&source.kind) == Some("langsmith_run") {
        return "LangSmith run, fetched on each `flakestorm ci`".into();
    }
    let filter = node.get("filter");
    let said = |key| filter.and_then(|filter| filter.get(key));
    let status = said("status").and_then(Node::as_str).unwrap_or("error");
    let mut words = vec![format!("LangSmith project, status {status}")];
    words.extend(said("date_range").and_then(Node::as_str).map(str::to_owned));
    if let Some(ms) = said("min_latency_ms").and_then(Node::as_f64) {
        words.push(format!("from {} ms", thousands(ms as usize)));
    }
    let fetches = node.get("auto_import").and_then(Node::as_bool);
    words.push(match fetches {
        Some(true) => "fetched on each `flakestorm ci`".to_owned(),
        _ => "not fetched by itself".to_owned(),
    });
    words.join(", ").into()
}
