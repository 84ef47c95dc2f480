//! Pictures of the machines that the models stand for, for the book. Solid arrows are the way of stores to memory; dashed
//! ones show what comes earlier than its place in the program.

use crate::svg::Anchor::{End, Middle, Start};
use crate::svg::Svg;
use raddle_engine::Model;

const WIDTH: u32 = 720;
/// The left sides of the boxes of the two cores.
const CORES: [f64; 2] = [60.0, 400.0];
const CORE: [f64; 2] = [260.0, 64.0];

/// The models with a picture, and how it is drawn.
pub const PICTURES: [(Model, fn() -> String); 5] = [
    (Model::Sc, sequential),
    (Model::Tso, || {
        queues(
            "tso",
            &["store buffer"],
            "A queue of stores for each core: stores leave it in order",
            "a load reads its own core's newest store to the address, or else the memory",
        )
    }),
    (Model::Pso, || {
        queues(
            "pso",
            &["to x", "to y", "to z"],
            "A queue of stores for each core and address: stores to other addresses overtake",
            "a store barrier keeps stores before it ahead of stores behind it",
        )
    }),
    (Model::Power, || propagation("power", "sync: all; lwsync: all but stores with later loads")),
    (Model::Arm, || propagation("arm", "dmb: all; dmb st: stores with stores")),
];

fn begin(height: u32, title: &str) -> Svg {
    let mut svg = Svg::new(WIDTH, height);
    svg.text("title", Start, [24.0, 32.0], title);
    svg
}

fn core(svg: &mut Svg, number: usize, y: f64, lines: [&str; 2]) {
    let x = CORES[number];
    svg.rect("box", [x, y], CORE);
    svg.text("", Start, [x + 12.0, y + 26.0], &format!("core {number}: {}", lines[0]));
    svg.text("small soft", Start, [x + 12.0, y + 48.0], lines[1]);
}

fn memory(svg: &mut Svg, y: f64, text: &str) {
    svg.rect("memory", [60.0, y], [600.0, 48.0]);
    svg.text("", Middle, [360.0, y + 29.0], text);
}

fn sequential() -> String {
    let mut svg = begin(260, "sc: sequential consistency");
    for (number, x) in CORES.into_iter().enumerate() {
        core(&mut svg, number, 56.0, ["in program order", "one operation at a time"]);
        svg.arrow("line", [x + 80.0, 120.0], [x + 80.0, 180.0]);
        svg.text("small soft", Start, [x + 88.0, 154.0], "stores");
        svg.arrow("line", [x + 180.0, 180.0], [x + 180.0, 120.0]);
        svg.text("small soft", Start, [x + 188.0, 154.0], "loads");
    }
    memory(&mut svg, 182.0, "memory: every store is seen by all cores at once");
    svg.finish(
        "The machine of sc",
        "Two cores read and write one memory directly, in program order.",
    )
}

/// Cores with one queue of stores or more in front of the memory.
fn queues(name: &str, labels: &[&str], rule: &str, note: &str) -> String {
    let mut svg =
        begin(404, &format!("{name}: {}", if labels.len() == 1 { "x86" } else { "SPARC PSO" }));
    for (number, x) in CORES.into_iter().enumerate() {
        core(&mut svg, number, 56.0, ["in program order", "loads do not wait for the queue"]);
        let width = 176.0 / labels.len() as f64;
        for (at, label) in labels.iter().enumerate() {
            let left = x + at as f64 * width;
            svg.arrow("line", [left + width / 2.0, 120.0], [left + width / 2.0, 148.0]);
            for slot in 0..3 {
                svg.rect(
                    "queue",
                    [left + 4.0, 150.0 + 26.0 * f64::from(slot)],
                    [width - 8.0, 22.0],
                );
            }
            svg.text("small", Middle, [left + width / 2.0, 244.0], label);
            svg.arrow("line", [left + width / 2.0, 252.0], [left + width / 2.0, 290.0]);
        }
        let right = x + 225.0;
        svg.arrow("early", [right, 290.0], [right, 120.0]);
        svg.text("small soft", End, [right - 6.0, 276.0], "loads");
    }
    memory(&mut svg, 292.0, "memory");
    svg.text("small", Start, [60.0, 364.0], rule);
    svg.text("small soft", Start, [60.0, 384.0], note);
    svg.finish(&format!("The machine of {name}"), &format!("{rule}; {note}."))
}

/// Cores that execute out of order, each with a view of its own of the memory.
fn propagation(name: &str, fences: &str) -> String {
    let machine = if name == "power" { "IBM POWER" } else { "ARMv7" };
    let mut svg = begin(404, &format!("{name}: {machine}"));
    for (number, x) in CORES.into_iter().enumerate() {
        core(&mut svg, number, 56.0, ["out of program order", "save for fences and dependencies"]);
        // Instructions that are done early: the last of four before the first.
        for (at, word) in ["load", "store", "load", "store"].iter().enumerate() {
            let left = x + 8.0 + 62.0 * at as f64;
            svg.rect("queue", [left, 132.0], [56.0, 24.0]);
            svg.text("small", Middle, [left + 28.0, 148.0], word);
        }
        svg.arrow("early", [x + 222.0, 168.0], [x + 36.0, 168.0]);
        svg.text("small soft", Middle, [x + 130.0, 184.0], "may be done earlier");
        svg.arrow("line", [x + 60.0, 194.0], [x + 60.0, 226.0]);
        svg.arrow("line", [x + 200.0, 226.0], [x + 200.0, 194.0]);
        svg.rect("memory", [x, 228.0], [CORE[0], 64.0]);
        svg.text("", Middle, [x + 130.0, 254.0], &format!("what core {number} sees"));
        svg.text(
            "small soft",
            Middle,
            [x + 130.0, 276.0],
            "one order of the writes to each address",
        );
    }
    svg.arrow("early", [322.0, 248.0], [398.0, 248.0]);
    svg.arrow("early", [398.0, 272.0], [322.0, 272.0]);
    svg.text("small", Middle, [360.0, 238.0], "one by one");
    let rule = "A write reaches each other core at a time of its own";
    svg.text("small", Start, [60.0, 330.0], rule);
    svg.text("small", Start, [60.0, 352.0], "What a fence keeps in order, for all cores:");
    svg.text("small code", Start, [60.0, 374.0], fences);
    let dependency = "Address, data and control dependencies keep a load before what needs it";
    svg.text("small soft", Start, [60.0, 394.0], dependency);
    svg.finish(
        &format!("The machine of {name}"),
        &format!("Two cores execute out of order. {rule}. {dependency}. {fences}."),
    )
}
