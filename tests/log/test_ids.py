"""Ids are never made twice."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from erstwhile.base import ids

FORK = """
import os
from erstwhile.base import ids
ids.at_random(80)
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, str(ids.at_random(80)).encode())
    os._exit(0)
os.wait()
assert os.read(read, 100).decode() != str(ids.at_random(80))
"""


def test_a_program_that_seeds_random_makes_other_ids_each_time() -> None:
    made = []
    for _ in range(2):
        random.seed(1)
        made.append(ids.at_random(80))
    assert made[0] != made[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_makes_other_ids_than_its_parent() -> None:
    subprocess.run([sys.executable, "-c", FORK], check=True)
