"""Notes: what happened in a conversation, and the topics of a day.

Made from the messages of people, collected in a buffer per channel until it is quiet; topics from
the notes of a day, at night. Read by search, the context and the profiles. Always true: every
message of a person is in exactly one note or buffer; a note is written, its buffer removed and its
facts passed on in one transaction; a space has one nightly run a day, however many servers there
are; notes of private channels are put into topics only with others of the same channel.
"""
