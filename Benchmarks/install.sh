# shellcheck shell=sh
# Sourced by ./run and ./check, in the project's directory.

# install_missing PACKAGE…: Debian's packages, as root or with sudo; nothing to do without any.
install_missing() {
    [ $# -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        echo "Benchmarks: there is no apt-get here; install what your system calls these: $*" >&2
        exit 1
    fi
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        echo "Benchmarks: ask somebody who may: apt-get install $*" >&2
        exit 1
    fi
    echo "==> installing $*"
    if [ "$(id -u)" = 0 ]; then
        apt-get update
        DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@"
    else
        sudo apt-get update
        sudo env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@"
    fi
}

# build_release PRODUCT: as the Dockerfile does. Without Swift's libraries beside it a program takes a tenth less of the processor.
build_release() {
    # SwiftPM doesn't notice new files of a package that another one depends on, unless its manifest is new, too.
    touch Package.swift
    swift build --configuration release --static-swift-stdlib --product "$1" --package-path Benchmarks
}
