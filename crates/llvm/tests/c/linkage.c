#include <stdint.h>

/* Linkage, aliases, sections, constructors, inline assembly. x86-64 only where it says so. */

int common;
extern int elsewhere;
__attribute__((weak)) int weak = 1;
__attribute__((weak)) extern int maybe;
__attribute__((visibility("hidden"))) int hidden = 2;
__attribute__((section(".special"), aligned(64))) int placed = 3;
static const int quiet[2] = { 4, 5 };
int renamed(int) __asm__("another name");

int function(void) { return 6; }
int other(void) __attribute__((alias("function")));
extern __typeof(weak) weak_alias __attribute__((alias("weak")));
__attribute__((weak)) void optional(void);
inline int inlined(int i) { return i + 1; }
static inline __attribute__((always_inline)) int always(int i) { return i * 2; }
__attribute__((constructor(101))) static void first(void) { common = 1; }
__attribute__((destructor, noinline, cold)) static void last(void) { common = 2; }
__attribute__((used)) static int kept(void) { return quiet[common & 1]; }

#if defined(__x86_64__) && defined(__linux__)
static int resolved(void) { return 7; }
static int (*resolve(void))(void) { return resolved; }
int dispatched(void) __attribute__((ifunc("resolve")));

__asm__(".globl toplevel\ntoplevel:\n\tret");

uint64_t assembly(uint64_t v, int *p) {
    uint64_t high, low = v;
    __asm__ volatile("mfence" ::: "memory");
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc");
    __asm__("mulq %2" : "=d"(high), "+a"(low) : "r"(v));
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("pause # \"quoted\"\n\tnop" ::: "memory");
    return high + low;
}

int jump(int v) {
    __asm__ goto("testl %0, %0; jne %l1" : : "r"(v) : "cc" : nonzero);
    return 0;
nonzero:
    return 1;
}
#endif

int use(int i) {
    int (*volatile call)(int) = inlined;
    if (optional)
        optional();
    return elsewhere + (&maybe ? maybe : 0) + always(i) + call(i) + renamed(i) + other() + hidden +
           placed + weak_alias;
}
