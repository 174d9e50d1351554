"""Turns NAME.safetensors (a tensor "vectors", 384 floats a row) into NAME.f32, which peers.mjs reads: python3 make-data.py NAME.safetensors..."""

import sys

from safetensors.numpy import load_file

for name in sys.argv[1:]:
    load_file(name)["vectors"].astype("<f4").tofile(name.removesuffix(".safetensors") + ".f32")
