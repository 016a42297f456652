-- Dashboards of a shop's sales: revenue over time, by product, customer, country
-- and channel; shares, ranks, comparisons with the year before, targets, returns.
-- family: bi
-- data: shop

-- name: sales_revenue_by_day
-- order: total
SELECT date_trunc('day', o.ordered_at) AS day, sum(l.quantity * l.unit_price * (1 - l.discount)) AS revenue
FROM orders o JOIN order_lines l ON l.order_id = o.id
WHERE o.status IN ('paid', 'shipped')
GROUP BY 1
ORDER BY 1;

-- name: sales_revenue_by_month
-- order: total
SELECT date_trunc('month', o.ordered_at) AS month, count(DISTINCT o.id) AS orders, sum(l.quantity * l.unit_price) AS revenue,
  sum(l.quantity * l.unit_price) / count(DISTINCT o.id) AS basket
FROM orders o JOIN order_lines l ON l.order_id = o.id
WHERE o.status <> 'cancelled'
GROUP BY 1
ORDER BY 1;

-- name: sales_orders_by_weekday
-- order: total
SELECT dayofweek(ordered_at) AS weekday, count(*) AS orders FROM orders GROUP BY weekday ORDER BY weekday;

-- name: sales_orders_by_hour
-- order: total
SELECT extract(hour FROM ordered_at) AS hour, count(*) AS orders, count(DISTINCT customer_id) AS buyers FROM orders WHERE channel = 'app' GROUP BY 1 ORDER BY 1;

-- name: sales_by_year_and_quarter
-- order: total
SELECT year(o.ordered_at) AS year, quarter(o.ordered_at) AS quarter, sum(l.quantity) AS pieces, sum(l.quantity * l.unit_price) AS gross
FROM orders o JOIN order_lines l ON l.order_id = o.id
GROUP BY year, quarter
ORDER BY year, quarter;

-- name: sales_by_category
-- order: total
SELECT c.department, c.name, sum(l.quantity * l.unit_price * (1 - l.discount)) AS revenue, sum(l.quantity) AS pieces
FROM order_lines l JOIN products p ON p.id = l.product_id JOIN categories c ON c.id = p.category_id
GROUP BY c.department, c.name
ORDER BY revenue DESC, c.name;

-- name: sales_top_products
-- order: total
SELECT p.sku, c.name AS category, sum(l.quantity) AS pieces, sum(l.quantity * l.unit_price) AS revenue
FROM order_lines l JOIN products p ON p.id = l.product_id JOIN categories c ON c.id = p.category_id JOIN orders o ON o.id = l.order_id
WHERE o.ordered_at >= TIMESTAMP '2023-01-01' AND o.ordered_at < TIMESTAMP '2024-01-01'
GROUP BY p.sku, c.name
ORDER BY revenue DESC, p.sku
LIMIT 10;

-- name: sales_top_customers
-- order: total
SELECT k.id, k.name, k.country, count(DISTINCT o.id) AS orders, sum(l.quantity * l.unit_price * (1 - l.discount)) AS revenue
FROM customers k JOIN orders o ON o.customer_id = k.id JOIN order_lines l ON l.order_id = o.id
WHERE o.status NOT IN ('cancelled', 'refunded')
GROUP BY k.id, k.name, k.country
ORDER BY revenue DESC, k.id
LIMIT 20;

-- name: sales_by_country
-- order: total
SELECT n.name, n.region, count(DISTINCT k.id) AS customers, count(DISTINCT o.id) AS orders, sum(l.quantity * l.unit_price) AS revenue
FROM country n JOIN customers k ON k.country = n.code JOIN orders o ON o.customer_id = k.id JOIN order_lines l ON l.order_id = o.id
GROUP BY n.name, n.region
ORDER BY revenue DESC, n.name;

-- name: sales_with_tax
-- order: total
SELECT n.code, sum(l.quantity * l.unit_price) AS net, sum(l.quantity * l.unit_price * n.vat) AS tax, sum(l.quantity * l.unit_price * (1 + n.vat)) AS gross
FROM country n JOIN customers k ON k.country = n.code JOIN orders o ON o.customer_id = k.id JOIN order_lines l ON l.order_id = o.id
GROUP BY n.code
ORDER BY n.code;

-- name: sales_in_dollars
-- order: total
SELECT date_trunc('month', o.ordered_at) AS month, sum(l.quantity * l.unit_price * r.usd) AS revenue_usd
FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN rates r ON r.currency = o.currency AND r.month = DATE '2022-01-01' + (30 * (datediff('day', DATE '2022-01-01', o.ordered_at::DATE) // 30))::INTEGER
GROUP BY 1
ORDER BY 1;

-- name: sales_margin_by_department
-- order: total
SELECT c.department, sum(l.quantity * (l.unit_price * (1 - l.discount) - p.cost)) AS margin,
  sum(l.quantity * (l.unit_price * (1 - l.discount) - p.cost)) / sum(l.quantity * l.unit_price) AS rate
FROM order_lines l JOIN products p ON p.id = l.product_id JOIN categories c ON c.id = p.category_id
GROUP BY c.department
ORDER BY c.department;

-- name: sales_share_of_total
-- order: total
SELECT c.name, sum(l.quantity * l.unit_price) AS revenue, 100.0 * sum(l.quantity * l.unit_price) / (SELECT sum(quantity * unit_price) FROM order_lines) AS share
FROM order_lines l JOIN products p ON p.id = l.product_id JOIN categories c ON c.id = p.category_id
GROUP BY c.name
ORDER BY share DESC, c.name;

-- name: sales_share_by_window
-- order: total
SELECT c.name, sum(l.quantity * l.unit_price) AS revenue, sum(l.quantity * l.unit_price) / sum(sum(l.quantity * l.unit_price)) OVER () AS share
FROM order_lines l JOIN products p ON p.id = l.product_id JOIN categories c ON c.id = p.category_id
GROUP BY c.name
ORDER BY c.name;

-- name: sales_cumulative
-- order: total
SELECT month, revenue, sum(revenue) OVER (ORDER BY month) AS running
FROM (SELECT date_trunc('month', o.ordered_at) AS month, sum(l.quantity * l.unit_price) AS revenue FROM orders o JOIN order_lines l ON l.order_id = o.id GROUP BY 1) m
ORDER BY month;

-- name: sales_moving_average
-- order: total
SELECT day, revenue, avg(revenue) OVER (ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS week
FROM (SELECT o.ordered_at::DATE AS day, sum(l.quantity * l.unit_price) AS revenue FROM orders o JOIN order_lines l ON l.order_id = o.id GROUP BY 1) d
ORDER BY day;

-- name: sales_month_over_month
-- order: total
WITH m AS (
  SELECT date_trunc('month', o.ordered_at) AS month, sum(l.quantity * l.unit_price) AS revenue
  FROM orders o JOIN order_lines l ON l.order_id = o.id
  WHERE o.status IN ('paid', 'shipped')
  GROUP BY 1
)
SELECT month, revenue, lag(revenue) OVER (ORDER BY month) AS before, revenue - lag(revenue) OVER (ORDER BY month) AS change FROM m ORDER BY month;

-- name: sales_year_over_year
-- order: total
WITH m AS (
  SELECT year(o.ordered_at) AS year, month(o.ordered_at) AS month, sum(l.quantity * l.unit_price) AS revenue
  FROM orders o JOIN order_lines l ON l.order_id = o.id
  GROUP BY 1, 2
)
SELECT a.year, a.month, a.revenue, b.revenue AS year_before, (a.revenue - b.revenue) / b.revenue AS growth
FROM m a JOIN m b ON b.year = a.year - 1 AND b.month = a.month
ORDER BY a.year, a.month;

-- name: sales_year_over_year_outer
-- order: total
WITH m AS (
  SELECT year(o.ordered_at) AS year, c.name AS category, sum(l.quantity * l.unit_price) AS revenue
  FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN products p ON p.id = l.product_id JOIN categories c ON c.id = p.category_id
  GROUP BY 1, 2
)
SELECT a.year, a.category, a.revenue, coalesce(b.revenue, 0) AS year_before
FROM m a LEFT JOIN m b ON b.year = a.year - 1 AND b.category = a.category
ORDER BY a.year, a.category;

-- name: sales_this_year_and_last
-- order: total
SELECT c.name, sum(l.quantity * l.unit_price) FILTER (WHERE year(o.ordered_at) = 2023) AS this_year,
  sum(l.quantity * l.unit_price) FILTER (WHERE year(o.ordered_at) = 2022) AS last_year
FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN products p ON p.id = l.product_id JOIN categories c ON c.id = p.category_id
GROUP BY c.name
ORDER BY c.name;

-- name: sales_pivot_by_quarter
-- order: total
SELECT c.name, sum(CASE WHEN quarter(o.ordered_at) = 1 THEN l.quantity ELSE 0 END) AS q1, sum(CASE WHEN quarter(o.ordered_at) = 2 THEN l.quantity ELSE 0 END) AS q2,
  sum(CASE WHEN quarter(o.ordered_at) = 3 THEN l.quantity ELSE 0 END) AS q3, sum(CASE WHEN quarter(o.ordered_at) = 4 THEN l.quantity ELSE 0 END) AS q4
FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN products p ON p.id = l.product_id JOIN categories c ON c.id = p.category_id
WHERE o.ordered_at >= TIMESTAMP '2023-01-01' AND o.ordered_at < TIMESTAMP '2024-01-01'
GROUP BY c.name
ORDER BY c.name;

-- name: sales_status_counts
-- order: total
SELECT status, count(*) AS orders, count(coupon) AS with_coupon, count(DISTINCT coupon) AS coupons FROM orders GROUP BY status ORDER BY status;

-- name: sales_status_by_channel
-- order: total
SELECT channel, count(*) FILTER (WHERE status = 'paid') AS paid, count(*) FILTER (WHERE status = 'shipped') AS shipped,
  count(*) FILTER (WHERE status IN ('cancelled', 'refunded')) AS lost, count(*) AS total
FROM orders
GROUP BY channel
ORDER BY channel;

-- name: sales_cancel_rate
-- order: total
SELECT date_trunc('quarter', ordered_at) AS quarter, avg(CASE WHEN status = 'cancelled' THEN 1.0 ELSE 0.0 END) AS rate FROM orders GROUP BY 1 ORDER BY 1;

-- name: sales_basket_sizes
-- order: total
SELECT lines, count(*) AS orders, sum(amount) AS amount
FROM (SELECT order_id, count(*) AS lines, sum(quantity * unit_price) AS amount FROM order_lines GROUP BY order_id) b
GROUP BY lines
ORDER BY lines;

-- name: sales_order_value_buckets
-- order: total
SELECT CASE WHEN amount < 100 THEN 'a: below 100' WHEN amount < 500 THEN 'b: 100 to 500' WHEN amount < 2000 THEN 'c: 500 to 2000' ELSE 'd: 2000 and more' END AS bucket,
  count(*) AS orders, avg(amount) AS mean
FROM (SELECT o.id, sum(l.quantity * l.unit_price * (1 - l.discount)) AS amount FROM orders o JOIN order_lines l ON l.order_id = o.id WHERE o.channel = 'web' GROUP BY o.id) v
GROUP BY bucket
ORDER BY bucket;

-- name: sales_price_buckets
-- order: total
SELECT floor(p.price / 100) * 100 AS price_from, count(*) AS lines, sum(l.quantity) AS pieces
FROM products p JOIN order_lines l ON l.product_id = p.id
GROUP BY 1
ORDER BY 1;

-- name: sales_discount_effect
-- order: total
SELECT l.discount, count(*) AS lines, avg(l.quantity) AS quantity, sum(l.quantity * l.unit_price * l.discount) AS given
FROM order_lines l JOIN orders o ON o.id = l.order_id
WHERE o.status <> 'cancelled'
GROUP BY l.discount
ORDER BY l.discount;

-- name: sales_coupon_use
-- order: total
SELECT coalesce(o.coupon, 'none') AS coupon, count(DISTINCT o.id) AS orders, sum(l.quantity * l.unit_price) AS revenue
FROM orders o JOIN order_lines l ON l.order_id = o.id
GROUP BY 1
ORDER BY 1;

-- name: sales_by_store
-- order: total
SELECT s.name, s.country, count(o.id) AS orders
FROM stores s LEFT JOIN orders o ON o.store_id = s.id
GROUP BY s.id, s.name, s.country
ORDER BY orders DESC, s.name;

-- name: sales_by_store_or_online
-- order: total
SELECT coalesce(s.name, 'online') AS place, count(*) AS orders, sum(l.quantity * l.unit_price) AS revenue
FROM orders o LEFT JOIN stores s ON s.id = o.store_id JOIN order_lines l ON l.order_id = o.id
GROUP BY place
ORDER BY place;

-- name: sales_revenue_per_area
-- order: total
SELECT s.name, sum(l.quantity * l.unit_price) / s.area_m2 AS per_m2
FROM stores s JOIN orders o ON o.store_id = s.id JOIN order_lines l ON l.order_id = o.id
GROUP BY s.name, s.area_m2
ORDER BY s.name;

-- name: sales_products_never_in_bulk
SELECT count(*) AS products FROM products p WHERE NOT EXISTS (SELECT 1 FROM order_lines l WHERE l.product_id = p.id AND l.quantity = 5 AND l.discount = 0.2);

-- name: sales_products_not_sold_lately
-- order: total
SELECT p.sku
FROM products p
WHERE p.active AND p.id NOT IN (SELECT l.product_id FROM order_lines l JOIN orders o ON o.id = l.order_id WHERE o.ordered_at >= TIMESTAMP '2024-03-01')
ORDER BY p.sku
LIMIT 50;

-- name: sales_zero_filled
-- order: total
SELECT c.name, coalesce(sum(l.quantity), 0) AS pieces
FROM categories c LEFT JOIN products p ON p.category_id = c.id AND p.price > 700 LEFT JOIN order_lines l ON l.product_id = p.id AND l.discount = 0.2
GROUP BY c.name
ORDER BY c.name;

-- name: sales_customers_without_orders
SELECT count(*) AS customers FROM customers k LEFT JOIN orders o ON o.customer_id = k.id WHERE o.id IS NULL;

-- name: sales_customers_with_orders
SELECT country, count(*) AS buyers FROM customers k WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = k.id AND o.status = 'paid') GROUP BY country;

-- name: sales_orders_per_customer
-- order: total
SELECT n, count(*) AS customers
FROM (SELECT k.id, count(o.id) AS n FROM customers k LEFT JOIN orders o ON o.customer_id = k.id GROUP BY k.id) c
GROUP BY n
ORDER BY n;

-- name: sales_repeat_rate
SELECT count(*) FILTER (WHERE n > 1) AS repeaters, count(*) AS buyers, count(*) FILTER (WHERE n > 1) / count(*) AS rate
FROM (SELECT customer_id, count(*) AS n FROM orders WHERE status <> 'cancelled' GROUP BY customer_id) c;

-- name: sales_first_orders_by_month
-- order: total
SELECT date_trunc('month', first_at) AS month, count(*) AS new_buyers
FROM (SELECT customer_id, min(ordered_at) AS first_at FROM orders GROUP BY customer_id) f
GROUP BY 1
ORDER BY 1;

-- name: sales_new_and_returning
-- order: total
WITH firsts AS (SELECT customer_id, min(ordered_at) AS first_at FROM orders GROUP BY customer_id)
SELECT date_trunc('month', o.ordered_at) AS month, CASE WHEN o.ordered_at = f.first_at THEN 'new' ELSE 'returning' END AS kind, count(*) AS orders
FROM orders o JOIN firsts f ON f.customer_id = o.customer_id
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: sales_cohorts
-- order: total
WITH firsts AS (SELECT customer_id, date_trunc('month', min(ordered_at)) AS cohort FROM orders GROUP BY customer_id)
SELECT f.cohort, datediff('month', f.cohort, date_trunc('month', o.ordered_at)) AS age, count(DISTINCT o.customer_id) AS active
FROM orders o JOIN firsts f USING (customer_id)
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: sales_cohort_revenue
-- order: total
WITH firsts AS (SELECT customer_id, date_trunc('quarter', min(ordered_at)) AS cohort FROM orders GROUP BY customer_id)
SELECT f.cohort, date_trunc('quarter', o.ordered_at) AS quarter, sum(l.quantity * l.unit_price) AS revenue
FROM firsts f JOIN orders o USING (customer_id) JOIN order_lines l ON l.order_id = o.id
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: sales_recency_frequency
-- order: total
SELECT recency, frequency, count(*) AS customers, sum(spent) AS spent
FROM (
  SELECT o.customer_id, CASE WHEN max(o.ordered_at) >= TIMESTAMP '2024-04-01' THEN 'recent' WHEN max(o.ordered_at) >= TIMESTAMP '2023-10-01' THEN 'cooling' ELSE 'lost' END AS recency,
    least(count(DISTINCT o.id), 5) AS frequency, sum(l.quantity * l.unit_price) AS spent
  FROM orders o JOIN order_lines l ON l.order_id = o.id
  GROUP BY o.customer_id
) r
GROUP BY recency, frequency
ORDER BY recency, frequency;

-- name: sales_lifetime_value
-- order: total
SELECT k.segment, count(DISTINCT k.id) AS customers, sum(l.quantity * l.unit_price * (1 - l.discount)) / count(DISTINCT k.id) AS value
FROM customers k JOIN orders o ON o.customer_id = k.id JOIN order_lines l ON l.order_id = o.id
WHERE o.status IN ('paid', 'shipped')
GROUP BY k.segment
ORDER BY k.segment;

-- name: sales_rollup_region_country
-- order: total
SELECT n.region, n.code, sum(l.quantity * l.unit_price) AS revenue
FROM country n JOIN customers k ON k.country = n.code JOIN orders o ON o.customer_id = k.id JOIN order_lines l ON l.order_id = o.id
GROUP BY ROLLUP (n.region, n.code)
ORDER BY n.region NULLS LAST, n.code NULLS LAST;

-- name: sales_cube_channel_status
-- order: total
SELECT o.channel, o.status, count(*) AS lines, sum(l.quantity) AS pieces
FROM orders o JOIN order_lines l ON l.order_id = o.id
GROUP BY CUBE (o.channel, o.status)
ORDER BY o.channel NULLS LAST, o.status NULLS LAST;

-- name: sales_grouping_sets
-- order: total
SELECT c.department, k.segment, grouping(c.department) AS no_department, grouping(k.segment) AS no_segment, sum(l.quantity) AS pieces
FROM order_lines l JOIN products p ON p.id = l.product_id JOIN categories c ON c.id = p.category_id JOIN orders o ON o.id = l.order_id
  JOIN customers k ON k.id = o.customer_id
GROUP BY GROUPING SETS ((c.department), (k.segment), ())
ORDER BY c.department NULLS LAST, k.segment NULLS LAST, no_department, no_segment;

-- name: sales_rank_in_category
-- order: total
SELECT category, sku, revenue, position
FROM (
  SELECT c.name AS category, p.sku, sum(l.quantity * l.unit_price) AS revenue,
    row_number() OVER (PARTITION BY c.name ORDER BY sum(l.quantity * l.unit_price) DESC, p.sku) AS position
  FROM order_lines l JOIN products p ON p.id = l.product_id JOIN categories c ON c.id = p.category_id
  GROUP BY c.name, p.sku
) r
WHERE position <= 3
ORDER BY category, position;

-- name: sales_best_day_per_month
-- order: total
SELECT date_trunc('month', day) AS month, max(revenue) AS best, arg_max(day, revenue) AS best_day
FROM (SELECT o.ordered_at::DATE AS day, sum(l.quantity * l.unit_price) AS revenue FROM orders o JOIN order_lines l ON l.order_id = o.id GROUP BY 1) d
GROUP BY 1
ORDER BY 1;

-- name: sales_pareto
-- order: total
SELECT decile, sum(revenue) AS revenue
FROM (
  SELECT revenue, ntile(10) OVER (ORDER BY revenue DESC, product_id) AS decile
  FROM (SELECT l.product_id, sum(l.quantity * l.unit_price) AS revenue FROM order_lines l JOIN orders o ON o.id = l.order_id GROUP BY l.product_id) p
) d
GROUP BY decile
ORDER BY decile;

-- name: sales_median_basket
SELECT median(amount) AS median, quantile_cont(amount, 0.9) AS p90, avg(amount) AS mean
FROM (SELECT o.id, sum(l.quantity * l.unit_price) AS amount FROM orders o JOIN order_lines l ON l.order_id = o.id GROUP BY o.id) b;

-- name: sales_bought_together
-- order: total
SELECT a.product_id AS one, b.product_id AS other, count(*) AS times
FROM order_lines a JOIN order_lines b ON a.order_id = b.order_id AND a.product_id < b.product_id
GROUP BY one, other
ORDER BY times DESC, one, other
LIMIT 20;

-- name: sales_bought_together_categories
-- order: total
SELECT ca.name AS one, cb.name AS other, count(DISTINCT a.order_id) AS orders
FROM order_lines a JOIN order_lines b ON a.order_id = b.order_id JOIN products pa ON pa.id = a.product_id JOIN products pb ON pb.id = b.product_id
  JOIN categories ca ON ca.id = pa.category_id JOIN categories cb ON cb.id = pb.category_id
WHERE ca.id < cb.id
GROUP BY one, other
ORDER BY one, other;

-- name: sales_referrals
-- order: total
SELECT r.country, count(*) AS referred, sum(l.quantity * l.unit_price) AS revenue
FROM customers k JOIN customers r ON r.id = k.referred_by JOIN orders o ON o.customer_id = k.id JOIN order_lines l ON l.order_id = o.id
GROUP BY r.country
ORDER BY r.country;

-- name: sales_channel_by_segment
-- order: total
SELECT k.segment, o.channel, count(*) AS orders, count(DISTINCT k.id) AS customers
FROM orders o JOIN customers k ON k.id = o.customer_id
WHERE k.segment IS NOT NULL
GROUP BY k.segment, o.channel
ORDER BY k.segment, o.channel;

-- name: sales_weekend_share
SELECT avg(CASE WHEN dayofweek(o.ordered_at) IN (0, 6) THEN 1.0 ELSE 0.0 END) AS weekend, sum(CASE WHEN dayofweek(o.ordered_at) IN (0, 6) THEN l.quantity * l.unit_price END) AS revenue
FROM orders o JOIN order_lines l ON l.order_id = o.id;

-- name: sales_email_domains
-- order: total
SELECT split_part(k.email, '@', 2) AS domain, count(DISTINCT k.id) AS customers, count(o.id) AS orders
FROM customers k LEFT JOIN orders o ON o.customer_id = k.id
GROUP BY domain
ORDER BY domain;

-- name: sales_products_launched
-- order: total
SELECT year(p.launched) AS year, count(DISTINCT p.id) AS products, sum(l.quantity * l.unit_price) AS revenue
FROM products p JOIN order_lines l ON l.product_id = p.id
GROUP BY 1
ORDER BY 1;

-- name: sales_above_average_products
SELECT count(*) AS products
FROM (SELECT product_id, sum(quantity) AS pieces FROM order_lines GROUP BY product_id) p
WHERE p.pieces > (SELECT avg(pieces) FROM (SELECT product_id, sum(quantity) AS pieces FROM order_lines GROUP BY product_id) q);

-- name: sales_customers_above_country_average
-- order: total
SELECT k.country, count(*) AS customers
FROM customers k JOIN (SELECT o.customer_id, sum(l.quantity * l.unit_price) AS spent FROM orders o JOIN order_lines l ON l.order_id = o.id GROUP BY o.customer_id) s
    ON s.customer_id = k.id
  JOIN (
    SELECT k.country, sum(l.quantity * l.unit_price) / count(DISTINCT k.id) AS mean
    FROM customers k JOIN orders o ON o.customer_id = k.id JOIN order_lines l ON l.order_id = o.id
    GROUP BY k.country
  ) m ON m.country = k.country
WHERE s.spent > m.mean
GROUP BY k.country
ORDER BY k.country;

-- name: sales_bought_a_not_b
SELECT count(DISTINCT o.customer_id) AS customers
FROM orders o JOIN order_lines l ON l.order_id = o.id
WHERE l.product_id IN (SELECT id FROM products WHERE category_id = 1)
  AND o.customer_id NOT IN (
    SELECT o2.customer_id FROM orders o2 JOIN order_lines l2 ON l2.order_id = o2.id JOIN products p2 ON p2.id = l2.product_id WHERE p2.category_id = 7
  );

-- name: sales_bought_a_and_b
SELECT count(*) AS customers
FROM (
  SELECT o.customer_id FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN products p ON p.id = l.product_id WHERE p.category_id = 1
  INTERSECT
  SELECT o.customer_id FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN products p ON p.id = l.product_id WHERE p.category_id = 7
) b;

-- name: sales_payment_gap
-- order: total
SELECT o.status, count(*) AS orders, sum(coalesce(p.paid, 0)) AS paid, sum(b.amount) AS billed
FROM orders o JOIN (SELECT order_id, sum(quantity * unit_price) AS amount FROM order_lines GROUP BY order_id) b ON b.order_id = o.id
  LEFT JOIN (SELECT order_id, sum(amount) AS paid FROM payments WHERE succeeded GROUP BY order_id) p ON p.order_id = o.id
GROUP BY o.status
ORDER BY o.status;

-- name: sales_payment_methods
-- order: total
SELECT p.method, date_trunc('month', p.paid_on) AS month, count(*) AS payments, sum(p.amount) AS amount, avg(p.amount) AS mean
FROM payments p JOIN orders o ON o.id = p.order_id
WHERE p.succeeded AND o.currency = 'EUR'
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: sales_payment_failures
-- order: total
SELECT k.country, avg(CASE WHEN p.succeeded THEN 0 ELSE 1 END) AS failure_rate, bool_or(NOT p.succeeded) AS any_failed, count(*) AS payments
FROM payments p JOIN orders o ON o.id = p.order_id JOIN customers k ON k.id = o.customer_id
GROUP BY k.country
ORDER BY k.country;

-- name: sales_return_reasons
-- order: total
SELECT r.reason, count(*) AS returned, sum(l.quantity * l.unit_price) AS value
FROM returns r JOIN order_lines l ON l.order_id = r.order_id AND l.line = r.line
GROUP BY r.reason
ORDER BY r.reason;

-- name: sales_return_rate_by_category
-- order: total
SELECT c.name, count(*) AS lines, count(r.id) AS returned, 100.0 * count(r.id) / count(*) AS rate
FROM order_lines l JOIN products p ON p.id = l.product_id JOIN categories c ON c.id = p.category_id
  LEFT JOIN returns r ON r.order_id = l.order_id AND r.line = l.line
GROUP BY c.name
ORDER BY rate DESC, c.name;

-- name: sales_returns_by_supplier
-- order: total
SELECT coalesce(s.name, 'unknown') AS supplier, count(DISTINCT p.id) AS products, count(r.id) AS returned
FROM products p LEFT JOIN suppliers s ON s.id = p.supplier_id JOIN order_lines l ON l.product_id = p.id LEFT JOIN returns r ON r.order_id = l.order_id AND r.line = l.line
GROUP BY 1
ORDER BY 1;

-- name: sales_net_of_returns
-- order: total
SELECT date_trunc('month', o.ordered_at) AS month, sum(CASE WHEN r.id IS NULL THEN l.quantity * l.unit_price ELSE 0 END) AS kept, sum(l.quantity * l.unit_price) AS sold
FROM orders o JOIN order_lines l ON l.order_id = o.id LEFT JOIN returns r ON r.order_id = l.order_id AND r.line = l.line
GROUP BY 1
ORDER BY 1;

-- name: sales_review_scores
-- order: total
SELECT c.name, count(*) AS reviews, avg(v.stars) AS stars, stddev_samp(v.stars) AS spread, sum(v.helpful) AS helpful
FROM reviews v JOIN products p ON p.id = v.product_id JOIN categories c ON c.id = p.category_id
GROUP BY c.name
ORDER BY c.name;

-- name: sales_reviews_and_revenue
-- order: total
SELECT r.stars, sum(s.revenue) AS revenue, count(*) AS products
FROM (SELECT product_id, round(avg(stars)) AS stars FROM reviews GROUP BY product_id) r
  JOIN (SELECT product_id, sum(quantity * unit_price) AS revenue FROM order_lines GROUP BY product_id) s ON s.product_id = r.product_id
GROUP BY r.stars
ORDER BY r.stars;

-- name: sales_reviews_by_buyers
SELECT count(*) AS reviews
FROM reviews v
WHERE EXISTS (SELECT 1 FROM orders o JOIN order_lines l ON l.order_id = o.id WHERE o.customer_id = v.customer_id AND l.product_id = v.product_id);

-- name: sales_average_price_paid
-- order: total
SELECT p.sku, avg(l.unit_price * (1 - l.discount)) AS paid, p.price, min(l.unit_price) AS lowest, max(l.unit_price) AS highest
FROM products p JOIN order_lines l ON l.product_id = p.id
GROUP BY p.id, p.sku, p.price
HAVING count(*) >= 30
ORDER BY p.sku;

-- name: sales_weight_shipped
-- order: total
SELECT d.carrier, sum(l.quantity * p.weight_kg) AS kg, count(*) - count(p.weight_kg) AS unknown
FROM deliveries d JOIN order_lines l ON l.order_id = d.order_id JOIN products p ON p.id = l.product_id
GROUP BY d.carrier
ORDER BY d.carrier;

-- name: sales_customers_per_product
-- order: total
SELECT l.product_id, count(DISTINCT o.customer_id) AS customers, count(DISTINCT k.country) AS countries
FROM order_lines l JOIN orders o ON o.id = l.order_id JOIN customers k ON k.id = o.customer_id
GROUP BY l.product_id
ORDER BY customers DESC, l.product_id
LIMIT 30;

-- name: sales_single_number
SELECT sum(l.quantity * l.unit_price * (1 - l.discount)) AS revenue FROM orders o JOIN order_lines l ON l.order_id = o.id WHERE o.status = 'paid' AND o.ordered_at >= TIMESTAMP '2024-01-01';

-- name: sales_several_numbers
SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(DISTINCT customer_id) FROM orders) AS buyers, (SELECT sum(quantity * unit_price) FROM order_lines) AS revenue,
  (SELECT count(*) FROM returns) AS returned;

-- name: sales_customer_page
SELECT count(DISTINCT o.id) AS orders, sum(l.quantity * l.unit_price) AS spent, min(o.ordered_at) AS first_at, max(o.ordered_at) AS last_at,
  count(DISTINCT l.product_id) AS products
FROM orders o JOIN order_lines l ON l.order_id = o.id
WHERE o.customer_id = 3;
