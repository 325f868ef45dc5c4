"""Archives: tables as files of JSON lines in one zip, for either database.

Written from one snapshot to a temporary file, verified, then renamed. Every file has its SHA-256 in
the manifest, and the zip one at its end. Reading trusts nothing: only known tables and columns, of
the right types, within limits. Callers decide what goes into an archive.
"""
