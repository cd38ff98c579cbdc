"""Documents of other formats, made here, so that their text and pages are known."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import fpdf
import pptx
import pytest

from ragtriage.documents import DocumentError, convert, empty_pages

CONTAINER = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>{}</rootfiles></container>'
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>Pumps</dc:title></metadata><manifest><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>"""
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org"


def pdf(path: Path, pages: list[list[str]], *, password: str | None = None) -> None:
    document = fpdf.FPDF()
    document.set_font("Helvetica", size=12)
    for lines in pages:
        document.add_page()
        for line in lines:
            document.cell(text=line, new_x="LMARGIN", new_y="NEXT")
    if password is not None:
        document.set_encryption(owner_password="owner", user_password=password)
    document.output(str(path))


def archive(path: Path, parts: dict[str, str]) -> None:
    with zipfile.ZipFile(path, "w") as file:
        for name, content in parts.items():
            file.writestr(name, content)


def docx(path: Path) -> None:
    types = f"{OFFICE}/package/2006/content-types"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    relation = f'<Relationship Id="r" Type="{OFFICE}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'
    cells = "".join(f"<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>" for text in ("Part", "Price"))
    body = f"<w:p><w:r><w:t>The pump rests after nine hours.</w:t></w:r></w:p><w:tbl><w:tr>{cells}</w:tr></w:tbl>"
    archive(
        path,
        {
            "[Content_Types].xml": f'<Types xmlns="{types}"><Default Extension="xml" ContentType="application/xml"/>'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{main}"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{OFFICE}/package/2006/relationships">{relation}</Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
        },
    )


def slides(path: Path) -> None:
    presentation = pptx.Presentation()
    for title in ("Pumps", "Rest"):
        slide = presentation.slides.add_slide(presentation.slide_layouts[0])
        slide.shapes.title.text = title
        slide.placeholders[1].text = f"About {title.lower()}."
    presentation.save(str(path))


def epub(path: Path) -> None:
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>{}</h1><p>{}</p></body></html>'
    parts = {
        "META-INF/container.xml": CONTAINER.format('<rootfile full-path="p.opf" media-type="application/oebps-package+xml"/>'),
        "p.opf": PACKAGE,
        "a.xhtml": page.format("First", "It runs."),
        "b.xhtml": page.format("Second", "It rests."),
    }
    archive(path, parts)


def html(path: Path) -> None:
    path.write_text("<html><head><style>p {}</style></head><body><h2>Rollback</h2><p>Six <b>minutes</b> &amp; more.</p></body></html>")


def test_the_pages_of_a_pdf_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    pdf(path, [["The pump rests", "after nine hours."], [], ["Page three."]])
    text = convert(path)
    assert text == "<!-- page 1 -->\nThe pump rests\nafter nine hours.\n\n<!-- page 2 -->\n\n\n<!-- page 3 -->\nPage three.\n\n"
    assert empty_pages(text) == [2]


@pytest.mark.parametrize(
    ("name", "make", "expected"),
    [
        ("a.docx", docx, ["The pump rests after nine hours.", "| Part | Price |"]),
        ("a.pptx", slides, ["<!-- Slide number: 1 -->", "# Pumps", "About pumps.", "<!-- Slide number: 2 -->", "# Rest", "About rest."]),
        ("a.html", html, ["## Rollback", "Six **minutes** & more."]),
        ("a.epub", epub, ["# First", "It runs.", "# Second", "It rests."]),
    ],
)
def test_other_formats_are_markdown_in_reading_order(name: str, make: Callable[[Path], None], expected: list[str], tmp_path: Path) -> None:
    make(tmp_path / name)
    lines = convert(tmp_path / name).splitlines()
    assert [line for line in lines if line in expected] == expected


@pytest.mark.parametrize(
    ("make", "message", "hint"),
    [
        (lambda path: pdf(path, [["secret"]], password="user"), "password", "qpdf --decrypt"),
        (lambda path: pdf(path, [[], []]), "no text", "ocrmypdf"),
        (lambda path: path.write_bytes(b"%PDF-1.7 damaged"), "not readable as PDF", "complete"),
    ],
)
def test_what_has_no_readable_text_is_an_error(make: Callable[[Path], None], message: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    make(path)
    with pytest.raises(DocumentError, match=message) as raised:
        convert(path)
    assert hint in str(raised.value.hint)


def test_a_folder_is_converted_and_what_was_not_is_named(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "in" / "out"
    (folder / "sub").mkdir(parents=True)
    pdf(folder / "sub" / "a.pdf", [["Text."], []])
    (folder / "b.md").write_text("# B\n")
    (folder / "c.odt").write_text("")
    (folder / "d.docx").write_bytes(b"PK damaged")

    def call() -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "ragtriage.documents", folder, out], capture_output=True, text=True, check=False)

    done = call()
    assert done.returncode == 1
    assert done.stdout == f"wrote 2 documents to {out}; 1 cannot be converted\nskipped 1 files of other types: 1 .odt\n"
    assert f"warning: {folder / 'sub' / 'a.pdf'}: no text on page 2" in done.stderr
    assert f"error: {folder / 'd.docx'}: not readable as DOCX" in done.stderr
    written = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.md"))
    assert written == ["b.md", "sub/a.pdf.md"]
    (folder / "d.docx").unlink()
    assert call().returncode == 0
