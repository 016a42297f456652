-- A catalogue of films: many-to-many tables around film and person, with small
-- tables of kinds, as in databases about films. Popular films and people have
-- many rows, most have few. At scale 1 there are 1000 films and 6000 credits.
CREATE TABLE kind AS
SELECT i::INTEGER AS id, ['feature', 'series', 'episode', 'short', 'video', 'game'][i + 1] AS name FROM range(6) t(i);

CREATE TABLE film AS
SELECT i::INTEGER AS id, ['The', 'A', 'Our', 'Lost', 'Last'][pick(i, 't1', 5) + 1] || ' '
    || ['King', 'Dragon', 'River', 'Money', 'Murder', 'Champion', 'Night', 'Garden', 'Shadow', 'Freddy'][pick(i, 't2', 10) + 1] || ' ' || i AS title,
  pick(i, 'k', 6)::INTEGER AS kind_id, CASE WHEN pick(i, 'yn', 20) > 0 THEN (2020 - bent(i, 'y', 90))::INTEGER END AS year,
  CASE WHEN pick(i, 'k', 6) = 2 THEN (1 + pick(i, 'ep', 24))::INTEGER END AS episode
FROM range(1000 * scale()) t(i);

CREATE TABLE person AS
SELECT i::INTEGER AS id, ['Ada', 'Bob', 'Cleo', 'Dan', 'Eva', 'Finn', 'Tim', 'Uma', 'Xavier', 'Yves'][pick(i, 'n1', 10) + 1] || ' '
    || chr((65 + pick(i, 'n2', 26))::INTEGER) || '. ' || i AS name,
  CASE pick(i, 'g', 5) WHEN 0 THEN NULL WHEN 1 THEN 'm' WHEN 2 THEN 'm' ELSE 'f' END AS gender,
  CASE WHEN pick(i, 'bn', 3) > 0 THEN (1920 + pick(i, 'b', 85))::INTEGER END AS born
FROM range(1500 * scale()) t(i);

CREATE TABLE role AS
SELECT i::INTEGER AS id, ['actor', 'actress', 'producer', 'writer', 'director', 'composer', 'editor', 'guest'][i + 1] AS name FROM range(8) t(i);

CREATE TABLE figure AS SELECT i::INTEGER AS id, ['Queen', 'Tony', 'Doctor', 'Officer'][pick(i, 'f', 4) + 1] || ' ' || i AS name FROM range(800 * scale()) t(i);

CREATE TABLE credit AS
SELECT i::INTEGER AS id, bent(i, 'f', 1000 * scale())::INTEGER AS film_id, bent(i, 'p', 1500 * scale())::INTEGER AS person_id,
  pick(i, 'r', 8)::INTEGER AS role_id, CASE WHEN pick(i, 'r', 8) < 2 THEN pick(i, 'x', 800 * scale())::INTEGER END AS figure_id,
  CASE pick(i, 'n', 9) WHEN 0 THEN '(voice)' WHEN 1 THEN '(uncredited)' WHEN 2 THEN '(producer)' WHEN 3 THEN '(voice) (uncredited)' END AS note,
  CASE WHEN pick(i, 'on', 2) = 0 THEN (1 + pick(i, 'o', 40))::INTEGER END AS position
FROM range(6000 * scale()) t(i);

CREATE TABLE company AS
SELECT i::INTEGER AS id, ['Metro', 'Film', 'Warner', 'Lion', 'Polygon', 'Arts'][pick(i, 'n', 6) + 1] || ' ' || i AS name,
  CASE WHEN pick(i, 'cn', 12) > 0 THEN ['[us]', '[de]', '[gb]', '[fr]', '[jp]', '[pl]', '[us]', '[us]'][pick(i, 'c', 8) + 1] END AS country
FROM range(120 * scale()) t(i);

CREATE TABLE company_role AS
SELECT i::INTEGER AS id, ['production companies', 'distributors', 'special effects', 'other'][i + 1] AS name FROM range(4) t(i);

CREATE TABLE film_company AS
SELECT i::INTEGER AS id, bent(i, 'f', 1000 * scale())::INTEGER AS film_id, bent(i, 'c', 120 * scale())::INTEGER AS company_id,
  pick(i, 'r', 4)::INTEGER AS role_id,
  CASE pick(i, 'n', 6) WHEN 0 THEN '(co-production)' WHEN 1 THEN '(presents)' WHEN 2 THEN '(2006) (worldwide) (TV)' WHEN 3 THEN '(USA)' END AS note
FROM range(2000 * scale()) t(i);

CREATE TABLE keyword AS
SELECT i::INTEGER AS id, CASE WHEN i < 12 THEN ['character-name-in-title', 'sequel', 'superhero', 'murder', 'violence', 'blood', 'revenge', 'magnet', 'hero',
  'marvel-comics', 'friendship', 'based-on-novel'][i + 1] ELSE 'keyword-' || i END AS name
FROM range(150 * scale()) t(i);

CREATE TABLE film_keyword AS
SELECT DISTINCT bent(i, 'f', 1000 * scale())::INTEGER AS film_id, bent(i, 'k', 150 * scale())::INTEGER AS keyword_id FROM range(3500 * scale()) t(i);

CREATE TABLE fact_kind AS
SELECT i::INTEGER AS id, ['genres', 'countries', 'rating', 'votes', 'budget', 'release', 'languages', 'height', 'trivia', 'biography'][i + 1] AS name
FROM range(10) t(i);

CREATE TABLE film_fact AS
SELECT i::INTEGER AS id, bent(i, 'f', 1000 * scale())::INTEGER AS film_id, k::INTEGER AS kind_id,
  CASE k WHEN 0 THEN ['Drama', 'Horror', 'Action', 'Comedy', 'Thriller', 'Crime'][pick(i, 'v0', 6) + 1]
    WHEN 1 THEN ['USA', 'Germany', 'Sweden', 'Japan', 'France'][pick(i, 'v1', 5) + 1]
    WHEN 4 THEN '$' || (1000 * pick(i, 'v4', 5000))
    WHEN 5 THEN ['USA', 'Germany', 'Japan'][pick(i, 'v5', 3) + 1] || ':' || (1990 + pick(i, 'v6', 30))
    WHEN 6 THEN ['English', 'German', 'Japanese'][pick(i, 'v7', 3) + 1] ELSE 'fact ' || i END AS value,
  CASE WHEN pick(i, 'n', 10) = 0 THEN 'internet' END AS note
FROM (SELECT i, [0, 0, 1, 1, 4, 5, 5, 6, 8, 8][pick(i, 'k', 10) + 1] AS k FROM range(4500 * scale()) t(i)) f;

CREATE TABLE film_score AS
SELECT i::INTEGER AS film_id, ((10 + pick(i, 'r', 90)) / 10.0)::DECIMAL(3, 1) AS rating, (5 + bent(i, 'v', 50000))::INTEGER AS votes
FROM range(1000 * scale()) t(i) WHERE pick(i, 'has', 3) > 0;

CREATE TABLE person_fact AS
SELECT i::INTEGER AS id, bent(i, 'p', 1500 * scale())::INTEGER AS person_id, (7 + pick(i, 'k', 3))::INTEGER AS kind_id, 'about ' || i AS value,
  CASE WHEN pick(i, 'n', 4) = 0 THEN 'Volker' END AS note
FROM range(2500 * scale()) t(i);

CREATE TABLE link_kind AS
SELECT i::INTEGER AS id, ['follows', 'followed by', 'remake of', 'references', 'spin off from', 'features'][i + 1] AS name FROM range(6) t(i);

CREATE TABLE film_link AS
SELECT i::INTEGER AS id, bent(i, 'a', 1000 * scale())::INTEGER AS film_id, pick(i, 'b', 1000 * scale())::INTEGER AS linked_id, pick(i, 'k', 6)::INTEGER AS kind_id
FROM range(900 * scale()) t(i);

CREATE TABLE person_alias AS
SELECT i::INTEGER AS id, bent(i, 'p', 1500 * scale())::INTEGER AS person_id, ['A', 'Zed', 'Mo', 'Anna'][pick(i, 'n', 4) + 1] || ' ' || i AS name
FROM range(700 * scale()) t(i);

CREATE TABLE film_alias AS
SELECT i::INTEGER AS id, bent(i, 'f', 1000 * scale())::INTEGER AS film_id, 'also ' || i AS title, CASE WHEN pick(i, 'n', 2) = 0 THEN '(international)' END AS note
FROM range(500 * scale()) t(i);

CREATE TABLE completeness AS
SELECT DISTINCT bent(i, 'f', 1000 * scale())::INTEGER AS film_id, ['cast', 'crew'][pick(i, 's', 2) + 1] AS subject,
  ['complete', 'complete+verified'][pick(i, 'c', 2) + 1] AS status
FROM range(400 * scale()) t(i);
