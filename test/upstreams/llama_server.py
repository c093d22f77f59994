"""Runs llama.cpp's server on a model until its standard input ends: MODEL PORT chat|embeddings."""

import sys

from xllamacpp import CommonParams, Server, llama_pooling_type

model, port, kind = sys.argv[1:]
params = CommonParams()
params.model.path = model
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.model_alias = {"chain"}
params.n_ctx = 8192
params.n_parallel = 2
params.kv_unified = False
params.n_gpu_layers = 0
params.cpuparams.n_threads = 1
params.use_jinja = True
params.cache_prompt = False
params.endpoint_slots = True
params.endpoint_metrics = True
if kind == "embeddings":
    params.embedding = True
    params.pooling_type = llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
server = Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
