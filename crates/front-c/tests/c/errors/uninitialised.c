// expect: uninitialised at 7: reads x, which was not assigned
static int pick(int c) {
    int x;
    if (c)
        x = 1;
    for (int i = 0; i < 2; i++) c += i;
    return x + c;
}
int main(void) { return pick(1) + pick(0); }
