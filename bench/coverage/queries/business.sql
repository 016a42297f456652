-- Dashboards of a company: subscriptions and invoices, support, stock and
-- deliveries, staff, servers.
-- family: bi
-- data: shop

-- name: subscription_recurring_revenue
-- order: total
SELECT m.month, sum(p.monthly * s.seats) AS revenue, count(*) AS subscriptions
FROM (SELECT DATE '2022-01-01' + to_months(i::INTEGER) AS month FROM range(30) t(i)) m
  JOIN subscriptions s ON s.started_on <= m.month AND (s.ended_on IS NULL OR s.ended_on > m.month) JOIN plans p ON p.id = s.plan_id
GROUP BY m.month
ORDER BY m.month;

-- name: subscription_current_by_plan
-- order: total
SELECT p.name, count(*) AS subscriptions, sum(s.seats) AS seats, sum(s.seats * p.monthly) AS monthly
FROM subscriptions s JOIN plans p ON p.id = s.plan_id
WHERE s.started_on <= DATE '2024-01-01' AND (s.ended_on IS NULL OR s.ended_on > DATE '2024-01-01')
GROUP BY p.name
ORDER BY p.name;

-- name: subscription_churn_by_month
-- order: total
SELECT date_trunc('month', s.ended_on) AS month, p.name, count(*) AS ended, sum(p.monthly * s.seats) AS lost
FROM subscriptions s JOIN plans p ON p.id = s.plan_id
WHERE s.ended_on IS NOT NULL
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: subscription_started_and_ended
-- order: total
SELECT month, sum(started) AS started, sum(ended) AS ended
FROM (
  SELECT date_trunc('month', started_on) AS month, 1 AS started, 0 AS ended FROM subscriptions
  UNION ALL
  SELECT date_trunc('month', ended_on), 0, 1 FROM subscriptions WHERE ended_on IS NOT NULL
) e
GROUP BY month
ORDER BY month;

-- name: subscription_length
-- order: total
SELECT p.name, avg(datediff('day', s.started_on, coalesce(s.ended_on, DATE '2024-07-01'))) AS days, count(s.ended_on) AS ended, count(*) AS total
FROM subscriptions s JOIN plans p ON p.id = s.plan_id
GROUP BY p.name
ORDER BY p.name;

-- name: subscription_by_country
-- order: total
SELECT c.name, p.name AS plan, count(*) AS subscriptions
FROM subscriptions s JOIN plans p ON p.id = s.plan_id JOIN customers k ON k.id = s.customer_id JOIN country c ON c.code = k.country
GROUP BY c.name, p.name
ORDER BY c.name, plan;

-- name: subscription_several_plans
SELECT count(*) AS customers FROM (SELECT customer_id FROM subscriptions GROUP BY customer_id HAVING count(DISTINCT plan_id) > 1) c;

-- name: subscription_upgrades
-- order: total
SELECT a.plan_id AS before, b.plan_id AS after, count(*) AS n
FROM subscriptions a JOIN subscriptions b ON b.customer_id = a.customer_id AND b.started_on > a.started_on
GROUP BY before, after
ORDER BY before, after;

-- name: subscription_never
SELECT k.segment, count(*) AS customers FROM customers k WHERE NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.customer_id = k.id) GROUP BY k.segment;

-- name: subscription_and_orders
-- order: total
SELECT coalesce(p.name, 'none') AS plan, count(DISTINCT k.id) AS customers, count(o.id) AS orders
FROM customers k LEFT JOIN subscriptions s ON s.customer_id = k.id AND s.ended_on IS NULL LEFT JOIN plans p ON p.id = s.plan_id LEFT JOIN orders o ON o.customer_id = k.id
GROUP BY 1
ORDER BY 1;

-- name: invoice_ageing
-- order: total
SELECT CASE WHEN i.paid_on IS NULL THEN 'unpaid' WHEN i.paid_on <= i.issued_on + 14 THEN 'in time' WHEN i.paid_on <= i.issued_on + 30 THEN 'late' ELSE 'very late' END AS state,
  count(*) AS invoices, sum(i.amount) AS amount
FROM invoices i
GROUP BY state
ORDER BY state;

-- name: invoice_by_plan_and_month
-- order: total
SELECT p.name, i.issued_on, sum(i.amount) AS amount, count(*) FILTER (WHERE i.paid_on IS NULL) AS unpaid
FROM invoices i JOIN subscriptions s ON s.id = i.subscription_id JOIN plans p ON p.id = s.plan_id
GROUP BY p.name, i.issued_on
ORDER BY p.name, i.issued_on;

-- name: invoice_debtors
-- order: total
SELECT k.id, k.name, sum(i.amount) AS open
FROM invoices i JOIN subscriptions s ON s.id = i.subscription_id JOIN customers k ON k.id = s.customer_id
WHERE i.paid_on IS NULL
GROUP BY k.id, k.name
ORDER BY open DESC, k.id
LIMIT 20;

-- name: invoice_without_order
SELECT count(DISTINCT s.customer_id) AS customers
FROM invoices i JOIN subscriptions s ON s.id = i.subscription_id LEFT JOIN orders o ON o.customer_id = s.customer_id
WHERE o.id IS NULL;

-- name: invoice_average_delay
-- order: total
SELECT k.country, avg(datediff('day', i.issued_on, i.paid_on)) AS days, count(i.paid_on) AS paid
FROM invoices i JOIN subscriptions s ON s.id = i.subscription_id JOIN customers k ON k.id = s.customer_id
GROUP BY k.country
ORDER BY k.country;

-- name: support_tickets_by_month
-- order: total
SELECT date_trunc('month', opened_at) AS month, priority, count(*) AS opened, count(closed_at) AS closed FROM tickets GROUP BY 1, 2 ORDER BY 1, 2;

-- name: support_resolution_time
-- order: total
SELECT a.team, t.priority, avg(datediff('minute', t.opened_at, t.closed_at)) AS minutes, count(*) AS tickets
FROM tickets t JOIN agents a ON a.id = t.agent_id
WHERE t.closed_at IS NOT NULL
GROUP BY a.team, t.priority
ORDER BY a.team, t.priority;

-- name: support_scores
-- order: total
SELECT a.name, avg(t.score) AS score, count(t.score) AS rated, count(*) AS tickets
FROM agents a LEFT JOIN tickets t ON t.agent_id = a.id
GROUP BY a.id, a.name
ORDER BY a.id;

-- name: support_unassigned
-- order: total
SELECT coalesce(a.team, 'nobody') AS team, count(*) AS tickets FROM tickets t LEFT JOIN agents a ON a.id = t.agent_id GROUP BY team ORDER BY team;

-- name: support_within_target
-- order: total
SELECT t.priority, avg(CASE WHEN t.closed_at <= t.opened_at + INTERVAL 2 DAY THEN 1.0 ELSE 0.0 END) AS rate
FROM tickets t JOIN customers k ON k.id = t.customer_id
WHERE k.segment = 'business'
GROUP BY t.priority
ORDER BY t.priority;

-- name: support_tickets_per_customer
-- order: total
SELECT k.segment, sum(coalesce(t.n, 0)) / count(*) AS per_customer
FROM customers k LEFT JOIN (SELECT customer_id, count(*) AS n FROM tickets GROUP BY customer_id) t ON t.customer_id = k.id
GROUP BY k.segment
ORDER BY k.segment;

-- name: support_reopened
-- order: total
SELECT a.priority, count(*) AS again FROM tickets a JOIN tickets b ON b.customer_id = a.customer_id AND b.opened_at > a.closed_at AND b.opened_at <= a.closed_at + INTERVAL 7 DAY GROUP BY a.priority ORDER BY a.priority;

-- name: support_after_order
-- order: total
SELECT d.carrier, count(DISTINCT t.id) AS tickets, count(DISTINCT d.order_id) AS orders
FROM deliveries d JOIN orders o ON o.id = d.order_id LEFT JOIN tickets t ON t.customer_id = o.customer_id AND t.opened_at >= o.ordered_at AND t.opened_at < o.ordered_at + INTERVAL 14 DAY
GROUP BY d.carrier
ORDER BY d.carrier;

-- name: support_unhappy_spenders
-- order: total
SELECT k.id, sum(l.quantity * l.unit_price) AS spent
FROM customers k JOIN orders o ON o.customer_id = k.id JOIN order_lines l ON l.order_id = o.id
WHERE k.id IN (SELECT customer_id FROM tickets WHERE score <= 2)
GROUP BY k.id
ORDER BY spent DESC, k.id
LIMIT 15;

-- name: support_backlog
-- order: total
SELECT d.day, count(*) AS open
FROM (SELECT DATE '2023-02-01' + (14 * i)::INTEGER AS day FROM range(20) t(i)) d JOIN tickets t ON t.opened_at < d.day AND (t.closed_at IS NULL OR t.closed_at >= d.day)
GROUP BY d.day
ORDER BY d.day;

-- name: delivery_times
-- order: total
SELECT d.carrier, k.country, avg(datediff('hour', d.shipped_at, d.delivered_at)) AS hours, count(*) - count(d.delivered_at) AS missing
FROM deliveries d JOIN orders o ON o.id = d.order_id JOIN customers k ON k.id = o.customer_id
GROUP BY d.carrier, k.country
ORDER BY d.carrier, k.country;

-- name: delivery_fees
-- order: total
SELECT d.carrier, date_trunc('month', d.shipped_at) AS month, sum(d.fee) AS fees, count(*) AS parcels
FROM deliveries d JOIN orders o ON o.id = d.order_id
WHERE o.channel = 'web'
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: delivery_fee_share
-- order: total
SELECT d.carrier, sum(d.fee) / sum(b.amount) AS share
FROM deliveries d JOIN (SELECT order_id, sum(quantity * unit_price) AS amount FROM order_lines GROUP BY order_id) b ON b.order_id = d.order_id
GROUP BY d.carrier
ORDER BY d.carrier;

-- name: delivery_late
SELECT count(*) AS late FROM deliveries d JOIN orders o ON o.id = d.order_id WHERE d.delivered_at > o.ordered_at + INTERVAL 9 DAY;

-- name: delivery_pending
-- order: total
SELECT o.status, count(*) AS orders FROM orders o LEFT JOIN deliveries d ON d.order_id = o.id WHERE d.order_id IS NULL OR d.delivered_at IS NULL GROUP BY o.status ORDER BY o.status;

-- name: stock_value
-- order: total
SELECT w.name, sum(s.on_hand * p.cost) AS value, sum(s.on_hand) AS pieces, sum(s.on_hand - s.reserved) AS free
FROM stock s JOIN warehouses w ON w.id = s.warehouse_id JOIN products p ON p.id = s.product_id
GROUP BY w.name
ORDER BY w.name;

-- name: stock_below_reorder
-- order: total
SELECT w.country, c.name, count(*) AS items
FROM stock s JOIN warehouses w ON w.id = s.warehouse_id JOIN products p ON p.id = s.product_id JOIN categories c ON c.id = p.category_id
WHERE s.on_hand - s.reserved < s.reorder_at
GROUP BY w.country, c.name
ORDER BY w.country, c.name;

-- name: stock_missing_everywhere
SELECT count(*) AS products FROM products p WHERE NOT EXISTS (SELECT 1 FROM stock s WHERE s.product_id = p.id AND s.on_hand > 250);

-- name: stock_reach
-- order: total
SELECT c.name, sum(h.on_hand) / (sum(v.pieces) / 910.0) AS days
FROM products p JOIN categories c ON c.id = p.category_id JOIN (SELECT product_id, sum(on_hand) AS on_hand FROM stock GROUP BY product_id) h ON h.product_id = p.id
  JOIN (SELECT product_id, sum(quantity) AS pieces FROM order_lines GROUP BY product_id) v ON v.product_id = p.id
GROUP BY c.name
ORDER BY c.name;

-- name: stock_by_supplier_country
-- order: total
SELECT s.country, avg(s.lead_days) AS lead_days, sum(k.on_hand) AS pieces
FROM suppliers s JOIN products p ON p.supplier_id = s.id JOIN stock k ON k.product_id = p.id
GROUP BY s.country
ORDER BY s.country;

-- name: stock_warehouse_pairs
-- order: total
SELECT a.warehouse_id AS one, b.warehouse_id AS other, count(*) AS shared, sum(least(a.on_hand, b.on_hand)) AS common
FROM stock a JOIN stock b ON a.product_id = b.product_id AND a.warehouse_id < b.warehouse_id
GROUP BY one, other
ORDER BY one, other;

-- name: staff_by_department
-- order: total
SELECT d.name, count(e.id) AS people, coalesce(sum(e.salary), 0) AS salaries, avg(e.salary) AS mean
FROM departments d LEFT JOIN employees e ON e.department_id = d.id
GROUP BY d.name
ORDER BY d.name;

-- name: staff_earn_more_than_manager
SELECT count(*) AS n FROM employees e JOIN employees m ON m.id = e.manager_id WHERE e.salary > m.salary;

-- name: staff_span
-- order: total
SELECT m.id, count(*) AS reports, avg(e.salary) AS mean FROM employees e JOIN employees m ON m.id = e.manager_id GROUP BY m.id HAVING count(*) >= 5 ORDER BY m.id;

-- name: staff_above_department_mean
-- order: total
SELECT d.name, count(*) AS n
FROM employees e JOIN departments d ON d.id = e.department_id
WHERE e.salary > (SELECT avg(x.salary) FROM employees x WHERE x.department_id = e.department_id)
GROUP BY d.name
ORDER BY d.name;

-- name: staff_highest_paid
-- order: total
SELECT d.name, max(e.salary) AS highest, arg_max(e.name, e.salary * 1000 - e.id) AS who FROM employees e JOIN departments d ON d.id = e.department_id GROUP BY d.name ORDER BY d.name;

-- name: staff_chain_of_command
-- order: total
WITH RECURSIVE chain (id, top, depth) AS (
  SELECT id, id, 0 FROM employees WHERE manager_id IS NULL
  UNION ALL
  SELECT e.id, c.top, c.depth + 1 FROM chain c JOIN employees e ON e.manager_id = c.id
)
SELECT depth, count(*) AS people, sum(e.salary) AS salaries FROM chain c JOIN employees e ON e.id = c.id GROUP BY depth ORDER BY depth;

-- name: staff_hires_by_year
-- order: total
SELECT year(e.hired) AS year, d.name, count(*) AS hired FROM employees e JOIN departments d ON d.id = e.department_id GROUP BY 1, 2 ORDER BY 1, 2;

-- name: host_load_by_service
-- order: total
SELECT h.service, h.region, avg(m.cpu) AS cpu, max(m.cpu) AS peak, avg(m.mem) AS mem
FROM metrics m JOIN hosts h ON h.host = m.host
GROUP BY h.service, h.region
ORDER BY h.service, h.region;

-- name: host_series_by_five_minutes
-- order: total
SELECT time_bucket(INTERVAL 5 MINUTE, m.taken_at) AS bucket, h.service, avg(m.cpu) AS cpu, sum(m.requests) AS requests
FROM metrics m JOIN hosts h ON h.host = m.host
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: host_series_by_hour
-- order: total
SELECT date_trunc('hour', m.taken_at) AS hour, sum(m.requests) AS requests, sum(m.errors) AS errors, sum(m.errors) / sum(m.requests) AS rate
FROM metrics m JOIN hosts h ON h.host = m.host
WHERE h.region = 'eu'
GROUP BY 1
ORDER BY 1;

-- name: host_error_minutes
-- order: total
SELECT h.name, count(*) FILTER (WHERE m.errors > 0) AS bad, count(*) AS total, 1 - count(*) FILTER (WHERE m.errors > 5) / count(*) AS available
FROM metrics m JOIN hosts h ON h.host = m.host
GROUP BY h.name
ORDER BY h.name;

-- name: host_correlation
-- order: total
SELECT h.service, corr(m.cpu, m.requests) AS r, covar_pop(m.cpu, m.mem) AS c FROM metrics m JOIN hosts h ON h.host = m.host GROUP BY h.service ORDER BY h.service;

-- name: host_busy_together
-- order: total
SELECT a.host AS one, b.host AS other, count(*) AS minutes
FROM metrics a JOIN metrics b ON a.taken_at = b.taken_at AND a.host < b.host
WHERE a.cpu > 90 AND b.cpu > 90
GROUP BY one, other
ORDER BY minutes DESC, one, other
LIMIT 20;

-- name: host_above_service_mean
-- order: total
SELECT h.name, avg(m.cpu) AS cpu, s.cpu AS service
FROM metrics m JOIN hosts h ON h.host = m.host
  JOIN (SELECT h.service, avg(m.cpu) AS cpu FROM metrics m JOIN hosts h ON h.host = m.host GROUP BY h.service) s ON s.service = h.service
GROUP BY h.name, s.cpu
HAVING avg(m.cpu) > s.cpu
ORDER BY h.name;

-- name: host_minutes_all_high
SELECT count(*) AS minutes FROM (SELECT m.taken_at FROM metrics m JOIN hosts h ON h.host = m.host WHERE h.service = 'db' GROUP BY m.taken_at HAVING min(m.cpu) > 10) t;

-- name: host_latest
-- order: total
SELECT h.service, sum(m.requests) AS requests
FROM hosts h JOIN metrics m ON m.host = h.host
WHERE m.taken_at = (SELECT max(taken_at) FROM metrics x WHERE x.host = m.host)
GROUP BY h.service
ORDER BY h.service;

-- name: calendar_every_day
-- order: total
SELECT d.day, count(o.id) AS orders
FROM (SELECT DATE '2023-06-01' + i::INTEGER AS day FROM range(60) t(i)) d LEFT JOIN orders o ON o.ordered_at::DATE = d.day
GROUP BY d.day
ORDER BY d.day;

-- name: list_of_kinds
SELECT DISTINCT c.department, o.channel FROM categories c JOIN products p ON p.category_id = c.id JOIN order_lines l ON l.product_id = p.id JOIN orders o ON o.id = l.order_id;

-- name: everything_about_countries
-- order: total
SELECT c.code, a.customers, b.orders, d.tickets
FROM country c LEFT JOIN (SELECT country, count(*) AS customers FROM customers GROUP BY country) a ON a.country = c.code
  LEFT JOIN (SELECT k.country, count(*) AS orders FROM customers k JOIN orders o ON o.customer_id = k.id GROUP BY k.country) b ON b.country = c.code
  LEFT JOIN (SELECT k.country, count(*) AS tickets FROM customers k JOIN tickets t ON t.customer_id = k.id GROUP BY k.country) d ON d.country = c.code
ORDER BY c.code;

-- name: activity_stream
-- order: total
SELECT kind, date_trunc('month', happened) AS month, count(*) AS n
FROM (
  SELECT 'order' AS kind, ordered_at AS happened FROM orders
  UNION ALL SELECT 'ticket', opened_at FROM tickets
  UNION ALL SELECT 'session', started_at FROM sessions
) a
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: full_match_of_months
-- order: total
SELECT coalesce(a.month, b.month) AS month, coalesce(a.n, 0) AS orders, coalesce(b.n, 0) AS tickets
FROM (SELECT date_trunc('month', ordered_at) AS month, count(*) AS n FROM orders GROUP BY 1) a
  FULL JOIN (SELECT date_trunc('month', opened_at) AS month, count(*) AS n FROM tickets GROUP BY 1) b ON b.month = a.month
ORDER BY 1;
