package main

// analysis is one question that the demo asks of the Debian package graph.
type analysis struct {
	title string
	sql   string
}

// demoAnalyses are questions about Debian 12's packages: depends(package,
// dependency, kind) and package(name, section, priority, installed_kb, source).
var demoAnalyses = []analysis{
	{"redundant dependencies (a needs b and c, b needs c)", `SELECT count(*)
FROM depends a
JOIN depends b ON a.dependency = b.package
JOIN depends c ON b.dependency = c.dependency AND a.package = c.package`},
	{"the same, per section", `SELECT p.section, count(*) AS redundant
FROM depends a
JOIN depends b ON a.dependency = b.package
JOIN depends c ON b.dependency = c.dependency AND a.package = c.package
JOIN package p ON p.name = a.package
GROUP BY p.section ORDER BY redundant DESC, p.section`},
	{"mutual dependencies", `SELECT count(*)
FROM depends a
JOIN depends b ON a.dependency = b.package AND a.package = b.dependency
WHERE a.kind = 'depends' AND b.kind = 'depends'`},
	{"diamonds (two different ways of two steps)", `SELECT count(*)
FROM depends a
JOIN depends b ON a.dependency = b.package
JOIN depends c ON a.package = c.package
JOIN depends d ON c.dependency = d.package AND b.dependency = d.dependency
WHERE a.dependency <> c.dependency`},
	{"pairs with a dependency in common", `SELECT count(*)
FROM depends a JOIN depends b ON a.dependency = b.dependency`},
	{"and what the second one needs beside it", `SELECT count(*)
FROM depends a
JOIN depends b ON a.dependency = b.dependency
JOIN depends c ON b.package = c.package`},
	{"dependencies three steps away, per section", `SELECT p.section, count(*) AS paths
FROM package p
JOIN depends a ON a.package = p.name
JOIN depends b ON b.package = a.dependency
JOIN depends c ON c.package = b.dependency
GROUP BY p.section ORDER BY paths DESC, p.section`},
	{"sum of squared common-dependency counts", `SELECT sum(common * common)
FROM (SELECT a.package AS p, b.package AS q, count(*) AS common
      FROM depends a JOIN depends b ON a.dependency = b.dependency
      WHERE a.kind = 'depends' AND b.kind = 'depends'
      GROUP BY a.package, b.package) AS pairs`},
	{"average size of what a section's packages pull in", `SELECT p.section, avg(q.installed_kb) AS kb, count(*) AS edges
FROM package p
JOIN depends d ON d.package = p.name
JOIN package q ON q.name = d.dependency
GROUP BY p.section ORDER BY kb DESC, p.section`},
}
