# Sourced by the other scripts: `ensure_venv FOLDER [EXTRA]` makes a virtual environment with memctl in it, or leaves a fresh one alone.
# The stamp inside it names the interpreter, the place, the hash of pyproject.toml and the extra; any difference makes it stale.
# shellcheck shell=bash

die() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    shift
    for line in "$@"; do printf '  %s\n' "$line" >&2; done
    exit 1
}

is_recent() { command -v "$1" >/dev/null 2>&1 && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# The Python to use; says clearly what is missing when there is none.
find_python() {
    local candidate
    for candidate in ${MEMCTL_PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if is_recent "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    die "memctl needs Python 3.11 or newer; found: $("${MEMCTL_PYTHON:-python3}" --version 2>/dev/null || echo none)" \
        "Install one (for example: apt install python3.12 python3.12-venv, brew install python@3.12, or pyenv)," \
        "or name it: MEMCTL_PYTHON=/path/to/python3 $0"
}

# A venv holds absolute paths, so the folder belongs to what makes it fresh.
stamp_of() {
    "$1" -c 'import hashlib, os, pathlib, sys
print(sys.version.split()[0], os.getcwd(), hashlib.sha256(pathlib.Path("pyproject.toml").read_bytes()).hexdigest())'
}

install_editable() {
    "$1/bin/python" -m pip install --quiet --disable-pip-version-check -e "$2"
}

ensure_venv() {
    local folder=$1 extra=${2:-} python stamp target='.[vectors]'
    python=$(find_python)
    "$python" -c 'import venv, ensurepip' >/dev/null 2>&1 ||
        die "$python has no venv module" "On Debian and Ubuntu: apt install python3-venv"
    stamp=$(stamp_of "$python")
    # An environment that has more than is asked for will do.
    if [[ -x $folder/bin/python ]] && grep -qxF -e "$stamp" "$folder/.stamp" 2>/dev/null &&
        { [[ -z $extra ]] || grep -qxF -e "extra $extra" "$folder/.stamp"; }; then
        return
    fi
    # One that is made anew keeps the extra that it had: the demo takes nobody's test tools away.
    [[ -n $extra ]] || extra=$(sed -n 's/^extra //p' "$folder/.stamp" 2>/dev/null) || extra=
    printf '== making %s (once; again only when pyproject.toml changes)\n' "$folder" >&2
    rm -rf "$folder"
    "$python" -m venv "$folder"
    [[ -n $extra ]] && target=".[$extra]"
    # Not every platform has the index of the vectors, and nothing but it needs one that has.
    install_editable "$folder" "$target" || { [[ -z $extra ]] && install_editable "$folder" .; } ||
        die "installing the dependencies failed (see above)" "The first run needs the package index; later runs work without it."
    printf '%s\nextra %s\n' "$stamp" "$extra" >"$folder/.stamp"
}
