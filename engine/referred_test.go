package engine

import "testing"

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
