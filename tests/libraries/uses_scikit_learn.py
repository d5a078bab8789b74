# SPDX-License-Identifier: BSD-3-Clause
"""Uses of scikit-learn, which is not asked to dispatch. test_uses.py says how they run."""

# ---- before
a = np.array([3.0, 1.0, 2.0])
i = np.array([3, 1, 2])
m = np.arange(12.0).reshape(3, 4)
rng = numpy.random.default_rng(0)
X = np.asarray(rng.normal(size=(60, 4)))
y = np.asarray(rng.integers(0, 2, 60))
t = X @ np.array([1.0, 2, 3, 4])

# ---- LinearRegression
from sklearn.linear_model import LinearRegression as E
r = E().fit(X, t).coef_

# ---- Ridge
from sklearn.linear_model import Ridge as E
r = E(alpha=1.0).fit(X, t).predict(X)

# ---- Ridge alpha h
from sklearn.linear_model import Ridge as E
r = E(alpha=np.float64(1.0)).fit(X, t).predict(X)

# ---- Ridge alpha 0d
from sklearn.linear_model import Ridge as E
r = E(alpha=np.array([1.0, 2.0])[0]).fit(X, t).predict(X)

# ---- RidgeCV alphas h
from sklearn.linear_model import RidgeCV as E
r = E(alphas=np.logspace(-2, 2, 5)).fit(X, t).alpha_

# ---- Lasso loop
from sklearn.linear_model import Lasso as E
r = [E(alpha=al).fit(X, t).coef_ for al in np.logspace(-3, -1, 3)]

# ---- LogisticRegression
from sklearn.linear_model import LogisticRegression as E
r = E().fit(X, y).predict(X)

# ---- LogReg C=0d
from sklearn.linear_model import LogisticRegression as E
r = E(C=np.logspace(0, 1, 2)[0]).fit(X, y).predict(X)

# ---- KNN k=h int
from sklearn.neighbors import KNeighborsClassifier as E
r = [E(n_neighbors=k).fit(X, y).score(X, y) for k in np.arange(1, 4)]

# ---- RandomForest
from sklearn.ensemble import RandomForestClassifier as E
r = E(10, random_state=0).fit(X, y).predict(X)

# ---- GBR
from sklearn.ensemble import GradientBoostingRegressor as E
r = E(n_estimators=5, random_state=0).fit(X, t).predict(X)

# ---- HistGB
from sklearn.ensemble import HistGradientBoostingClassifier as E
r = E(max_iter=3).fit(X, y).predict(X)

# ---- SVC
from sklearn.svm import SVC as E
r = E().fit(X, y).predict(X)

# ---- KMeans
from sklearn.cluster import KMeans as E
r = E(3, random_state=0, n_init=1).fit_predict(X)

# ---- KMeans init h
from sklearn.cluster import KMeans as E
r = E(3, init=X[:3], n_init=1).fit(X).cluster_centers_

# ---- DBSCAN
from sklearn.cluster import DBSCAN as E
r = E(eps=1.0).fit_predict(X)

# ---- PCA
from sklearn.decomposition import PCA as E
r = E(2).fit(X).explained_variance_

# ---- TSNE
from sklearn.manifold import TSNE as E
r = E(2, perplexity=5, random_state=0, max_iter=250).fit_transform(X).shape

# ---- StandardScaler
from sklearn.preprocessing import StandardScaler as E
r = E().fit_transform(X)

# ---- MinMaxScaler
from sklearn.preprocessing import MinMaxScaler as E
r = E().fit_transform(X)

# ---- OneHot
from sklearn.preprocessing import OneHotEncoder as E
r = E().fit_transform(y.reshape(-1, 1)).toarray()

# ---- LabelEncoder
from sklearn.preprocessing import LabelEncoder as E
r = E().fit_transform(y)

# ---- LabelBinarizer
from sklearn.preprocessing import LabelBinarizer as E
r = E().fit_transform(y)

# ---- PolynomialFeatures
from sklearn.preprocessing import PolynomialFeatures as E
r = E(2).fit_transform(X)

# ---- train_test_split
from sklearn.model_selection import train_test_split as f
r = f(X, y, random_state=0)

# ---- train_test stratify
from sklearn.model_selection import train_test_split as f
r = f(X, y, random_state=0, stratify=y)

# ---- KFold
from sklearn.model_selection import KFold
r = [X[tr].sum() for tr, te in KFold(3).split(X)]

# ---- cross_val_score
from sklearn.model_selection import cross_val_score as f
from sklearn.linear_model import Ridge
r = f(Ridge(), X, t)

# ---- GridSearchCV
from sklearn.model_selection import GridSearchCV
from sklearn.linear_model import Ridge
r = GridSearchCV(Ridge(), {'alpha': np.logspace(-2, 1, 3)}).fit(X, t).best_score_

# ---- GridSearch jobs
from sklearn.model_selection import GridSearchCV
from sklearn.linear_model import Ridge
r = GridSearchCV(Ridge(), {'alpha': [0.1, 1]}, n_jobs=2).fit(X, t).best_score_

# ---- Pipeline
from sklearn.pipeline import make_pipeline as p
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
r = p(StandardScaler(), SVC()).fit(X, y).score(X, y)

# ---- accuracy
from sklearn.metrics import accuracy_score as f
r = f(y, 1 - y)

# ---- confusion
from sklearn.metrics import confusion_matrix as f
r = f(y, y)

# ---- roc_auc
from sklearn.metrics import roc_auc_score as f
r = f(y, X[:, 0])

# ---- mse
from sklearn.metrics import mean_squared_error as f
r = f(t, t + 1)

# ---- r2
from sklearn.metrics import r2_score as f
r = f(t, t + 1)

# ---- f1
from sklearn.metrics import f1_score as f
r = f(y, y)

# ---- classification_report
from sklearn.metrics import classification_report as f
r = f(y, y)

# ---- pairwise
from sklearn.metrics.pairwise import rbf_kernel as f
r = f(X, gamma=0.1)

# ---- silhouette
from sklearn.metrics import silhouette_score as f
r = f(X, y)

# ---- GPR
from sklearn.gaussian_process import GaussianProcessRegressor as E
r = E().fit(X, t).predict(X[:3])

# ---- GaussianMixture
from sklearn.mixture import GaussianMixture as E
r = E(2, random_state=0).fit(X).means_

# ---- LDA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as E
r = E().fit(X, y).predict(X)

# ---- KDE
from sklearn.neighbors import KernelDensity as E
r = E().fit(X).score_samples(X)

# ---- Imputer
from sklearn.impute import SimpleImputer as E
r = E().fit_transform(np.where(X > 1, np.nan, X))

# ---- MLP
from sklearn.neural_network import MLPClassifier as E
r = E((5,), max_iter=5, random_state=0).fit(X, y).predict(X).shape

# ---- sample_weight
from sklearn.linear_model import Ridge as E
r = E().fit(X, t, sample_weight=np.ones(60)).coef_

# ---- resample
from sklearn.utils import resample, shuffle
r = resample(X, random_state=0)

# ---- shuffle
from sklearn.utils import shuffle
r = shuffle(X, y, random_state=0)

# ---- FunctionTransformer(np.log1p)
from sklearn.preprocessing import FunctionTransformer as E
r = E(np.log1p).fit_transform(np.abs(X))

# ---- custom kernel
from sklearn.svm import SVC as E
r = E(kernel=lambda A, B: np.asarray(A) @ np.asarray(B).T).fit(X, y).predict(X)

# ---- CustomEst
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_X_y, check_array
class K(ClassifierMixin, BaseEstimator):

    def fit(self, X, y):
        X, y = check_X_y(X, y)
        self.c = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)
r = K().fit(X, y).score(X, y)

# ---- clone params h
from sklearn.base import clone
from sklearn.linear_model import Ridge
r = clone(Ridge(alpha=a[0])).get_params()['alpha']

# ---- random_state h
from sklearn.utils import check_random_state
r = check_random_state(i[0]).rand()

# ---- permutation_importance
from sklearn.inspection import permutation_importance as f
from sklearn.linear_model import Ridge
r = f(Ridge().fit(X, t), X, t, random_state=0, n_repeats=2).importances_mean

# ---- make_blobs in
from sklearn.datasets import make_blobs
Xb, yb = make_blobs(20, random_state=0)
r = np.mean(np.asarray(Xb)[yb == 0], axis=0)

# ---- check_array
from sklearn.utils import check_array
r = check_array(X)

# ---- class_weight
from sklearn.utils.class_weight import compute_class_weight as f
r = f('balanced', classes=np.unique(y), y=y)

# ---- IsolationForest
from sklearn.ensemble import IsolationForest as E
r = E(n_estimators=10, random_state=0).fit_predict(X)

# ---- Agglomerative
from sklearn.cluster import AgglomerativeClustering as E
r = E(3).fit_predict(X)

# ---- calibration
from sklearn.calibration import calibration_curve as f
r = f(y, np.clip(np.abs(X[:, 0]) / 5, 0, 1))

# ---- joblib dump
import joblib, io
from sklearn.linear_model import Ridge
b = io.BytesIO()
joblib.dump(Ridge().fit(X, t), b)
r = 1
