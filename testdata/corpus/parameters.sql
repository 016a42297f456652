-- Statement parameters in place of constants.

-- name: param_key
-- expect: tensor
-- params: 1
SELECT count(*), sum(b.y) FROM a JOIN b ON a.k = b.k WHERE a.k = $1;

-- name: param_key_absent
-- expect: tensor
-- params: 77
SELECT count(*), sum(b.y) FROM a JOIN b ON a.k = b.k WHERE a.k = $1;

-- name: param_key_null
-- expect: tensor
-- params: NULL
SELECT count(*), sum(b.y) FROM a JOIN b ON a.k = b.k WHERE a.k = $1;

-- name: param_string
-- expect: tensor
-- params: 'it''s'
SELECT count(*), sum(u.m) FROM txt t JOIN txt2 u ON t.s = u.s WHERE t.s = $1;

-- name: param_date
-- expect: tensor
-- params: DATE '2024-02-29'
SELECT count(*), sum(cal.n) FROM ev JOIN cal ON ev.day = cal.day WHERE cal.day = $1;

-- name: param_two
-- expect: tensor
-- params: 1 ;; 'red'
SELECT a.x, count(*) FROM a JOIN b ON a.k = b.k WHERE a.k = $1 AND b.tag = $2 GROUP BY a.x;

-- name: param_reused
-- expect: tensor
-- params: 3
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.k = $1 OR a.x = $1;

-- name: param_out_of_order
-- expect: tensor
-- params: 0 ;; 3
SELECT count(*), sum(a.x) FROM a JOIN b ON a.k = b.k WHERE b.y > $2 AND a.x > $1;

-- name: param_range
-- expect: tensor
-- params: -5 ;; 2
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.x BETWEEN $1 AND $2;

-- name: param_in
-- expect: tensor
-- params: 1 ;; 3
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.k IN ($1, $2);

-- name: param_like
-- expect: tensor
-- params: 'a%'
SELECT sum(n) FROM txt WHERE s LIKE $1;
