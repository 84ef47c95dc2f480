// expect: unsupported at 4: somewhere_else
int somewhere_else(int);
int main(int argc, char **argv) {
    return argc > 0 ? somewhere_else(1) : 0;
}
