-- Roles are read anew by every statement: they change without DuckDB's catalog.
CREATE VIEW trireme_pg.pg.pg_roles AS
SELECT rolname, superuser::BOOLEAN AS rolsuper, true AS rolinherit, superuser::BOOLEAN AS rolcreaterole, superuser::BOOLEAN AS rolcreatedb,
  canlogin::BOOLEAN AS rolcanlogin, false AS rolreplication, -1::INTEGER AS rolconnlimit, '********' AS rolpassword, validuntil AS rolvaliduntil,
  superuser::BOOLEAN AS rolbypassrls, from_json(settings, '["VARCHAR"]') AS rolconfig, oid::UINTEGER AS oid
FROM trireme_roles();
CREATE VIEW trireme_pg.pg.pg_db_role_setting AS
SELECT 0::UINTEGER AS setdatabase, oid AS setrole, rolconfig AS setconfig FROM trireme_pg.pg.pg_roles WHERE rolconfig IS NOT NULL;
CREATE VIEW trireme_pg.pg.pg_authid AS
SELECT oid, rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls, rolconnlimit, rolpassword, rolvaliduntil
FROM trireme_pg.pg.pg_roles;
CREATE VIEW trireme_pg.pg.pg_user AS
SELECT rolname AS usename, oid AS usesysid, rolcreatedb AS usecreatedb, rolsuper AS usesuper, rolreplication AS userepl, rolbypassrls AS usebypassrls,
  rolpassword AS passwd, rolvaliduntil AS valuntil, rolconfig AS useconfig
FROM trireme_pg.pg.pg_roles WHERE rolcanlogin;
CREATE VIEW trireme_pg.pg.pg_shadow AS SELECT * FROM trireme_pg.pg.pg_user;
CREATE VIEW trireme_pg.pg.pg_auth_members AS
SELECT roleid::UINTEGER AS roleid, member::UINTEGER AS member, 10::UINTEGER AS grantor, false AS admin_option FROM trireme_memberships();
CREATE VIEW trireme_pg.pg.pg_group AS
SELECT rolname AS groname, oid AS grosysid, coalesce((SELECT list(member ORDER BY member) FROM trireme_memberships() WHERE roleid = oid), []) AS grolist
FROM trireme_pg.pg.pg_roles WHERE NOT rolcanlogin;
