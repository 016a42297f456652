CREATE EXTENSION postgres_fdw;
CREATE SERVER trireme FOREIGN DATA WRAPPER postgres_fdw
  OPTIONS (host :'host', port :'port', dbname 'trireme', use_remote_estimate 'true', options '-c integer_division=true');
CREATE USER MAPPING FOR postgres SERVER trireme OPTIONS (user 'trireme');
