# Sourced by ./run and ./check.

# install_missing PACKAGE…: Debian's packages, as root or with sudo; nothing to do without any.
install_missing() {
    [ $# -gt 0 ] || return 0
    echo "==> installing $*"
    if [ "$(id -u)" = 0 ]; then
        apt-get update
        DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@"
    else
        sudo apt-get update
        sudo env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@"
    fi
}
