"""What goes over the wire and is no dataclass of the door: bodies, questions in the address, and lists with their names.

A body or question that names something unknown is refused, so that a misspelt name is not passed over in silence.
"""
