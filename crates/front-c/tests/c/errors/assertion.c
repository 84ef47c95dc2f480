// expect: assertion at 6: x == 2
#include <assert.h>
static int one(void) { return 1; }
int main(void) {
    int x = one();
    assert(x == 2);
    return 0;
}
