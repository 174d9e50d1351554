"""Turns NAME.npy (384 floats a row) into NAME.f32, which peers.mjs reads: python3 make-data.py NAME.npy..."""

import sys

import numpy

for name in sys.argv[1:]:
    numpy.load(name).astype("<f4").tofile(name.removesuffix(".npy") + ".f32")
