#!/bin/sh
# no_contraction.sh OBJDUMP OBJECT...: fails, naming the file, where an object holds vfmaddsub or vfmsubadd.
set -u
objdump=$1
shift
[ $# -gt 0 ] || { echo "no object files given"; exit 1; }
status=0
for object in "$@"; do
  listing=$("$objdump" -d "$object") || { echo "$object: cannot be read"; exit 1; }
  if printf '%s\n' "$listing" | grep -qE 'vfm(addsub|subadd)'; then
    echo "$object: holds a fused multiply-add that no source asks for"
    status=1
  fi
done
exit $status
