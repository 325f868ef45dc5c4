"""Keys of the server: who may call it, for which space, until when; and how many tokens a space may send in a day."""
