//! Memory of the process and of the machine.

use std::fs;

/// The bytes of physical memory that the process holds, if the system reports them.
pub fn resident_memory() -> Option<u64> {
    memory_stats::memory_stats().map(|stats| stats.physical_mem as u64)
}

/// The default limit in bytes: half of the memory of the machine or of the container, and not more than seven
/// eighths of the free memory. `None` if the system does not report them.
///
/// Half, since a growing array is copied to one of twice its size: a larger array may be refused.
pub fn default_memory() -> Option<u64> {
    let (total, available) = machine_memory()?;
    Some((total / 2).min(available / 8 * 7))
}

/// The bytes of memory of the machine or of the container in total, and those of the machine that are free or
/// can be freed. `None` if the system does not report them.
pub fn machine_memory() -> Option<(u64, u64)> {
    let (total, available) = machine(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse().ok()).unwrap_or(u64::MAX);
    Some((total.min(container), available))
}

/// The bytes of memory in total, and those that are free or can be freed.
fn machine(meminfo: &str) -> Option<(u64, u64)> {
    Some((field(meminfo, "MemTotal:")?, field(meminfo, "MemAvailable:")?))
}

/// The most bytes of physical memory that the process has held so far, if the system reports them.
pub fn peak_memory() -> Option<u64> {
    field(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// A size in a file of `/proc`, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_machine_has() {
        let text = "MemTotal:       2048 kB\nMemFree: 1 kB\nMemAvailable:   1024 kB\n";
        assert_eq!(machine(text), Some((2 << 20, 1 << 20)));
        assert_eq!(machine("MemTotal: many"), None);
    }

    #[test]
    fn the_process_holds_something() {
        assert!(resident_memory().is_none_or(|bytes| bytes > 1 << 16));
    }
}
