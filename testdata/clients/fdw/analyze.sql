ANALYZE ship;
SELECT reltuples FROM pg_class WHERE relname = 'ship';
ANALYZE VERBOSE fleet;
