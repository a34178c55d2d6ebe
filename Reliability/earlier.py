"""Programs of earlier versions, built from history once each and kept below .build-tools/versions."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ROOT / ".build-tools/versions"


def git(*arguments: str, at: Path = ROOT) -> str:
    return subprocess.run(["git", *arguments], cwd=at, check=True, capture_output=True, text=True).stdout.strip()


def built(commit: str, product: str = "trolleyd") -> Path:
    """A program of a commit, given by its full hash."""
    home = VERSIONS / commit
    program = home / "build/debug" / product
    if program.exists():
        return program
    sources = home / "sources"
    if not sources.exists():
        home.mkdir(parents=True, exist_ok=True)
        git("worktree", "prune")
        git("worktree", "add", "--detach", "--force", str(sources), commit)
    print(f"Building {product} of {commit[:10]} in {home}; about ten minutes, once.", flush=True)
    subprocess.run(["swift", "build", "--product", product, "--scratch-path", str(home / "build")], cwd=sources, check=True)
    return program
