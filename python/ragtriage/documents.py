"""``python -m ragtriage.documents FOLDER OUT``: PDF, DOCX, PPTX, HTML and EPUB files as Markdown, for the format ``files``.

Every file gets the name it had with ``.md`` added, in the same folder under ``OUT``; files that are text already are copied. The
pages of a PDF begin with the line ``<!-- page 3 -->``, the slides of a PPTX with ``<!-- Slide number: 3 -->``.

PDF is read by PDFium (``pypdfium2``), everything else by ``markitdown``. Needs both: ``pip install "ragtriage[documents]"``.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ._dataset import TEXT_FILES
from .errors import RagtriageError

#: Endings of the files that are converted. Text files are copied.
CONVERTED = (".pdf", ".docx", ".pptx", ".html", ".htm", ".epub")

_MARK = re.compile(r"<!-- page (\d+) -->")


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
        if ending in TEXT_FILES:
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


def empty_pages(text: str) -> list[int]:
    """Returns the numbers of the pages of a converted PDF that have no text, as pages with a picture only."""
    parts = _MARK.split(text)
    return [int(number) for number, page in zip(parts[1::2], parts[2::2], strict=True) if not page.strip()]


def _pdf(path: Path) -> str:
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(path) as document:
            pages = [page.get_textpage().get_text_range() for page in document]
    except pypdfium2.PdfiumError as error:
        hint = "remove the password, for example with `qpdf --decrypt IN.pdf OUT.pdf`" if "password" in str(error).lower() else None
        raise DocumentError(f"{path}: not readable as PDF: {error}", hint or "open the file to see if it is complete") from error
    # PDFium ends a line with CR LF, and marks a word that is divided at its end by U+FFFE or U+0002.
    texts = (re.sub("[\ufffe\x02](\r?\n)?", "", page).replace("\r\n", "\n").strip() for page in pages)
    return "".join(f"<!-- page {number} -->\n{text}\n\n" for number, text in enumerate(texts, 1))


def _other(path: Path) -> str:
    import markitdown
    from markitdown import converters

    kinds: dict[str, Any] = {".docx": converters.DocxConverter, ".pptx": converters.PptxConverter, ".epub": converters.EpubConverter}
    # The converter of the file's ending alone: markitdown would read a damaged file as plain text.
    reader = markitdown.MarkItDown(enable_builtins=False, enable_plugins=False)
    reader.register_converter(kinds.get(path.suffix.lower(), converters.HtmlConverter)())
    try:
        return str(reader.convert_local(path).markdown)
    except Exception as error:  # The converters raise errors of many libraries.
        is_old = path.read_bytes()[:4] == b"\xd0\xcf\x11\xe0"  # The container of encrypted files and of Office before 2007.
        hint = "remove its password, or save it in the current format" if is_old else "open the file to see if it is complete"
        raise DocumentError(f"{path}: not readable as {path.suffix[1:].upper()}", hint) from error


def main() -> int:
    """Converts a folder and prints what was done; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m ragtriage.documents", description="Convert documents to Markdown")
    parser.add_argument("folder", type=Path, help="folder with the documents")
    parser.add_argument("out", type=Path, help="folder to write Markdown to")
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        parser.error(f"`{arguments.folder}` is not a folder")
    n_written, others, errors = 0, Counter[str](), []
    for path, result in convert_folder(arguments.folder, arguments.out):
        if result is None:
            others[path.suffix.lower() or path.name] += 1
        elif isinstance(result, DocumentError):
            errors.append(result)
        else:
            n_written += 1
            empty = empty_pages(result.read_text(encoding="utf-8")) if path.suffix.lower() == ".pdf" else []
            if empty:
                print(
                    f"warning: {path}: no text on page {', '.join(map(str, empty))}; OCR adds it: `ocrmypdf --skip-text IN.pdf OUT.pdf`",
                    file=sys.stderr,
                )
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    print(f"wrote {n_written} documents to {arguments.out}; {len(errors)} cannot be converted")
    if others:
        print(f"skipped {others.total()} files of other types: {', '.join(f'{n} {ending}' for ending, n in others.most_common())}")
    return 1 if errors or not n_written else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ImportError as error:
        sys.exit(f'error: {error.name} is not installed\nhint: pip install "ragtriage[documents]"')
