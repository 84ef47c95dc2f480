// expect: unsupported at 4: inline assembly: cpuid
int main(void) {
    int a = 0, b, c, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return a;
}
