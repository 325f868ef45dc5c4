"""Imports: what people have elsewhere, read as a stream and put into the log through the door.

Made from files, folders and zips of other products. Always true: nothing is unpacked to disk and no file is held whole; the same source
again changes nothing, so that what was broken off is begun again; what is left out is counted, with the reason.
"""

from erstwhile.importers.load import load as load
from erstwhile.importers.model import Problem as Problem
from erstwhile.importers.model import Report as Report
