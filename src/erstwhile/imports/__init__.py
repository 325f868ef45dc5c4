"""Imports: what people have elsewhere, read as a stream and put into the log through the door.

Made from files, folders and zips of other products. Always true: nothing is unpacked to disk and no file is held whole; the same source
again changes nothing, so that what was broken off is begun again; what is left out is counted, with the reason.
"""

from erstwhile.imports.load import load as load
from erstwhile.imports.model import Problem as Problem
from erstwhile.imports.model import Report as Report
