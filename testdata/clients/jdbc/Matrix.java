import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.*;
import java.time.*;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.util.DriverInfo;

/**
 * The steps by JDBC: host, port and schema are the arguments; prints a line of
 * JSON for the version and one for each step, with the error if it failed.
 */
public class Matrix {
    interface Step {
        void run() throws Exception;
    }

    static final String ENDLESS = "SELECT count(*) FROM range(10000000) a(x), range(10000000) b(y) WHERE x * y % 7 = 3";

    final String url, schema;
    Connection conn;

    Matrix(String host, String port, String schema) {
        this.url = "jdbc:postgresql://" + host + ":" + port + "/trireme?ApplicationName=jdbc+test";
        this.schema = schema;
    }

    public static void main(String[] args) throws Exception {
        Matrix m = new Matrix(args[0], args[1], args[2]);
        System.out.println("{\"client\": \"JDBC\", \"version\": \"" + DriverInfo.DRIVER_VERSION + "\"}");
        Map<String, Step> steps = new LinkedHashMap<>();
        steps.put("connect", m::connect);
        steps.put("create", m::create);
        steps.put("load", m::load);
        steps.put("tensors", m::tensors);
        steps.put("prepared", m::prepared);
        steps.put("copy", m::copy);
        steps.put("stream", m::stream);
        steps.put("cancel", m::cancel);
        steps.put("errors", m::errors);
        steps.put("metadata", m::metadata);
        for (Map.Entry<String, Step> step : steps.entrySet()) {
            try {
                step.getValue().run();
                System.out.println("{\"step\": \"" + step.getKey() + "\"}");
            } catch (Throwable err) {
                System.out.println("{\"step\": \"" + step.getKey() + "\", \"error\": \"" + escape(err) + "\"}");
            }
        }
    }

    static String escape(Throwable err) {
        StringBuilder said = new StringBuilder(err.toString());
        for (StackTraceElement at : err.getStackTrace()) {
            if (at.getClassName().equals("Matrix")) {
                said.append(" at line ").append(at.getLineNumber());
            }
        }
        return said.toString().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", " ");
    }

    static void equal(Object got, Object want) {
        if (!Objects.deepEquals(got, want)) {
            throw new AssertionError("got " + got + ", want " + want);
        }
    }

    List<List<Object>> rows(String sql) throws SQLException {
        try (Statement st = conn.createStatement(); ResultSet found = st.executeQuery(sql)) {
            return rows(found);
        }
    }

    static List<List<Object>> rows(ResultSet found) throws SQLException {
        List<List<Object>> rows = new ArrayList<>();
        while (found.next()) {
            List<Object> row = new ArrayList<>();
            for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                row.add(found.getObject(i));
            }
            rows.add(row);
        }
        return rows;
    }

    void execute(String sql) throws SQLException {
        try (Statement st = conn.createStatement()) {
            st.execute(sql);
        }
    }

    void fails(String state, Step step) throws Exception {
        try {
            step.run();
        } catch (SQLException err) {
            equal(err.getSQLState(), state);
            return;
        }
        throw new AssertionError("no error " + state);
    }

    void connect() throws Exception {
        conn = DriverManager.getConnection(url, "trireme", "");
        equal(rows("SELECT 40 + 2"), List.of(List.of(42)));
        equal(conn.isValid(5), true);
    }

    void create() throws Exception {
        execute("CREATE SCHEMA " + schema);
        execute("CREATE TABLE " + schema + ".item (id INTEGER PRIMARY KEY, kind VARCHAR NOT NULL, price INTEGER)");
        execute("CREATE TABLE " + schema + ".sale (shop VARCHAR, item INTEGER, qty INTEGER)");
        execute("CREATE TABLE " + schema + ".copied (n INTEGER, word VARCHAR)");
    }

    void load() throws Exception {
        execute("INSERT INTO " + schema + ".item VALUES (1, 'oar', 4), (2, 'sail', 90), (3, 'ram', 700)");
        conn.setAutoCommit(false);
        try (PreparedStatement st = conn.prepareStatement("INSERT INTO " + schema + ".sale VALUES (?, ?, ?)")) {
            for (int i = 0; i < 300; i++) {
                st.setString(1, i % 11 == 0 ? null : "shop " + i % 7);
                st.setInt(2, i % 4);
                st.setObject(3, i % 5 == 0 ? null : i, Types.INTEGER);
                st.addBatch();
            }
            equal(Arrays.stream(st.executeBatch()).sum(), 300);
        }
        conn.commit();
        conn.setAutoCommit(true);
        equal(rows("SELECT count(*), count(shop), count(qty) FROM " + schema + ".sale"), List.of(List.of(300L, 272L, 240L)));
    }

    void tensors() throws Exception {
        List<List<List<Object>>> answers = new ArrayList<>();
        for (String backend : List.of("native", "duckdb")) {
            execute("SET trireme.backend = '" + backend + "'");
            answers.add(rows("SELECT s.shop, sum(s.qty * i.price) AS total FROM " + schema + ".sale s JOIN " + schema
                + ".item i ON s.item = i.id GROUP BY s.shop ORDER BY s.shop"));
            equal(rows("SHOW trireme.last_backend"), List.of(List.of(backend)));
        }
        execute("RESET trireme.backend");
        equal(answers.get(0).size(), 8);
        equal(answers.get(0), answers.get(1));
    }

    void prepared() throws Exception {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("BOOLEAN", true);
        values.put("INTEGER", 2147483647);
        values.put("BIGINT", Long.MIN_VALUE);
        values.put("DOUBLE", 0.1);
        values.put("DECIMAL(9,2)", new BigDecimal("-12345.67"));
        values.put("VARCHAR", "it's é \\ \"quoted\"");
        values.put("BLOB", new byte[] {0, 39, 92, -1});
        values.put("DATE", LocalDate.of(2000, 2, 29));
        values.put("TIMESTAMP", LocalDateTime.of(1999, 12, 31, 23, 59, 59, 123456000));
        values.put("TIMESTAMPTZ", OffsetDateTime.of(2024, 3, 31, 1, 2, 3, 4000, ZoneOffset.UTC));
        values.put("UUID", UUID.fromString("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"));
        for (Map.Entry<String, Object> each : values.entrySet()) {
            Object value = each.getValue();
            String type = each.getKey();
            try (PreparedStatement st = conn.prepareStatement("SELECT CAST(? AS " + type + "), CAST(? AS " + type + ")")) {
                for (int i = 0; i < 7; i++) { // from the sixth on by name, and in binary
                    st.setObject(1, value);
                    st.setObject(2, null);
                    try (ResultSet found = st.executeQuery()) {
                        equal(found.next(), true);
                        equal(value instanceof byte[] ? found.getBytes(1) : found.getObject(1, value.getClass()), value);
                        equal(found.getObject(2), null);
                    }
                }
            }
        }
        try (PreparedStatement st = conn.prepareStatement("SELECT kind FROM " + schema + ".item WHERE id = ANY(?) ORDER BY id")) {
            st.setArray(1, conn.createArrayOf("int4", new Integer[] {1, 3}));
            equal(rows(st.executeQuery()), List.of(List.of("oar"), List.of("ram")));
        }
    }

    void copy() throws Exception {
        String text = "1\tone\n2\t\\N\n3\ta\\tb\\\\c\n4\té\n5\t\n";
        var copies = conn.unwrap(PGConnection.class).getCopyAPI();
        equal(copies.copyIn("COPY " + schema + ".copied FROM STDIN", new StringReader(text)), 5L);
        StringWriter out = new StringWriter();
        equal(copies.copyOut("COPY (SELECT n, word FROM " + schema + ".copied ORDER BY n) TO STDOUT", out), 5L);
        equal(out.toString(), text);
    }

    void stream() throws Exception {
        conn.setAutoCommit(false);
        try (Statement st = conn.createStatement()) {
            st.setFetchSize(10000);
            try (ResultSet found = st.executeQuery("SELECT i, 'row ' || i AS name FROM range(1000000) r(i)")) {
                long n = 0;
                for (; found.next(); n++) {
                    if (found.getLong(1) != n || !found.getString(2).equals("row " + n)) {
                        throw new AssertionError("row " + n + " is " + found.getLong(1) + ", " + found.getString(2));
                    }
                }
                equal(n, 1000000L);
            }
        }
        conn.commit();
        conn.setAutoCommit(true);
    }

    void cancel() throws Exception {
        try (Statement st = conn.createStatement()) {
            Thread stop = new Thread(() -> {
                try {
                    Thread.sleep(300);
                    st.cancel();
                } catch (InterruptedException | SQLException err) {
                    throw new IllegalStateException(err);
                }
            });
            stop.start();
            fails("57014", () -> st.executeQuery(ENDLESS));
            stop.join();
            st.setQueryTimeout(1);
            fails("57014", () -> st.executeQuery(ENDLESS));
        }
        equal(rows("SELECT 1"), List.of(List.of(1)));
    }

    void errors() throws Exception {
        fails("42601", () -> execute("SELEC 1"));
        fails("42P01", () -> execute("SELECT * FROM absent"));
        String twice = "INSERT INTO " + schema + ".item VALUES (1, 'oar', 1)";
        fails("23505", () -> execute(twice));
        conn.setAutoCommit(false);
        execute("INSERT INTO " + schema + ".item VALUES (7, 'keel', 1)");
        fails("23505", () -> execute(twice));
        fails("25P02", () -> execute("SELECT 1"));
        conn.rollback();
        conn.setAutoCommit(true);
        equal(rows("SELECT count(*) FROM " + schema + ".item"), List.of(List.of(3L)));
        savepoints();
    }

    void savepoints() throws Exception {
        conn.setAutoCommit(false);
        execute("INSERT INTO " + schema + ".item VALUES (7, 'keel', 1)");
        Savepoint outer = conn.setSavepoint();
        execute("INSERT INTO " + schema + ".item VALUES (8, 'keel', 1)");
        Savepoint inner = conn.setSavepoint("inner");
        fails("23505", () -> execute("INSERT INTO " + schema + ".item VALUES (1, 'oar', 1)"));
        fails("25P02", () -> execute("SELECT 1"));
        conn.rollback(inner);
        equal(rows("SELECT count(*) FROM " + schema + ".item"), List.of(List.of(5L)));
        conn.releaseSavepoint(inner);
        execute("DELETE FROM " + schema + ".item");
        conn.rollback(outer);
        equal(rows("SELECT count(*) FROM " + schema + ".item"), List.of(List.of(4L)));
        conn.rollback();
        conn.setAutoCommit(true);
    }

    void metadata() throws Exception {
        DatabaseMetaData meta = conn.getMetaData();
        equal(names(meta.getTables(null, schema, "%", new String[] {"TABLE"}), "TABLE_NAME"), List.of("copied", "item", "sale"));
        equal(names(meta.getColumns(null, schema, "item", "%"), "COLUMN_NAME"), List.of("id", "kind", "price"));
        equal(names(meta.getPrimaryKeys(null, schema, "item"), "COLUMN_NAME"), List.of("id"));
        equal(names(meta.getImportedKeys(null, schema, "item"), "FKCOLUMN_NAME"), List.of());
        equal(names(meta.getSchemas(null, schema), "TABLE_SCHEM"), List.of(schema));
        updatable(schema + ".counted");
    }

    /** Keys that the server makes, the tables that a result's columns are of, and a result that is edited. */
    void updatable(String table) throws Exception {
        execute("CREATE TABLE " + table + " (id SERIAL PRIMARY KEY, word VARCHAR)");
        try (PreparedStatement st = conn.prepareStatement("INSERT INTO " + table + " (word) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
            st.setString(1, "before");
            equal(st.executeUpdate(), 1);
            try (ResultSet keys = st.getGeneratedKeys()) {
                equal(keys.next(), true);
                equal(keys.getInt("id"), 1);
            }
        }
        try (Statement st = conn.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE);
                ResultSet found = st.executeQuery("SELECT id, word FROM " + table)) {
            ResultSetMetaData of = found.getMetaData();
            equal(of.getTableName(1), "counted");
            equal(of.isAutoIncrement(1), true);
            equal(of.isAutoIncrement(2), false);
            equal(of.isNullable(1), ResultSetMetaData.columnNoNulls);
            equal(found.next(), true);
            found.updateString("word", "after");
            found.updateRow();
        }
        equal(rows("SELECT id, word FROM " + table), List.of(List.of(1, "after")));
        execute("DROP TABLE " + table);
    }

    static List<String> names(ResultSet found, String column) throws SQLException {
        List<String> names = new ArrayList<>();
        while (found.next()) {
            names.add(found.getString(column));
        }
        return names;
    }
}
