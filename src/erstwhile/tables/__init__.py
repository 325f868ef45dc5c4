"""Which package owns which table, and how rows of a person or a channel are erased.

Each package declares its tables, with the columns that name a person, a channel or a memory, and
erases its own rows (`Owner`). Erasure, its check and exports loop over the owners and know no
table by name. Always true: a table is declared once, by the package that writes it; the list
`erasing` alone is filled by several packages: what is to be erased.
"""
