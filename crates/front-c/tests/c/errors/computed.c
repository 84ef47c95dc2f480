// expect: unsupported at 5: a jump to a computed label
int main(int argc, char **argv) {
    void *to = &&end;
    if (argc) to = &&end;
    goto *to;
end:
    return 0;
}
