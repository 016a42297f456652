package engine

import (
	"strings"
	"testing"
)

// TestUpdatesOfReferredRows: a row to which others refer is updated where the columns with
// indexes are set to the values that they have, as mappers set them.
func TestUpdatesOfReferredRows(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE TABLE author (id INTEGER PRIMARY KEY, name VARCHAR)",
		"CREATE TABLE book (id INTEGER PRIMARY KEY, author INTEGER REFERENCES author (id), title VARCHAR, isbn VARCHAR UNIQUE, pages INTEGER, tags VARCHAR[])",
		"CREATE INDEX book_title ON book (lower(title))",
		"CREATE TABLE review (id INTEGER PRIMARY KEY, book INTEGER REFERENCES book (id), stars INTEGER)",
		"INSERT INTO author VALUES (1, 'Homer'), (2, 'Sappho')",
		"INSERT INTO book VALUES (1, 1, 'Ilias', 'i', 600, ['war']), (2, 2, 'Odes', 'o', 80, NULL), (3, 1, 'Odyssey', NULL, 500, NULL)",
		"INSERT INTO review VALUES (1, 1, 5), (2, 2, 4)",
	} {
		s.run(sql)
	}
	all := "SELECT id, author, title, isbn, pages, tags::VARCHAR FROM book ORDER BY id"
	for _, c := range []struct {
		sql  string
		args []string
		tag  string
		rows string
	}{
		{"UPDATE book SET author = $1, title = $2, isbn = $3, pages = $4 WHERE book.id = $5", []string{"1", "Ilias", "i", "610", "1"}, "UPDATE 1", "1|1|Ilias|i|610|[war];2|2|Odes|o|80|NULL;3|1|Odyssey|NULL|500|NULL"},
		{"update only book as b set \"Pages\" = b.pages + $1, title = b.title where b.pages > $2", []string{"1", "100"}, "UPDATE 2", "1|1|Ilias|i|611|[war];2|2|Odes|o|80|NULL;3|1|Odyssey|NULL|501|NULL"},
		{"UPDATE book SET isbn = isbn", nil, "UPDATE 3", "1|1|Ilias|i|611|[war];2|2|Odes|o|80|NULL;3|1|Odyssey|NULL|501|NULL"},
		{"UPDATE book SET id = 1, isbn = 'i', pages = 700, tags = ['war'] WHERE id = 1;", nil, "UPDATE 1", "1|1|Ilias|i|700|[war];2|2|Odes|o|80|NULL;3|1|Odyssey|NULL|501|NULL"},
		{"UPDATE book SET isbn = 'y', author = 2 WHERE id = 3", nil, "UPDATE 1", "1|1|Ilias|i|700|[war];2|2|Odes|o|80|NULL;3|2|Odyssey|y|501|NULL"}, // nobody refers to it
		{"UPDATE public.book SET author = 3 - author, pages = 1 WHERE id = 4", nil, "UPDATE 0", "1|1|Ilias|i|700|[war];2|2|Odes|o|80|NULL;3|2|Odyssey|y|501|NULL"},
	} {
		s.wantTag(c.sql, c.tag, c.args...)
		s.want(all, c.rows)
	}
	s.wantError("UPDATE book SET isbn = 'x', pages = 1 WHERE id = 1", "23503")
	s.wantError("UPDATE book SET title = 'x', nothing = 1 WHERE id = 1", "42703")
	s.wantError("UPDATE book SET title = 'x', pages = 'y' WHERE id = 1", "22P02")
	s.want(all, "1|1|Ilias|i|700|[war];2|2|Odes|o|80|NULL;3|2|Odyssey|y|501|NULL")

	s.run("BEGIN")
	s.run("UPDATE book SET title = 'Ilias', pages = 2 WHERE id = 1")
	s.run("SAVEPOINT a")
	s.run("UPDATE book SET title = 'Ilias', pages = 3 WHERE id = 1")
	s.run("ROLLBACK TO a")
	s.want("SELECT pages FROM book WHERE id = 1", "2")
	s.run("DROP TABLE review")
	s.run("UPDATE book SET title = 'New', pages = 4 WHERE id = 1")
	s.want("SELECT title, pages FROM book WHERE id = 1", "New|4")
	s.run("ROLLBACK")
	s.want("SELECT title, pages FROM book WHERE id = 1", "Ilias|700")
}

// TestUpdatesToOtherValuesThatAreEqual: a value that is equal to another and not the same
// replaces it.
func TestUpdatesToOtherValuesThatAreEqual(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE TYPE mood AS ENUM ('sad', 'ok')",
		"CREATE TABLE par (id INTEGER PRIMARY KEY, name VARCHAR COLLATE NOCASE UNIQUE, code VARCHAR UNIQUE, d DOUBLE UNIQUE, m mood UNIQUE, n DECIMAL(9, 2) UNIQUE, l INTERVAL[], u UNION(a INTEGER, b BIGINT), x INTEGER)",
		"CREATE TABLE chi (p INTEGER REFERENCES par (id))",
		"INSERT INTO par VALUES (1, 'abc', '007', 0.0, 'ok', 5, [INTERVAL 30 DAY], union_value(a := 1), 0), (2, 'x', 'abc', 1.0, 'sad', 6, NULL, NULL, 0)",
	} {
		s.run(sql)
	}
	for _, c := range []struct{ set, shown, want string }{
		{"name = 'ABC'", "name", "ABC"},
		{"code = 7", "code", "7"},
		{"d = -0.0::DOUBLE", "d::VARCHAR", "-0.0"},
		{"l = [INTERVAL 1 MONTH]", "l::VARCHAR", "[1 month]"},
		{"u = union_value(b := 1::BIGINT)", "union_tag(u)::VARCHAR", "b"},
		{"m = 'ok', x = 1", "m::VARCHAR || x", "ok1"},
		{"n = 5.001, x = 2", "n::VARCHAR || ' ' || x", "5.00 2"},
		{"name = NULL", "name", "NULL"},
	} {
		s.wantTag("UPDATE par SET "+c.set+" WHERE id = 1", "UPDATE 1")
		s.want("SELECT "+c.shown+" FROM par WHERE id = 1", c.want)
	}
	s.run("UPDATE par SET code = 8 WHERE id = 2")
	s.want("SELECT code FROM par WHERE id = 2", "8")
	s.run("INSERT INTO chi VALUES (1)")
	s.run("UPDATE par SET code = 7, m = 'ok', n = 5.001, d = -0.0::DOUBLE, x = 3 WHERE id = 1") // the same values
	s.wantTag("UPDATE par SET code = $1, m = $2, n = $3, x = $4 WHERE id = 1", "UPDATE 1", "7", "ok", "5.00", "4")
	s.want("SELECT x FROM par WHERE id = 1", "4")
	s.wantError("UPDATE par SET n = 5.01 WHERE id = 1", "23503")
}

// TestDeletedReferrersAreFoundUntilCommit: where the transaction has written the rows that referred to one, the
// error says that it has to commit first, and nowhere else.
func TestDeletedReferrersAreFoundUntilCommit(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE TABLE par (id INTEGER PRIMARY KEY, v INTEGER UNIQUE)", "CREATE TABLE \"Chi\" (p INTEGER REFERENCES par (id))",
		"CREATE TABLE tree (id INTEGER PRIMARY KEY, up INTEGER REFERENCES tree (id))", "CREATE TABLE other (x INTEGER)",
		"INSERT INTO par VALUES (1, 1), (2, 2)", "INSERT INTO \"Chi\" VALUES (1), (2)", "INSERT INTO tree VALUES (1, NULL)", "INSERT INTO tree VALUES (2, 1)",
	} {
		s.run(sql)
	}
	const commit = "COMMIT between the two statements."
	for _, c := range []struct {
		first, then string
		hint        bool
	}{
		{"DELETE FROM \"Chi\" WHERE p = 1", "DELETE FROM par WHERE id = 1", true},
		{"UPDATE \"Chi\" SET p = 2", "DELETE FROM public.PAR WHERE id = 1", true},
		{"DELETE FROM \"Chi\"", "UPDATE par SET v = 7 WHERE id = 1", true},
		{"DELETE FROM tree WHERE id = 2", "DELETE FROM tree WHERE id = 1", true},
		{"INSERT INTO other VALUES (1)", "DELETE FROM par WHERE id = 1", false},
		{"UPDATE par SET v = 9 WHERE id = 3", "DELETE FROM par WHERE id = 1", false},
		{"SELECT 1", "DELETE FROM tree WHERE id = 1", false},
	} {
		s.run("BEGIN")
		s.run(c.first)
		if e := s.wantError(c.then, "23503"); strings.Contains(e.Hint, commit) != c.hint {
			t.Errorf("%s; %s: hint %q", c.first, c.then, e.Hint)
		}
		s.run("ROLLBACK")
	}
	if e := s.wantError("DELETE FROM par WHERE id = 1", "23503"); e.Hint != "" {
		t.Errorf("outside of a transaction: hint %q", e.Hint)
	}
	s.run("DELETE FROM \"Chi\" WHERE p = 1")
	s.wantTag("DELETE FROM par WHERE id = 1", "DELETE 1")
}
