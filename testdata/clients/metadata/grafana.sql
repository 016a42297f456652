-- health
SELECT 1;
-- version
SELECT current_setting('server_version_num')::int/100 as version;
SELECT extversion FROM pg_extension WHERE extname = 'timescaledb';
-- schemas
SELECT quote_ident(schema_name) FROM information_schema.schemata ORDER BY 1;
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
      CASE WHEN array_length(parse_ident('main.ship'),1) = 2
        THEN quote_ident(table_schema) = (parse_ident('main.ship'))[1]
          AND quote_ident(table_name) = (parse_ident('main.ship'))[2]
        ELSE quote_ident(table_name) = (parse_ident('main.ship'))[1]
          AND quote_ident(table_schema) IN (
          SELECT
            CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
          FROM
            generate_series(
              array_lower(string_to_array(current_setting('search_path'),','),1),
              array_upper(string_to_array(current_setting('search_path'),','),1)
            ) as i,
            string_to_array(current_setting('search_path'),',') s
          )
      END
    ORDER BY ordinal_position;
-- a panel
SELECT floor(extract(epoch from weighed)/300)*300 AS "time", avg(id) AS "id" FROM ship
 WHERE weighed BETWEEN '2019-12-31T00:00:00Z' AND '2020-01-02T00:00:00Z' GROUP BY 1 ORDER BY 1;
SELECT weighed AS "time", name AS metric, id FROM ship WHERE weighed >= '2019-12-31T00:00:00Z' ORDER BY 1;
