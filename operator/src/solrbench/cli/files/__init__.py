"""Files with benchmarks and what they refer to.

- `reading`: objects of files, folders and standard input, each with its place
- `validation`: all that is wrong with them, with lines and near names
- `changes`: values that `--set` changes
- `lenient`: resources of a newer version, as far as this one knows them
"""

from solrbench.cli.files.lenient import parse_stored, parse_stored_as
from solrbench.cli.files.reading import FILES, Document, read_documents
from solrbench.cli.files.validation import valid_benchmarks, valid_parts, valid_resources

__all__ = [
    "FILES",
    "Document",
    "parse_stored",
    "parse_stored_as",
    "read_documents",
    "valid_benchmarks",
    "valid_parts",
    "valid_resources",
]
