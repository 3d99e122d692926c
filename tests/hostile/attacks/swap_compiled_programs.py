"""Exchanges compiled programs, so that JAX runs another one than it asked for; harms nobody else."""

# expect: pass|fail|error
from jax._src import compilation_cache

programs = compilation_cache._cache._programs
names = sorted(programs)
for name, other in zip(names, names[1:] + names[:1]):
    programs[name] = programs[other]
import warnings

warnings.simplefilter("ignore")
