from erstwhile.cli import main

main()
