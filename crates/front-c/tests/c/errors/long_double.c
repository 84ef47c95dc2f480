// expect: unsupported at 2: long double
static long double twice(long double x) { return x + x; }
int main(void) {
    long double kept = 1.5L, copy = kept;
    return (int)twice(copy) + 0 * (int)sizeof copy;
}
