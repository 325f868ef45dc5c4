"""Text as everything above needs it: search terms (`analyse`), token counts (`tokens`), sentences, and the language.

Pure functions: no I/O, no database, no model. Import the module you need; nothing is re-exported here.
"""
