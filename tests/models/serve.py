"""llama.cpp's own HTTP server over a model in a file, on this machine alone: serve.py MODEL PORT [THREADS [TEMPLATE]]. Says its address, and serves until it is ended."""

import sys
import time

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[2])
params.n_ctx = 4096
params.n_parallel = 1
# Several threads that wait for each other cost more than they bring where cores are shared.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(sys.argv[3]) if len(sys.argv) > 3 else 1
if len(sys.argv) > 4:
    params.chat_template, params.use_jinja = sys.argv[4], False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
while True:
    time.sleep(3600)
