-- Many-to-many joins of a catalogue of films with selective conditions on the
-- small ends, in the manner of the join order benchmark.
-- family: film
-- data: film

-- name: film_01a
SELECT min(fc.note) AS production_note, min(t.title) AS film_title, min(t.year) AS film_year
FROM company_role AS cr, film_fact AS ff, fact_kind AS k, film_company AS fc, film AS t
WHERE cr.name = 'production companies' AND k.name = 'release' AND fc.note NOT LIKE '%(worldwide)%' AND (fc.note LIKE '%(co-production)%' OR fc.note LIKE '%(presents)%')
  AND cr.id = fc.role_id AND t.id = fc.film_id AND t.id = ff.film_id AND fc.film_id = ff.film_id AND k.id = ff.kind_id;

-- name: film_01b
SELECT min(fc.note) AS production_note, min(t.title) AS film_title, min(t.year) AS film_year
FROM company_role AS cr, film_fact AS ff, fact_kind AS k, film_company AS fc, film AS t
WHERE cr.name = 'distributors' AND k.name = 'budget' AND fc.note NOT LIKE '%(USA)%' AND t.year BETWEEN 2005 AND 2010
  AND cr.id = fc.role_id AND t.id = fc.film_id AND t.id = ff.film_id AND fc.film_id = ff.film_id AND k.id = ff.kind_id;

-- name: film_01c
SELECT count(*) AS n, min(t.year) AS first_year, max(t.year) AS last_year
FROM company_role AS cr, film_fact AS ff, fact_kind AS k, film_company AS fc, film AS t
WHERE cr.name = 'production companies' AND k.name = 'trivia' AND fc.note LIKE '%(co-production)%' AND t.year > 2010
  AND cr.id = fc.role_id AND t.id = fc.film_id AND t.id = ff.film_id AND fc.film_id = ff.film_id AND k.id = ff.kind_id;

-- name: film_02a
SELECT min(t.title) AS film_title
FROM company AS c, keyword AS k, film_company AS fc, film_keyword AS fk, film AS t
WHERE c.country = '[de]' AND k.name = 'character-name-in-title' AND c.id = fc.company_id AND fc.film_id = t.id AND t.id = fk.film_id AND fk.keyword_id = k.id
  AND fc.film_id = fk.film_id;

-- name: film_02b
SELECT min(t.title) AS film_title, count(*) AS n
FROM company AS c, keyword AS k, film_company AS fc, film_keyword AS fk, film AS t
WHERE c.country = '[us]' AND k.name = 'sequel' AND c.id = fc.company_id AND fc.film_id = t.id AND t.id = fk.film_id AND fk.keyword_id = k.id;

-- name: film_02c
SELECT count(DISTINCT t.id) AS films
FROM company AS c, keyword AS k, film_company AS fc, film_keyword AS fk, film AS t
WHERE c.country IN ('[gb]', '[fr]') AND k.name IN ('murder', 'blood', 'violence') AND c.id = fc.company_id AND fc.film_id = t.id AND t.id = fk.film_id
  AND fk.keyword_id = k.id;

-- name: film_03a
SELECT min(t.title) AS film_title
FROM keyword AS k, film_fact AS ff, film_keyword AS fk, film AS t
WHERE k.name LIKE '%sequel%' AND ff.value IN ('Sweden', 'Germany', 'Japan') AND t.year > 2005 AND t.id = ff.film_id AND t.id = fk.film_id
  AND fk.film_id = ff.film_id AND k.id = fk.keyword_id;

-- name: film_03b
SELECT min(t.title) AS film_title
FROM keyword AS k, film_fact AS ff, film_keyword AS fk, film AS t
WHERE k.name LIKE '%hero%' AND ff.value = 'USA' AND t.year > 2010 AND t.id = ff.film_id AND t.id = fk.film_id AND fk.film_id = ff.film_id
  AND k.id = fk.keyword_id;

-- name: film_03c
SELECT ff.value, count(*) AS n
FROM keyword AS k, film_fact AS ff, film_keyword AS fk, film AS t
WHERE k.name IN ('revenge', 'friendship') AND ff.value IN ('Sweden', 'Germany', 'Japan', 'USA', 'France') AND t.id = ff.film_id AND t.id = fk.film_id
  AND k.id = fk.keyword_id
GROUP BY ff.value
ORDER BY n DESC, ff.value;

-- name: film_04a
SELECT min(s.rating) AS rating, min(t.title) AS film_title
FROM keyword AS k, film_keyword AS fk, film_score AS s, film AS t
WHERE k.name LIKE '%sequel%' AND s.rating > 5.0 AND t.year > 2005 AND t.id = s.film_id AND t.id = fk.film_id AND fk.film_id = s.film_id AND k.id = fk.keyword_id;

-- name: film_04b
SELECT k.name, max(s.rating) AS best, avg(s.votes) AS votes
FROM keyword AS k, film_keyword AS fk, film_score AS s, film AS t
WHERE k.id < 12 AND s.votes > 1000 AND t.year BETWEEN 1990 AND 2015 AND t.id = s.film_id AND t.id = fk.film_id AND k.id = fk.keyword_id
GROUP BY k.name
ORDER BY k.name;

-- name: film_05a
SELECT min(t.title) AS european_film
FROM company_role AS cr, film_fact AS ff, film_company AS fc, film AS t
WHERE cr.name = 'production companies' AND fc.note LIKE '%(TV)%' AND ff.value IN ('Sweden', 'Germany', 'France') AND t.year > 2000
  AND t.id = ff.film_id AND t.id = fc.film_id AND fc.film_id = ff.film_id AND cr.id = fc.role_id;

-- name: film_05b
SELECT count(*) AS n
FROM company_role AS cr, film_fact AS ff, film_company AS fc, film AS t
WHERE cr.name <> 'other' AND fc.note IS NOT NULL AND ff.note IS NULL AND t.year > 1990 AND t.id = ff.film_id AND t.id = fc.film_id AND cr.id = fc.role_id;

-- name: film_06a
SELECT min(k.name) AS film_keyword, min(p.name) AS actor_name, min(t.title) AS hero_film
FROM credit AS ci, keyword AS k, film_keyword AS fk, person AS p, film AS t
WHERE k.name = 'marvel-comics' AND p.name LIKE '%Finn%' AND t.year > 2000 AND k.id = fk.keyword_id AND t.id = fk.film_id AND t.id = ci.film_id
  AND ci.film_id = fk.film_id AND p.id = ci.person_id;

-- name: film_06b
SELECT count(*) AS n
FROM credit AS ci, keyword AS k, film_keyword AS fk, person AS p, film AS t
WHERE k.name IN ('superhero', 'sequel', 'based-on-novel', 'revenge', 'magnet', 'violence') AND p.gender = 'm' AND t.year > 1990 AND k.id = fk.keyword_id
  AND t.id = fk.film_id AND t.id = ci.film_id AND p.id = ci.person_id;

-- name: film_06c
SELECT p.gender, count(*) AS credits, count(DISTINCT p.id) AS people
FROM credit AS ci, keyword AS k, film_keyword AS fk, person AS p, film AS t
WHERE k.name = 'hero' AND k.id = fk.keyword_id AND t.id = fk.film_id AND t.id = ci.film_id AND p.id = ci.person_id
GROUP BY p.gender
ORDER BY p.gender;

-- name: film_07a
SELECT min(p.name) AS of_person, min(t.title) AS biography_film
FROM person_alias AS pa, credit AS ci, fact_kind AS fk, link_kind AS lk, film_link AS fl, person AS p, person_fact AS pf, film AS t
WHERE pa.name LIKE '%a%' AND fk.name = 'biography' AND lk.name = 'features' AND p.gender = 'm' AND pf.note = 'Volker' AND t.year BETWEEN 1980 AND 2019
  AND p.id = pa.person_id AND p.id = pf.person_id AND ci.person_id = p.id AND t.id = ci.film_id AND fl.linked_id = t.id AND lk.id = fl.kind_id
  AND fk.id = pf.kind_id AND pf.person_id = pa.person_id AND pf.person_id = ci.person_id AND pa.person_id = ci.person_id AND ci.film_id = fl.linked_id;

-- name: film_07b
SELECT count(*) AS n
FROM person_alias AS pa, credit AS ci, fact_kind AS fk, link_kind AS lk, film_link AS fl, person AS p, person_fact AS pf, film AS t
WHERE fk.name = 'biography' AND lk.name IN ('features', 'references', 'follows') AND p.born >= 1950 AND t.year >= 1980
  AND p.id = pa.person_id AND p.id = pf.person_id AND ci.person_id = p.id AND t.id = ci.film_id AND fl.linked_id = t.id AND lk.id = fl.kind_id
  AND fk.id = pf.kind_id;

-- name: film_08a
SELECT min(pa.name) AS alias, min(t.title) AS film
FROM person_alias AS pa, credit AS ci, company AS c, film_company AS fc, person AS p, role AS r, film AS t
WHERE ci.note = '(voice)' AND c.country = '[jp]' AND fc.note LIKE '%(USA)%' AND p.name LIKE '%a%' AND r.name = 'actress' AND pa.person_id = p.id
  AND p.id = ci.person_id AND ci.film_id = t.id AND t.id = fc.film_id AND fc.company_id = c.id AND ci.role_id = r.id AND pa.person_id = ci.person_id
  AND ci.film_id = fc.film_id;

-- name: film_08b
SELECT r.name, count(*) AS n
FROM credit AS ci, company AS c, film_company AS fc, person AS p, role AS r, film AS t
WHERE c.country = '[us]' AND r.name IN ('writer', 'director', 'composer') AND p.id = ci.person_id AND ci.film_id = t.id AND t.id = fc.film_id
  AND fc.company_id = c.id AND ci.role_id = r.id
GROUP BY r.name
ORDER BY r.name;

-- name: film_09a
SELECT min(pa.name) AS alternative, min(f.name) AS figure, min(t.title) AS film
FROM person_alias AS pa, figure AS f, credit AS ci, company AS c, film_company AS fc, person AS p, role AS r, film AS t
WHERE ci.note IN ('(voice)', '(voice) (uncredited)') AND c.country = '[us]' AND p.gender = 'f' AND r.name = 'actress' AND t.year BETWEEN 1995 AND 2019
  AND ci.film_id = t.id AND t.id = fc.film_id AND ci.film_id = fc.film_id AND fc.company_id = c.id AND ci.role_id = r.id AND p.id = ci.person_id
  AND f.id = ci.figure_id AND pa.person_id = p.id AND pa.person_id = ci.person_id;

-- name: film_09b
SELECT count(*) AS n, count(DISTINCT f.id) AS figures
FROM person_alias AS pa, figure AS f, credit AS ci, company AS c, film_company AS fc, person AS p, role AS r, film AS t
WHERE c.country IN ('[us]', '[gb]') AND p.gender = 'f' AND r.name IN ('actor', 'actress') AND ci.film_id = t.id AND t.id = fc.film_id
  AND fc.company_id = c.id AND ci.role_id = r.id AND p.id = ci.person_id AND f.id = ci.figure_id AND pa.person_id = p.id;

-- name: film_10a
SELECT min(f.name) AS figure, min(t.title) AS film_with_producer
FROM figure AS f, credit AS ci, company AS c, company_role AS cr, film_company AS fc, role AS r, film AS t
WHERE ci.note LIKE '%(voice)%' AND c.country = '[pl]' AND r.name = 'actor' AND t.year > 2000 AND t.id = fc.film_id AND t.id = ci.film_id
  AND ci.film_id = fc.film_id AND f.id = ci.figure_id AND r.id = ci.role_id AND c.id = fc.company_id AND cr.id = fc.role_id;

-- name: film_10b
SELECT t.year, count(*) AS n
FROM figure AS f, credit AS ci, company AS c, company_role AS cr, film_company AS fc, role AS r, film AS t
WHERE c.country = '[us]' AND r.name = 'actor' AND t.year > 2010 AND t.id = fc.film_id AND t.id = ci.film_id AND f.id = ci.figure_id AND r.id = ci.role_id
  AND c.id = fc.company_id AND cr.id = fc.role_id
GROUP BY t.year
ORDER BY t.year;

-- name: film_11a
SELECT min(c.name) AS company, min(lk.name) AS link, min(t.title) AS polish_sequel
FROM company AS c, company_role AS cr, keyword AS k, link_kind AS lk, film_company AS fc, film_keyword AS fk, film_link AS fl, film AS t
WHERE c.country <> '[pl]' AND (c.name LIKE '%Film%' OR c.name LIKE '%Warner%') AND cr.name = 'production companies' AND k.name = 'sequel'
  AND lk.name LIKE '%follow%' AND fc.note IS NULL AND t.year BETWEEN 1950 AND 2015 AND lk.id = fl.kind_id AND fl.film_id = t.id AND t.id = fk.film_id
  AND fk.keyword_id = k.id AND t.id = fc.film_id AND fc.role_id = cr.id AND fc.company_id = c.id AND fl.film_id = fk.film_id AND fl.film_id = fc.film_id
  AND fk.film_id = fc.film_id;

-- name: film_11b
SELECT count(*) AS n
FROM company AS c, company_role AS cr, keyword AS k, link_kind AS lk, film_company AS fc, film_keyword AS fk, film_link AS fl, film AS t
WHERE c.country IS NOT NULL AND cr.name IN ('production companies', 'distributors') AND k.id < 12 AND lk.id = fl.kind_id AND fl.film_id = t.id
  AND t.id = fk.film_id AND fk.keyword_id = k.id AND t.id = fc.film_id AND fc.role_id = cr.id AND fc.company_id = c.id;

-- name: film_12a
SELECT min(c.name) AS company, min(s.rating) AS rating, min(t.title) AS mainstream
FROM company AS c, company_role AS cr, fact_kind AS k, film_company AS fc, film_fact AS ff, film_score AS s, film AS t
WHERE c.country = '[us]' AND cr.name = 'production companies' AND k.name = 'genres' AND ff.value IN ('Drama', 'Horror') AND s.rating > 8.0
  AND t.year BETWEEN 2005 AND 2018 AND t.id = ff.film_id AND t.id = s.film_id AND ff.kind_id = k.id AND t.id = fc.film_id AND cr.id = fc.role_id
  AND c.id = fc.company_id AND fc.film_id = ff.film_id AND fc.film_id = s.film_id AND ff.film_id = s.film_id;

-- name: film_12b
SELECT ff.value AS genre, count(*) AS n, avg(s.rating) AS rating
FROM company AS c, company_role AS cr, fact_kind AS k, film_company AS fc, film_fact AS ff, film_score AS s, film AS t
WHERE c.country = '[us]' AND cr.name IN ('production companies', 'distributors') AND k.name = 'genres' AND t.year > 2000 AND t.id = ff.film_id
  AND t.id = s.film_id AND ff.kind_id = k.id AND t.id = fc.film_id AND cr.id = fc.role_id AND c.id = fc.company_id
GROUP BY genre
ORDER BY genre;

-- name: film_13a
SELECT min(ff.value) AS release, min(s.rating) AS rating, min(t.title) AS film
FROM company AS c, company_role AS cr, fact_kind AS k, kind AS kt, film_company AS fc, film_fact AS ff, film_score AS s, film AS t
WHERE c.country = '[de]' AND cr.name = 'production companies' AND k.name = 'release' AND kt.name = 'feature' AND ff.film_id = t.id AND k.id = ff.kind_id
  AND kt.id = t.kind_id AND fc.film_id = t.id AND c.id = fc.company_id AND cr.id = fc.role_id AND s.film_id = t.id AND ff.film_id = s.film_id
  AND ff.film_id = fc.film_id AND s.film_id = fc.film_id;

-- name: film_13b
SELECT c.country, kt.name, max(s.rating) AS best, min(s.rating) AS worst
FROM company AS c, company_role AS cr, kind AS kt, film_company AS fc, film_score AS s, film AS t
WHERE kt.name IN ('feature', 'video', 'short') AND kt.id = t.kind_id AND fc.film_id = t.id AND c.id = fc.company_id AND cr.id = fc.role_id AND s.film_id = t.id
GROUP BY c.country, kt.name
ORDER BY c.country, kt.name;

-- name: film_14a
SELECT min(s.rating) AS rating, min(t.title) AS dark_production
FROM fact_kind AS k1, keyword AS k, kind AS kt, film_fact AS ff, film_score AS s, film_keyword AS fk, film AS t
WHERE k1.name = 'countries' AND k.name IN ('murder', 'blood', 'violence') AND kt.name = 'feature' AND ff.value IN ('Sweden', 'Germany', 'USA') AND s.rating < 8.5
  AND t.year > 2010 AND kt.id = t.kind_id AND t.id = ff.film_id AND t.id = fk.film_id AND t.id = s.film_id AND fk.film_id = ff.film_id
  AND fk.film_id = s.film_id AND ff.film_id = s.film_id AND k.id = fk.keyword_id AND k1.id = ff.kind_id;

-- name: film_14b
SELECT ff.value, k.name, count(*) AS n
FROM fact_kind AS k1, keyword AS k, film_fact AS ff, film_score AS s, film_keyword AS fk, film AS t
WHERE k1.name = 'countries' AND k.id < 10 AND s.rating BETWEEN 4.0 AND 8.5 AND t.id = ff.film_id AND t.id = fk.film_id AND t.id = s.film_id
  AND k.id = fk.keyword_id AND k1.id = ff.kind_id
GROUP BY ff.value, k.name
ORDER BY n DESC, ff.value, k.name
LIMIT 20;

-- name: film_15a
SELECT min(ff.value) AS release, min(t.title) AS internet_film
FROM film_alias AS fa, company AS c, company_role AS cr, fact_kind AS k, keyword AS kw, film_company AS fc, film_fact AS ff, film_keyword AS fk, film AS t
WHERE c.country = '[us]' AND k.name = 'release' AND fc.note LIKE '%(worldwide)%' AND ff.value LIKE 'USA:20%' AND ff.note LIKE '%internet%' AND t.year > 2000
  AND t.id = fa.film_id AND t.id = ff.film_id AND t.id = fk.film_id AND t.id = fc.film_id AND kw.id = fk.keyword_id AND k.id = ff.kind_id
  AND c.id = fc.company_id AND cr.id = fc.role_id;

-- name: film_15b
SELECT count(*) AS n
FROM film_alias AS fa, company AS c, company_role AS cr, fact_kind AS k, keyword AS kw, film_company AS fc, film_fact AS ff, film_keyword AS fk, film AS t
WHERE c.country = '[us]' AND k.name = 'release' AND t.year > 1990 AND t.id = fa.film_id AND t.id = ff.film_id AND t.id = fk.film_id AND t.id = fc.film_id
  AND kw.id = fk.keyword_id AND k.id = ff.kind_id AND c.id = fc.company_id AND cr.id = fc.role_id;

-- name: film_16a
SELECT min(pa.name) AS cool_alias, min(t.title) AS series
FROM person_alias AS pa, credit AS ci, company AS c, keyword AS k, film_company AS fc, film_keyword AS fk, person AS p, film AS t
WHERE c.country = '[us]' AND k.name = 'character-name-in-title' AND t.episode >= 5 AND t.episode < 20 AND pa.person_id = p.id AND p.id = ci.person_id
  AND ci.film_id = t.id AND t.id = fk.film_id AND fk.keyword_id = k.id AND t.id = fc.film_id AND fc.company_id = c.id AND pa.person_id = ci.person_id
  AND ci.film_id = fc.film_id AND ci.film_id = fk.film_id AND fc.film_id = fk.film_id;

-- name: film_16b
SELECT count(*) AS n
FROM person_alias AS pa, credit AS ci, company AS c, keyword AS k, film_company AS fc, film_keyword AS fk, person AS p, film AS t
WHERE c.country = '[us]' AND k.id < 20 AND pa.person_id = p.id AND p.id = ci.person_id AND ci.film_id = t.id AND t.id = fk.film_id AND fk.keyword_id = k.id
  AND t.id = fc.film_id AND fc.company_id = c.id;

-- name: film_17a
SELECT min(p.name) AS member_in_film
FROM credit AS ci, company AS c, keyword AS k, film_company AS fc, film_keyword AS fk, person AS p, film AS t
WHERE c.country = '[us]' AND k.name = 'character-name-in-title' AND p.name LIKE 'B%' AND p.id = ci.person_id AND ci.film_id = t.id AND t.id = fk.film_id
  AND fk.keyword_id = k.id AND t.id = fc.film_id AND fc.company_id = c.id AND ci.film_id = fc.film_id AND ci.film_id = fk.film_id AND fc.film_id = fk.film_id;

-- name: film_17b
SELECT left(p.name, 1) AS initial, count(*) AS n
FROM credit AS ci, keyword AS k, film_company AS fc, film_keyword AS fk, person AS p, film AS t
WHERE k.name = 'sequel' AND p.id = ci.person_id AND ci.film_id = t.id AND t.id = fk.film_id AND fk.keyword_id = k.id AND t.id = fc.film_id
GROUP BY initial
ORDER BY initial;

-- name: film_18a
SELECT min(ff.value) AS budget, min(s.votes) AS votes, min(t.title) AS film
FROM credit AS ci, fact_kind AS k, film_fact AS ff, film_score AS s, person AS p, film AS t
WHERE ci.note = '(producer)' AND k.name = 'budget' AND p.gender = 'm' AND p.name LIKE '%Tim%' AND t.id = ff.film_id AND t.id = s.film_id AND t.id = ci.film_id
  AND ci.film_id = ff.film_id AND ci.film_id = s.film_id AND ff.film_id = s.film_id AND p.id = ci.person_id AND k.id = ff.kind_id;

-- name: film_18b
SELECT count(*) AS n, sum(s.votes) AS votes
FROM credit AS ci, fact_kind AS k, film_fact AS ff, film_score AS s, person AS p, film AS t
WHERE ci.note IN ('(producer)', '(voice)') AND k.name = 'genres' AND ff.value = 'Horror' AND p.gender = 'f' AND s.rating > 6.0 AND t.id = ff.film_id
  AND t.id = s.film_id AND t.id = ci.film_id AND p.id = ci.person_id AND k.id = ff.kind_id;

-- name: film_19a
SELECT min(p.name) AS voicing_actress, min(t.title) AS voiced_film
FROM person_alias AS pa, figure AS f, credit AS ci, company AS c, fact_kind AS k, film_company AS fc, film_fact AS ff, person AS p, role AS r, film AS t
WHERE ci.note LIKE '%(voice)%' AND c.country = '[us]' AND k.name = 'release' AND ff.value LIKE 'Japan:%' AND p.gender = 'f' AND r.name = 'actress'
  AND t.year > 2000 AND t.id = ff.film_id AND t.id = fc.film_id AND t.id = ci.film_id AND fc.film_id = ci.film_id AND fc.film_id = ff.film_id
  AND ff.film_id = ci.film_id AND c.id = fc.company_id AND k.id = ff.kind_id AND p.id = ci.person_id AND r.id = ci.role_id AND p.id = pa.person_id
  AND ci.person_id = pa.person_id AND f.id = ci.figure_id;

-- name: film_19b
SELECT count(*) AS n
FROM person_alias AS pa, figure AS f, credit AS ci, company AS c, fact_kind AS k, film_company AS fc, film_fact AS ff, person AS p, role AS r, film AS t
WHERE k.name = 'release' AND r.name = 'actress' AND t.id = ff.film_id AND t.id = fc.film_id AND t.id = ci.film_id AND c.id = fc.company_id AND k.id = ff.kind_id
  AND p.id = ci.person_id AND r.id = ci.role_id AND p.id = pa.person_id AND f.id = ci.figure_id;

-- name: film_20a
SELECT min(t.title) AS complete_hero_film
FROM completeness AS cc, figure AS f, credit AS ci, keyword AS k, kind AS kt, film_keyword AS fk, person AS p, film AS t
WHERE cc.subject = 'cast' AND cc.status LIKE '%complete%' AND f.name NOT LIKE '%Queen%' AND (f.name LIKE '%Tony%' OR f.name LIKE '%Doctor%')
  AND k.name IN ('superhero', 'sequel', 'marvel-comics', 'based-on-novel', 'hero') AND kt.name = 'feature' AND t.year > 1950 AND kt.id = t.kind_id
  AND t.id = fk.film_id AND t.id = ci.film_id AND t.id = cc.film_id AND f.id = ci.figure_id AND p.id = ci.person_id AND k.id = fk.keyword_id;

-- name: film_20b
SELECT cc.status, count(*) AS n
FROM completeness AS cc, figure AS f, credit AS ci, keyword AS k, film_keyword AS fk, person AS p, film AS t
WHERE cc.subject = 'crew' AND k.id < 12 AND t.id = fk.film_id AND t.id = ci.film_id AND t.id = cc.film_id AND f.id = ci.figure_id AND p.id = ci.person_id
  AND k.id = fk.keyword_id
GROUP BY cc.status
ORDER BY cc.status;

-- name: film_21a
SELECT min(c.name) AS company, min(lk.name) AS link, min(t.title) AS western_follow_up
FROM company AS c, company_role AS cr, keyword AS k, link_kind AS lk, film_company AS fc, film_fact AS ff, film_keyword AS fk, film_link AS fl, film AS t
WHERE c.country <> '[pl]' AND cr.name = 'production companies' AND k.name = 'sequel' AND lk.name LIKE '%follow%' AND ff.value IN ('Germany', 'Sweden', 'USA')
  AND t.year BETWEEN 1950 AND 2018 AND lk.id = fl.kind_id AND fl.film_id = t.id AND t.id = fk.film_id AND fk.keyword_id = k.id AND t.id = fc.film_id
  AND fc.role_id = cr.id AND fc.company_id = c.id AND ff.film_id = t.id;

-- name: film_22a
SELECT min(c.name) AS company, min(s.rating) AS rating, min(t.title) AS violent_film
FROM company AS c, company_role AS cr, fact_kind AS k1, keyword AS k, kind AS kt, film_company AS fc, film_fact AS ff, film_score AS s, film_keyword AS fk, film AS t
WHERE c.country <> '[us]' AND k1.name = 'countries' AND k.name IN ('murder', 'blood', 'violence') AND kt.name IN ('feature', 'episode')
  AND ff.value IN ('Germany', 'USA', 'Sweden') AND s.rating < 7.0 AND t.year > 1995 AND kt.id = t.kind_id AND t.id = ff.film_id AND t.id = fk.film_id
  AND t.id = s.film_id AND t.id = fc.film_id AND k.id = fk.keyword_id AND k1.id = ff.kind_id AND cr.id = fc.role_id AND c.id = fc.company_id;

-- name: film_22b
SELECT count(*) AS n
FROM company AS c, company_role AS cr, fact_kind AS k1, keyword AS k, kind AS kt, film_company AS fc, film_fact AS ff, film_score AS s, film_keyword AS fk, film AS t
WHERE c.country <> '[us]' AND k1.name = 'countries' AND k.id < 30 AND kt.name IN ('feature', 'episode', 'short') AND kt.id = t.kind_id AND t.id = ff.film_id
  AND t.id = fk.film_id AND t.id = s.film_id AND t.id = fc.film_id AND k.id = fk.keyword_id AND k1.id = ff.kind_id AND cr.id = fc.role_id
  AND c.id = fc.company_id;

-- name: film_24a
SELECT min(f.name) AS figure, min(p.name) AS voice, min(t.title) AS action_film
FROM figure AS f, credit AS ci, company AS c, fact_kind AS k1, keyword AS k, film_company AS fc, film_fact AS ff, film_keyword AS fk, person AS p, role AS r, film AS t
WHERE ci.note LIKE '(voice)%' AND c.country = '[us]' AND k1.name = 'release' AND k.name IN ('hero', 'superhero', 'revenge') AND p.gender = 'f'
  AND r.name = 'actress' AND t.year > 2000 AND t.id = ff.film_id AND t.id = fc.film_id AND t.id = ci.film_id AND t.id = fk.film_id AND c.id = fc.company_id
  AND k1.id = ff.kind_id AND p.id = ci.person_id AND r.id = ci.role_id AND f.id = ci.figure_id AND k.id = fk.keyword_id;

-- name: film_25a
SELECT min(ff.value) AS genre, min(s.votes) AS votes, min(p.name) AS writer, min(t.title) AS violent_film
FROM credit AS ci, fact_kind AS k1, keyword AS k, film_fact AS ff, film_score AS s, film_keyword AS fk, person AS p, film AS t
WHERE ci.note IN ('(producer)', '(uncredited)') AND k1.name = 'genres' AND k.name IN ('murder', 'blood', 'violence') AND ff.value = 'Horror' AND p.gender = 'm'
  AND t.id = ff.film_id AND t.id = s.film_id AND t.id = ci.film_id AND t.id = fk.film_id AND p.id = ci.person_id AND k1.id = ff.kind_id AND k.id = fk.keyword_id;

-- name: film_26a
SELECT f.name AS figure, max(s.rating) AS rating, count(*) AS n
FROM completeness AS cc, figure AS f, credit AS ci, keyword AS k, film_score AS s, film_keyword AS fk, film AS t
WHERE cc.status LIKE 'complete%' AND k.id < 8 AND s.rating > 5.0 AND t.id = cc.film_id AND t.id = ci.film_id AND t.id = s.film_id AND t.id = fk.film_id
  AND f.id = ci.figure_id AND k.id = fk.keyword_id
GROUP BY f.name
ORDER BY rating DESC, n DESC, figure
LIMIT 10;

-- name: film_27a
SELECT count(*) AS n
FROM film_link AS fl JOIN film AS a ON a.id = fl.film_id JOIN film AS b ON b.id = fl.linked_id JOIN link_kind AS lk ON lk.id = fl.kind_id
  JOIN film_score AS sa ON sa.film_id = a.id JOIN film_score AS sb ON sb.film_id = b.id
WHERE lk.name = 'follows' AND sb.rating > sa.rating AND a.year < b.year;

-- name: film_28a
SELECT lk.name, avg(sb.rating - sa.rating) AS change
FROM film_link AS fl JOIN link_kind AS lk ON lk.id = fl.kind_id JOIN film_score AS sa ON sa.film_id = fl.film_id JOIN film_score AS sb ON sb.film_id = fl.linked_id
GROUP BY lk.name
ORDER BY lk.name;

-- name: film_29a
SELECT count(*) AS pairs
FROM credit AS a JOIN credit AS b ON a.film_id = b.film_id JOIN role AS ra ON ra.id = a.role_id JOIN role AS rb ON rb.id = b.role_id
WHERE ra.name = 'director' AND rb.name = 'writer' AND a.person_id <> b.person_id;

-- name: film_30a
SELECT p.born // 10 * 10 AS decade, count(*) AS pairs
FROM credit AS a JOIN credit AS b ON a.film_id = b.film_id AND a.person_id < b.person_id JOIN person AS p ON p.id = a.person_id JOIN person AS q ON q.id = b.person_id
WHERE p.born = q.born
GROUP BY decade
ORDER BY decade;

-- name: film_31a
SELECT c.country, r.name AS role, count(*) AS n, count(DISTINCT ci.person_id) AS people
FROM company AS c JOIN film_company AS fc ON fc.company_id = c.id JOIN credit AS ci ON ci.film_id = fc.film_id JOIN role AS r ON r.id = ci.role_id
GROUP BY c.country, r.name
ORDER BY c.country, role;

-- name: film_32a
SELECT k1.name AS one, k2.name AS other, count(*) AS films
FROM film_keyword AS a JOIN film_keyword AS b ON a.film_id = b.film_id AND a.keyword_id < b.keyword_id JOIN keyword AS k1 ON k1.id = a.keyword_id
  JOIN keyword AS k2 ON k2.id = b.keyword_id
GROUP BY k1.name, k2.name
ORDER BY films DESC, one, other
LIMIT 10;

-- name: film_33a
SELECT p.name, count(DISTINCT fc.company_id) AS companies
FROM person AS p JOIN credit AS ci ON ci.person_id = p.id JOIN film_company AS fc ON fc.film_id = ci.film_id JOIN company_role AS cr ON cr.id = fc.role_id
WHERE cr.name = 'production companies' AND p.born > 1990
GROUP BY p.id, p.name
HAVING count(DISTINCT fc.company_id) >= 2
ORDER BY companies DESC, p.name
LIMIT 25;
