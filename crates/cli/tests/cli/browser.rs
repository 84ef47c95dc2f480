//! The pages of `--html` in a real browser. One session serves all checks, because a start costs a second.
//!
//! Screenshots are left in the folder of scratch files (`target/tmp/browser`) to be looked at.

use crate::common::{raddle, scratch};
use crate::html::page;
use crate::webdriver::{Browser, END, ENTER, ESCAPE, HOME, LEFT, PAGE_DOWN, PATIENCE, RIGHT, TAB};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// A page that is open in the browser.
struct Open<'a> {
    browser: &'a Browser,
    folder: &'a Path,
}

impl Open<'_> {
    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a page and opens it; `None` without a compiler.
    fn show(&self, name: &str, args: &[&str]) -> Option<PathBuf> {
        let path = self.file(&format!("{name}.html"));
        page(&path, args)?;
        self.browser.open(&path);
        Some(path)
    }

    fn text(&self, selector: &str) -> String {
        let script = format!("return document.querySelector({selector:?})?.textContent ?? ''");
        self.browser.run(&script).as_str().expect("text").to_owned()
    }

    fn count(&self, selector: &str) -> u64 {
        let script = format!("return document.querySelectorAll({selector:?}).length");
        self.browser.run(&script).as_u64().expect("a number")
    }

    fn number(&self, script: &str) -> f64 {
        self.browser.run(script).as_f64().unwrap_or_else(|| panic!("no number: {script}"))
    }

    /// The value of a variable in the table of memory.
    fn memory(&self, name: &str) -> String {
        let script = format!(
            "for (const row of document.querySelectorAll('.memory tbody tr')) \
             if (row.cells[0].textContent === {name:?}) return row.cells[1].textContent; return ''"
        );
        self.browser.run(&script).as_str().expect("text").to_owned()
    }

    /// The milliseconds until an open page can be used: the best of some times, because other tests run beside this
    /// one.
    fn load_time(&self, path: &Path) -> f64 {
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            self.browser.open(path);
            best = best.min(self.number(
                "const [load] = performance.getEntriesByType('navigation'); return load.domContentLoadedEventEnd",
            ));
            if best < 300.0 {
                break;
            }
        }
        best
    }

    fn press(&self, keys: &[&str]) {
        self.browser.press(keys);
    }

    /// The page is not wider than the window, and neither is what should fit in it.
    fn fits(&self, what: &str) {
        let wide = self.browser.run(
            "const most = document.documentElement.clientWidth; \
             return [document.documentElement.scrollWidth > most, \
             ...[...document.querySelectorAll('button, .reason, .pane.open, .controls, .diff, li')].filter((e) => \
               e.offsetParent && !e.closest('.code, .scroll, .diff, .files, .names, .answers') && \
               (e.getBoundingClientRect().right > most + 1 || e.getBoundingClientRect().left < -1)).map((e) => e.outerHTML.slice(0, 90))]",
        );
        assert_eq!(wide, serde_json::json!([false]), "{what}");
    }

    fn picture(&self, name: &str) {
        self.browser.screenshot(&self.file(&format!("{name}.png")));
    }

    fn is_calm(&self, what: &str) {
        let complaints = self.browser.complaints();
        assert!(complaints.is_empty(), "{what}: {complaints:#?}");
    }
}

#[test]
fn pages_work_in_a_browser() {
    let folder = scratch("browser");
    let Some(browser) = Browser::start(&folder) else { return };
    let open = Open { browser: &browser, folder: &folder };
    browser.resize(1280, 860);
    steps_change_memory_and_line(&open);
    the_keyboard_is_enough(&open);
    themes_switch(&open);
    narrow_screens_show_one_pane(&open);
    axioms_show_what_loads_read(&open);
    fences_show_the_patch(&open);
    tables_fit(&open);
    text_of_programs_is_inert(&open);
    long_witnesses_are_smooth(&open);
}

fn steps_change_memory_and_line(open: &Open<'_>) {
    let Some(path) = open.show("dekker", &["check", "examples/dekker.c", "--model", "tso"]) else {
        return;
    };
    assert!(fs::metadata(&path).expect("the page").len() < 300_000);
    let loaded = open.load_time(&path);
    assert!(loaded < 1000.0, "usable after {loaded} ms");
    open.picture("dekker-1280");
    // It opens at the first step of the reason.
    assert_eq!(open.text(".now .text"), "writes wants[1] = 1 (buffered)");
    assert_eq!(open.text(".thread.active .entry"), "wants[1] = 1");
    assert_eq!(open.memory("wants[1]"), "0");
    assert_eq!(open.text(".line.current .count"), "30");
    open.browser.click(".controls button[aria-label='Next step of the reason']");
    assert_eq!(open.text(".now .text"), "reads wants[1] = 0");
    assert_eq!(open.text(".line.current .count"), "39");
    assert_eq!(open.text(".now .note"), "reads the initial value");
    assert_eq!(open.text(".row.current .number"), "6");
    open.browser.click(".controls button[aria-label='Last step']");
    assert_eq!(open.memory("wants[1]"), "1", "the store has reached memory");
    assert_eq!(open.count(".entry"), 0, "all buffers are empty");
    assert!(open.text(".now .text").starts_with("assertion fails"));
    open.picture("dekker-last");
    open.browser.click(".controls button[aria-label='First step']");
    assert_eq!(open.memory("wants[1]"), "0", "stepping back undoes");
    assert_eq!(open.text(".now .text"), "Before the first step");
    // Stepping back one by one leads through the same states as stepping forward.
    let same = open.browser.run(
        "const state = () => document.querySelector('.pane.state').textContent; \
         const key = (key) => document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })); \
         const step = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })); \
         const there = []; for (let n = 0; n < 20; n++) { there.push(state()); step('j'); } \
         const back = []; for (let n = 0; n < 20; n++) { step('k'); back.unshift(state()); } \
         return there.every((text, n) => text === back[n]) && new Set(there).size > 15",
    );
    assert_eq!(same, true);
    open.browser.click(".fold");
    let all = open.text(".controls .count");
    let rows =
        open.browser.run("return document.querySelector('.row').getAttribute('aria-setsize')");
    assert!(all.ends_with(&format!("/ {}", rows.as_str().expect("a number"))), "{all} {rows}");
    open.browser.click(".graph .node.starred");
    assert_eq!(open.count(".node.current"), 1);
    assert_eq!(open.count(".edge.cycle"), 4);
    open.is_calm("dekker");
}

fn the_keyboard_is_enough(open: &Open<'_>) {
    open.show("keys", &["check", "examples/dekker.rir", "--model", "tso"]).expect("no clang");
    open.press(&[HOME, RIGHT, RIGHT]);
    assert_eq!(open.text(".row.current .number"), "2");
    open.press(&[LEFT]);
    assert_eq!(open.text(".row.current .number"), "1");
    open.press(&["n"]);
    let first = open.text(".row.current .number");
    assert_eq!(open.count(".row.current.starred"), 1);
    open.press(&["n", "p"]);
    assert_eq!(open.text(".row.current .number"), first);
    open.press(&[END]);
    assert_eq!(open.text(".row.current .number"), "9");
    open.press(&["?"]);
    assert_eq!(open.count("dialog[open]"), 1);
    open.press(&[ESCAPE]);
    assert_eq!(open.count("dialog[open]"), 0);
    open.press(&["g"]);
    assert_eq!(open.count(".graph.wide"), 1);
    open.picture("graph-wide");
    open.press(&[ESCAPE]);
    assert_eq!(open.count(".graph.wide"), 0);
    // Everything that can be pressed is reached by Tab, and shows that it is.
    let mut reached = Vec::new();
    for _ in 0..60 {
        open.press(&[TAB]);
        let here = open.browser.run(
            "const e = document.activeElement; const s = getComputedStyle(e); \
             const ring = s.outlineStyle !== 'none' || e.matches('.node') || e.matches('body'); \
             return [e.getAttribute('aria-label') || e.textContent.slice(0, 40) || e.tagName, ring]",
        );
        assert_eq!(here[1], true, "no ring: {here}");
        reached.push(here[0].as_str().expect("a name").to_owned());
    }
    for name in [
        "Next step",
        "Step",
        "Steps. Arrow keys step.",
        "Source",
        "Memory",
        "Enlarge",
        "Theme: system",
    ] {
        assert!(reached.iter().any(|one| one == name), "{name} is not reached: {reached:#?}");
    }
    // A button that has the focus is pressed by Enter, and arrows still step.
    open.browser.run("document.querySelector('.fold').focus()");
    open.press(&[ENTER]);
    assert_eq!(open.text(".fold"), "Fold");
    // Every control has a name for readers, and the list says which row is current.
    let nameless = open.browser.run(
        "return [...document.querySelectorAll('button, input, [role=button], [role=option], [role=region]')]\
         .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim())).map((e) => e.outerHTML)",
    );
    assert_eq!(nameless, serde_json::json!([]));
    let current = open.browser.run(
        "const list = document.querySelector('[role=listbox]'); \
         return document.getElementById(list.getAttribute('aria-activedescendant')).getAttribute('aria-selected')",
    );
    assert_eq!(current, "true");
    open.is_calm("keys");
}

/// The lightness of the page's background.
fn is_dark(open: &Open<'_>) -> bool {
    let colour = open.browser.run("return getComputedStyle(document.body).backgroundColor");
    let colour = colour.as_str().expect("a colour");
    let digits: String = colour.chars().map(|c| if c.is_ascii_digit() { c } else { ' ' }).collect();
    digits.split_whitespace().next().expect("red").parse::<u32>().expect("a number") < 100
}

fn themes_switch(open: &Open<'_>) {
    open.browser.prefer_dark(true);
    assert!(is_dark(open), "the theme of the system");
    open.picture("dark-1280");
    open.press(&["t"]);
    assert!(!is_dark(open), "light, whatever the system has");
    open.press(&["t"]);
    assert!(is_dark(open), "dark");
    // The browser stores the choice in the background, and a page that is opened at once may not see it yet.
    let start = Instant::now();
    loop {
        open.browser.open(&open.file("keys.html"));
        let kept = open.text(".top button");
        if kept == "◐ dark" {
            break;
        }
        assert!(start.elapsed() < PATIENCE, "the choice is not kept: {kept}");
        thread::sleep(Duration::from_millis(50));
    }
    open.press(&["t"]);
    open.browser.prefer_dark(false);
    assert!(!is_dark(open));
}

fn narrow_screens_show_one_pane(open: &Open<'_>) {
    open.browser.resize(390, 844);
    open.show("narrow", &["check", "examples/dekker.rir", "--model", "tso,pso,sc"])
        .expect("no clang");
    open.fits("steps at 390");
    open.picture("steps-390");
    assert_eq!(
        open.browser.run(
            "return [...document.querySelectorAll('.pane')].filter((p) => p.offsetParent).length"
        ),
        1
    );
    for tab in ["source", "state", "graph"] {
        open.browser.click(&format!(
            ".tabs button:nth-child({})",
            2 + ["source", "state", "graph"].iter().position(|t| *t == tab).expect("a tab")
        ));
        assert_eq!(open.count(&format!(".pane.{tab}.open")), 1);
        open.fits(tab);
        open.picture(&format!("{tab}-390"));
    }
    open.browser.click(".controls button[aria-label='Next step']");
    open.browser.prefer_dark(true);
    open.picture("dark-390");
    open.browser.prefer_dark(false);
    open.browser.click(".answers button:last-child");
    assert_eq!(open.text(".verdict .badge"), "safe");
    open.fits("safe at 390");
    open.picture("safe-390");
    open.is_calm("narrow");
    open.browser.resize(1280, 860);
}

fn axioms_show_what_loads_read(open: &Open<'_>) {
    let test = open.file("MP.litmus");
    let text = "PPC MP\n{\n0:r2=x; 0:r4=y;\n1:r2=y; 1:r4=x;\n}\n P0           | P1           ;\n \
        li r1,1      | lwz r1,0(r2) ;\n stw r1,0(r2) | lwz r3,0(r4) ;\n li r3,1      |              ;\n \
        stw r3,0(r4) |              ;\n~exists (1:r1=1 /\\ 1:r3=0)\n";
    fs::write(&test, text).expect("a test");
    open.show("power", &["check", test.to_str().expect("UTF-8"), "--model", "power"])
        .expect("no clang");
    open.picture("power-1280");
    assert_eq!(open.count(".node"), 4);
    assert_eq!(open.count(".edge.cycle"), 4);
    assert_eq!(open.count(".edge.fr.cycle"), 1);
    assert_eq!(open.count(".edge.rf.cycle"), 1);
    let mut told = Vec::new();
    for _ in 0..4 {
        open.press(&[RIGHT]);
        told.push(open.text(".now"));
    }
    open.press(&[HOME]);
    for _ in 0..4 {
        open.press(&[RIGHT]);
        told.push(open.text(".now"));
    }
    assert!(
        told.iter().any(|line| line.contains("reads y = 1") && line.contains("reads step")),
        "{told:?}"
    );
    assert!(
        told.iter().any(|line| line.contains("reads x = 0") && line.contains("initial value")),
        "{told:?}"
    );
    open.is_calm("power");
}

fn fences_show_the_patch(open: &Open<'_>) {
    open.show("fence", &["fence", "examples/dekker.rir", "--model", "tso"]).expect("no clang");
    assert_eq!(open.count(".fencing li"), 1);
    assert_eq!(open.count(".patch .added"), 1);
    open.picture("fence-1280");
    open.browser.click(".patch button");
    let said = open.browser.run_later(
        "const button = document.querySelector('.patch button'); \
         const look = (left) => button.textContent !== 'Copy' || left === 0 ? done(button.textContent) : setTimeout(look, 20, left - 1); look(100)",
    );
    assert_eq!(said, "Copied");
    open.browser.resize(390, 844);
    open.fits("fences at 390");
    open.picture("fence-390");
    open.browser.resize(1280, 860);
    open.is_calm("fence");
}

/// The table of models has no wide rows where there is no room for them.
fn tables_fit(open: &Open<'_>) {
    let path = open.file("matrix.html");
    let args =
        ["matrix", "examples/dekker.rir", "--fences", "--html", path.to_str().expect("UTF-8")];
    assert_eq!(raddle(&args).status, Some(1));
    for width in [390, 1280] {
        open.browser.resize(width, 860);
        open.browser.load(&path);
        open.fits("the table of models");
        let wide = "const table = document.querySelector('.wide'); return table.scrollWidth - table.clientWidth";
        assert_eq!(open.number(wide), 0.0, "{width}");
        open.picture(&format!("matrix-{width}"));
    }
    open.is_calm("matrix");
}

/// Names and sources from outside stay text: they neither run, nor reorder what stands beside them.
fn text_of_programs_is_inert(open: &Open<'_>) {
    let hostile = "<img src=x onerror=window.hacked=1>'\"&<b>\u{202e}evil\u{2066}.rir";
    let source = "program \"p\"\n// </script><script>window.hacked = 2</script><!-- \u{202e}gnp.exe\n\
        global @x: i32\nthread P0 = @f()\nfunc @f() {\n  reg %r: i32, %ok: i1\nentry:\n  store i32 asm @x, 1\n  \
        %r = load i32 asm @x\n  %ok = cmp eq i32 %r, 2\n  assert %ok, \"<script>window.hacked = 3</script> \u{202e}oops\"\n  ret\n}\n";
    let path = open.file(hostile);
    fs::write(&path, source).expect("a program");
    open.show("hostile", &["check", path.to_str().expect("UTF-8"), "--model", "tso"])
        .expect("no clang");
    assert_eq!(open.browser.run("return window.hacked ?? null"), Value::Null);
    assert_eq!(open.count("img, main script, b:not([class]) b"), 0);
    assert!(open.text("h1").contains("<img src=x onerror"), "the name is shown as it is");
    let bidi = open.browser.run("return /[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.querySelector('#page').textContent)");
    assert_eq!(bidi, false, "what reorders text is shown by its number");
    assert!(open.text(".reason h2").contains("\\u{202e}oops"), "{}", open.text(".reason h2"));
    assert!(
        open.text(".lines")
            .contains("</script><script>window.hacked = 2</script><!-- \\u{202e}gnp.exe")
    );
    // The policy refuses a script that got into the page all the same.
    open.browser.run(
        "const script = document.createElement('script'); script.textContent = 'window.hacked = 4'; document.body.append(script); \
         const image = new Image(); image.src = 'data:,'; document.body.append(image)",
    );
    assert_eq!(open.browser.run("return window.hacked ?? null"), Value::Null);
    let complaints = open.browser.complaints();
    assert!(
        complaints.iter().any(|line| line.contains("Content Security Policy")),
        "{complaints:?}"
    );
    open.picture("hostile-1280");
}

/// Two threads with long loops of their own, which affect each other only at the end.
fn long_program(rounds: u32) -> String {
    let work = |name: &str, mine: &str, other: &str| {
        format!(
            "func @{name}() {{\n  reg %n: i32, %more: i1, %r: i32, %ok: i1\nentry:\n  %n = add i32 0, 0\n  jump loop\nloop:\n  \
             %n = add i32 %n, 1\n  store i32 asm @{mine}, %n\n  %r = load i32 asm @{mine}\n  \
             %more = cmp ult i32 %n, {rounds}\n  br %more, loop, done\ndone:\n  \
             %r = load i32 asm @{other}\n  %ok = cmp eq i32 %r, 0\n  assert %ok, \"the other is seen\"\n  ret\n}}\n"
        )
    };
    let (first, second) = (work("first", "x", "y"), work("second", "y", "x"));
    format!(
        "program \"long\"\nglobal @x: i32\nglobal @y: i32\nthread P0 = @first()\nthread P1 = @second()\n{first}{second}"
    )
}

fn long_witnesses_are_smooth(open: &Open<'_>) {
    let program = open.file("long.rir");
    fs::write(&program, long_program(5200)).expect("a program");
    let args = [
        "check",
        program.to_str().expect("UTF-8"),
        "--model",
        "tso",
        "--strategy",
        "random",
        "--seed",
        "3",
    ];
    let path = open.show("long", &args).expect("no clang");
    let size = fs::metadata(&path).expect("the page").len();
    assert!(size < 5_000_000, "{size} bytes");
    let count = open.number("return Number(document.querySelector('.controls .count').textContent.split('/')[1].replace(/,/g, ''))");
    assert!(count >= 9_000.0, "{count} steps");
    let loaded = open.load_time(&path);
    assert!(loaded < 2000.0, "usable after {loaded} ms");
    open.picture("long-1280");
    assert!(open.count(".row") < 80, "only rows in sight are elements");
    open.press(&["f", HOME]);
    // The median, because the machine has other work.
    let step = open.number(
        "const times = []; \
         for (let n = 0; n < 200; n++) { \
           const start = performance.now(); \
           document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true })); \
           document.body.offsetHeight; \
           times.push(performance.now() - start); \
         } \
         return times.sort((a, b) => a - b)[100]",
    );
    open.press(&[HOME, PAGE_DOWN]);
    assert_eq!(open.text(".row.current .number"), "10");
    assert!(step < 50.0, "{step} ms a step");
    let jump = open.number(
        "const start = performance.now(); \
         for (const key of ['End', 'Home', 'End', 'Home']) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })); \
         return (performance.now() - start) / 4",
    );
    assert!(jump < 500.0, "{jump} ms from one end to the other");
    open.press(&[END]);
    open.picture("long-all-1280");
    let last = open
        .browser
        .run("return document.querySelector('.row.current').getAttribute('aria-posinset')");
    assert_eq!(last.as_str(), Some(&*format!("{count}")));
    println!(
        "a page of {count} steps: {size} bytes, {loaded} ms to load, {step:.2} ms a step, {jump:.1} ms a jump"
    );
    open.press(&["f"]);
    assert!(open.count(".row.folded") > 0);
    open.is_calm("long");
}
