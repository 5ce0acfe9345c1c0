"""Where documents come from: the part of the dataset that one index pod sends.

- `documents`: the documents of one pod, whatever the source
- `generator`: the generated documents of one pod
- `file_documents`: the documents in files
- `files`, `download`: bytes from a mounted folder or over HTTP, unpacked while read
- `download_body`: a download that goes on where it was lost; `download_rules`: what it may reach
- `readers`, `xml_reader`: JSON, JSONL, CSV and Solr's XML as records
- `cleaning`: ids for documents without one, nested objects as dotted fields
- `partition`: which positions of the dataset belong to which pod
"""
