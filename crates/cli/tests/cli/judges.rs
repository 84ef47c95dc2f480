//! If one judge finds a failure, every other judge finds it or reports that it has no answer. The judges are
//! the strategies, `reach` and `fence --goal`, under every model that they support.

use crate::common::{compiled, file, raddle, with_clang};
use raddle_engine::{Engine, Model, Strategy};

/// A program with a thread that runs `body` and a thread that stores.
fn program(body: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n#include <stdlib.h>\n\
         #include <semaphore.h>\natomic_int x, y, never;\nint plain;\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\npthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
         sem_t sem;\nstatic void get(int *to) {{ *to = atomic_load(&never); }}\n\
         void use(void) {{ int v; get(&v); }}\n\
         static void *f(void *u) {{ {body} return 0; }}\n\
         static void *g(void *u) {{ atomic_store(&y, 1); plain = 2; return 0; }}\n\
         int main(void) {{ pthread_t p, q; pthread_create(&p, 0, f, 0); pthread_create(&q, 0, g, 0);\n\
         pthread_join(p, 0); pthread_join(q, 0); return 0; }}\n"
    )
}

const FAILURES: [&str; 28] = [
    "assert(atomic_load(&y) == 7);",
    "if (atomic_load(&y)) assert(0);",
    "abort();",
    "__builtin_trap();",
    "__builtin_unreachable();",
    "pthread_mutex_lock(&m); pthread_mutex_lock(&m);",
    "pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m);",
    "sem_wait(&sem);",
    "while (!atomic_load(&never)) { }",
    "int v; do get(&v); while (!v);",
    "while (!atomic_load(&never)) { while (!atomic_load(&y)) { } }",
    "int *p = 0; *p = 1;",
    "int *p = malloc(4); p[1] = 1; free(p);",
    "int *p = malloc(4); *p = 1; free(p); *p = 2;",
    "int *p = malloc(4); free(p); free(p);",
    "static int s; free(&s);",
    "static _Thread_local int s; free(&s);",
    "int l = 1; free(&l);",
    "int *p = malloc(8); free(p + 1);",
    "free((void *)8);",
    "int *p = malloc(4); if (*p) y = 2; free(p);",
    "int v; if (v) y = 2;",
    "int v[2]; v[0] = 1; int *p = v; if (p[1]) y = 2;",
    "int z = 0; int w = 1 / z; y = w;",
    "assert(plain != 2);",
    "__asm__ volatile(\"cpuid\" ::: \"memory\");",
];

/// A command that judges programs under a model.
struct Judge {
    args: Vec<&'static str>,
    model: Model,
    /// The engine of the strategy, for `check`.
    engine: Option<Engine>,
}

/// Every strategy, and the other commands that judge, each under every model that it has.
fn judges() -> Vec<Judge> {
    let with = |args: &[&'static str], engine, has: &dyn Fn(Model) -> bool| -> Vec<Judge> {
        let models = Model::ALL.into_iter().filter(|model| has(*model));
        models.map(|model| Judge { args: args.to_vec(), model, engine }).collect()
    };
    let mut all = Vec::new();
    for strategy in Strategy::ALL {
        let (args, engine) = (["check", "--strategy", strategy.name()], strategy.engine());
        all.extend(with(&args, Some(engine), &|model| engine.has(model)));
    }
    all.extend(with(&["reach"], None, &|model| Engine::Reach.has(model)));
    all.extend(with(&["fence", "--goal"], None, &|model| !model.fences().is_empty()));
    all
}

#[test]
fn no_judge_passes_over_a_failure() {
    for (n, body) in FAILURES.iter().enumerate() {
        let source = file(&format!("judges_{n}"), "p.c", program(body).as_bytes());
        let Some(path) = compiled(&source, &[]) else { return };
        let unsupported = body.contains("cpuid");
        for Judge { args, model, .. } in judges() {
            let of_file = [path.as_str(), "--model", model.name(), "--timeout", "60"];
            let ran = raddle(&[&args[..], &of_file].concat());
            // Fences do not prevent failures under sc, so `fence` may answer "unknown".
            let exact = args[0] != "fence" && !unsupported;
            let seen = ran.status == Some(1) || ran.status == Some(3) && !exact;
            assert!(seen, "{body}: {} {model}: {ran:?}", args.join(" "));
        }
    }
}

/// Data races are found, or `--check races` is refused.
#[test]
fn no_judge_passes_over_a_data_race() {
    let source = file("judges_race", "p.c", program("plain = 1;").as_bytes());
    let Some(path) = compiled(&source, &[]) else { return };
    for Judge { args, model, engine } in judges() {
        let Some(engine) = engine else { continue };
        let of_file = [path.as_str(), "--model", model.name(), "--check", "races"];
        let ran = raddle(&[&args[..], &of_file].concat());
        let expected = if engine.finds_races() { 1 } else { 2 };
        assert_eq!(ran.status, Some(expected), "{} {model}: {ran:?}", args.join(" "));
    }
}

/// The monitor judges robustness, not failures. It reports how many runs failed or reached something
/// unsupported.
#[test]
fn the_monitor_says_what_its_runs_met() {
    let source = file("judges_monitor", "p.c", program("__asm__ volatile(\"cpuid\");").as_bytes());
    let Some(ran) = with_clang(&["monitor", &source, "--runs", "3"]) else { return };
    assert!(ran.out.contains("tso: 3 runs reached something unsupported"), "{ran:?}");
}
