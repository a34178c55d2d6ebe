# Mends a manual page of ArgumentParser's generator: names of subcommands without a space (`trolley-add`, as whatis needs them),
# examples as they are, paragraphs, and text that begins like a command of roff.
/^\.Sh / {
    section = $2
    if (literal) { print ".Ed"; literal = 0 }
}
/^\.Dt / { sub(/\./, "-", $2) }
section == "NAME" && /^\.Nm / {
    name = $0
    sub(/^\.Nm /, "", name)
    gsub(/"/, "", name)
    joined = name
    gsub(/ /, "-", joined)
    print ".Nm " joined
    next
}
section == "SYNOPSIS" && $0 == ".Nm" { print ".Nm \"" name "\""; next }
/^Examples?:$/ { print; print ".Bd -literal"; literal = 1; next }
literal && /^\./ { print ".Ed"; literal = 0 }
literal && /^$/ { held = 1; next }
/^$/ { print ".Pp"; next }
{
    if (held && literal) print ""
    held = 0
    if (/^'/) $0 = "\\&" $0
    print
}
END { if (literal) print ".Ed" }
