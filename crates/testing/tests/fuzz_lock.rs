//! The fuzz targets are a separate workspace, with a lock file that nothing else checks.

use raddle_testing::root;

/// The packages in `[dependencies]` of a manifest, sorted, without optional ones.
fn dependencies(manifest: &str) -> Vec<String> {
    let after = manifest.split_once("[dependencies]\n").map_or("", |(_, after)| after);
    let lines = after.lines().take_while(|line| !line.starts_with('['));
    let lines = lines.filter(|line| !line.contains("optional = true"));
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    let mut names: Vec<String> = names.filter(|name| !name.is_empty()).map(str::to_owned).collect();
    names.sort();
    names
}

/// The packages that an entry of a lock file depends on, sorted.
fn locked(entry: &str) -> Vec<String> {
    let listed = entry.split_once("dependencies = [").map_or("", |(_, after)| after);
    let listed = listed.split_once(']').map_or("", |(listed, _)| listed);
    let mut names: Vec<String> =
        listed.lines().map(|line| line.trim_matches([' ', '"', ',']).to_owned()).collect();
    names.retain(|name| !name.is_empty());
    names.sort();
    names
}

#[test]
fn the_lock_file_of_the_fuzz_targets_is_up_to_date() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("a file");
    let lock = read("fuzz/Cargo.lock");
    let mut seen = 0;
    for entry in lock.split("[[package]]") {
        let name = entry.trim_start().strip_prefix("name = \"raddle-");
        let Some((name, _)) = name.and_then(|name| name.split_once('"')) else { continue };
        let manifest = match name {
            "fuzz" => "fuzz/Cargo.toml".to_owned(),
            name => format!("crates/{name}/Cargo.toml"),
        };
        let advice = "cargo update --manifest-path fuzz/Cargo.toml --workspace";
        assert_eq!(locked(entry), dependencies(&read(&manifest)), "{manifest}: {advice}");
        seen += 1;
    }
    assert!(seen > 5, "only {seen} packages of the project are locked");
}
