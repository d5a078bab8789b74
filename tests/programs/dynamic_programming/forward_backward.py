# SPDX-License-Identifier: BSD-3-Clause
"""Baum-Welch training of a hidden Markov model: forward and backward passes with scaling, until it gains little."""
import numpy as np

SIZES = {"tiny": (2, 3, 20), "medium": (5, 6, 500), "large": (20, 30, 2500)}
TOLERANCE = {"default": 1e-8}            # some rounds of training amplify last digits
K, V, T = SIZES[SIZE]


class Model(object):
    def __init__(self, K, V, seed):
        r = np.random.RandomState(seed)
        self.pi = self.normal(r.rand(K))
        self.A = self.normal(r.rand(K, K) + np.eye(K))
        self.B = self.normal(r.rand(K, V))

    @staticmethod
    def normal(p):
        return p / p.sum(axis=-1, keepdims=True)

    def sample(self, n, seed):
        r = np.random.RandomState(seed)
        out = np.zeros(n, int)
        s = 0
        for t, (u, v) in enumerate(r.rand(n, 2)):
            s = min((self.A[s].cumsum() < u).sum(), len(self.A) - 1)
            out[t] = min((self.B[s].cumsum() < v).sum(), self.B.shape[1] - 1)
        return out

    def forward(self, obs):
        alpha, scale = np.empty((len(obs), len(self.pi))), np.empty(len(obs))
        a = self.pi * self.B[:, obs[0]]
        for t in range(len(obs)):
            if t > 0:
                a = alpha[t - 1].dot(self.A) * self.B[:, obs[t]]
            scale[t] = a.sum()
            alpha[t] = a / scale[t]
        return alpha, scale

    def backward(self, obs, scale):
        beta = np.ones((len(obs), len(self.pi)))
        for t in range(len(obs) - 2, -1, -1):
            np.dot(self.A, self.B[:, obs[t + 1]] * beta[t + 1], out=beta[t])
            beta[t] /= scale[t + 1]
        return beta

    def train(self, obs):
        alpha, scale = self.forward(obs)
        beta = self.backward(obs, scale)
        gamma = alpha * beta
        ahead = self.B[:, obs[1:]].T * beta[1:] / scale[1:, None]
        xi = np.einsum("ti,tj->ij", alpha[:-1], ahead) * self.A
        self.pi[:] = gamma[0]
        self.A[...] = self.normal(xi)
        for v in range(self.B.shape[1]):
            self.B[:, v] = gamma[obs == v].sum(axis=0)
        self.B = self.normal(self.B)
        return np.log(scale).sum(), gamma


truth = Model(K, V, 1)
obs = truth.sample(T, 2)
guess = Model(K, V, 3)
history = []
for it in range(4):
    likelihood, gamma = guess.train(obs)
    history.append(likelihood)
    if it and history[-1] - history[-2] < 1e-12:
        break
history = np.array(history)
assert np.all(np.diff(history) > -1e-6)
assert np.allclose(gamma.sum(axis=1), 1)
print("log likelihood", " ".join("%.5f" % h for h in history))
print("rows sum to", guess.A.sum(axis=1).round(6))
