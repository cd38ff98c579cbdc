//! The graph of files inside a crate: which file names an item of which.
//!
//! A path counts for the file of the deepest module that it names, so an item that `mod.rs` re-exports counts for `mod.rs`.
//! A `mod` line is no edge, nor is a `pub use` of an item that the re-exporting file does not use itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use super::source::{Source, is_word};

/// A module's path inside its crate; the crate's root is empty.
type Module = Vec<String>;

struct File {
    path: String,
    source: Source,
}

/// Finds the files that lie on a cycle of imports, as one sorted group for each knot.
pub fn cycles(folder: &Path, root: &Path) -> Vec<Vec<String>> {
    let files = modules(folder, root);
    let edges: BTreeMap<&Module, BTreeSet<Module>> =
        files.iter().map(|(module, file)| (module, imports(module, file, &files))).collect();
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        edges.keys().map(|module| (*module, reachable(module, &edges))).collect();
    let mut knots = BTreeSet::new();
    for (module, from_here) in &reached {
        let knot: Vec<String> = from_here
            .iter()
            .filter(|other| reached[**other].contains(*module))
            .map(|other| files[*other].path.clone())
            .collect();
        if knot.len() > 1 {
            knots.insert(knot);
        }
    }
    knots.into_iter().collect()
}

/// Reads the files of a crate, without those that only tests compile.
fn modules(folder: &Path, root: &Path) -> BTreeMap<Module, File> {
    let mut files = BTreeMap::new();
    for path in super::rust_files(folder) {
        let inside = path.strip_prefix(folder).expect("a file of the folder");
        let mut module: Module = inside
            .with_extension("")
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        if ["mod", "lib", "main"].contains(&module.last().expect("a name").as_str()) {
            module.pop();
        }
        let text = fs::read_to_string(&path).expect("readable");
        let path = path.strip_prefix(root).expect("inside the repository");
        let file = File { path: path.to_string_lossy().into_owned(), source: Source::parse(&text) };
        files.insert(module, file);
    }
    let tests: BTreeSet<Module> = files
        .iter()
        .flat_map(|(module, file)| {
            let names = file.source.test_modules.iter();
            names.map(|name| joined(module, std::slice::from_ref(name)))
        })
        .collect();
    files.retain(|module, _| !(1..=module.len()).any(|upto| tests.contains(&module[..upto])));
    files
}

fn joined(module: &[String], names: &[String]) -> Module {
    [module, names].concat()
}

fn reachable<'a>(
    from: &'a Module,
    edges: &'a BTreeMap<&'a Module, BTreeSet<Module>>,
) -> BTreeSet<&'a Module> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![from];
    while let Some(module) = waiting.pop() {
        for next in &edges[module] {
            if found.insert(next) {
                waiting.push(next);
            }
        }
    }
    found
}

/// One name that a `use` brings in.
struct Import {
    name: String,
    path: Vec<String>,
    re_exported: bool,
}

fn imports(module: &Module, file: &File, files: &BTreeMap<Module, File>) -> BTreeSet<Module> {
    let (imported, code) = split_imports(&file.source);
    let mut named: HashMap<String, Vec<String>> = HashMap::new();
    let mut found = BTreeSet::new();
    let words: BTreeSet<&str> = code.iter().map(|&at| file.source.text(at)).collect();
    for import in imported {
        let Some(path) = absolute(module, &import.path, &named, files) else {
            continue;
        };
        let (target, is_item) = deepest(&path, files);
        if is_item && (!import.re_exported || words.contains(import.name.as_str())) {
            found.insert(target);
        }
        named.insert(import.name, path);
    }
    for path in paths(&file.source, &code) {
        if let Some(path) = absolute(module, &path, &named, files) {
            let (target, is_item) = deepest(&path, files);
            found.extend(is_item.then_some(target));
        }
    }
    found.remove(module);
    found
}

/// Splits a file into the names that its `use` items bring in and the indexes of all other tokens.
fn split_imports(source: &Source) -> (Vec<Import>, Vec<usize>) {
    let (mut found, mut code) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < source.tokens.len() {
        if source.text(at) == "use" && source.text(at + 1) != "<" {
            let before = source.text(at - usize::from(at > 0));
            let re_exported = before == "pub" || before == ")";
            let end = (at..source.tokens.len())
                .find(|&index| source.text(index) == ";")
                .expect("the end of a use");
            let mut tree = UseTree { source, at: at + 1 };
            tree.read(&[], re_exported, &mut found);
            at = end;
        } else {
            code.push(at);
        }
        at += 1;
    }
    (found, code)
}

struct UseTree<'a> {
    source: &'a Source,
    at: usize,
}

impl UseTree<'_> {
    fn read(&mut self, prefix: &[String], re_exported: bool, found: &mut Vec<Import>) {
        let mut path = prefix.to_vec();
        loop {
            let text = self.source.text(self.at).to_owned();
            self.at += 1;
            match text.as_str() {
                "::" => {}
                "{" => {
                    while self.source.text(self.at) != "}" {
                        self.read(&path, re_exported, found);
                        self.at += usize::from(self.source.text(self.at) == ",");
                    }
                    self.at += 1;
                    return;
                }
                "as" => {
                    let name = self.source.text(self.at).to_owned();
                    self.at += 1;
                    found.push(Import { name, path, re_exported });
                    return;
                }
                "self" if !prefix.is_empty() && path == prefix => {}
                _ => path.push(text),
            }
            if ![":", "::", "{", "as"].contains(&self.source.text(self.at))
                && self.source.text(self.at - 1) != "::"
            {
                let name = path.last().cloned().unwrap_or_default();
                found.push(Import { name, path, re_exported });
                return;
            }
        }
    }
}

/// Collects the paths of two and more segments in the code.
fn paths(source: &Source, code: &[usize]) -> Vec<Vec<String>> {
    let is_separator = |at: usize| source.text(at) == "::";
    let mut found = Vec::new();
    for &at in code {
        let begins = is_word(source.text(at)) && (at == 0 || !is_separator(at - 1));
        let in_visibility = at > 1 && source.text(at - 1) == "in" && source.text(at - 2) == "(";
        if !begins || in_visibility {
            continue;
        }
        let mut path = vec![source.text(at).to_owned()];
        let mut next = at;
        while is_separator(next + 1) && is_word(source.text(next + 2)) {
            next += 2;
            path.push(source.text(next).to_owned());
        }
        if path.len() > 1 {
            found.push(path);
        }
    }
    found
}

/// Resolves a path to one from the crate's root; none for a path into another crate.
fn absolute(
    module: &Module,
    path: &[String],
    named: &HashMap<String, Vec<String>>,
    files: &BTreeMap<Module, File>,
) -> Option<Vec<String>> {
    let (first, rest) = path.split_first()?;
    let child = joined(module, std::slice::from_ref(first));
    match first.as_str() {
        "crate" => Some(rest.to_vec()),
        "self" => Some(joined(module, rest)),
        "super" => {
            let up = path.iter().take_while(|part| *part == "super").count();
            Some(joined(&module[..module.len().checked_sub(up)?], &path[up..]))
        }
        _ if named.contains_key(first) => Some(joined(&named[first], rest)),
        _ => files.contains_key(&child).then(|| joined(&child, rest)),
    }
}

/// Returns the deepest module that a path names, and whether an item of it follows.
fn deepest(path: &[String], files: &BTreeMap<Module, File>) -> (Module, bool) {
    let length = (0..=path.len())
        .rev()
        .find(|&length| files.contains_key(&path[..length]))
        .expect("the crate's root");
    (path[..length].to_vec(), length < path.len())
}
