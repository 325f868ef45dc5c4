"""Profiles: who people are, in six sections, each fact with the note it came from.

Made from what notes state; consolidated at night; read by `about` and the context. Always true:
every fact has its note and the message it rests on, unless a person wrote or imported it; what one
says of another carries that one's name; what is contradicted is ended, not lost; what people wrote
or edited by hand is never changed by anyone else, and what they deleted does not come back."""
