#!/usr/bin/env python3
"""Tries how `trolley add --recipe` reads the stored pages of the recipe-scrapers project.

    Tests/Recipes/judge.py DIRECTORY [TROLLEY]

DIRECTORY is `tests/test_data` of a checkout of https://github.com/hhursev/recipe-scrapers. Each page there lies beside a JSON file
with the ingredients that people have found in it. Two things are tried: that no line of any ingredient loses a word, and how many of
the pages are read as their JSON files say. It exits with 1 if a word is lost, or if the program fails in any other way than by saying
that it found no recipe.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# After a quantity, these may be dropped.
DROPPED = {"x", "of", "de", "d", "di", "du", "des", "von", "van", "la", "l", "del", "della", "dello", "dell", "delle", "degli", "dei"}


def words(text):
    return re.findall(r"[^\W_]+", text or "")


def read(trolley, home, file, text=None):
    """The lines of a recipe, or the error."""
    result = subprocess.run(
        [trolley, "add", "--recipe", file, "--dry-run", "--json"],
        input=text, capture_output=True, text=True, timeout=120, env={"TROLLEY_HOME": home, "PATH": "/usr/bin:/bin"})
    if result.returncode not in (0, 1):
        raise SystemExit(f"{file}: exit {result.returncode}: {result.stderr}")
    return json.loads(result.stdout)


def lost(line, parts):
    """The words of a line that its parts lack, and those that they have too many."""
    written = collections.Counter(words(re.sub(r"^(\d+)x\b", r"\1", line)))
    kept = collections.Counter(word for part in parts for word in words(part))
    missing = [word for word in (written - kept).elements() if word.lower() not in DROPPED]
    return missing, list((kept - written).elements())


def judge_lines(trolley, home, lines):
    bad, quantities, notes = [], 0, 0
    for start in range(0, len(lines), 900):
        chunk = lines[start:start + 900]
        # The first line keeps a chunk from looking like a page or JSON.
        answer = read(trolley, home, "-", "water\n" + "\n".join(chunk))
        found = answer["lines"][1:]
        if len(found) != len(chunk):
            raise SystemExit(f"{len(chunk)} lines became {len(found)}, after {chunk[0]!r}")
        for line, parts in zip(chunk, found):
            quantities += parts.get("quantity") is not None
            notes += parts.get("note") is not None
            missing, added = lost(line, [parts.get("quantity"), parts["text"], parts.get("note")])
            # The number of a list is no word.
            if added or missing and not re.match(r"\W*\d{1,3}[.)]\s", line):
                bad.append((line, parts))
    print(f"lines: {len(lines)}, with a quantity: {quantities}, with a note: {notes}, with a lost word: {len(bad)}")
    for line, parts in bad[:20]:
        print("  ", repr(line), parts)
    return not bad


def judge_pages(trolley, home, pages):
    counts = collections.Counter()
    for page, expected in pages:
        answer = read(trolley, home, str(page))
        if "error" in answer:
            counts["no recipe that programs can read"] += 1
            continue
        found = [words(" ".join(part for part in (line.get("quantity"), line["text"], line.get("note")) if part))
                 for line in answer["lines"]]
        wanted = [words(line) for line in expected]
        same = {word.lower() for line in found for word in line} >= {
            word.lower() for line in wanted for word in line if word.lower() not in DROPPED and not word.isdigit()}
        counts["every word of its ingredients" if same and len(found) >= len(wanted)
               else "other ingredients than its JSON file"] += 1
    print(f"pages: {sum(counts.values())}; " + ", ".join(f"{key}: {value}" for key, value in counts.most_common()))


def main():
    directory = pathlib.Path(sys.argv[1])
    trolley = sys.argv[2] if len(sys.argv) > 2 else ".build/debug/trolley"
    lines, pages = [], []
    for file in sorted(directory.rglob("*.json")):
        data = json.loads(file.read_text())
        ingredients = data.get("ingredients") if isinstance(data, dict) else None
        if not ingredients:
            continue
        lines += [" ".join(line.split()) for line in ingredients]
        page = file.with_suffix(".testhtml")
        if page.exists() and page.stat().st_size:
            pages.append((page, ingredients))
    lines = [line for line in lines if words(line)]
    with tempfile.TemporaryDirectory() as home:
        right = judge_lines(trolley, home, lines)
        judge_pages(trolley, home, pages)
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
