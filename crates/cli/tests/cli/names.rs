//! Names and values as in the source, end to end.

use crate::common::{Ran, file, scratch, with_clang};
use std::fs;

const SHAPES: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "accessor.h"
enum colour { RED, GREEN, BLUE };
struct node { struct node *next; int value; char tag; };
typedef struct { _Atomic(struct node *) head; atomic_int seq; } slot_t;
struct queue {
    pthread_mutex_t lock;
    slot_t slots[3];
    union { int i; double d; } u;
    struct { short x, y; };
    unsigned a : 3, b : 5;
    enum colour colour;
    bool ok;
    uintptr_t addr;
    unsigned last;
};
struct queue q;
sem_t sem;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
int *array;
static void *allocate(size_t size) { return malloc(size); }
static void *work(void *arg)
{
    int *local = arg;
    struct node *n = allocate(sizeof *n);
    n->value = 7;
    n->tag = 'x';
    n->next = 0;
    atomic_store(&q.slots[2].head, n);
    atomic_fetch_add(&q.slots[2].seq, 1);
    pthread_mutex_lock(&q.lock);
    q.u.d = 1.5;
    q.y = 4;
    q.b = 6;
    q.colour = BLUE;
    q.ok = true;
    q.addr = (uintptr_t)n;
    store_word(&q.last, 3000000000u);
    pthread_mutex_unlock(&q.lock);
    array[2] = 4;
    *local = 5;
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
    sem_post(&sem);
    return 0;
}
int main(void)
{
    pthread_t t;
    int mine = 0;
    array = calloc(4, sizeof *array);
    sem_init(&sem, 0, 0);
    pthread_create(&t, 0, work, &mine);
    sem_wait(&sem);
    pthread_rwlock_wrlock(&rw);
    struct node *first = atomic_load(&q.slots[2].head);
    first->next = first;
    pthread_rwlock_unlock(&rw);
    pthread_join(t, 0);
    assert(array[2] + mine == 0);
}
"#;

const ACCESSOR: &str = "static inline void store_word(unsigned *at, unsigned value)
{
    *(volatile unsigned *)at = value;
}
";

/// The program with its header in another folder.
fn shapes(test: &str) -> (String, String) {
    let folder = scratch(test);
    let (source, library) = (folder.join("src"), folder.join("library"));
    for (folder, name, text) in [(&source, "shapes.c", SHAPES), (&library, "accessor.h", ACCESSOR)]
    {
        fs::create_dir_all(folder).expect("a folder");
        fs::write(folder.join(name), text).expect("a file");
    }
    let path = source.join("shapes.c").to_str().expect("UTF-8").to_owned();
    (path, format!("-I{}", library.display()))
}

fn rows(ran: &Ran) -> Vec<&str> {
    ran.out.lines().map(str::trim_end).collect()
}

#[track_caller]
fn has(ran: &Ran, words: &[&str]) {
    for word in words {
        assert!(rows(ran).iter().any(|row| row.contains(word)), "no {word} in\n{}", ran.out);
    }
}

#[test]
fn parts_and_values_of_c() {
    let (path, include) = shapes("parts_and_values_of_c");
    for model in ["sc", "power"] {
        let Some(ran) = with_clang(&["check", &path, "--model", model, "--", &include]) else {
            return;
        };
        assert_eq!(ran.status, Some(1), "{}", ran.err);
        has(
            &ran,
            &[
                "writes node#1.1.value = 7",
                "writes node#1.1.tag = 'x'",
                "writes node#1.1.next = null",
                "writes q.slots[2].head = &node#1.1",
                "updates q.slots[2].seq from 0 to 1",
                "locks q.lock",
                "writes q.u.d = 1.5",
                "writes q.y = 4",
                "writes q.{a, b} = {0, 6}",
                "writes q.colour = BLUE",
                "writes q.ok = true",
                "writes q.addr = ",
                "writes q.last = 3000000000",
                "reads array = &heap#1[0]",
                "writes heap#1[2] = 4",
                "writes main's mine = 5",
                "locks rw for reading",
                "locks rw for writing",
                "posts sem (from 0 to 1)",
                "takes sem (from 1 to 0)",
                "reads q.slots[2].head = &node#1.1",
                "heap#1: allocated at shapes.c:58 by main",
                "node#1.1: allocated at shapes.c:32 by main.1:work",
            ],
        );
        assert!(!ran.out.contains("rw+") && !ran.out.contains("sem+"), "{}", ran.out);
        // An accessor in the header of a library is told at its call.
        assert!(rows(&ran).iter().any(|row| row.contains("  45  ") && row.contains("q.last")));
    }
}

/// The type of an object whose address the allocator stores is that of the variable, also if a caller knows another one.
#[test]
fn objects_of_posix_memalign() {
    let folder = scratch("objects_of_posix_memalign");
    let path = folder.join("aligned.c");
    let text = r#"#include <assert.h>
#include <stdlib.h>
struct node { int value; };
static void *make(void)
{
    struct node *made;
    if (posix_memalign((void **)&made, 64, sizeof *made)) return NULL;
    made->value = 1;
    return made;
}
static struct node *shared;
int main(void)
{
    shared = make();
    assert(shared->value == 2);
}
"#;
    fs::write(&path, text).expect("a file");
    let path = path.to_str().expect("UTF-8");
    let Some(ran) = with_clang(&["check", path, "--model", "sc"]) else { return };
    has(&ran, &["allocates node#1 (4 bytes)", "node#1: allocated at aligned.c:7 by main"]);
}

/// An address before an object is named after it, not after the object with the number before.
#[test]
fn addresses_before_objects() {
    let folder = scratch("addresses_before_objects");
    let cases = [
        ("struct node *all = malloc(4 * sizeof *all); all[-1].next = 0;", "node#1[-1].next", "-8"),
        ("int *all = malloc(64); all[-3] = 1;", "heap#1[-3]", "-12"),
        ("int *volatile all = table; all[-1] = 1;", "table-4", "-4"),
        ("int *volatile all = table; all[5] = 1;", "table+20", "20"),
    ];
    for (n, (body, name, offset)) in cases.into_iter().enumerate() {
        let path = folder.join(format!("before{n}.c"));
        let text = format!(
            "#include <stdlib.h>\nstruct node {{ int value; struct node *next; }};\nint other = 1, table[4];\n\
             int main(void) {{ {body} return other; }}\n"
        );
        fs::write(&path, text).expect("a file");
        let path = path.to_str().expect("UTF-8");
        for model in ["sc", "power"] {
            let Some(ran) = with_clang(&["check", path, "--model", model]) else { return };
            has(&ran, &[&format!("bytes at offset {offset} of an object of ")]);
            if model == "sc" {
                has(&ran, &[&format!("accesses {name}")]);
            }
        }
    }
}

/// The library's own tables are no part of the program.
#[test]
fn tables_of_the_library_are_not_shown() {
    let folder = scratch("tables_of_the_library_are_not_shown");
    let path = folder.join("keys.c");
    let text = r#"#include <assert.h>
#include <pthread.h>
static pthread_key_t key;
static int x;
static void *work(void *arg) { pthread_setspecific(key, &x); return arg; }
int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(pthread_getspecific(key));
}
"#;
    fs::write(&path, text).expect("a file");
    let path = path.to_str().expect("UTF-8");
    let Some(ran) = with_clang(&["check", path, "--model", "sc", "--all-steps"]) else { return };
    has(&ran, &["reads key = 0", "assertion fails: pthread_getspecific(key)"]);
    assert!(!ran.out.contains("raddle.keys"), "{}", ran.out);
}

#[test]
fn calls_on_demand() {
    let (path, include) = shapes("calls_on_demand");
    let args = ["check", &path, "--model", "sc", "--calls", "--", &include];
    let Some(ran) = with_clang(&args) else { return };
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("[store_word, accessor.h:3 < work, shapes.c:45]"), "{}", ran.out);
}

#[test]
fn calls_and_objects_in_json() {
    let (path, include) = shapes("calls_and_objects_in_json");
    let args = ["check", &path, "--model", "sc", "--json", "--", &include];
    let Some(ran) = with_clang(&args) else { return };
    let json: serde_json::Value = serde_json::from_str(ran.out.trim()).expect("JSON");
    let error = &json["errors"][0];
    assert_eq!(error["objects"][1]["name"], "node#1.1");
    assert_eq!(error["objects"][1]["line"], 32);
    let events = error["witness"].as_array().expect("events");
    let event = events.iter().find(|event| event["at"] == "q.last").expect("an event");
    assert_eq!((&event["line"], &event["value"]), (&45.into(), &"3000000000".into()));
    assert_eq!(event["calls"][0]["function"], "store_word");
    assert_eq!(event["calls"][1]["function"], "work");
    assert_eq!(event["calls"][1]["line"], 45);
}

const CLASSES: &str = r#"
#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
namespace app {
struct Base { int count = 1; std::atomic<int> users{0}; };
struct Node : Base { Node *next = nullptr; std::mutex m; int v = 0; };
std::atomic<Node *> top;
std::mutex mu;
int total;
void worker(int n) { std::lock_guard<std::mutex> g(mu); total += n; }
struct Pool {
    void run() { Node *n = new Node; n->users.fetch_add(2); top.store(n); }
};
}
int main()
{
    app::Pool pool;
    auto u = std::make_unique<app::Node>();
    std::thread a(app::worker, 1);
    std::thread b(&app::Pool::run, &pool);
    std::thread c([&] {
        std::lock_guard<std::mutex> g(u->m);
        u->v = 5;
    });
    a.join(); b.join(); c.join();
    assert(app::top.load()->users == 3);
}
"#;

#[test]
fn classes_and_threads_of_cpp() {
    let path = file("classes_and_threads_of_cpp", "classes.cpp", CLASSES.as_bytes());
    let Some(ran) = with_clang(&["check", &path, "--model", "sc", "--json"]) else { return };
    let json: serde_json::Value = serde_json::from_str(ran.out.trim()).expect("JSON");
    let events = json["errors"][0]["witness"].as_array().expect("events");
    let told = |thread: &str, what: &str| {
        let is = |event: &serde_json::Value| event["thread"] == thread && event["what"] == what;
        assert!(events.iter().any(is), "{thread}: {what}\n{}", ran.out);
    };
    let run = "main.2:_ZN3app4Pool3runEv";
    told("main.1:_ZN3app6workerEi", "writes _ZN3app5totalE = 1");
    told(run, "writes Node#2.1.count = 1");
    told(run, "updates Node#2.1.users from 0 to 2");
    told(run, "writes _ZN3app3topE = &Node#2.1");
    told("main.3:lambda@classes.cpp:24", "locks Node#1.m");
    told("main", "reads Node#2.1.users = 2");
}

#[test]
fn files_of_one_name_are_told_apart() {
    let folder = scratch("files_of_one_name_are_told_apart");
    let texts = [
        ("a", "extern int x; void *work(void *p) { x = 1; return p; }"),
        (
            "b",
            "#include <pthread.h>\n#include <assert.h>\nint x; void *work(void *);\n\
               int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); assert(x == 0); }",
        ),
    ];
    let mut args = vec!["check".to_owned()];
    for (name, text) in texts {
        let path = folder.join(name).join("x.c");
        fs::create_dir_all(folder.join(name)).expect("a folder");
        fs::write(&path, text).expect("a file");
        args.push(path.to_str().expect("UTF-8").to_owned());
    }
    args.extend(["--model", "sc"].map(str::to_owned));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let Some(ran) = with_clang(&args) else { return };
    has(&ran, &["a/x.c:1", "b/x.c:4"]);
}
