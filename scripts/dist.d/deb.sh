# The tree of the Debian package. Read by scripts/dist.

# deb_tree BINARY FOLDER VERSION
deb_tree() {
    share=$2/usr/share
    doc=$share/doc/raddle
    mkdir -p "$2/DEBIAN" "$2/usr/bin" "$doc" "$share/man/man1" "$share/bash-completion/completions" \
        "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
    install_command "$1" "$2/usr/bin/raddle"
    "$1" man "$share/man/man1" >/dev/null
    gzip -9n "$share/man/man1/"*.1
    completions "$1" "$share/bash-completion/completions/raddle" \
        "$share/zsh/vendor-completions/_raddle" "$share/fish/vendor_completions.d/raddle.fish"
    gzip -9nc CHANGELOG.md >"$doc/changelog.gz"
    deb_changelog "$3" | gzip -9n >"$doc/changelog.Debian.gz"
    deb_copyright >"$doc/copyright"
    cp -R examples "$doc/examples"
    mkdir -p "$share/lintian/overrides"
    deb_overrides >"$share/lintian/overrides/raddle"
    chmod -R u=rwX,go=rX "$2"
    deb_control "$2" "$3" >"$2/DEBIAN/control"
    (cd "$2" && find usr -type f | sort | xargs -d '\n' md5sum >DEBIAN/md5sums)
    chmod 644 "$2/DEBIAN/control" "$2/DEBIAN/md5sums"
}

maintainer="${DEBFULLNAME:-The raddle contributors} <${DEBEMAIL:-raddle@localhost}>"

# The binary is static: it depends on nothing. Without clang it reads litmus tests, automata and LLVM IR.
deb_control() {
    cat <<END
Package: raddle
Version: $2-1
Architecture: $(dpkg --print-architecture)
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$1/usr" | cut -f 1)
Recommends: clang, libc6-dev
Section: devel
Priority: optional
Description: model checker for concurrent programs under relaxed memory
 raddle runs a concurrent C program, a litmus test or automata in every way
 that a memory model allows, once each: sequential consistency, x86-TSO, PSO,
 POWER and ARMv7. It reports assertions that fail, deadlocks, invalid memory
 accesses and data races, each with a schedule that it has replayed, and finds
 the fences that a program needs.
END
}

# The package is not made for Debian's archive, and the command is static on purpose.
deb_overrides() {
    cat <<END
raddle: initial-upload-closes-no-bugs *
raddle: shared-library-lacks-prerequisites *
raddle: statically-linked-binary *
END
}

deb_changelog() {
    cat <<END
raddle ($1-1) unstable; urgency=medium

  * Version $1; changelog.gz has the changes.

 -- $maintainer  $(date --utc --date="@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')
END
}

# The licence of MIT is given in full, that of Apache where Debian keeps it.
deb_copyright() {
    cat <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: raddle

Files: *
$(sed -n 's/^Copyright (c)/Copyright:/p' LICENSE-MIT | head -n 1)
License: Apache-2.0 or Expat

License: Apache-2.0
 On Debian systems, the full text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.

License: Expat
$(sed -n '/^Permission/,$p' LICENSE-MIT | sed 's/^$/./; s/^/ /')
END
}
