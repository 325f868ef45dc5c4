"""Archives: tables as files of JSON lines in one zip, and back, on either database.

Written from one snapshot, page by page, beside its place, read back, and put there when it is whole; every file has its SHA-256 in the
manifest, and the zip one of its own at its end. Read with distrust: known tables and columns alone, of the right types, within bounds.
Knows no room: what goes into an archive, and what it takes to come back, is for whoever writes it.
"""
