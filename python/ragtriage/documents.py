"""``python -m ragtriage.documents FOLDER OUT``: PDF, DOCX, PPTX, HTML and EPUB files as Markdown, for the format ``files``.

Every file gets the name it had with ``.md`` added, in the same folder under ``OUT``; files that are text already are copied. The
pages of a PDF and the slides of a PPTX begin with the line ``<!-- page 3 -->``, or ``<!-- Slide number: 3 -->``.

PDF is read by PDFium (``pypdfium2``), everything else by ``markitdown``. Needs both: ``pip install "ragtriage[documents]"``.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from .errors import RagtriageError

#: Endings of the files that are converted, and of those that are copied.
CONVERTED = (".pdf", ".docx", ".pptx", ".html", ".htm", ".epub")
COPIED = (".md", ".markdown", ".mdx", ".rst", ".txt")


class DocumentError(RagtriageError):
    """A file cannot be converted: it is encrypted, damaged, or has no text."""


def convert(path: Path) -> str:
    """Returns a file as Markdown.

    Raises:
        DocumentError: The file is encrypted or damaged, or has no text, as a scan has not.
    """
    text = _pdf(path) if path.suffix.lower() == ".pdf" else _other(path)
    if not any(line.strip() and not line.startswith("<!-- ") for line in text.splitlines()):
        raise DocumentError(f"{path}: no text", "a scan needs OCR first, for example `ocrmypdf IN.pdf OUT.pdf`")
    return text


def convert_folder(folder: Path, out: Path) -> Iterator[tuple[Path, Path | DocumentError | None]]:
    """Converts the files of a folder and the folders in it, and yields each with its new file.

    The second value is the error of a file that cannot be converted, and ``None`` for a file of another type.
    """
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        relative = path.relative_to(folder)
        if out.resolve() in path.resolve().parents or any(part.startswith(".") for part in relative.parts):
            continue
        ending = path.suffix.lower()
        target = out / relative
        if ending in COPIED:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            yield path, target
        elif ending in CONVERTED:
            target = target.with_name(target.name + ".md")
            try:
                text = convert(path)
            except DocumentError as error:
                yield path, error
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            yield path, target
        else:
            yield path, None


def _pdf(path: Path) -> str:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        hint = "remove the password, for example with `qpdf --decrypt`" if "password" in str(error).lower() else None
        raise DocumentError(f"{path}: not readable as PDF: {error}", hint) from error
    pages = []
    for number, page in enumerate(document, start=1):
        text = page.get_textpage().get_text_range().replace("\r\n", "\n")
        pages.append(f"<!-- page {number} -->\n{text.strip()}\n")
    return "\n".join(pages)


def _other(path: Path) -> str:
    import markitdown

    try:
        return str(markitdown.MarkItDown(enable_plugins=False).convert_local(path).markdown)
    except Exception as error:  # The converters of its formats raise errors of many libraries.
        raise DocumentError(f"{path}: not readable: {error}") from error


def main() -> int:
    """Converts a folder and prints what was done; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m ragtriage.documents", description="Convert documents to Markdown")
    parser.add_argument("folder", type=Path, help="folder with the documents")
    parser.add_argument("out", type=Path, help="folder to write Markdown to")
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        parser.error(f"`{arguments.folder}` is not a folder")
    n_written, n_other, errors = 0, 0, []
    for _, result in convert_folder(arguments.folder, arguments.out):
        if result is None:
            n_other += 1
        elif isinstance(result, DocumentError):
            errors.append(result)
        else:
            n_written += 1
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    print(f"{n_written} documents written to {arguments.out}, {len(errors)} not readable, {n_other} of other types skipped")
    return 1 if errors or not n_written else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ImportError as error:
        sys.exit(f'error: {error.name} is not installed\nhint: pip install "ragtriage[documents]"')
