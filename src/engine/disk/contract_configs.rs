//! Finds the configuration above a session, and the contracts it may refer to.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::disk::root::{Root, joined, parent_folder};
use crate::disk::sources::Memo;
use check::ContractFacts;
use document::text::Source;
use document::{DocumentBody, FileKind, text};

/// The file names of Flakestorm's configuration.
pub(crate) const CONFIGS: [&str; 2] = ["flakestorm.yaml", "flakestorm.yml"];

/// The configurations below one root, as they were when first read.
#[derive(Debug)]
pub(crate) struct ContractConfigs {
    root: Arc<Root>,
    /// The configuration directly in each folder.
    configs: Memo<Box<str>, Option<Arc<ContractConfig>>>,
}

#[derive(Debug, PartialEq, Eq)]
struct ContractConfig {
    path: String,
    names: HashSet<Box<str>>,
}

impl ContractConfigs {
    /// Looks beneath `root`.
    pub(crate) fn new(root: Arc<Root>) -> Self {
        Self { root, configs: Memo::default() }
    }

    /// The contracts that a document at `path` (from the root) may refer to, given its own [references](check::contract_references); `None`
    /// when it refers to none, or when there is no configuration above it.
    pub(crate) fn facts(
        &self,
        path: &str,
        kind: FileKind,
        references: &[Box<str>],
    ) -> Option<ContractFacts> {
        let config = match kind {
            // A configuration defines its own names, which its rules know.
            FileKind::Config => {
                Arc::new(ContractConfig { path: path.to_owned(), names: HashSet::new() })
            }
            FileKind::Session => self.nearest_config(parent_folder(path))?,
            _ => return None,
        };
        let folder = parent_folder(&config.path);
        let files = references.iter().filter(|file| self.root.probe_from(folder, file).is_ok());
        Some(ContractFacts {
            config: config.path.as_str().into(),
            names: config.names.clone(),
            files: files.cloned().collect(),
        })
    }

    /// The nearest configuration in a folder or above it.
    fn nearest_config(&self, folder: &str) -> Option<Arc<ContractConfig>> {
        Path::new(folder).ancestors().find_map(|folder| {
            let folder = folder.to_str()?;
            self.configs.get(folder.into(), || self.config_in(folder))
        })
    }

    /// Returns the folders that were searched, relative to the root.
    pub(crate) fn visited_folders(&self) -> Vec<Box<str>> {
        self.configs.questions()
    }

    /// Counts the folders that were searched.
    pub(crate) fn places(&self) -> usize {
        self.configs.len()
    }

    /// Searches every folder again. Returns whether a configuration has changed.
    pub(crate) fn refresh(&self) -> bool {
        self.configs.refresh(|_| true, |folder| self.config_in(folder))
    }

    fn config_in(&self, folder: &str) -> Option<Arc<ContractConfig>> {
        CONFIGS.iter().find_map(|name| self.read(folder, name))
    }

    fn read(&self, folder: &str, name: &str) -> Option<Arc<ContractConfig>> {
        let path = joined(folder, name);
        let document = document::read(Source::from_bytes(self.root.read(&path).ok()?), name);
        let DocumentBody::Config(config) = &document.body else { return None };
        let name = config.contract.as_ref().and_then(|c| text(&c.name));
        Some(Arc::new(ContractConfig { path, names: name.into_iter().map(Box::from).collect() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_configuration_names_the_contracts() {
        let temp = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = temp.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let config = |name| {
            format!(
                "version: '2.0'\nagent: {{ endpoint: http://localhost }}\n\
                 contract: {{ name: {name}, invariants: [] }}\nreplays: {{ sessions: [] }}\n"
            )
        };
        write("flakestorm.yaml", &config("outer"));
        write("app/flakestorm.yml", &config("inner"));
        write("contracts/strict.yaml", "name: strict\ninvariants: []\n");

        let contracts = ContractConfigs::new(Arc::new(Root::open(temp.path()).unwrap()));
        let facts = |path: &str, contract: &str| {
            let facts = contracts.facts(path, FileKind::Session, &[contract.into()]).unwrap();
            format!("{} {:?} {:?}", facts.config, facts.names, facts.files)
        };
        assert_eq!(
            facts("replays/a.yaml", "contracts/strict.yaml"),
            r#"flakestorm.yaml {"outer"} {"contracts/strict.yaml"}"#
        );
        assert_eq!(
            facts("app/replays/a.yaml", "../contracts/strict.yaml"),
            r#"app/flakestorm.yml {"inner"} {"../contracts/strict.yaml"}"#
        );
        assert_eq!(facts("app/a.yaml", "../../outside.yaml"), r#"app/flakestorm.yml {"inner"} {}"#);
    }
}
