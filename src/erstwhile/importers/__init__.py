"""Import conversations from files, folders and zips of other products, as a stream.

Always true: nothing is unpacked to disk and no file is held whole; importing the same source again
changes nothing, so an interrupted import can be repeated; whatever is left out is counted, with the
reason.
"""

from erstwhile.importers.loading import load as load
from erstwhile.importers.model import ImportProblem as ImportProblem
from erstwhile.importers.model import ImportReport as ImportReport
