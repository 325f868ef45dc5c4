"""Profiles: who people are, in six sections, each fact with the note it came from.

Made from the statements of notes; consolidated at night; read by `about` and the context. Always
true: every fact has a note and a message, unless a person wrote or imported it; what one person
says about another carries the speaker's name; a contradicted fact is ended, not lost; only people
change facts that they wrote or edited, and facts that they deleted do not come back.
"""
