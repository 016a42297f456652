-- A shop and the software that runs it: orders with lines, payments, returns and
-- deliveries; web sessions and events; subscriptions, invoices and tickets; stock;
-- measurements of servers. Two years and a half of data. At scale 1 there are 2000
-- orders and 5000 events.
CREATE TABLE country AS
SELECT ['US', 'DE', 'GB', 'FR', 'JP', 'BR', 'IN', 'PL', 'SE', 'CA'][i + 1] AS code,
  ['United States', 'Germany', 'United Kingdom', 'France', 'Japan', 'Brazil', 'India', 'Poland', 'Sweden', 'Canada'][i + 1] AS name,
  ['Americas', 'Europe', 'Europe', 'Europe', 'Asia', 'Americas', 'Asia', 'Europe', 'Europe', 'Americas'][i + 1] AS region,
  [0.0, 0.19, 0.2, 0.2, 0.1, 0.17, 0.18, 0.23, 0.25, 0.05][i + 1]::DECIMAL(4, 2) AS vat
FROM range(10) t(i);

CREATE TABLE customers AS
SELECT i::INTEGER AS id, 'customer ' || i AS name, 'user' || i || '@' || ['example.com', 'mail.test', 'corp.test'][pick(i, 'm', 3) + 1] AS email,
  ['US', 'DE', 'GB', 'FR', 'JP', 'BR', 'IN', 'PL', 'SE', 'CA'][skewed(i, 'c', 10) + 1] AS country,
  CASE WHEN pick(i, 'sn', 8) > 0 THEN ['consumer', 'business', 'reseller'][pick(i, 's', 3) + 1] END AS segment,
  TIMESTAMP '2022-01-01' + to_minutes(pick(i, 'created', 900 * 1440)) AS created_at,
  CASE WHEN pick(i, 'ch', 6) > 0 THEN ['organic', 'ads', 'referral', 'email', 'partner'][pick(i, 'channel', 5) + 1] END AS channel,
  CASE WHEN pick(i, 'ref', 4) = 0 AND i > 0 THEN pick(i, 'by', i)::INTEGER END AS referred_by, pick(i, 'news', 3) = 0 AS newsletter
FROM range(300 * scale()) t(i);

CREATE TABLE categories AS
SELECT i::INTEGER AS id, ['Audio', 'Phones', 'Laptops', 'Home', 'Garden', 'Toys', 'Books', 'Sports', 'Food', 'Music', 'Office', 'Cameras'][i + 1] AS name,
  ['Electronics', 'Electronics', 'Electronics', 'Living', 'Living', 'Leisure', 'Leisure', 'Leisure', 'Grocery', 'Leisure', 'Living', 'Electronics'][i + 1] AS department
FROM range(12) t(i);

CREATE TABLE suppliers AS
SELECT i::INTEGER AS id, 'supplier ' || i AS name, ['US', 'DE', 'JP', 'CN', 'PL'][pick(i, 'c', 5) + 1] AS country, (1 + pick(i, 'lead', 30))::INTEGER AS lead_days
FROM range(25) t(i);

CREATE TABLE products AS
SELECT i::INTEGER AS id, 'SKU-' || lpad(i::VARCHAR, 6, '0') AS sku, pick(i, 'c', 12)::INTEGER AS category_id,
  CASE WHEN pick(i, 'sn', 15) > 0 THEN pick(i, 's', 25)::INTEGER END AS supplier_id, ((199 + pick(i, 'p', 80000)) / 100.0)::DECIMAL(10, 2) AS price,
  ((99 + pick(i, 'p', 80000) * 6 // 10) / 100.0)::DECIMAL(10, 2) AS cost, pick(i, 'a', 10) > 0 AS active, DATE '2021-06-01' + pick(i, 'l', 1000)::INTEGER AS launched,
  CASE WHEN pick(i, 'wn', 5) > 0 THEN (pick(i, 'w', 400) / 16.0)::DOUBLE END AS weight_kg
FROM range(150 * scale()) t(i);

CREATE TABLE stores AS
SELECT i::INTEGER AS id, 'store ' || i AS name, ['US', 'DE', 'GB', 'FR', 'JP'][pick(i, 'c', 5) + 1] AS country, (50 + pick(i, 'a', 900))::INTEGER AS area_m2,
  DATE '2015-01-01' + pick(i, 'o', 3000)::INTEGER AS opened
FROM range(20) t(i);

CREATE TABLE orders AS
SELECT i::INTEGER AS id, skewed(i, 'c', 300 * scale())::INTEGER AS customer_id, CASE WHEN pick(i, 'st', 3) = 0 THEN pick(i, 's', 20)::INTEGER END AS store_id,
  TIMESTAMP '2022-01-01' + to_seconds(pick(i, 'at', 910 * 86400)) AS ordered_at,
  ['paid', 'paid', 'paid', 'paid', 'shipped', 'shipped', 'cancelled', 'refunded', 'pending'][pick(i, 'status', 9) + 1] AS status,
  CASE WHEN pick(i, 'cp', 4) = 0 THEN 'COUPON' || pick(i, 'cn', 12) END AS coupon, ['web', 'app', 'store', 'phone'][pick(i, 'ch', 4) + 1] AS channel,
  ['EUR', 'USD', 'USD', 'GBP'][pick(i, 'cur', 4) + 1] AS currency
FROM range(2000 * scale()) t(i);

CREATE TABLE order_lines AS
SELECT o::INTEGER AS order_id, n::INTEGER AS line, skewed(6 * o + n, 'p', 150 * scale())::INTEGER AS product_id, (1 + pick(6 * o + n, 'q', 5))::INTEGER AS quantity,
  ((199 + pick(skewed(6 * o + n, 'p', 150 * scale()), 'p', 80000)) / 100.0)::DECIMAL(10, 2) AS unit_price,
  ([0, 0, 0, 5, 10, 15, 20][pick(6 * o + n, 'd', 7) + 1] / 100.0)::DECIMAL(4, 2) AS discount
FROM range(2000 * scale()) t(o), range(1, 6) l(n)
WHERE n <= 1 + pick(o, 'lines', 5);

CREATE TABLE payments AS
SELECT i::INTEGER AS id, o::INTEGER AS order_id, ['card', 'card', 'paypal', 'transfer', 'giftcard'][pick(i, 'm', 5) + 1] AS method,
  ((500 + pick(i, 'a', 90000)) / 100.0)::DECIMAL(12, 2) AS amount, pick(i, 'ok', 12) > 0 AS succeeded, DATE '2022-01-01' + pick(i, 'd', 910)::INTEGER AS paid_on
FROM (SELECT i, pick(i, 'o', 2000 * scale()) AS o FROM range(2200 * scale()) t(i)) p;

CREATE TABLE returns AS
SELECT i::INTEGER AS id, order_id, line, ['damaged', 'wrong item', 'too late', 'regret'][pick(i, 'r', 4) + 1] AS reason, DATE '2022-02-01' + pick(i, 'd', 880)::INTEGER AS returned_on
FROM (SELECT row_number() OVER (ORDER BY order_id, line) AS i, order_id, line FROM order_lines WHERE pick(order_id, line, 12) = 0) r;

CREATE TABLE deliveries AS
SELECT id AS order_id, ['DHL', 'UPS', 'Post', 'Bike'][pick(id, 'carrier', 4) + 1] AS carrier, ordered_at + to_hours(4 + pick(id, 'h', 60)) AS shipped_at,
  CASE WHEN pick(id, 'dn', 10) > 0 THEN ordered_at + to_hours(64 + pick(id, 'h2', 200)) END AS delivered_at, ((300 + pick(id, 'fee', 1200)) / 100.0)::DECIMAL(8, 2) AS fee
FROM orders WHERE status IN ('paid', 'shipped', 'refunded');

CREATE TABLE reviews AS
SELECT i::INTEGER AS id, skewed(i, 'p', 150 * scale())::INTEGER AS product_id, pick(i, 'c', 300 * scale())::INTEGER AS customer_id,
  (5 - skewed(i, 's', 5))::INTEGER AS stars, DATE '2022-03-01' + pick(i, 'd', 850)::INTEGER AS written_on, pick(i, 'helpful', 20)::INTEGER AS helpful
FROM range(600 * scale()) t(i);

CREATE TABLE sessions AS
SELECT i::INTEGER AS id, CASE WHEN pick(i, 'anon', 3) > 0 THEN skewed(i, 'c', 300 * scale())::INTEGER END AS customer_id,
  TIMESTAMP '2023-01-01' + to_seconds(pick(i, 't', 365 * 86400)) AS started_at, ['desktop', 'mobile', 'tablet'][skewed(i, 'd', 3) + 1] AS device,
  ['Chrome', 'Safari', 'Firefox', 'Edge'][skewed(i, 'b', 4) + 1] AS browser,
  CASE WHEN pick(i, 'rn', 3) > 0 THEN ['google', 'bing', 'news', 'social', 'mail'][pick(i, 'r', 5) + 1] END AS referrer,
  CASE WHEN pick(i, 'cn', 3) = 0 THEN pick(i, 'camp', 15)::INTEGER END AS campaign_id
FROM range(1500 * scale()) t(i);

CREATE TABLE events AS
SELECT i::INTEGER AS id, e.session::INTEGER AS session_id, kind, started_at + to_seconds(pick(i, 'sec', 3600)) AS happened_at,
  CASE WHEN kind IN ('view', 'cart') THEN skewed(i, 'p', 150 * scale())::INTEGER END AS product_id,
  CASE WHEN kind = 'purchase' THEN ((500 + pick(i, 'v', 40000)) / 100.0)::DECIMAL(10, 2) END AS value, (20 + skewed(i, 'ms', 3000))::INTEGER AS duration_ms
FROM (SELECT i, skewed(i, 's', 1500 * scale()) AS session, ['view', 'view', 'view', 'search', 'cart', 'checkout', 'purchase'][pick(i, 'k', 7) + 1] AS kind
  FROM range(5000 * scale()) t(i)) e
JOIN sessions ON sessions.id = e.session
ORDER BY happened_at, i;

CREATE TABLE campaigns AS
SELECT i::INTEGER AS id, 'campaign ' || i AS name, ['search', 'social', 'email', 'display'][pick(i, 'm', 4) + 1] AS medium, DATE '2023-01-01' + (i * 20)::INTEGER AS starts,
  DATE '2023-02-01' + (i * 20)::INTEGER AS ends, ((100000 + pick(i, 'b', 900000)) / 100.0)::DECIMAL(12, 2) AS budget
FROM range(15) t(i);

CREATE TABLE spend AS
SELECT campaign_id::INTEGER AS campaign_id, DATE '2023-01-01' + d::INTEGER AS day, (pick(400 * campaign_id + d, 'cost', 20000) / 100.0)::DECIMAL(10, 2) AS cost,
  (100 + pick(400 * campaign_id + d, 'imp', 9000))::BIGINT AS impressions, pick(400 * campaign_id + d, 'clk', 100)::BIGINT AS clicks
FROM range(15) c(campaign_id), range(365) t(d);

CREATE TABLE plans AS
SELECT i::INTEGER AS id, ['free', 'basic', 'pro', 'team'][i + 1] AS name, [0, 9, 29, 99][i + 1]::DECIMAL(8, 2) AS monthly FROM range(4) t(i);

CREATE TABLE subscriptions AS
SELECT i::INTEGER AS id, pick(i, 'c', 300 * scale())::INTEGER AS customer_id, skewed(i, 'p', 4)::INTEGER AS plan_id, start AS started_on,
  CASE WHEN pick(i, 'end', 2) = 0 THEN start + (30 + pick(i, 'len', 500))::INTEGER END AS ended_on, (1 + pick(i, 'seats', 20))::INTEGER AS seats
FROM (SELECT i, DATE '2022-01-01' + pick(i, 's', 800)::INTEGER AS start FROM range(400 * scale()) t(i)) s;

CREATE TABLE invoices AS
SELECT i::INTEGER AS id, pick(i, 's', 400 * scale())::INTEGER AS subscription_id, DATE '2022-01-15' + (30 * pick(i, 'm', 29))::INTEGER AS issued_on,
  ((900 + pick(i, 'a', 20000)) / 100.0)::DECIMAL(10, 2) AS amount,
  CASE WHEN pick(i, 'paid', 7) > 0 THEN DATE '2022-01-15' + (30 * pick(i, 'm', 29) + pick(i, 'late', 45))::INTEGER END AS paid_on
FROM range(2000 * scale()) t(i);

CREATE TABLE agents AS SELECT i::INTEGER AS id, 'agent ' || i AS name, ['east', 'west', 'night'][i % 3 + 1] AS team FROM range(30) t(i);

CREATE TABLE tickets AS
SELECT i::INTEGER AS id, pick(i, 'c', 300 * scale())::INTEGER AS customer_id, CASE WHEN pick(i, 'an', 8) > 0 THEN pick(i, 'a', 30)::INTEGER END AS agent_id,
  opened AS opened_at, CASE WHEN pick(i, 'cl', 6) > 0 THEN opened + to_minutes(5 + skewed(i, 'm', 20000)) END AS closed_at,
  ['low', 'normal', 'high', 'urgent'][skewed(i, 'p', 4) + 1] AS priority, CASE WHEN pick(i, 'sn', 3) > 0 THEN (1 + pick(i, 's', 5))::INTEGER END AS score
FROM (SELECT i, TIMESTAMP '2023-01-01' + to_minutes(pick(i, 'o', 500000)) AS opened FROM range(500 * scale()) t(i)) t;

CREATE TABLE warehouses AS SELECT i::INTEGER AS id, 'warehouse ' || i AS name, ['US', 'DE', 'JP', 'GB'][i % 4 + 1] AS country FROM range(8) t(i);

CREATE TABLE stock AS
SELECT w::INTEGER AS warehouse_id, p::INTEGER AS product_id, pick(8 * p + w, 'n', 300)::INTEGER AS on_hand, pick(8 * p + w, 'r', 60)::INTEGER AS reserved,
  20::INTEGER AS reorder_at
FROM range(8) a(w), range(150 * scale()) b(p) WHERE pick(8 * p + w, 'has', 3) > 0;

CREATE TABLE rates AS
SELECT currency, DATE '2022-01-01' + (30 * m)::INTEGER AS month, CASE currency WHEN 'USD' THEN 1.0 WHEN 'EUR' THEN (100 + pick(m, 'e', 12)) / 100.0
  ELSE (120 + pick(m, 'g', 12)) / 100.0 END::DECIMAL(6, 4) AS usd
FROM (VALUES ('USD'), ('EUR'), ('GBP')) c(currency), range(31) t(m);

CREATE TABLE employees AS
SELECT i::INTEGER AS id, 'employee ' || i AS name, CASE WHEN i > 0 THEN ((i - 1) // 5)::INTEGER END AS manager_id, pick(i, 'd', 6)::INTEGER AS department_id,
  (30000 + 500 * pick(i, 's', 180))::INTEGER AS salary, DATE '2012-01-01' + pick(i, 'h', 4300)::INTEGER AS hired
FROM range(120) t(i);
CREATE TABLE departments AS SELECT i::INTEGER AS id, ['Sales', 'Support', 'Product', 'Finance', 'Legal', 'Research', 'Board'][i + 1] AS name FROM range(7) t(i);

CREATE TABLE hosts AS
SELECT i::INTEGER AS host, 'host' || i AS name, ['eu', 'us', 'ap'][i % 3 + 1] AS region, ['web', 'db', 'queue'][pick(i, 'r', 3) + 1] AS service FROM range(40) t(i);
CREATE TABLE metrics AS
SELECT (i % 40)::INTEGER AS host, TIMESTAMP '2024-01-01' + to_seconds(60 * (i // 40)) AS taken_at, (pick(i, 'cpu', 1600) / 16.0)::DOUBLE AS cpu, (pick(i, 'mem', 1024) / 8.0)::DOUBLE AS mem,
  pick(i, 'req', 500)::INTEGER AS requests, CASE WHEN pick(i, 'err', 10) = 0 THEN pick(i, 'errs', 20)::INTEGER ELSE 0 END AS errors
FROM range(6000 * scale()) t(i);
