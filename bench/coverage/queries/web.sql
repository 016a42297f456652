-- Dashboards of a web shop's traffic: sessions, funnels, retention, campaigns,
-- attribution.
-- family: bi
-- data: shop

-- name: web_sessions_by_day
-- order: total
SELECT started_at::DATE AS day, count(*) AS sessions, count(DISTINCT customer_id) AS users FROM sessions GROUP BY day ORDER BY day;

-- name: web_daily_active_users
-- order: total
SELECT date_trunc('day', e.happened_at) AS day, count(DISTINCT s.customer_id) AS users
FROM events e JOIN sessions s ON s.id = e.session_id
GROUP BY 1
ORDER BY 1;

-- name: web_monthly_active_users
-- order: total
SELECT date_trunc('month', s.started_at) AS month, count(DISTINCT s.customer_id) AS users, count(DISTINCT s.id) AS sessions, count(*) AS events
FROM events e JOIN sessions s ON s.id = e.session_id
WHERE s.customer_id IS NOT NULL
GROUP BY 1
ORDER BY 1;

-- name: web_stickiness
-- order: total
SELECT m.month, avg(d.users) / m.users AS stickiness
FROM (SELECT started_at::DATE AS day, date_trunc('month', started_at) AS month, count(DISTINCT customer_id) AS users FROM sessions GROUP BY 1, 2) d
  JOIN (SELECT date_trunc('month', started_at) AS month, count(DISTINCT customer_id) AS users FROM sessions GROUP BY 1) m ON m.month = d.month
GROUP BY m.month, m.users
ORDER BY m.month;

-- name: web_events_by_kind_and_device
-- order: total
SELECT s.device, e.kind, count(*) AS events, avg(e.duration_ms) AS duration
FROM events e JOIN sessions s ON s.id = e.session_id
GROUP BY s.device, e.kind
ORDER BY s.device, e.kind;

-- name: web_events_per_session
-- order: total
SELECT least(n, 20) AS events, count(*) AS sessions FROM (SELECT session_id, count(*) AS n FROM events GROUP BY session_id) s GROUP BY 1 ORDER BY 1;

-- name: web_bounce_rate
-- order: total
SELECT s.device, avg(CASE WHEN c.n = 1 THEN 1.0 ELSE 0.0 END) AS bounce_rate
FROM sessions s JOIN (SELECT session_id, count(*) AS n FROM events GROUP BY session_id) c ON c.session_id = s.id
GROUP BY s.device
ORDER BY s.device;

-- name: web_sessions_without_events
SELECT count(*) AS sessions FROM sessions s WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.session_id = s.id);

-- name: web_funnel_counts
SELECT count(DISTINCT CASE WHEN kind = 'view' THEN session_id END) AS viewed, count(DISTINCT CASE WHEN kind = 'cart' THEN session_id END) AS carted,
  count(DISTINCT CASE WHEN kind = 'checkout' THEN session_id END) AS checked_out, count(DISTINCT CASE WHEN kind = 'purchase' THEN session_id END) AS purchased
FROM events;

-- name: web_funnel_by_device
-- order: total
SELECT s.device, count(DISTINCT e.session_id) FILTER (WHERE e.kind = 'view') AS viewed, count(DISTINCT e.session_id) FILTER (WHERE e.kind = 'cart') AS carted,
  count(DISTINCT e.session_id) FILTER (WHERE e.kind = 'purchase') AS purchased
FROM sessions s JOIN events e ON e.session_id = s.id
GROUP BY s.device
ORDER BY s.device;

-- name: web_funnel_in_order
SELECT count(DISTINCT v.session_id) AS viewed, count(DISTINCT c.session_id) AS then_carted, count(DISTINCT p.session_id) AS then_purchased
FROM (SELECT session_id, min(happened_at) AS at FROM events WHERE kind = 'view' GROUP BY session_id) v
  LEFT JOIN (SELECT session_id, max(happened_at) AS at FROM events WHERE kind = 'cart' GROUP BY session_id) c ON c.session_id = v.session_id AND c.at > v.at
  LEFT JOIN (SELECT session_id, max(happened_at) AS at FROM events WHERE kind = 'purchase' GROUP BY session_id) p ON p.session_id = c.session_id AND p.at > c.at;

-- name: web_view_to_cart_pairs
SELECT count(*) AS pairs FROM events v JOIN events c ON c.session_id = v.session_id AND c.product_id = v.product_id WHERE v.kind = 'view' AND c.kind = 'cart' AND v.happened_at < c.happened_at;

-- name: web_abandoned_carts
SELECT count(DISTINCT c.session_id) AS sessions
FROM events c
WHERE c.kind = 'cart' AND NOT EXISTS (SELECT 1 FROM events p WHERE p.session_id = c.session_id AND p.kind = 'purchase');

-- name: web_abandoned_value
-- order: total
SELECT k.name, count(*) AS carts, sum(p.price) AS value
FROM events e JOIN products p ON p.id = e.product_id JOIN categories k ON k.id = p.category_id
WHERE e.kind = 'cart' AND e.session_id NOT IN (SELECT session_id FROM events WHERE kind = 'purchase')
GROUP BY k.name
ORDER BY value DESC, k.name;

-- name: web_conversion_by_referrer
-- order: total
SELECT coalesce(s.referrer, 'direct') AS referrer, count(DISTINCT s.id) AS sessions, count(DISTINCT e.session_id) AS converted, sum(e.value) AS value
FROM sessions s LEFT JOIN events e ON e.session_id = s.id AND e.kind = 'purchase'
GROUP BY 1
ORDER BY 1;

-- name: web_conversion_by_browser_and_month
-- order: total
SELECT s.browser, date_trunc('month', s.started_at) AS month, count(*) FILTER (WHERE e.kind = 'purchase') AS purchases, count(DISTINCT s.id) AS sessions
FROM sessions s JOIN events e ON e.session_id = s.id
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: web_most_viewed
-- order: total
SELECT p.sku, count(*) AS views, count(DISTINCT e.session_id) AS sessions, count(DISTINCT s.customer_id) AS users
FROM events e JOIN products p ON p.id = e.product_id JOIN sessions s ON s.id = e.session_id
WHERE e.kind = 'view'
GROUP BY p.sku
ORDER BY views DESC, p.sku
LIMIT 25;

-- name: web_views_and_sales
-- order: total
SELECT c.name, sum(v.views) AS views, sum(b.pieces) AS pieces, sum(b.pieces) / sum(v.views) AS rate
FROM products p JOIN categories c ON c.id = p.category_id
  LEFT JOIN (SELECT product_id, count(*) AS views FROM events WHERE kind = 'view' GROUP BY product_id) v ON v.product_id = p.id
  LEFT JOIN (SELECT product_id, sum(quantity) AS pieces FROM order_lines GROUP BY product_id) b ON b.product_id = p.id
GROUP BY c.name
ORDER BY c.name;

-- name: web_viewed_also_viewed
-- order: total
SELECT b.product_id, count(*) AS times
FROM events a JOIN events b ON a.session_id = b.session_id
WHERE a.kind = 'view' AND b.kind = 'view' AND a.product_id = 2 AND b.product_id <> 2
GROUP BY b.product_id
ORDER BY times DESC, b.product_id
LIMIT 10;

-- name: web_next_event
-- order: total
SELECT kind, next, count(*) AS n
FROM (SELECT kind, lead(kind) OVER (PARTITION BY session_id ORDER BY happened_at, id) AS next FROM events) t
GROUP BY kind, next
ORDER BY kind, next;

-- name: web_session_length
-- order: total
SELECT s.device, avg(l.seconds) AS mean, max(l.seconds) AS longest
FROM sessions s JOIN (SELECT session_id, datediff('second', min(happened_at), max(happened_at)) AS seconds FROM events GROUP BY session_id) l ON l.session_id = s.id
GROUP BY s.device
ORDER BY s.device;

-- name: web_response_times
-- order: total
SELECT e.kind, count(*) AS n, avg(e.duration_ms) AS mean, stddev_pop(e.duration_ms) AS spread, max(e.duration_ms) AS worst
FROM events e JOIN sessions s ON s.id = e.session_id
WHERE s.browser = 'Safari'
GROUP BY e.kind
ORDER BY e.kind;

-- name: web_response_percentiles
-- order: total
SELECT s.browser, quantile_cont(e.duration_ms, 0.5) AS p50, quantile_cont(e.duration_ms, 0.95) AS p95, quantile_cont(e.duration_ms, 0.99) AS p99
FROM events e JOIN sessions s ON s.id = e.session_id
GROUP BY s.browser
ORDER BY s.browser;

-- name: web_slow_share
-- order: total
SELECT s.browser, s.device, avg(CASE WHEN e.duration_ms > 1500 THEN 1 ELSE 0 END) AS slow
FROM events e JOIN sessions s ON s.id = e.session_id
GROUP BY s.browser, s.device
ORDER BY s.browser, s.device;

-- name: web_retention_by_week
-- order: total
WITH firsts AS (SELECT customer_id, min(date_trunc('week', started_at)) AS cohort FROM sessions WHERE customer_id IS NOT NULL GROUP BY customer_id)
SELECT f.cohort, datediff('week', f.cohort, date_trunc('week', s.started_at)) AS week, count(DISTINCT s.customer_id) AS users
FROM sessions s JOIN firsts f ON f.customer_id = s.customer_id
WHERE f.cohort < TIMESTAMP '2023-03-01'
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: web_returned_next_month
-- order: total
WITH active AS (SELECT DISTINCT customer_id, date_trunc('month', started_at) AS month FROM sessions WHERE customer_id IS NOT NULL)
SELECT a.month, count(*) AS users, count(b.customer_id) AS returned
FROM active a LEFT JOIN active b ON b.customer_id = a.customer_id AND b.month = a.month + INTERVAL 1 MONTH
GROUP BY a.month
ORDER BY a.month;

-- name: web_active_in_both_months
SELECT count(*) AS users
FROM (SELECT DISTINCT customer_id FROM sessions WHERE started_at >= TIMESTAMP '2023-05-01' AND started_at < TIMESTAMP '2023-06-01') a
  JOIN (SELECT DISTINCT customer_id FROM sessions WHERE started_at >= TIMESTAMP '2023-06-01' AND started_at < TIMESTAMP '2023-07-01') b USING (customer_id);

-- name: web_visitors_who_bought
SELECT k.channel, count(DISTINCT s.customer_id) AS visitors, count(DISTINCT o.customer_id) AS buyers
FROM customers k JOIN sessions s ON s.customer_id = k.id LEFT JOIN orders o ON o.customer_id = k.id AND o.channel IN ('web', 'app')
GROUP BY k.channel;

-- name: web_sessions_before_order
-- order: total
SELECT o.channel, avg(n) AS sessions
FROM (SELECT o.id, o.channel, count(s.id) AS n FROM orders o LEFT JOIN sessions s ON s.customer_id = o.customer_id AND s.started_at < o.ordered_at WHERE o.id < 3000 GROUP BY o.id, o.channel) o
GROUP BY o.channel
ORDER BY o.channel;

-- name: web_campaign_sessions
-- order: total
SELECT c.name, c.medium, count(s.id) AS sessions, count(DISTINCT s.customer_id) AS users
FROM campaigns c LEFT JOIN sessions s ON s.campaign_id = c.id
GROUP BY c.id, c.name, c.medium
ORDER BY c.id;

-- name: web_campaign_in_time
-- order: total
SELECT c.id, count(*) AS sessions
FROM campaigns c JOIN sessions s ON s.campaign_id = c.id AND s.started_at >= c.starts AND s.started_at < c.ends
GROUP BY c.id
ORDER BY c.id;

-- name: web_campaign_return
-- order: total
SELECT c.name, x.cost, r.value, r.value / x.cost AS return_on_spend
FROM campaigns c JOIN (SELECT campaign_id, sum(cost) AS cost FROM spend GROUP BY campaign_id) x ON x.campaign_id = c.id
  JOIN (SELECT s.campaign_id, sum(e.value) AS value FROM sessions s JOIN events e ON e.session_id = s.id WHERE e.kind = 'purchase' GROUP BY s.campaign_id) r
    ON r.campaign_id = c.id
ORDER BY c.name;

-- name: web_campaign_budget
-- order: total
SELECT c.medium, sum(c.budget) AS budget, sum(x.cost) AS cost, sum(x.clicks) / sum(x.impressions) AS click_rate, sum(x.cost) / sum(x.clicks) AS per_click
FROM campaigns c JOIN spend x ON x.campaign_id = c.id
WHERE x.day BETWEEN c.starts AND c.ends
GROUP BY c.medium
ORDER BY c.medium;

-- name: web_spend_by_month
-- order: total
SELECT date_trunc('month', x.day) AS month, c.medium, sum(x.cost) AS cost, sum(x.clicks) AS clicks
FROM spend x JOIN campaigns c ON c.id = x.campaign_id
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: web_spend_and_sessions_by_day
-- order: total
SELECT x.day, x.cost, coalesce(s.sessions, 0) AS sessions
FROM (SELECT day, sum(cost) AS cost FROM spend GROUP BY day) x
  LEFT JOIN (SELECT started_at::DATE AS day, count(*) AS sessions FROM sessions WHERE campaign_id IS NOT NULL GROUP BY 1) s ON s.day = x.day
ORDER BY x.day;

-- name: web_cost_per_buyer
-- order: total
SELECT c.medium, sum(x.cost) / count(DISTINCT s.customer_id) AS cost
FROM campaigns c JOIN (SELECT campaign_id, sum(cost) AS cost FROM spend GROUP BY campaign_id) x ON x.campaign_id = c.id JOIN sessions s ON s.campaign_id = c.id
GROUP BY c.medium
ORDER BY c.medium;

-- name: web_first_touch
-- order: total
SELECT s.referrer, count(*) AS customers
FROM sessions s JOIN (SELECT customer_id, min(started_at) AS first_at FROM sessions GROUP BY customer_id) f ON f.customer_id = s.customer_id AND f.first_at = s.started_at
GROUP BY s.referrer
ORDER BY s.referrer;

-- name: web_attribution_linear
-- order: total
SELECT coalesce(s.referrer, 'direct') AS referrer, sum(e.value / n.sessions) AS value
FROM events e JOIN sessions p ON p.id = e.session_id JOIN sessions s ON s.customer_id = p.customer_id
  JOIN (SELECT customer_id, count(*) AS sessions FROM sessions GROUP BY customer_id) n ON n.customer_id = p.customer_id
WHERE e.kind = 'purchase' AND p.customer_id < 100
GROUP BY 1
ORDER BY 1;

-- name: web_purchase_value_buckets
-- order: total
SELECT CASE WHEN e.value < 50 THEN 1 WHEN e.value < 200 THEN 2 ELSE 3 END AS bucket, s.device, count(*) AS purchases, sum(e.value) AS value
FROM events e JOIN sessions s ON s.id = e.session_id
WHERE e.kind = 'purchase'
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: web_hour_by_weekday
-- order: total
SELECT dayofweek(s.started_at) AS weekday, hour(s.started_at) AS hour, count(*) AS events
FROM sessions s JOIN events e ON e.session_id = s.id
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: web_searches_without_view
SELECT count(DISTINCT e.session_id) AS sessions
FROM events e
WHERE e.kind = 'search' AND e.session_id NOT IN (SELECT v.session_id FROM events v WHERE v.kind = 'view');

-- name: web_users_by_devices
-- order: total
SELECT devices, count(*) AS users
FROM (SELECT customer_id, count(DISTINCT device) AS devices FROM sessions WHERE customer_id IS NOT NULL GROUP BY customer_id) u
GROUP BY devices
ORDER BY devices;

-- name: web_anonymous_share
-- order: total
SELECT date_trunc('quarter', started_at) AS quarter, count(*) AS sessions, count(*) - count(customer_id) AS anonymous, 1 - count(customer_id) / count(*) AS share
FROM sessions
GROUP BY 1
ORDER BY 1;

-- name: web_top_session_per_device
-- order: total
SELECT device, max(n) AS most, min(n) AS fewest, avg(n) AS mean
FROM (SELECT s.device, s.id, count(*) AS n FROM sessions s JOIN events e ON e.session_id = s.id GROUP BY s.device, s.id) d
GROUP BY device
ORDER BY device;
