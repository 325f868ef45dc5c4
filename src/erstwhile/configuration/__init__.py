"""Choices: what a space, or a person in it, has put in place of the house's own: prompts, and the model with its key.

Read by the rooms when they ask for language work, by the context for its recipe, and by the doctor. Always true: a choice is read from the
database each time it matters, so that it holds from the next piece of work on, in every process; a key is stored sealed, and nothing
shows it again; a key of the house is never sent to an address that a space named.
"""
