"""What the scripts docs_*.py share: each makes the text of one generated page of docs."""
import pathlib
import sys


def write(page: pathlib.Path, make, usage: str) -> None:
    """Writes the page if its text has changed. With --check, writes nothing and fails if the page is outdated."""
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(usage)
    text = make()
    if page.exists() and page.read_text() == text:
        return
    if sys.argv[1:] == ["--check"]:
        sys.exit(f"{page} is stale: run ./build.sh docs")
    page.write_text(text)
    print(f"docs: {page}")
