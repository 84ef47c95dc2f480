// expect: uninitialised at 6:
static int sum(int *a) { return *a; }
int main(void) {
    int a[4];
    a[0] = 1;
    return a[2] + sum(a);
}
