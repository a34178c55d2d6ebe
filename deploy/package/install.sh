#!/bin/sh
# Installs Trolley for one user, without root, below ~/.local (or --prefix DIRECTORY).
#
#   ./install.sh                     # programs, manual pages, completions, and a systemd unit of the user
#   ./install.sh --prefix /opt/trolley
#   ./install.sh --uninstall         # removes these files again; lists stay
set -eu
here=$PWD
cd "$(dirname "$0")"

prefix=$HOME/.local
uninstall=''
while [ $# -gt 0 ]; do
    case $1 in
    --prefix)
        prefix=${2:?install.sh: --prefix needs a directory}
        shift
        ;;
    --prefix=*) prefix=${1#--prefix=} ;;
    --uninstall) uninstall=yes ;;
    -h | --help)
        sed -n '2,6s/^# \{0,1\}//p' install.sh
        exit
        ;;
    *)
        echo "install.sh: there is no option $1" >&2
        exit 64
        ;;
    esac
    shift
done
case $prefix in /*) ;; *) prefix=$here/$prefix ;; esac
unit=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user/trolleyd.service

if [ -n "$uninstall" ]; then
    if systemctl --user is-active --quiet trolleyd 2>/dev/null; then systemctl --user disable --now trolleyd; fi
    find bin share -type f | while read -r file; do rm -f "$prefix/$file"; done
    rm -f "$unit"
    echo "Trolley is removed from $prefix. Its lists stay in ${XDG_DATA_HOME:-$HOME/.local/share}/trolley."
    exit
fi

# What the programs need, before anything is changed.
missing=$(ldd bin/trolleyd bin/trolley 2>&1 | sed -n 's/^[[:space:]]*\([^ ]*\) => not found$/\1/p' | sort -u)
if [ -n "$missing" ] || ! bin/trolleyd --version >/dev/null 2>&1; then
    echo 'install.sh: the programs do not run on this system:' >&2
    printf '%s\n' "${missing:-$(bin/trolleyd --version 2>&1)}" | sed 's/^/  /' >&2
    cat >&2 <<TEXT
They need glibc 2.36 or newer, libpq 5, SQLite 3, zlib and libstdc++. Ask an administrator for them:
  Debian, Ubuntu: apt install libpq5 libsqlite3-0 zlib1g libstdc++6 postgresql
  Fedora:         dnf install libpq sqlite-libs zlib libstdc++ postgresql-server
  Arch:           pacman -S postgresql-libs sqlite zlib gcc-libs postgresql
TEXT
    exit 1
fi

find bin share -type f | while read -r file; do
    mkdir -p "$prefix/$(dirname "$file")"
    # A running program can't be overwritten, but replaced.
    cp "$file" "$prefix/$file.new"
    mv "$prefix/$file.new" "$prefix/$file"
done
mkdir -p "$(dirname "$unit")"
# In quotes, for systemd: a backslash, a quote, a percent sign and a dollar mean something to it; the rest to sed.
quoted=$(printf %s "$prefix" | sed 's/[\"]/\\&/g; s/%/%%/g; s/\$/$$/g')
sed "s|@PREFIX@|$(printf %s "$quoted" | sed 's/[\&|]/\\&/g')|" trolleyd.service >"$unit"

echo "Trolley is installed in $prefix."
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "Put it on the path:  export PATH=\"$prefix/bin:\$PATH\"" ;; esac
if ! command -v initdb >/dev/null && ! ls /usr/lib/postgresql/*/bin/initdb /usr/pgsql-*/bin/initdb >/dev/null 2>&1; then
    echo 'There is no PostgreSQL here: install its server, or name another by TROLLEY_DATABASE_URL.'
fi
echo "Start it:            $prefix/bin/trolleyd serve"
if [ -d "/run/user/$(id -u)/systemd" ]; then
    echo 'Or at each start:    systemctl --user enable --now trolleyd && loginctl enable-linger'
fi
