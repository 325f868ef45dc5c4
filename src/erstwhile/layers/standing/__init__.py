"""Standing requests: what a person asked of the assistant for all time to come ("always answer in metric units").

They are read from what people say to an assistant, by patterns, without a model; shown at the head of that person's
contexts, on their page and in `about`. A request holds until a newer one of the person is about the same topic or takes
it back. Which one that is follows from what the reader may see, each time it is read: what was said in private changes
nothing elsewhere. No word of an assistant, of a quotation, of code or of somebody else becomes a request.
"""
