#!/usr/bin/env python3
"""Words per sentence, and the share of sentences that begin with a pronoun, in the comments and pages of this project.

    python3 test/words.py [--sentences FOLDER | --most PERCENT]

Prints a line for each folder, over pages, C, scripts and the console. --sentences prints the sentences of FOLDER that begin with a pronoun, with their file, so that they can be rewritten.
--most prints only the folders in which more than PERCENT of the sentences begin with a pronoun, and fails if there are any; check/english runs it.
A sentence has four words or more and ends with a full stop, colon or semicolon. Generated files, code blocks and tables are left out.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GENERATED = re.compile(r"^(svcapi\.c|docs/(branches|coverage|errors|index|limits|metrics|svcd)\.md|docs/reference/.*|.*(explorer_files|reference_texts|world_files)\.c)$")
PRONOUN = re.compile(r"^(it|one|what|who|whoever|that|this|these|those|which|they|whom|whose)\b", re.IGNORECASE)


LINES = {".sh": "#", ".mk": "#", ".py": "#", ".yml": "#", ".yaml": "#", ".js": "//", ".mjs": "//", ".ts": "//", ".go": "//"}


def prose(path: pathlib.Path) -> str:
    """The prose of a file: text of Markdown, comments of everything else."""
    text = path.read_text(errors="replace")
    mark = LINES.get(path.suffix)
    if mark:  # consecutive comment lines are one text; a comment behind code is one of its own
        comments, last = "", -1
        for number, line in enumerate(text.split("\n")):
            alone = re.match(rf"\s*{mark} ?(.*)", line)
            behind = None if alone else re.search(rf"\s{mark} (.*)", line)
            if alone or behind:
                comments += ("\n" if alone and last == number - 1 else "\n\n") + (alone or behind)[1]
            if alone:
                last = number
        if path.suffix == ".py":
            comments += "\n\n" + "\n\n".join(re.findall(r'"""(.*?)"""', text, re.DOTALL))
        if mark == "#":
            return comments
        return comments + "\n\n" + "\n\n".join(re.sub(r"\n\s*\* ?", "\n", c) for c in re.findall(r"/\*(.*?)\*/", text, re.DOTALL))
    if path.suffix == ".md":
        return re.sub(r"^\|.*$", "", re.sub(r"```.*?```", "", text, flags=re.DOTALL), flags=re.MULTILINE)
    return "\n\n".join(re.sub(r"\n\s*\*\*? ?", "\n", c) for c in re.findall(r"/\*(.*?)\*/", text, re.DOTALL))


def sentences(text: str):
    for paragraph in re.split(r"\n\s*\n", text):
        for s in re.split(r"(?<=[.!?:;])\s+", paragraph):
            s = " ".join(s.split())
            if len(s.split()) > 3:
                yield s


def folder(name: str) -> str:
    parts = name.split("/")
    if len(parts) == 1:
        return name
    if parts[0] == "amalgamation" and len(parts) == 2:
        return "amalgamation"
    return parts[0] if parts[0] in ("docs", "ports", "examples", "package") else "/".join(parts[:2]) if parts[0] == "amalgamation" else parts[0]


def main() -> None:
    shown = sys.argv[2] if sys.argv[1:2] == ["--sentences"] and len(sys.argv) == 3 else None
    most = float(sys.argv[2]) if sys.argv[1:2] == ["--most"] and len(sys.argv) == 3 else None
    if sys.argv[1:] and shown is None and most is None:
        sys.exit(__doc__)
    names = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    found: dict[str, list[int]] = {}
    for name in names:
        if GENERATED.match(name) or not name.endswith((".c", ".h", ".md", *LINES)) or not (ROOT / name).is_file():
            continue
        for s in sentences(prose(ROOT / name)):
            begins = bool(PRONOUN.match(s))
            for key in (folder(name), "all"):
                row = found.setdefault(key, [0, 0, 0])
                row[0] += 1
                row[1] += len(s.split())
                row[2] += begins
            if begins and shown and name.startswith(shown):
                print(f"{name}: {s}")
    if most is not None:
        over = [f"{key}: {100 * pronouns / n:.1f} % of the sentences begin with a pronoun" for key, (n, _, pronouns) in sorted(found.items()) if 100 * pronouns > most * n]
        sys.exit("\n".join(over) or 0)
    if not shown:
        print(f"{'folder':26} {'sentences':>9} {'words per sentence':>19} {'begin with a pronoun':>21}")
        for key, (n, words, pronouns) in sorted(found.items()):
            print(f"{key:26} {n:9} {words / n:19.1f} {100 * pronouns / n:19.1f} %")


main()
