-- Machine learning over joins: statistics of features that lie in several tables,
-- inference of linear, logistic and layered models, gradients, distances, factors,
-- counts of naive Bayes and decision trees.
-- family: ml
-- data: ml

-- name: ml_covariance_two_tables
SELECT covar_pop(s.area, i.price) AS c FROM sale f JOIN store s USING (store) JOIN item i USING (item);

-- name: ml_covariance_units
SELECT covar_samp(f.units, i.price) AS units_price, covar_samp(f.units, s.area) AS units_area, covar_samp(s.area, w.temperature) AS area_temperature
FROM sale f JOIN store s USING (store) JOIN item i USING (item) JOIN weather w ON w.city = s.city AND w.day = f.day;

-- name: ml_correlation
SELECT corr(f.units, i.price) AS r FROM sale f JOIN item i USING (item);

-- name: ml_correlation_by_kind
SELECT s.kind, corr(w.temperature, f.units) AS r, count(*) AS n
FROM sale f JOIN store s USING (store) JOIN weather w ON w.city = s.city AND w.day = f.day
GROUP BY s.kind;

-- name: ml_moments
SELECT count(*) AS n, sum(f.units) AS y, sum(i.price) AS x1, sum(s.area) AS x2, sum(f.units * i.price) AS x1y, sum(f.units * s.area) AS x2y,
  sum(i.price * i.price) AS x1x1, sum(i.price * s.area) AS x1x2, sum(s.area * s.area) AS x2x2
FROM sale f JOIN store s USING (store) JOIN item i USING (item);

-- name: ml_moments_by_category
SELECT i.category, count(*) AS n, sum(i.price * s.area) AS xx, sum(i.price * f.units) AS xy, sum(w.rain * f.units) AS zy
FROM sale f JOIN store s USING (store) JOIN item i USING (item) JOIN weather w ON w.city = s.city AND w.day = f.day
GROUP BY i.category;

-- name: ml_covariance_matrix
WITH long AS (
  SELECT f.id AS r, 0 AS feature, s.area AS x FROM sale f JOIN store s USING (store)
  UNION ALL SELECT f.id, 1, s.distance FROM sale f JOIN store s USING (store)
  UNION ALL SELECT f.id, 2, i.price FROM sale f JOIN item i USING (item)
  UNION ALL SELECT f.id, 3, i.weight FROM sale f JOIN item i USING (item)
)
SELECT a.feature AS i, b.feature AS j, sum(a.x * b.x) AS s FROM long a JOIN long b USING (r) GROUP BY i, j;

-- name: ml_gram_matrix
SELECT a.feature AS i, b.feature AS j, sum(a.x * b.x) AS g FROM feature a JOIN feature b ON a.sample = b.sample GROUP BY i, j;

-- name: ml_gram_matrix_of_fold
SELECT a.feature AS i, b.feature AS j, sum(a.x * b.x) AS g
FROM sample s JOIN feature a ON a.sample = s.sample JOIN feature b ON b.sample = s.sample
WHERE s.fold <> 2
GROUP BY i, j;

-- name: ml_normal_equations_right
SELECT f.feature, sum(f.x * s.target) AS xy FROM feature f JOIN sample s USING (sample) GROUP BY f.feature;

-- name: ml_feature_means
SELECT feature, count(*) AS n, avg(x) AS mean, stddev_samp(x) AS deviation, min(x) AS lowest, max(x) AS highest FROM feature GROUP BY feature;

-- name: ml_variance_of_joined
SELECT s.city, var_pop(i.price) AS v, stddev_samp(i.price) AS d FROM sale f JOIN store s USING (store) JOIN item i USING (item) GROUP BY s.city;

-- name: ml_simple_regression
SELECT regr_slope(f.units, i.price) AS slope, regr_intercept(f.units, i.price) AS intercept, regr_r2(f.units, i.price) AS r2, regr_count(f.units, i.price) AS n
FROM sale f JOIN item i USING (item);

-- name: ml_regression_by_store
SELECT f.store, regr_slope(f.units, w.temperature) AS slope, regr_avgx(f.units, w.temperature) AS x, regr_avgy(f.units, w.temperature) AS y
FROM sale f JOIN store s USING (store) JOIN weather w ON w.city = s.city AND w.day = f.day
GROUP BY f.store;

-- name: ml_linear_inference
SELECT f.sample, sum(f.x * c.w) AS score FROM feature f JOIN coefficient c USING (feature) GROUP BY f.sample;

-- name: ml_linear_inference_mean
SELECT avg(p.score) AS mean, min(p.score) AS lowest, max(p.score) AS highest
FROM (SELECT f.sample, sum(f.x * c.w) AS score FROM feature f JOIN coefficient c USING (feature) GROUP BY f.sample) p;

-- name: ml_linear_error
-- float: 1e6
SELECT sum((p.score - s.target) * (p.score - s.target)) / count(*) AS mse
FROM (SELECT f.sample, sum(f.x * c.w) AS score FROM feature f JOIN coefficient c USING (feature) GROUP BY f.sample) p JOIN sample s USING (sample);

-- name: ml_linear_gradient
-- float: 1e6
SELECT g.feature, sum((p.score - s.target) * g.x) AS gradient
FROM (SELECT f.sample, sum(f.x * c.w) AS score FROM feature f JOIN coefficient c USING (feature) GROUP BY f.sample) p
  JOIN sample s USING (sample) JOIN feature g USING (sample)
GROUP BY g.feature;

-- name: ml_linear_update
-- float: 1e6
SELECT c.feature, c.w - 0.001 * sum((p.score - s.target) * g.x) AS w
FROM (SELECT f.sample, sum(f.x * c.w) AS score FROM feature f JOIN coefficient c USING (feature) GROUP BY f.sample) p
  JOIN sample s USING (sample) JOIN feature g USING (sample) JOIN coefficient c ON c.feature = g.feature
GROUP BY c.feature, c.w;

-- name: ml_linear_over_star
SELECT sum(0.5 * i.price - 0.25 * s.area + 0.125 * w.temperature) AS total, avg(0.5 * i.price - 0.25 * s.area + 0.125 * w.temperature) AS mean
FROM sale f JOIN store s USING (store) JOIN item i USING (item) JOIN weather w ON w.city = s.city AND w.day = f.day;

-- name: ml_linear_over_star_by_store
SELECT f.store, sum(2.0 + 0.5 * i.price - 0.25 * s.area + 0.125 * w.temperature + CASE WHEN d.holiday THEN 1.5 ELSE 0 END) AS predicted, sum(f.units) AS actual
FROM sale f JOIN store s USING (store) JOIN item i USING (item) JOIN weather w ON w.city = s.city AND w.day = f.day JOIN day d ON d.day = f.day
GROUP BY f.store;

-- name: ml_residuals_of_star
-- float: 1e8
SELECT sum((f.units - 0.5 * i.price + 0.25 * s.area) * (f.units - 0.5 * i.price + 0.25 * s.area)) AS sse
FROM sale f JOIN store s USING (store) JOIN item i USING (item);

-- name: ml_gradient_of_star
-- float: 1e8
SELECT sum((0.5 * i.price - 0.25 * s.area - f.units) * i.price) AS by_price, sum((0.5 * i.price - 0.25 * s.area - f.units) * s.area) AS by_area
FROM sale f JOIN store s USING (store) JOIN item i USING (item);

-- name: ml_logistic_inference
SELECT f.sample, 1 / (1 + exp(-sum(f.x * c.w))) AS p FROM feature f JOIN coefficient c USING (feature) GROUP BY f.sample;

-- name: ml_logistic_decisions
SELECT s.label, count(*) FILTER (WHERE p.score > 0) AS yes, count(*) FILTER (WHERE p.score <= 0) AS no
FROM (SELECT f.sample, sum(f.x * c.w) AS score FROM feature f JOIN coefficient c USING (feature) GROUP BY f.sample) p JOIN sample s USING (sample)
GROUP BY s.label;

-- name: ml_logistic_loss
-- float: 1e6
SELECT -avg(s.label * ln(p.p) + (1 - s.label) * ln(1 - p.p)) AS loss
FROM (SELECT f.sample, 1 / (1 + exp(-sum(f.x * c.w))) AS p FROM feature f JOIN coefficient c USING (feature) GROUP BY f.sample) p JOIN sample s USING (sample);

-- name: ml_logistic_gradient
-- float: 1e6
SELECT g.feature, sum((p.p - s.label) * g.x) AS gradient
FROM (SELECT f.sample, 1 / (1 + exp(-sum(f.x * c.w))) AS p FROM feature f JOIN coefficient c USING (feature) GROUP BY f.sample) p
  JOIN sample s USING (sample) JOIN feature g USING (sample)
GROUP BY g.feature;

-- name: ml_logistic_over_star
SELECT avg(1 / (1 + exp(-(0.0625 * i.price - 0.125 * s.area)))) AS mean FROM sale f JOIN store s USING (store) JOIN item i USING (item);

-- name: ml_calibration
-- order: total
SELECT floor(p.p * 10) AS bin, count(*) AS n, avg(s.label) AS actual, avg(p.p) AS predicted
FROM (SELECT f.sample, 1 / (1 + exp(-sum(f.x * c.w))) AS p FROM feature f JOIN coefficient c USING (feature) GROUP BY f.sample) p JOIN sample s USING (sample)
GROUP BY bin
ORDER BY bin;

-- name: ml_hidden_layer
SELECT f.sample, l.hidden, sum(f.x * l.w) AS z FROM feature f JOIN layer1 l USING (feature) GROUP BY f.sample, l.hidden;

-- name: ml_hidden_layer_relu
SELECT f.sample, l.hidden, greatest(sum(f.x * l.w) + b.b, 0) AS a
FROM feature f JOIN layer1 l USING (feature) JOIN bias1 b USING (hidden)
GROUP BY f.sample, l.hidden, b.b;

-- name: ml_two_layers_linear
SELECT f.sample, l2.output, sum(f.x * l1.w * l2.w) AS z FROM feature f JOIN layer1 l1 USING (feature) JOIN layer2 l2 USING (hidden) GROUP BY f.sample, l2.output;

-- name: ml_two_layers_relu
-- float: 1e5
SELECT a.sample, l2.output, sum(greatest(a.z, 0) * l2.w) AS z
FROM (SELECT f.sample, l.hidden, sum(f.x * l.w) AS z FROM feature f JOIN layer1 l USING (feature) GROUP BY f.sample, l.hidden) a JOIN layer2 l2 USING (hidden)
GROUP BY a.sample, l2.output;

-- name: ml_two_layers_sigmoid
-- float: 1e5
SELECT a.sample, l2.output, sum(a.a * l2.w) AS z
FROM (SELECT f.sample, l.hidden, 1 / (1 + exp(-sum(f.x * l.w))) AS a FROM feature f JOIN layer1 l USING (feature) GROUP BY f.sample, l.hidden) a
  JOIN layer2 l2 USING (hidden)
GROUP BY a.sample, l2.output;

-- name: ml_softmax_normaliser
SELECT z.sample, sum(exp(z.z)) AS total
FROM (SELECT f.sample, l2.output, sum(f.x * l1.w * l2.w) AS z FROM feature f JOIN layer1 l1 USING (feature) JOIN layer2 l2 USING (hidden) GROUP BY f.sample, l2.output) z
GROUP BY z.sample;

-- name: ml_weights_gradient
-- float: 1e6
SELECT f.feature, l2.hidden, sum(f.x * s.target * l2.w) AS gradient
FROM feature f JOIN sample s USING (sample) CROSS JOIN layer2 l2
WHERE l2.output = 1
GROUP BY f.feature, l2.hidden;

-- name: ml_onehot_inference
SELECT f.store, f.day, sum(w.w) AS score
FROM (
  SELECT store, day, item, 'store' AS attribute, store AS value FROM sale WHERE day < 60
  UNION ALL SELECT f.store, f.day, f.item, 'weekday', d.weekday FROM sale f JOIN day d USING (day) WHERE f.day < 60
  UNION ALL SELECT f.store, f.day, f.item, 'category', i.category FROM sale f JOIN item i USING (item) WHERE f.day < 60
  UNION ALL SELECT f.store, f.day, f.item, 'kind', s.kind FROM sale f JOIN store s USING (store) WHERE f.day < 60
) f JOIN onehot w ON w.attribute = f.attribute AND w.value = f.value
GROUP BY f.store, f.day;

-- name: ml_onehot_counts
SELECT s.kind, i.category, count(*) AS n, sum(f.units) AS units FROM sale f JOIN store s USING (store) JOIN item i USING (item) GROUP BY s.kind, i.category;

-- name: ml_onehot_gram
SELECT f.store, d.weekday, i.category, count(*) AS n FROM sale f JOIN day d USING (day) JOIN item i USING (item) GROUP BY f.store, d.weekday, i.category;

-- name: ml_one_hot_columns
SELECT i.category, sum(CASE WHEN s.kind = 0 THEN 1 ELSE 0 END) AS kind0, sum(CASE WHEN s.kind = 1 THEN 1 ELSE 0 END) AS kind1,
  sum(CASE WHEN s.kind = 2 THEN 1 ELSE 0 END) AS kind2, sum(CASE WHEN s.kind = 3 THEN 1 ELSE 0 END) AS kind3
FROM sale f JOIN store s USING (store) JOIN item i USING (item)
GROUP BY i.category;

-- name: ml_union_of_features
SELECT attribute, sum(x) AS total, sum(x * x) AS squares, count(*) AS n
FROM (
  SELECT 'area' AS attribute, s.area AS x FROM sale f JOIN store s USING (store)
  UNION ALL SELECT 'price', i.price FROM sale f JOIN item i USING (item)
  UNION ALL SELECT 'temperature', w.temperature FROM sale f JOIN store s USING (store) JOIN weather w ON w.city = s.city AND w.day = f.day
) u
GROUP BY attribute;

-- name: ml_kmeans_distances
-- float: 1e5
SELECT f.sample, c.centre, sum((f.x - c.x) * (f.x - c.x)) AS distance FROM feature f JOIN centre c USING (feature) GROUP BY f.sample, c.centre;

-- name: ml_kmeans_distances_expanded
-- float: 1e5
SELECT f.sample, c.centre, sum(f.x * f.x) - 2 * sum(f.x * c.x) + sum(c.x * c.x) AS distance FROM feature f JOIN centre c USING (feature) GROUP BY f.sample, c.centre;

-- name: ml_kmeans_inertia
-- float: 1e6
SELECT sum(best) AS inertia
FROM (
  SELECT sample, min(distance) AS best
  FROM (SELECT f.sample, c.centre, sum((f.x - c.x) * (f.x - c.x)) AS distance FROM feature f JOIN centre c USING (feature) GROUP BY f.sample, c.centre) d
  GROUP BY sample
) b;

-- name: ml_kmeans_assignment
SELECT d.sample, arg_min(d.centre, d.distance) AS centre
FROM (SELECT f.sample, c.centre, sum((f.x - c.x) * (f.x - c.x)) + c.centre / 1048576.0 AS distance FROM feature f JOIN centre c USING (feature) GROUP BY f.sample, c.centre) d
GROUP BY d.sample;

-- name: ml_kmeans_new_centres
SELECT a.centre, f.feature, avg(f.x) AS x
FROM (
  SELECT d.sample, arg_min(d.centre, d.distance) AS centre
  FROM (SELECT f.sample, c.centre, sum((f.x - c.x) * (f.x - c.x)) + c.centre / 1048576.0 AS distance FROM feature f JOIN centre c USING (feature) GROUP BY f.sample, c.centre) d
  GROUP BY d.sample
) a JOIN feature f USING (sample)
GROUP BY a.centre, f.feature;

-- name: ml_nearest_neighbours
-- order: total
SELECT b.sample, sum((a.x - b.x) * (a.x - b.x)) AS distance, count(*) AS shared
FROM feature a JOIN feature b USING (feature)
WHERE a.sample = 11 AND b.sample <> 11
GROUP BY b.sample
HAVING count(*) >= 2
ORDER BY distance, b.sample
LIMIT 10;

-- name: ml_cosine
-- order: total
SELECT b.sample, sum(a.x * b.x) / sqrt(na.n * nb.n) AS cosine
FROM feature a JOIN feature b USING (feature) JOIN (SELECT sample, sum(x * x) AS n FROM feature GROUP BY sample) na ON na.sample = a.sample
  JOIN (SELECT sample, sum(x * x) AS n FROM feature GROUP BY sample) nb ON nb.sample = b.sample
WHERE a.sample = 11 AND b.sample <> 11
GROUP BY b.sample, na.n, nb.n
ORDER BY cosine DESC, b.sample
LIMIT 10;

-- name: ml_kernel_sum
SELECT sum(exp(-(a.target - b.target) * (a.target - b.target))) AS k FROM sample a JOIN sample b ON a.fold = b.fold AND a.sample % 50 = b.sample % 50;

-- name: ml_factor_scores
SELECT a.store, b.item, sum(a.x * b.x) AS score FROM store_factor a JOIN item_factor b USING (r) WHERE b.item < 300 GROUP BY a.store, b.item;

-- name: ml_factor_error
-- float: 1e9
SELECT sum((f.units - p.score) * (f.units - p.score)) AS sse
FROM sale f JOIN (SELECT a.store, b.item, sum(a.x * b.x) AS score FROM store_factor a JOIN item_factor b USING (r) GROUP BY a.store, b.item) p
  ON p.store = f.store AND p.item = f.item;

-- name: ml_factor_sampled
SELECT sum(f.units * a.x * b.x) AS s FROM sale f JOIN store_factor a USING (store) JOIN item_factor b USING (item, r);

-- name: ml_factor_gradient
-- float: 1e8
SELECT f.store, b.r, sum(f.units * b.x) AS gradient FROM sale f JOIN item_factor b USING (item) GROUP BY f.store, b.r;

-- name: ml_factorisation_machine
-- float: 1e8
SELECT sum(p.pair) AS interactions
FROM (SELECT f.store, f.item, f.day, sum(a.x * b.x) AS pair FROM sale f JOIN store_factor a USING (store) JOIN item_factor b USING (item, r) GROUP BY f.store, f.item, f.day) p;

-- name: ml_naive_bayes_counts
SELECT d.class, t.term, sum(t.n) AS n FROM document d JOIN term t USING (doc) GROUP BY d.class, t.term;

-- name: ml_naive_bayes_scores
-- float: 1e5
SELECT t.doc, c.class, sum(t.n * ln((c.n + 1.0) / 4096)) AS score
FROM term t JOIN (SELECT d.class, t.term, sum(t.n) AS n FROM document d JOIN term t USING (doc) WHERE d.doc % 2 = 0 GROUP BY d.class, t.term) c ON c.term = t.term
WHERE t.doc % 2 = 1
GROUP BY t.doc, c.class;

-- name: ml_tf_idf
SELECT t.term, sum(t.n) AS total, count(*) AS documents, sum(t.n) * ln(d.n / count(*)) AS weight
FROM term t, (SELECT count(*) AS n FROM document) d
GROUP BY t.term, d.n;

-- name: ml_document_similarity
-- order: total
SELECT b.doc, sum(a.n * b.n) AS overlap FROM term a JOIN term b USING (term) WHERE a.doc = 9 AND b.doc <> 9 GROUP BY b.doc ORDER BY overlap DESC, b.doc LIMIT 15;

-- name: ml_cooccurrence
SELECT a.term AS one, b.term AS other, count(*) AS documents FROM term a JOIN term b USING (doc) WHERE a.term < b.term AND a.term < 20 GROUP BY one, other;

-- name: ml_tree_split
SELECT i.category, count(*) AS n, sum(f.units) AS s, sum(f.units * f.units) AS q
FROM sale f JOIN item i USING (item) JOIN store s USING (store) JOIN weather w ON w.city = s.city AND w.day = f.day
WHERE w.temperature < 12.5 AND s.area >= 2.0
GROUP BY i.category;

-- name: ml_tree_split_candidates
SELECT c.threshold, count(*) AS n, sum(f.units) AS s, sum(f.units * f.units) AS q
FROM sale f JOIN item i USING (item), (SELECT DISTINCT floor(price / 8) * 8 AS threshold FROM item) c
WHERE i.price <= c.threshold
GROUP BY c.threshold;

-- name: ml_tree_impurity
SELECT i.category, sum(f.returned) AS yes, count(*) AS n, 1 - pow(sum(f.returned) / count(*), 2) - pow(1 - sum(f.returned) / count(*), 2) AS gini
FROM sale f JOIN item i USING (item)
GROUP BY i.category;

-- name: ml_tree_inference
SELECT sum(CASE WHEN i.price < 20 THEN CASE WHEN s.area < 3 THEN 4.5 ELSE 7.25 END WHEN w.rain > 2 THEN 1.5 ELSE 3.75 END) AS predicted
FROM sale f JOIN item i USING (item) JOIN store s USING (store) JOIN weather w ON w.city = s.city AND w.day = f.day;

-- name: ml_mutual_counts
SELECT c.n, a.n AS left_n, b.n AS right_n, c.kind, c.category
FROM (SELECT s.kind, i.category, count(*) AS n FROM sale f JOIN store s USING (store) JOIN item i USING (item) GROUP BY s.kind, i.category) c
  JOIN (SELECT s.kind, count(*) AS n FROM sale f JOIN store s USING (store) GROUP BY s.kind) a ON a.kind = c.kind
  JOIN (SELECT i.category, count(*) AS n FROM sale f JOIN item i USING (item) GROUP BY i.category) b ON b.category = c.category;

-- name: ml_chi_square
SELECT sum((c.n - e.n) * (c.n - e.n) / e.n) AS chi
FROM (SELECT s.kind, i.category, count(*) AS n FROM sale f JOIN store s USING (store) JOIN item i USING (item) GROUP BY s.kind, i.category) c
  JOIN (
    SELECT a.kind, b.category, a.n * b.n / t.n AS n
    FROM (SELECT s.kind, count(*) AS n FROM sale f JOIN store s USING (store) GROUP BY s.kind) a,
      (SELECT i.category, count(*) AS n FROM sale f JOIN item i USING (item) GROUP BY i.category) b, (SELECT count(*) AS n FROM sale) t
  ) e ON e.kind = c.kind AND e.category = c.category;

-- name: ml_lag_features
-- float: 1e7
SELECT a.store, sum(a.units * b.units) AS autocorrelation
FROM (SELECT store, day, sum(units) AS units FROM sale GROUP BY store, day) a JOIN (SELECT store, day, sum(units) AS units FROM sale GROUP BY store, day) b
  ON a.store = b.store AND b.day = a.day - 7
GROUP BY a.store;

-- name: ml_target_encoding
SELECT f.item, m.mean - g.mean AS encoded
FROM (SELECT DISTINCT item FROM sale) f JOIN (SELECT item, avg(units) AS mean FROM sale GROUP BY item) m ON m.item = f.item, (SELECT avg(units) AS mean FROM sale) g;

-- name: ml_missing_features
SELECT count(*) AS missing FROM sample s CROSS JOIN (SELECT DISTINCT feature FROM feature) k LEFT JOIN feature f ON f.sample = s.sample AND f.feature = k.feature WHERE f.x IS NULL;
