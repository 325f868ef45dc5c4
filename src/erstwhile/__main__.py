from erstwhile.cli import run

run()
