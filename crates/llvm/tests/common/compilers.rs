//! The installed compilers.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A clang.
pub(crate) struct Clang {
    pub name: String,
    path: PathBuf,
}

/// Every clang on the path: `clang` itself, and those with a version in their names.
pub(crate) fn clangs() -> Vec<Clang> {
    let names = std::iter::once("clang".to_owned())
        .chain((14..=22).map(|version| format!("clang-{version}")));
    names.filter_map(|name| find(&name).map(|path| Clang { name, path })).collect()
}

fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

impl Clang {
    /// Compiles a file to LLVM IR as raddle does, with this optimisation level and additional arguments. If the
    /// compiler fails, prints a note and returns `None`.
    pub(crate) fn compile(
        &self,
        source: &Path,
        level: &str,
        more: &[&str],
        out: &Path,
    ) -> Option<Vec<u8>> {
        let status = Command::new(&self.path)
            .args(["-S", "-emit-llvm", level, "-Xclang", "-disable-O0-optnone"])
            .args(["-gline-tables-only", "-w"])
            .args(more)
            .arg(source)
            .arg("-o")
            .arg(out)
            .output()
            .expect("the compiler runs");
        if !status.status.success() {
            let message = String::from_utf8_lossy(&status.stderr);
            let first = message.lines().next().unwrap_or_default();
            eprintln!("{} {level} fails on {}: {first}", self.name, source.display());
            return None;
        }
        Some(std::fs::read(out).expect("the compiler wrote its output"))
    }
}
