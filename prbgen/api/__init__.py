"""The stages as functions: one file each, named as the commands, which call them. `import prbgen` has all of them."""
