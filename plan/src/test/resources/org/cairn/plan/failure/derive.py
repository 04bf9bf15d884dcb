# SPDX-License-Identifier: Apache-2.0
"""Derives lanl-18-20.csv.gz: python3 derive.py LA-UR-05-7318-failure-data-1996-2005.csv OUT.csv.gz"""
import csv
import gzip
import io
import sys

KEPT = ["System", "nodes", "nodenum", "Prob Started"]
SHAPE = ["System", "machine type", "nodes", "nodenum", "purpose", "Prob Started", "Same Event"]

out = io.StringIO()
writer = csv.DictWriter(out, SHAPE, restval="", lineterminator="\n")
writer.writeheader()
with open(sys.argv[1], newline="") as source:
    for row in csv.DictReader(source):
        if row["System"] in ("18", "20"):
            writer.writerow({name: row[name] for name in KEPT})
with open(sys.argv[2], "wb") as target:
    # Without name and time of day, so that the same rows give the same file.
    with gzip.GzipFile(filename="", fileobj=target, mode="wb", compresslevel=9, mtime=0) as packed:
        packed.write(out.getvalue().encode())
