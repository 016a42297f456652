-- connection test
-- ping;
-- versions
SELECT current_setting('server_version_num')::int/100 as version;
SELECT extversion FROM pg_extension WHERE extname = 'timescaledb';
-- databases
SELECT datname FROM pg_database WHERE datistemplate = false ORDER BY datname;
-- schemas
SELECT schema_name FROM information_schema.schemata
    WHERE schema_name NOT IN ('information_schema', 'pg_catalog', 'pg_toast',
                              '_timescaledb_cache', '_timescaledb_catalog',
                              '_timescaledb_internal', '_timescaledb_config',
                              'timescaledb_information', 'timescaledb_experimental')
    ORDER BY schema_name;
-- tables of a schema
SELECT quote_ident(table_name) AS "table"
    FROM information_schema.tables
    WHERE quote_ident(table_schema) = quote_ident('public')
    ORDER BY 1;
SELECT quote_ident(table_name) AS "table"
    FROM information_schema.tables
    WHERE quote_ident(table_schema) = quote_ident('Old Docks')
    ORDER BY 1;
-- tables
SELECT
    CASE WHEN
          quote_ident(table_schema) IN (
          SELECT
            CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
          FROM
            generate_series(
              array_lower(string_to_array(current_setting('search_path'),','),1),
              array_upper(string_to_array(current_setting('search_path'),','),1)
            ) as i,
            string_to_array(current_setting('search_path'),',') s
          )
      THEN quote_ident(table_name)
      ELSE quote_ident(table_schema) || '.' || quote_ident(table_name)
    END AS "table"
    FROM information_schema.tables
    WHERE quote_ident(table_schema) NOT IN ('information_schema',
                             'pg_catalog',
                             '_timescaledb_cache',
                             '_timescaledb_catalog',
                             '_timescaledb_internal',
                             '_timescaledb_config',
                             'timescaledb_information',
                             'timescaledb_experimental')
    ORDER BY CASE WHEN
          quote_ident(table_schema) IN (
          SELECT
            CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
          FROM
            generate_series(
              array_lower(string_to_array(current_setting('search_path'),','),1),
              array_upper(string_to_array(current_setting('search_path'),','),1)
            ) as i,
            string_to_array(current_setting('search_path'),',') s
          ) THEN 0 ELSE 1 END, 1;
-- columns
SELECT quote_ident(column_name) AS "column", data_type AS "type"
    FROM information_schema.columns
    WHERE
      CASE WHEN array_length(parse_ident('ship'),1) = 2
        THEN quote_ident(table_schema) = (parse_ident('ship'))[1]
          AND quote_ident(table_name) = (parse_ident('ship'))[2]
        ELSE quote_ident(table_name) = 'ship'
          AND
          quote_ident(table_schema) IN (
          SELECT
            CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
          FROM
            generate_series(
              array_lower(string_to_array(current_setting('search_path'),','),1),
              array_upper(string_to_array(current_setting('search_path'),','),1)
            ) as i,
            string_to_array(current_setting('search_path'),',') s
          )
      END;
SELECT quote_ident(column_name) AS "column", data_type AS "type"
    FROM information_schema.columns
    WHERE
      CASE WHEN array_length(parse_ident('main.ship'),1) = 2
        THEN quote_ident(table_schema) = (parse_ident('main.ship'))[1]
          AND quote_ident(table_name) = (parse_ident('main.ship'))[2]
        ELSE quote_ident(table_name) = 'main.ship'
          AND
          quote_ident(table_schema) IN (
          SELECT
            CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
          FROM
            generate_series(
              array_lower(string_to_array(current_setting('search_path'),','),1),
              array_upper(string_to_array(current_setting('search_path'),','),1)
            ) as i,
            string_to_array(current_setting('search_path'),',') s
          )
      END;
SELECT quote_ident(column_name) AS "column", data_type AS "type"
    FROM information_schema.columns
    WHERE
      CASE WHEN array_length(parse_ident('"Old Docks"."Crane"'),1) = 2
        THEN quote_ident(table_schema) = (parse_ident('"Old Docks"."Crane"'))[1]
          AND quote_ident(table_name) = (parse_ident('"Old Docks"."Crane"'))[2]
        ELSE quote_ident(table_name) = '"Old Docks"."Crane"'
          AND
          quote_ident(table_schema) IN (
          SELECT
            CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
          FROM
            generate_series(
              array_lower(string_to_array(current_setting('search_path'),','),1),
              array_upper(string_to_array(current_setting('search_path'),','),1)
            ) as i,
            string_to_array(current_setting('search_path'),',') s
          )
      END;
-- schemas and tables of a schema, of the data source inside Grafana
SELECT schema_name AS "name"
    FROM information_schema.schemata
    WHERE schema_name NOT IN ('information_schema',
                              'pg_catalog',
                              'pg_toast',
                              '_timescaledb_cache',
                              '_timescaledb_catalog',
                              '_timescaledb_internal',
                              '_timescaledb_config',
                              'timescaledb_information',
                              'timescaledb_experimental')
    ORDER BY schema_name;
SELECT quote_ident(table_name) AS "table"
      FROM information_schema.tables
      WHERE quote_ident(table_schema) = 'public'
      ORDER BY 1;
-- built: columns of a table
SELECT id, name, launched FROM ship LIMIT 50 ;
-- built: all of a view, ordered
SELECT * FROM fleet ORDER BY name DESC LIMIT 50 ;
-- built: counts by group
SELECT home, COUNT(id) AS "ships", AVG(tonnes) FROM ship GROUP BY home ORDER BY 1 DESC LIMIT 50 ;
-- built: a quoted table
SELECT MAX("Lift"), MIN(note) FROM "Old Docks"."Crane" LIMIT 50 ;
-- built: filters of text
SELECT name FROM ship WHERE (name LIKE '%Arg%' AND name IN ('Argo') AND name LIKE 'A%' AND name NOT LIKE '%x%' AND name IS NOT NULL) LIMIT 50 ;
-- built: filters of numbers
SELECT name, id FROM ship WHERE (id BETWEEN 3 AND 8 OR home >= 2 OR tonnes IS NULL) LIMIT 50 ;
-- built: filters of truth and dates
SELECT name FROM ship WHERE (active = true AND launched > '2001-01-01' AND weighed < '2020-01-02 00:00:00.000') LIMIT 50 ;
-- built: time series
SELECT floor(extract(epoch from weighed)/300)*300 AS "time", AVG(id) AS "value" FROM ship WHERE weighed BETWEEN '2019-12-31T00:00:00Z' AND '2020-01-02T00:00:00Z' GROUP BY 1 ORDER BY 1 LIMIT 50 ;
-- built: time series, filled
SELECT floor(extract(epoch from weighed)/300)*300 AS "time", MAX(id) FROM ship WHERE weighed BETWEEN '2019-12-31T00:00:00Z' AND '2020-01-02T00:00:00Z' GROUP BY time ORDER BY time ;
-- built: times
SELECT weighed AS "time", id AS "value" FROM ship WHERE weighed BETWEEN '2019-12-31T00:00:00Z' AND '2020-01-02T00:00:00Z' ORDER BY time ASC LIMIT 50 ;
-- built: epochs
SELECT extract(epoch from weighed) as "time", id AS "value" FROM ship WHERE weighed BETWEEN '2019-12-31T00:00:00Z' AND '2020-01-02T00:00:00Z' ORDER BY time LIMIT 50 ;
-- built: groups of epochs
SELECT floor((id)/300)*300 AS "time", SUM(home) FROM ship GROUP BY 1 ORDER BY 1 LIMIT 50 ;
-- written: a series a name
SELECT floor(extract(epoch from weighed)/300)*300 AS "time", name AS metric, sum(id) AS value
FROM ship WHERE weighed BETWEEN '2019-12-31T00:00:00Z' AND '2020-01-02T00:00:00Z' GROUP BY time, metric ORDER BY time;
-- written: bounds
SELECT name, weighed FROM ship WHERE weighed >= '2019-12-31T00:00:00Z' AND weighed < '2020-01-02T00:00:00Z' ORDER BY weighed;
-- written: bounds as epochs
SELECT name FROM (SELECT name, extract(epoch from weighed) AS moment FROM ship) s WHERE moment >= 1577750400 AND moment <= 1577923200 AND moment BETWEEN 1577750400 AND 1577923200 ORDER BY name;
-- written: bounds as nanoseconds
SELECT count(*) FROM (SELECT (extract(epoch from weighed) * 1000000000)::bigint AS moment FROM ship) s WHERE moment >= 1577750400000000000 AND moment <= 1577923200000000000 AND moment BETWEEN 1577750400000000000 AND 1577923200000000000;
-- written: width of a group
SELECT date_trunc('minute', weighed) AS "time", count(*) * 300000 AS width FROM ship GROUP BY 1 ORDER BY 1;
-- written: groups filled by zero
SELECT floor(extract(epoch from weighed)/3600)*3600 AS "time", count(*) AS ships FROM ship GROUP BY 1 ORDER BY 1;
-- written: variables
SELECT s.name, h.name AS harbour FROM ship s JOIN harbour h ON h.id = s.home WHERE s.name IN ('Argo','Salaminia') AND h.name = 'Zea' AND s.id > 3 ORDER BY 1;
-- written: every type
SELECT * FROM ship ORDER BY id;
-- variables
SELECT name AS __text, id AS __value FROM harbour ORDER BY name;
SELECT DISTINCT name FROM ship ORDER BY 1;
-- a variable that is searched
SELECT name FROM ship WHERE name LIKE 'Ar%' ORDER BY name;
-- annotations
SELECT weighed AS time, weighed + interval '1 hour' AS timeend, name AS text, 'fleet,' || sails::text AS tags FROM ship WHERE weighed BETWEEN '2019-12-31T00:00:00Z' AND '2020-01-02T00:00:00Z' ORDER BY 1;
