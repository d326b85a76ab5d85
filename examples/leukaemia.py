"""Few genes that tell two kinds of leukaemia apart, tried on patients that were set aside."""

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import FilterSelector
from handful.datasets import load_leukaemia
from handful.evaluation import balanced_error
from handful.stopping import StabilityThreshold

train = load_leukaemia(split="train")
test = load_leukaemia(split="test")

# Genes that come back in 60 of 100 random halves of the patients.
rule = StabilityThreshold(0.6, random_state=0)
selector = FilterSelector("fisher", n_features_to_select=rule).fit(train.data, train.target)

for gene in selector.selection_order_:
    name, description = train.feature_names[gene], train.feature_descriptions[gene]
    print(f"{name:16} {selector.scores_[gene]:.2f}  {description}")

model = make_pipeline(StandardScaler(), LogisticRegression())
model.fit(selector.transform(train.data), train.target)
predicted = model.predict(selector.transform(test.data))
print(f"balanced error on {len(predicted)} new patients: ", end="")
print(f"{balanced_error(test.target, predicted):.3f}")
