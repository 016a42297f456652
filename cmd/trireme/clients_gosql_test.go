package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// sqlSteps are those of database/sql with a driver.
type sqlSteps struct {
	goClient
	driver string
	copyIn func(s *sqlSteps) error
	db     *sql.DB
}

func (s *sqlSteps) connect() (err error) {
	if s.db, err = sql.Open(s.driver, s.url()); err != nil {
		return err
	}
	s.db.SetMaxOpenConns(1) // settings are the session's
	var n int
	if err := s.db.QueryRowContext(s.ctx, "SELECT 40 + $1::INTEGER", 2).Scan(&n); err != nil || n != 42 {
		return fmt.Errorf("%d, %w", n, err)
	}
	return nil
}

func (s *sqlSteps) exec(statements ...string) error {
	for _, statement := range statements {
		if _, err := s.db.ExecContext(s.ctx, s.in(statement)); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqlSteps) create() error { return s.exec(strings.Split(goTables, "; ")...) }

func (s *sqlSteps) load() error {
	tx, err := s.db.BeginTx(s.ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	insert := func(table string, row []any) error {
		res, err := tx.ExecContext(s.ctx, s.in("INSERT INTO @."+table+" VALUES ($1, $2, $3)"), row...)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); n != 1 {
			return fmt.Errorf("%d rows, %w", n, err)
		}
		return nil
	}
	for _, item := range goItems {
		if err := insert("item", item); err != nil {
			return err
		}
	}
	for i := range goSales {
		if err := insert("sale", goSale(i)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (s *sqlSteps) copy() error {
	if err := s.copyIn(s); err != nil {
		return err
	}
	rows, err := s.db.QueryContext(s.ctx, s.in("SELECT * FROM @.copied ORDER BY n"))
	if err != nil {
		return err
	}
	i := 0
	for ; rows.Next(); i++ {
		var n int
		var word *string
		var raw []byte
		var at time.Time
		if err := rows.Scan(&n, &word, &raw, &at); err != nil {
			return err
		}
		want := copiedRow(i)
		if n != i || (word == nil) != (want[1] == nil) || word != nil && *word != want[1] || !bytes.Equal(raw, want[2].([]byte)) || !at.Equal(want[3].(time.Time)) {
			return fmt.Errorf("row %d: %d, %v, %x, %v", i, n, word, raw, at)
		}
	}
	if i != copiedRows {
		return fmt.Errorf("%d rows", i)
	}
	return errors.Join(rows.Err(), rows.Close())
}

func copyByPgx(s *sqlSteps) error {
	conn, err := s.db.Conn(s.ctx)
	if err != nil {
		return err
	}
	return errors.Join(conn.Raw(func(c any) error {
		_, err := c.(*stdlib.Conn).Conn().CopyFrom(s.ctx, pgx.Identifier{s.at.schema, "copied"}, []string{"n", "word", "raw", "moment"},
			pgx.CopyFromSlice(copiedRows, func(i int) ([]any, error) { return copiedRow(i), nil }))
		return err
	}), conn.Close())
}

func copyByPQ(s *sqlSteps) error {
	tx, err := s.db.BeginTx(s.ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	stmt, err := tx.PrepareContext(s.ctx, s.in("COPY @.copied (n, word, raw, moment) FROM STDIN"))
	if err != nil {
		return err
	}
	for i := range copiedRows {
		if _, err := stmt.ExecContext(s.ctx, copiedRow(i)...); err != nil {
			return err
		}
	}
	if _, err := stmt.ExecContext(s.ctx); err != nil {
		return err
	}
	return errors.Join(stmt.Close(), tx.Commit())
}

func (s *sqlSteps) tensors() error {
	for _, backend := range []string{"native", "duckdb"} {
		if err := s.exec("SET trireme.backend = '" + backend + "'"); err != nil {
			return err
		}
		rows, err := s.db.QueryContext(s.ctx, s.in(goJoin))
		if err != nil {
			return err
		}
		got, err := totalsOf(rows.Next, rows.Scan)
		if err := errors.Join(err, rows.Err(), rows.Close()); err != nil || got != goTotals() {
			return fmt.Errorf("%s: %s, %w", backend, got, err)
		}
		var by string
		if err := s.db.QueryRowContext(s.ctx, "SHOW trireme.last_backend").Scan(&by); err != nil || by != backend {
			return fmt.Errorf("answered by %s, %w", by, err)
		}
	}
	return s.exec("RESET trireme.backend")
}

func (s *sqlSteps) prepared() error {
	for _, v := range goValues {
		sql := fmt.Sprintf("SELECT CAST($1 AS %s), $2::INTEGER IS NULL", v.cast)
		if v.cast == "UUID" || strings.HasPrefix(v.cast, "DECIMAL") {
			sql = fmt.Sprintf("SELECT CAST(CAST($1 AS %s) AS VARCHAR), $2::INTEGER IS NULL", v.cast)
		}
		stmt, err := s.db.PrepareContext(s.ctx, sql)
		if err != nil {
			return fmt.Errorf("%s: %w", v.cast, err)
		}
		for range 2 {
			var got any
			var null bool
			if err := stmt.QueryRowContext(s.ctx, v.value, nil).Scan(&got, &null); err != nil {
				return fmt.Errorf("%s: %w", v.cast, err)
			}
			if err := sameValue(got, v.value); err != nil || !null {
				return fmt.Errorf("%s: %w", v.cast, err)
			}
		}
		if err := stmt.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqlSteps) stream() error {
	rows, err := s.db.QueryContext(s.ctx, goLarge)
	if err != nil {
		return err
	}
	return errors.Join(readsLarge(rows.Next, rows.Scan), rows.Err(), rows.Close())
}

func (s *sqlSteps) cancel() error {
	ctx, cancel := context.WithTimeout(s.ctx, 300*time.Millisecond)
	defer cancel()
	if _, err := s.db.ExecContext(ctx, goEndless); err == nil || s.ctx.Err() != nil {
		return fmt.Errorf("not cancelled: %w", err)
	}
	if err := s.exec("SET statement_timeout = 200"); err != nil {
		return err
	}
	if err := hasCode(s.exec(goEndless), "57014"); err != nil {
		return err
	}
	return s.exec("RESET statement_timeout")
}

func (s *sqlSteps) errors() error {
	for statement, code := range map[string]string{"SELEC 1": "42601", "SELECT * FROM absent": "42P01", "INSERT INTO @.item VALUES (1, 'oar', 1)": "23505"} {
		if err := hasCode(s.exec(statement), code); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	tx, err := s.db.BeginTx(s.ctx, nil)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(s.ctx, s.in("INSERT INTO @.item VALUES (7, 'keel', 1)")); err != nil {
		return err
	}
	_, err = tx.ExecContext(s.ctx, s.in("INSERT INTO @.item VALUES (1, 'oar', 1)"))
	failed := hasCode(err, "23505")
	_, err = tx.ExecContext(s.ctx, "SELECT 1")
	if err := errors.Join(failed, hasCode(err, "25P02"), tx.Rollback()); err != nil {
		return err
	}
	readOnly, err := s.db.BeginTx(s.ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	_, err = readOnly.ExecContext(s.ctx, s.in("DELETE FROM @.item"))
	if err := errors.Join(hasCode(err, "25006"), readOnly.Rollback()); err != nil {
		return err
	}
	var n int
	if err := s.db.QueryRowContext(s.ctx, s.in("SELECT count(*) FROM @.item")).Scan(&n); err != nil || n != len(goItems) {
		return fmt.Errorf("%d items, %w", n, err)
	}
	return s.savepoints()
}

// savepoints returns to a savepoint after an error and without one, as GORM does.
func (s *sqlSteps) savepoints() error {
	tx, err := s.db.BeginTx(s.ctx, nil)
	if err != nil {
		return err
	}
	insert := s.in("INSERT INTO @.item VALUES ($1, 'keel', 1)")
	for _, step := range []struct {
		sql  string
		args []any
		code string
	}{
		{insert, []any{7}, ""},
		{"SAVEPOINT sp1", nil, ""},
		{insert, []any{8}, ""},
		{insert, []any{7}, "23505"},
		{"ROLLBACK TO SAVEPOINT sp1", nil, ""},
		{insert, []any{9}, ""},
		{"SAVEPOINT sp2", nil, ""},
		{s.in("DELETE FROM @.item"), nil, ""},
		{"ROLLBACK TO SAVEPOINT sp2", nil, ""},
	} {
		_, err := tx.ExecContext(s.ctx, step.sql, step.args...)
		if step.code != "" {
			err = hasCode(err, step.code)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", step.sql, err), tx.Rollback())
		}
	}
	var n, sum int
	err = tx.QueryRowContext(s.ctx, s.in("SELECT count(*), sum(id) FROM @.item")).Scan(&n, &sum)
	if err == nil && (n != len(goItems)+2 || sum != 1+2+3+7+9) {
		err = fmt.Errorf("%d items, sum %d", n, sum)
	}
	return errors.Join(err, tx.Rollback())
}

func (s *sqlSteps) metadata() error {
	rows, err := s.db.QueryContext(s.ctx, s.in("SELECT id, kind, 1.5::DOUBLE AS d FROM @.item"))
	if err != nil {
		return err
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	got := ""
	for _, c := range types {
		got += c.Name() + " " + c.DatabaseTypeName() + ";"
	}
	if err := rows.Close(); err != nil || got != "id INT4;kind TEXT;d FLOAT8;" {
		return fmt.Errorf("%s, %w", got, err)
	}
	var names string
	err = s.db.QueryRowContext(s.ctx, "SELECT string_agg(column_name, ',' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'item'",
		s.at.schema).Scan(&names)
	if err != nil || names != "id,kind,price" {
		return fmt.Errorf("%s, %w", names, err)
	}
	return nil
}

func (s *sqlSteps) close() error { return s.db.Close() }
