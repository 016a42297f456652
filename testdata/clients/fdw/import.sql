IMPORT FOREIGN SCHEMA :schema FROM SERVER trireme INTO public;
SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0
  WHERE relkind = 'f' ORDER BY relname, attnum;
