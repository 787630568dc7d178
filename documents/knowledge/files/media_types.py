"""The kinds of files that are taken. No Django: the child that reads them knows them too."""

PDF = "application/pdf"
_OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = f"{_OFFICE}wordprocessingml.document"
PPTX = f"{_OFFICE}presentationml.presentation"
XLSX = f"{_OFFICE}spreadsheetml.sheet"
HTML = "text/html"
MARKDOWN = "text/markdown"
TEXT = "text/plain"

# What a name that ends so promises; a name that ends otherwise promises nothing.
BY_ENDING = {
    "pdf": PDF,
    "docx": DOCX,
    "pptx": PPTX,
    "xlsx": XLSX,
    "html": HTML,
    "htm": HTML,
    "xhtml": HTML,
    "md": MARKDOWN,
    "markdown": MARKDOWN,
    "txt": TEXT,
    "text": TEXT,
    "csv": TEXT,
    "tsv": TEXT,
    "log": TEXT,
    "json": TEXT,
    "xml": TEXT,
    "yaml": TEXT,
    "yml": TEXT,
}
TEXTS = (HTML, MARKDOWN, TEXT)

# The part of an office file that says which kind it is.
MAIN_PARTS = {"word/document.xml": DOCX, "ppt/presentation.xml": PPTX, "xl/workbook.xml": XLSX}


def promised_by(file_name: str) -> str | None:
    _stem, dot, ending = file_name.rpartition(".")
    return BY_ENDING.get(ending.lower()) if dot else None
