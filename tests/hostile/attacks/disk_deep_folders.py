"""Puts folders into folders, deeper than a path can say and a recursion can go."""

# expect: pass, event died|pass
import os


def dig():
    for _ in range(1500):
        os.mkdir("deeper")
        os.chdir("deeper")


dig()
