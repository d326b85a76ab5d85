"""How many genes? A grid search inside each training fold chooses, so that the error is honest."""

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import FilterSelector
from handful.datasets import load_leukaemia
from handful.stopping import AnalyticProbe

X, y = load_leukaemia(split="all", return_X_y=True)

# The selector is a step like the scaler: every fold selects anew, from its training rows alone.
model = make_pipeline(StandardScaler(), FilterSelector("f"), LogisticRegression(max_iter=1000))
# A stopping rule is a choice like any number.
choices = {"filterselector__n_features_to_select": [5, 50, AnalyticProbe(0.05, probes="all")]}
folds = StratifiedKFold(3, shuffle=True, random_state=0)
search = GridSearchCV(model, choices, cv=folds, scoring="balanced_accuracy")

scores = cross_val_score(search, X, y, cv=folds, scoring="balanced_accuracy")
print(f"balanced accuracy {scores.mean():.3f} over {len(scores)} folds")

search.fit(X, y)
print("chosen for all rows:", search.best_params_)
