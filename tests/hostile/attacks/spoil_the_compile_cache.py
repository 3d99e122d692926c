"""Writes into the compile cache on disk, and into its copy in memory."""

# expect: pass
import os
from jax._src import compilation_cache

attempt(os.listdir, "{CACHE}")
attempt(open, "{CACHE}/manifest.json")
attempt(open, "{CACHE}/manifest.json", "w")
attempt(open, "{CACHE}/new-cache", "w")
attempt(os.mkdir, "{CACHE}/x")
attempt(os.rename, "{CACHE}", "{CACHE}-gone")
attempt(os.truncate, "{CACHE}/manifest.json", 0)
programs = compilation_cache._cache._programs
print(len(programs), "programs", [name for name in programs if "attend" in name and print("BREACH:", name)])
import warnings

warnings.simplefilter("ignore")
for name in list(programs):
    programs[name] = b"poison"
compilation_cache._cache.put = lambda *_: None
