# The files of a release beside the binary. Read by scripts/dist.

# archive_tree BINARY FOLDER: what the archive contains.
archive_tree() {
    mkdir -p "$2/completions" "$2/man/man1"
    install_command "$1" "$2/raddle"
    "$1" man "$2/man/man1" >/dev/null
    completions "$1" "$2/completions/raddle.bash" "$2/completions/_raddle" "$2/completions/raddle.fish"
    cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$2"
    cp -R docs examples "$2"
    chmod -R u=rwX,go=rX "$2"
}

# install_command BINARY FILE: without symbols, which are five sixths of it, where binutils is there.
install_command() {
    install -m 755 "$1" "$2"
    ! command -v strip >/dev/null 2>&1 || strip --strip-all --remove-section=.comment "$2"
}

# completions BINARY BASH ZSH FISH
completions() {
    "$1" completions bash >"$2"
    "$1" completions zsh >"$3"
    "$1" completions fish >"$4"
}
