//! If one judge finds a failure, every other judge finds it or reports that it has no answer. The judges are
//! the strategies, `reach` and `fence --goal`, under every model that they support.

use crate::common::{compiled, file, raddle, with_clang};

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

/// The arguments of each judge, and its models.
const JUDGES: [(&[&str], &str); 9] = [
    (&["check", "--strategy", "optimal"], "sc tso pso"),
    (&["check", "--strategy", "source"], "sc tso pso"),
    (&["check", "--strategy", "persistent"], "sc tso pso"),
    (&["check", "--strategy", "exhaustive"], "sc tso pso"),
    (&["check", "--strategy", "random"], "sc tso pso"),
    (&["check", "--strategy", "lazy"], "sc tso"),
    (&["check", "--strategy", "graph"], "sc tso pso power arm"),
    (&["reach"], "sc tso"),
    (&["fence", "--goal"], "tso pso power arm"),
];

#[test]
fn no_judge_passes_over_a_failure() {
    for (n, body) in FAILURES.iter().enumerate() {
        let source = file(&format!("judges_{n}"), "p.c", program(body).as_bytes());
        let Some(path) = compiled(&source, &[]) else { return };
        let unsupported = body.contains("cpuid");
        for (judge, models) in JUDGES {
            for model in models.split(' ') {
                let ran = raddle(
                    &[judge, &[path.as_str(), "--model", model, "--timeout", "60"][..]].concat(),
                );
                // Fences do not prevent failures under sc, so `fence` may answer "unknown".
                let exact = judge[0] != "fence" && !unsupported;
                let seen = ran.status == Some(1) || ran.status == Some(3) && !exact;
                assert!(seen, "{body}: {} {model}: {ran:?}", judge.join(" "));
            }
        }
    }
}

/// Data races are found, or `--check races` is refused.
#[test]
fn no_judge_passes_over_a_data_race() {
    let source = file("judges_race", "p.c", program("plain = 1;").as_bytes());
    let Some(path) = compiled(&source, &[]) else { return };
    for (judge, models) in JUDGES.iter().filter(|(judge, _)| judge[0] == "check") {
        for model in models.split(' ') {
            let args =
                [*judge, &[path.as_str(), "--model", model, "--check", "races"][..]].concat();
            let ran = raddle(&args);
            let expected = if ["lazy", "graph"].contains(&judge[2]) { 2 } else { 1 };
            assert_eq!(ran.status, Some(expected), "{} {model}: {ran:?}", judge.join(" "));
        }
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
