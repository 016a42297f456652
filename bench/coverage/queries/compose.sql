-- Statements around joins and aggregates: tables, rows and files made of them,
-- views, set operations, expressions of subqueries, laterals, samples of reports.
-- check is what is compared after a statement without rows, undo removes it.
-- family: compose
-- data: shop

-- name: compose_create_table
-- check: SELECT * FROM made
-- undo: DROP TABLE made
CREATE TABLE made AS
SELECT k.country, date_trunc('month', o.ordered_at) AS month, sum(l.quantity * l.unit_price) AS revenue
FROM customers k JOIN orders o ON o.customer_id = k.id JOIN order_lines l ON l.order_id = o.id
GROUP BY 1, 2;

-- name: compose_create_table_replaced
-- check: SELECT * FROM made
-- undo: DROP TABLE made
CREATE OR REPLACE TABLE made AS SELECT customer_id, count(*) AS n FROM orders o JOIN order_lines l ON l.order_id = o.id GROUP BY customer_id HAVING count(*) > 3;

-- name: compose_insert
-- check: SELECT name FROM departments
-- undo: DELETE FROM departments WHERE id >= 100
INSERT INTO departments
SELECT 100 + c.id, c.name || ' ' || count(*) FROM categories c JOIN products p ON p.category_id = c.id JOIN order_lines l ON l.product_id = p.id GROUP BY c.id, c.name;

-- name: compose_insert_columns
-- check: SELECT * FROM warehouses
-- undo: DELETE FROM warehouses WHERE id >= 100
INSERT INTO warehouses (id, name)
SELECT 100 + s.warehouse_id, 'moved ' || sum(s.on_hand) FROM stock s JOIN products p ON p.id = s.product_id WHERE p.active GROUP BY s.warehouse_id;

-- name: compose_copy_csv
-- check: SELECT * FROM read_csv('{file}')
COPY (
  SELECT c.name, sum(l.quantity) AS pieces, sum(l.quantity * l.unit_price) AS revenue
  FROM order_lines l JOIN products p ON p.id = l.product_id JOIN categories c ON c.id = p.category_id
  GROUP BY c.name
) TO '{file}' (FORMAT csv, HEADER);

-- name: compose_copy_parquet
-- check: SELECT * FROM read_parquet('{file}')
COPY (SELECT o.channel, count(DISTINCT k.country) AS countries, count(*) AS n FROM orders o JOIN customers k ON k.id = o.customer_id GROUP BY o.channel) TO '{file}' (FORMAT parquet);

-- name: compose_create_view
-- check: SELECT country, sum(revenue) AS revenue FROM made GROUP BY country
-- undo: DROP VIEW made
CREATE VIEW made AS
SELECT k.country, o.channel, sum(l.quantity * l.unit_price) AS revenue
FROM customers k JOIN orders o ON o.customer_id = k.id JOIN order_lines l ON l.order_id = o.id
GROUP BY k.country, o.channel;

-- name: compose_update_from
-- check: SELECT id, area_m2 FROM stores
-- undo: UPDATE stores SET area_m2 = area_m2 - 100000 WHERE area_m2 >= 100000
UPDATE stores SET area_m2 = area_m2 + 100000
WHERE id IN (SELECT o.store_id FROM orders o JOIN order_lines l ON l.order_id = o.id GROUP BY o.store_id HAVING sum(l.quantity) > 100);

-- name: compose_cte_used_twice
-- order: total
WITH spent AS (
  SELECT o.customer_id, sum(l.quantity * l.unit_price) AS amount FROM orders o JOIN order_lines l ON l.order_id = o.id GROUP BY o.customer_id
)
SELECT k.country, count(*) AS n, sum(s.amount) AS amount
FROM spent s JOIN customers k ON k.id = s.customer_id
WHERE s.amount > (SELECT avg(amount) FROM spent)
GROUP BY k.country
ORDER BY k.country;

-- name: compose_cte_chain
-- order: total
WITH lines AS (SELECT l.order_id, sum(l.quantity * l.unit_price) AS amount FROM order_lines l GROUP BY l.order_id),
  months AS (SELECT date_trunc('month', o.ordered_at) AS month, o.customer_id, sum(n.amount) AS amount FROM orders o JOIN lines n ON n.order_id = o.id GROUP BY 1, 2),
  best AS (SELECT month, max(amount) AS amount FROM months GROUP BY month)
SELECT b.month, count(*) AS customers FROM best b JOIN months m ON m.month = b.month AND m.amount * 2 > b.amount GROUP BY b.month ORDER BY b.month;

-- name: compose_materialized_cte
WITH c AS MATERIALIZED (SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id) SELECT sum(a.n * b.n) FROM c a JOIN c b USING (customer_id);

-- name: compose_union_of_joins
-- order: total
SELECT 'orders' AS what, k.country, count(*) AS n FROM orders o JOIN customers k ON k.id = o.customer_id GROUP BY k.country
UNION ALL
SELECT 'tickets', k.country, count(*) FROM tickets t JOIN customers k ON k.id = t.customer_id GROUP BY k.country
ORDER BY 1, 2;

-- name: compose_union_distinct
SELECT o.customer_id FROM orders o JOIN order_lines l ON l.order_id = o.id WHERE l.quantity = 5
UNION
SELECT s.customer_id FROM subscriptions s JOIN plans p ON p.id = s.plan_id WHERE p.name = 'team';

-- name: compose_except
SELECT k.id FROM customers k JOIN sessions s ON s.customer_id = k.id
EXCEPT
SELECT o.customer_id FROM orders o JOIN payments p ON p.order_id = o.id WHERE p.succeeded;

-- name: compose_intersect
SELECT p.category_id FROM products p JOIN order_lines l ON l.product_id = p.id WHERE l.discount = 0.2
INTERSECT
SELECT p.category_id FROM products p JOIN reviews r ON r.product_id = p.id WHERE r.stars = 1;

-- name: compose_scalar_in_select
-- order: total
SELECT c.name, (SELECT count(*) FROM order_lines l JOIN products p ON p.id = l.product_id WHERE p.category_id = c.id) AS lines FROM categories c ORDER BY c.name;

-- name: compose_exists_in_select
-- order: total
SELECT n.code, sum(CASE WHEN EXISTS (SELECT 1 FROM tickets t WHERE t.customer_id = k.id) THEN 1 ELSE 0 END) AS with_ticket, count(*) AS customers
FROM country n JOIN customers k ON k.country = n.code
GROUP BY n.code
ORDER BY n.code;

-- name: compose_lateral
-- order: total
SELECT s.name, t.pieces
FROM stores s, LATERAL (SELECT sum(l.quantity) AS pieces FROM orders o JOIN order_lines l ON l.order_id = o.id WHERE o.store_id = s.id) t
ORDER BY s.name;

-- name: compose_window_over_block
-- order: total
SELECT country, channel, revenue, rank() OVER (PARTITION BY channel ORDER BY revenue DESC) AS position, revenue / sum(revenue) OVER (PARTITION BY channel) AS share
FROM (SELECT k.country, o.channel, sum(l.quantity * l.unit_price) AS revenue FROM customers k JOIN orders o ON o.customer_id = k.id JOIN order_lines l ON l.order_id = o.id GROUP BY 1, 2) b
ORDER BY channel, position, country;

-- name: compose_qualify
-- order: total
SELECT k.country, k.id, sum(l.quantity * l.unit_price) AS spent
FROM customers k JOIN orders o ON o.customer_id = k.id JOIN order_lines l ON l.order_id = o.id
GROUP BY k.country, k.id
QUALIFY row_number() OVER (PARTITION BY k.country ORDER BY sum(l.quantity * l.unit_price) DESC, k.id) <= 2
ORDER BY k.country, spent DESC, k.id;

-- name: compose_rows_of_top_groups
-- order: total
SELECT p.sku, p.price
FROM products p JOIN (
    SELECT l.product_id, sum(l.quantity) AS pieces FROM order_lines l JOIN orders o ON o.id = l.order_id GROUP BY l.product_id ORDER BY pieces DESC, l.product_id LIMIT 10
  ) t ON t.product_id = p.id
ORDER BY p.sku;

-- name: compose_three_levels
SELECT avg(highest) AS mean
FROM (
  SELECT country, max(amount) AS highest
  FROM (
    SELECT k.country, k.id, sum(b.amount) AS amount
    FROM customers k JOIN orders o ON o.customer_id = k.id JOIN (SELECT order_id, sum(quantity * unit_price) AS amount FROM order_lines GROUP BY order_id) b ON b.order_id = o.id
    GROUP BY k.country, k.id
  ) c
  GROUP BY country
) d;

-- name: compose_list_of_values
-- order: total
SELECT g.name, count(*) AS orders
FROM (VALUES ('small', 0, 200), ('middle', 200, 1000), ('large', 1000, 1000000)) g(name, low, high)
  JOIN (SELECT order_id, sum(quantity * unit_price) AS amount FROM order_lines GROUP BY order_id) b ON b.amount >= g.low AND b.amount < g.high
GROUP BY g.name
ORDER BY g.name;

-- name: compose_string_list
-- order: total
SELECT c.department, string_agg(DISTINCT n.code, ',' ORDER BY n.code) AS countries, count(*) AS lines
FROM categories c JOIN products p ON p.category_id = c.id JOIN order_lines l ON l.product_id = p.id JOIN orders o ON o.id = l.order_id JOIN customers k ON k.id = o.customer_id
  JOIN country n ON n.code = k.country
GROUP BY c.department
ORDER BY c.department;

-- name: compose_pivot
-- order: total
PIVOT (SELECT o.channel, o.status, l.quantity FROM orders o JOIN order_lines l ON l.order_id = o.id) ON channel IN ('app', 'web') USING sum(quantity) GROUP BY status ORDER BY status;

-- name: compose_group_by_all
SELECT k.segment, o.currency, count(*) AS n, max(o.ordered_at) AS latest FROM customers k JOIN orders o ON o.customer_id = k.id GROUP BY ALL;

-- name: compose_having_subquery
-- order: total
SELECT o.channel, sum(l.quantity) AS pieces
FROM orders o JOIN order_lines l ON l.order_id = o.id
GROUP BY o.channel
HAVING sum(l.quantity) > (SELECT sum(quantity) / 5 FROM order_lines)
ORDER BY o.channel;
