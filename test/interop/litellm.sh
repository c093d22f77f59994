#!/usr/bin/env bash
# A chat through the gateway with a server that isn't ours: LiteLLM's proxy with a model that answers by itself.
# Needs Python 3.9 or later, Node 20 or later and PyPI. Ends with 0 if every check passed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
running=()

clean_up() {
  for pid in "${running[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${running[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# until_up NAME PID SECONDS COMMAND...: waits until the command succeeds.
until_up() {
  local name=$1 pid=$2 tries=$(($3 * 2))
  shift 3
  until "$@" >/dev/null 2>&1; do
    if ((tries-- == 0)) || ! kill -0 "$pid" 2>/dev/null; then
      echo "FAIL $name is not up:" >&2
      tail -n 30 "$folder/$name.log" >&2
      exit 1
    fi
    sleep 0.5
  done
}

echo 'Installing LiteLLM into a temporary environment'
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet 'litellm[proxy]'
"$folder/venv/bin/pip" list 2>/dev/null | grep -E '^(litellm|openai) '

export INTEROP_TEXT='The mock says: "hello" – naïve 数据 🚀, and a \ at the end.'
export INTEROP_KEY=sk-interop-upstream
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
upstream=http://127.0.0.1:$port

cat >"$folder/litellm.yaml" <<YAML
model_list:
  - model_name: mock
    litellm_params: { model: openai/mock, api_key: none, mock_response: os.environ/INTEROP_TEXT }
general_settings: { master_key: os.environ/INTEROP_KEY }
YAML
cat >"$folder/gateway.yaml" <<YAML
providers:
  - { name: litellm, kind: openai-compatible, baseUrl: "$upstream/v1", apiKey: { env: INTEROP_KEY } }
models:
  - { name: interop, targets: [ { provider: litellm, model: mock } ] }
  - { name: "litellm/*", targets: [ { provider: litellm, model: "*" } ] }
YAML

LITELLM_LOCAL_MODEL_COST_MAP=True "$folder/venv/bin/litellm" --config "$folder/litellm.yaml" \
  --host 127.0.0.1 --port "$port" --telemetry False >"$folder/litellm.log" 2>&1 &
running+=($!)
until_up litellm $! 120 curl --fail --silent "$upstream/health/liveliness"

PORT=0 GATEWAY_DATA=$folder/data GATEWAY_CONFIG=$folder/gateway.yaml GATEWAY_READY_FILE=$folder/ready.json \
  node "$root/deploy/launcher/setup.mjs" start >"$folder/gateway.log" 2>&1 &
running+=($!)
until_up gateway $! 120 test -e "$folder/ready.json"

if ! "$folder/venv/bin/python" "$here/chat.py" "$folder/ready.json"; then
  tail -n 30 "$folder/gateway.log" "$folder/litellm.log" >&2
  exit 1
fi
