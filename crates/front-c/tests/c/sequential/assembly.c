// Inline assembly: fences, barriers, x86's atomics.
#include <assert.h>

static int fetch_add(int *p, int v) {
    __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
    return v;
}
static int exchange(int *p, int v) {
    __asm__ __volatile__("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
    return v;
}
static int cas(int *p, int old, int new) {
    int result;
    __asm__ __volatile__("lock; cmpxchgl %2, %1" : "=a"(result), "+m"(*p) : "r"(new), "0"(old) : "memory");
    return result;
}
static int dec_and_test(int *p) {
    unsigned char zero;
    __asm__ __volatile__("lock; decl %0; sete %1" : "+m"(*p), "=qm"(zero) : : "memory");
    return zero;
}
static int set_bit(unsigned *p, int n) {
    int old;
    __asm__ __volatile__("lock btsl %2, %1\n\tsbbl %0, %0" : "=r"(old), "+m"(*p) : "Ir"(n) : "memory");
    return old;
}

int main(void) {
    int x = 5;
    __asm__ __volatile__("mfence" ::: "memory");
    __asm__ __volatile__("" ::: "memory");
    __asm__ __volatile__("lock; addl $0,0(%%rsp)" ::: "memory");
    __asm__ __volatile__("pause");
    __asm__("" : "+r"(x));
    assert(fetch_add(&x, 3) == 5 && x == 8);
    assert(exchange(&x, 1) == 8 && x == 1);
    assert(cas(&x, 2, 3) == 1 && x == 1 && cas(&x, 1, 2) == 1 && x == 2);
    assert(!dec_and_test(&x) && dec_and_test(&x) && x == 0);
    unsigned word = 1;
    assert(set_bit(&word, 0) && !set_bit(&word, 3) && word == 9);
    return 0;
}
