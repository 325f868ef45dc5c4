"""Text as everything above needs it: search terms (`analyse`), token counts (`tokens`), sentences,
the language, and the times a question names (`when`).

Pure functions: no I/O, no database, no model. Import the module you need; nothing is re-exported
here.
"""
