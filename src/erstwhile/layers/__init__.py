"""The rooms: each derives one kind of memory from the log, or from the room below it, and has the same shape (see CONTRIBUTING)."""
