-- what Postgres' catalog is made of, as drivers see its columns
SELECT oid, typname, typtype, typinput, typreceive, typelem FROM pg_type WHERE typname IN ('int4', '_int4', 'interval', 'any') ORDER BY oid;
SELECT oid FROM pg_type WHERE typreceive != 0 AND typname IN ('int4', 'any');
SELECT typname FROM pg_type WHERE typinput = 'array_in(cstring,internal)'::regprocedure AND typelem IN (16, 23) ORDER BY 1;
SELECT typname FROM pg_type WHERE typinput = 'array_in'::regproc AND typname = '_int4';
SELECT typname FROM pg_type WHERE typinput = 'boolin';
SELECT typname FROM pg_type WHERE 'boolin'::regproc = typinput AND typoutput::text = 'boolout';
SELECT t.typname, p.proname FROM pg_type t JOIN pg_proc p ON p.oid = t.typreceive WHERE t.typname IN ('_text', 'text') ORDER BY 1;
SELECT t.typname, p.proname FROM pg_type t JOIN pg_proc p ON t.typinput = p.oid WHERE t.typname = 'numeric';
SELECT typreceive::oid != 0 AND typsend::oid != 0 AS binary FROM pg_type WHERE typname = 'int4';
SELECT indkey, indclass, indnatts, indkey::text AS text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname = 'ship_launched';
SELECT i.*, 1 AS one FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname = 'ship_launched' AND false;
SELECT c.oid::regclass, c.relname AS name, c.relkind, 'ship'::regclass::text, 'harbour'::regclass AS "of" FROM pg_class c WHERE c.relname = 'ship';
WITH x AS (SELECT indkey FROM pg_index) SELECT nspname, nspacl, 1 FROM pg_namespace n WHERE nspname = 'pg_catalog';
SELECT * FROM pg_attrdef WHERE false;
SELECT a.attname, a.atttypid::regtype FROM pg_attribute a WHERE a.attrelid = 'pg_index'::regclass AND a.attname LIKE 'ind%' AND a.attnum > 15 ORDER BY a.attnum;
SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE table_name = 'ship';
SELECT array_agg(a.attname ORDER BY a.attnum) AS names, array_agg(a.attnum) AS numbers FROM pg_attribute a WHERE a.attrelid = 'berth'::regclass AND a.attnum > 0;
