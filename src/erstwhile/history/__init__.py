"""The history of memories: what each said, who wrote it, and when.

Made by the rooms, in the transaction that writes, replaces, edits or deletes a memory; read by the door, and by the rooms to know what a
person deleted. Always true: a memory's newest version is what its own table holds, or `deleted`; only people edit and delete, so
the `by` of those is a person's id, and of the others the writer's name or, for what a person wrote, that person's id.
"""
