"""Our t-SNE keeps neighbours as well as scikit-learn's does, on its 8 × 8 digits."""

import csv

import numpy
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE, trustworthiness

from app import AppTest


class Tsne(AppTest):
    def embed(self, samples):
        """The embedding that the command writes; every 180 samples are a node, in the order of the file."""
        header = ["node", *(f"p{k}" for k in range(samples.shape[1]))]
        with open(self.folder / "digits.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            writer.writerows([i // 180, *sample] for i, sample in enumerate(samples))
        self.gtvmin("graph", "--data", "digits.csv", "--method", "kl-knn", "--embed", "tsne", "--out", "edges.csv",
                    "--embedding-out", "embedding.csv")
        return numpy.array([[row["e1"], row["e2"]] for row in self.rows("embedding.csv")], dtype=float)

    def test_trustworthiness_is_within_a_hundredth_of_scikit_learn(self):
        samples = load_digits().data
        ours = trustworthiness(samples, self.embed(samples), n_neighbors=12)
        theirs = trustworthiness(samples, TSNE(random_state=0).fit_transform(samples), n_neighbors=12)
        print(f"trustworthiness of 12 neighbours: ours {ours:.4f}, scikit-learn's {theirs:.4f}")
        self.assertGreater(ours, theirs - 0.01)
        self.assertGreater(theirs, 0.98)
