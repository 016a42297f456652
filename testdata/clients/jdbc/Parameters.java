import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the statements of testdata/parameters/matrix.tsv with their parameters as texts, whose types are left to the server: host, port,
 * file and the query mode are the arguments. Prints a line of JSON for each: what came out, the SQLSTATE after !, or - where JDBC has no such
 * statement.
 */
public class Parameters {
	public static void main(String[] args) throws Exception {
		String url = "jdbc:postgresql://" + args[0] + ":" + args[1] + "/trireme?user=trireme&preferQueryMode=" + args[3];
		try (Connection conn = DriverManager.getConnection(url)) {
			conn.setAutoCommit(false);
			for (String line : Files.readAllLines(Path.of(args[2]))) {
				String[] fields = line.split("\t", -1);
				if (fields.length < 3) {
					continue;
				}
				System.out.println("{\"got\": \"" + run(conn, fields[0], fields[1].split(" \\| ", -1)).replace("\\", "\\\\").replace("\"", "\\\"") + "\"}");
				conn.rollback();
			}
		}
	}

	/** The statement has $1, $2, .. where JDBC has a question mark for each place. */
	static String run(Connection conn, String sql, String[] values) {
		List<String> places = new ArrayList<>();
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < sql.length(); i++) {
			if (sql.charAt(i) != '$') {
				text.append(sql.charAt(i));
				continue;
			}
			i++;
			if (sql.indexOf("$" + sql.charAt(i)) < i - 1) {
				return "-"; // one parameter in several places, which JDBC has not
			}
			places.add(values[sql.charAt(i) - '1']);
			text.append('?');
		}
		try (var statement = conn.prepareStatement(text.toString())) {
			for (int i = 0; i < places.size(); i++) {
				statement.setObject(i + 1, places.get(i), Types.OTHER);
			}
			List<String> rows = new ArrayList<>();
			try (ResultSet found = statement.executeQuery()) {
				while (found.next()) {
					List<String> cells = new ArrayList<>();
					for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
						String cell = found.getString(i);
						cells.add(cell == null ? "NULL" : cell);
					}
					rows.add(String.join("|", cells));
				}
			}
			return String.join(" / ", rows);
		} catch (SQLException e) {
			return "!" + e.getSQLState();
		}
	}
}
