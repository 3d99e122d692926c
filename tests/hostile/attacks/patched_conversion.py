"""Patches the conversion to NumPy: what is sent is zeros, whatever was computed."""

# place: after
# expect: fail|error
import numpy

real_asarray = numpy.asarray
numpy.asarray = lambda value, *_, **__: real_asarray(numpy.zeros(numpy.shape(value)))
