-- Ways to write an inner join: comma, ON, USING, NATURAL, CROSS, self-joins, aliases, schemas.

-- name: comma_count
-- expect: tensor
SELECT count(*) FROM a, b WHERE a.k = b.k;

-- name: comma_group
-- expect: tensor
SELECT a.k, count(*) FROM a, b WHERE a.k = b.k GROUP BY a.k;

-- name: comma_three
-- expect: tensor
SELECT count(*), sum(c.v) FROM a, b, c WHERE a.k = b.k AND b.k = c.k;

-- name: comma_equal_first
-- expect: tensor
SELECT count(*) FROM a, b WHERE b.k = a.k AND a.x = b.y;

-- name: on_count
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k;

-- name: on_inner_keyword
-- expect: tensor
SELECT count(*) FROM a INNER JOIN b ON a.k = b.k;

-- name: on_two_columns
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k AND a.z = b.z;

-- name: on_extra_filter
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k AND a.x > 0;

-- name: on_filter_both_sides
-- expect: tensor
SELECT count(*), sum(b.y) FROM a JOIN b ON a.k = b.k AND a.x <> 2 AND b.tag = 'red';

-- name: on_parenthesised
-- expect: tensor
SELECT count(*) FROM a JOIN b ON ((a.k = b.k) AND (b.y >= 0));

-- name: on_only_constant
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = 1 AND b.k = 2;

-- name: on_true_by_where
-- expect: tensor
SELECT count(*) FROM a CROSS JOIN b WHERE a.k = b.k AND b.z > 1;

-- name: using_one
-- expect: tensor
SELECT count(*) FROM a JOIN b USING (k);

-- name: using_group_merged
-- expect: tensor
SELECT k, count(*) FROM a JOIN b USING (k) GROUP BY k;

-- name: using_two
-- expect: tensor
SELECT count(*) FROM a JOIN b USING (k, z);

-- name: using_chain
-- expect: tensor
SELECT count(*), sum(v) FROM a JOIN b USING (k) JOIN c USING (k);

-- name: using_sum_unmerged
-- expect: tensor
SELECT k, sum(x), count(tag) FROM a JOIN b USING (k) GROUP BY k;

-- name: using_sum_both
-- expect: tensor
SELECT k, sum(a.y), sum(b.y) FROM a JOIN b USING (k) GROUP BY k;

-- name: using_then_on
-- expect: tensor
SELECT count(*) FROM a JOIN c USING (k) JOIN d ON c.j = d.j;

-- name: natural_one
-- expect: tensor
SELECT count(*) FROM c NATURAL JOIN d;

-- name: natural_group
-- expect: tensor
SELECT j, count(*), sum(v), sum(w) FROM c NATURAL JOIN d GROUP BY j;

-- name: natural_three_columns
-- expect: tensor
SELECT count(*) FROM a NATURAL JOIN b;

-- name: natural_inner
-- expect: tensor
SELECT count(*), max(note) FROM c NATURAL INNER JOIN d;

-- name: cross_count
-- expect: tensor
SELECT count(*) FROM a CROSS JOIN b;

-- name: cross_sum
-- expect: tensor
SELECT sum(a.x), sum(b.y), count(*) FROM a CROSS JOIN b;

-- name: cross_group_one_side
-- expect: tensor
SELECT b.tag, count(*), sum(a.x) FROM a CROSS JOIN b GROUP BY b.tag;

-- name: cross_three
-- expect: tensor
SELECT count(*) FROM a CROSS JOIN b CROSS JOIN c;

-- name: comma_without_condition
-- expect: tensor
SELECT count(*), min(a.x), max(b.y) FROM a, b;

-- name: cross_part_of_join
-- expect: tensor
SELECT count(*), sum(o.x) FROM a JOIN b ON a.k = b.k CROSS JOIN one AS o;

-- name: mixed_comma_and_join
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k, c WHERE c.k = a.k;

-- name: mixed_parenthesised
-- expect: tensor
SELECT count(*) FROM a JOIN (b JOIN c ON b.k = c.k) ON a.k = b.k;

-- name: self_count
-- expect: tensor
SELECT count(*) FROM a AS p, a AS q WHERE p.k = q.k;

-- name: self_group
-- expect: tensor
SELECT p.k, count(*), sum(p.x * q.x) FROM a p JOIN a q ON p.k = q.k GROUP BY p.k;

-- name: self_different_columns
-- expect: tensor
SELECT count(*) FROM a p JOIN a q ON p.x = q.z;

-- name: self_three
-- expect: tensor
SELECT count(*) FROM a p, a q, a r WHERE p.k = q.k AND q.k = r.k;

-- name: self_tree_boss
-- expect: tensor
SELECT m.name, count(*), sum(s.salary) FROM emp s JOIN emp m ON s.boss = m.id GROUP BY m.name;

-- name: self_tree_grandboss
-- expect: tensor
SELECT g.name, count(*), avg(s.salary) FROM emp s JOIN emp m ON s.boss = m.id JOIN emp g ON m.boss = g.id GROUP BY g.name;

-- name: self_earns_more
-- expect: tensor
SELECT count(*) FROM emp s JOIN emp m ON s.boss = m.id WHERE s.hired > m.hired;

-- name: alias_as
-- expect: tensor
SELECT count(*) FROM a AS first JOIN b AS second ON first.k = second.k;

-- name: alias_shadows_table
-- expect: tensor
SELECT count(*), sum(b.x) FROM a AS b JOIN b AS a ON a.k = b.k;

-- name: alias_quoted
-- expect: tensor
SELECT "the a".k, count(*) FROM a AS "the a" JOIN b ON "the a".k = b.k GROUP BY "the a".k;

-- name: alias_case_folded
-- expect: tensor
SELECT count(*) FROM a AS Left1 JOIN b AS RIGHT1 ON LEFT1.K = right1.k;

-- name: unqualified_columns
-- expect: tensor
SELECT tag, count(*), sum(x) FROM a JOIN b ON a.k = b.k GROUP BY tag;

-- name: unqualified_join_columns
-- expect: tensor
SELECT count(*) FROM emp, fact WHERE id = cust;

-- name: schema_qualified
-- expect: tensor
SELECT count(*), sum(north.item.n), sum(south.item.n) FROM north.item, south.item WHERE north.item.id = south.item.id;

-- name: schema_qualified_groups
-- expect: tensor
SELECT South.Item.id, North.ITEM.n, count(*) FROM north.item JOIN south.item ON north.item.id = south.item.id GROUP BY south.item.id, north.item.n ORDER BY 1, 2;

-- name: schema_qualified_alias
-- expect: tensor
SELECT n.id, sum(n.n * s.n) FROM north.item n JOIN south.item s ON n.id = s.id GROUP BY n.id;

-- name: schema_same_table_twice
-- expect: tensor
SELECT count(*) FROM north.item p JOIN north.item q ON p.id = q.id;

-- name: schema_main
-- expect: tensor
SELECT count(*) FROM main.a JOIN main.b ON main.a.k = main.b.k;

-- name: schema_join_main
-- expect: tensor
SELECT sum(a.x), sum(i.n) FROM a JOIN south.item AS i ON a.k = i.id;

-- name: transitive_equality
-- expect: tensor
SELECT count(*) FROM a, b, c WHERE a.k = b.k AND b.k = c.k AND a.k = c.k;

-- name: same_column_twice
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k AND a.k = b.k;

-- name: equal_within_table
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.x = a.y;

-- name: equal_within_by_class
-- expect: tensor
SELECT count(*) FROM a, b WHERE a.x = b.k AND a.y = b.k;

-- name: two_columns_one_class
-- expect: tensor
SELECT a.k, count(*) FROM a, b WHERE a.k = b.k AND b.k = b.z GROUP BY a.k;

-- name: disconnected_pairs
-- expect: tensor
SELECT count(*), sum(a.x * d.w) FROM a, b, c, d WHERE a.k = b.k AND c.j = d.j;

-- name: chain_four
-- expect: tensor
SELECT count(*), sum(d.w) FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k JOIN d ON c.j = d.j;

-- name: chain_group_ends
-- expect: tensor
SELECT a.x, d.note, count(*) FROM a JOIN c ON a.k = c.k JOIN d ON c.j = d.j GROUP BY a.x, d.note;

-- name: string_key
-- expect: tensor
SELECT count(*), sum(t.n), sum(u.m) FROM txt t JOIN txt2 u ON t.s = u.s;

-- name: string_key_group
-- expect: tensor
SELECT t.s, count(*), sum(t.n * u.m) FROM txt t JOIN txt2 u ON t.s = u.s GROUP BY t.s;

-- name: date_key
-- expect: tensor
SELECT count(*), sum(cal.n) FROM ev JOIN cal ON ev.day = cal.day;

-- name: date_key_group
-- expect: tensor
SELECT ev.day, count(*), sum(cal.n) FROM ev JOIN cal ON ev.day = cal.day GROUP BY ev.day;

-- name: timestamp_key
-- expect: tensor
SELECT p.ts, count(*) FROM ev p JOIN ev q ON p.ts = q.ts GROUP BY p.ts;

-- name: boolean_key
-- expect: tensor
SELECT ev.ok, count(*), sum(cal.n) FROM ev JOIN cal ON ev.ok = cal.open GROUP BY ev.ok;

-- name: decimal_key
-- expect: tensor
SELECT p.p, count(*) FROM money p JOIN money q ON p.p = q.p GROUP BY p.p;

-- name: decimal_key_38
-- expect: tensor
SELECT p.r, count(*) FROM money p JOIN money q ON p.r = q.r GROUP BY p.r;

-- name: bigint_key_far
-- expect: tensor
SELECT p.k, count(*), sum(q.x) FROM far p JOIN far q ON p.k = q.k GROUP BY p.k;

-- name: hugeint_key
-- expect: tensor
SELECT p.k128, count(*) FROM wide p JOIN wide q ON p.k128 = q.k128 GROUP BY p.k128;

-- name: double_key_nan
-- expect: tensor
SELECT count(*), sum(odd2.n) FROM odd JOIN odd2 ON odd.f = odd2.f;

-- name: double_key_group
-- expect: tensor
SELECT odd.f, count(*) FROM odd JOIN odd2 ON odd.f = odd2.f GROUP BY odd.f;

-- name: mixed_width_int_bigint
-- expect: any (integer widths differ)
SELECT count(*), sum(wide.v) FROM a JOIN wide ON a.k = wide.k64;

-- name: mixed_width_small_int
-- expect: any (integer widths differ)
SELECT wide.k16, count(*) FROM a JOIN wide ON a.k = wide.k16 GROUP BY wide.k16;

-- name: mixed_int_double
-- expect: any (key types differ)
SELECT count(*) FROM a JOIN wide ON a.k = wide.kf;

-- name: mixed_int_text
-- expect: error 22
SELECT count(*) FROM a JOIN wide ON a.k = wide.ks;

-- name: mixed_date_timestamp
-- expect: any (key types differ)
SELECT count(*) FROM ev JOIN cal ON ev.ts = cal.day;

-- name: expression_key
-- expect: any (key expression)
SELECT count(*) FROM a JOIN b ON a.k + 1 = b.k;

-- name: expression_key_group
-- expect: any (key expression)
SELECT b.k, count(*) FROM a JOIN b ON a.k = b.k * 2 GROUP BY b.k;

-- name: expression_key_lower
-- expect: any (key expression)
SELECT count(*) FROM txt t JOIN txt2 u ON lower(t.s) = lower(u.s);

-- name: null_literal_key
-- expect: any (comparison with NULL)
SELECT count(*) FROM a JOIN b ON a.k = NULL;

-- name: join_true
-- expect: any (constant condition)
SELECT count(*) FROM a JOIN b ON true;

-- name: where_false
-- expect: any (constant condition)
SELECT count(*), sum(a.x) FROM a JOIN b ON a.k = b.k WHERE false;

-- name: where_false_grouped
-- expect: any (constant condition)
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k WHERE 1 = 0 GROUP BY a.k;

-- name: or_across_tables
-- expect: any (predicate over several tables)
SELECT count(*) FROM a JOIN b ON a.k = b.k OR a.x = b.y;

-- name: sum_across_tables_equals
-- expect: any (predicate over several tables)
SELECT count(*) FROM a, b, c WHERE a.k = b.k AND b.k = c.k AND a.x + b.y = c.v;

-- name: beside_a_collation
-- expect: tensor
SELECT p.plain, count(*), max(q.plain) FROM shelf p JOIN shelf q ON p.plain = q.plain GROUP BY p.plain;
-- name: function_of_padding
-- expect: tensor
SELECT min(floor(a.x * b.y::DECIMAL(9,2))), sum(floor(a.x * b.y::DECIMAL(9,2))) FROM a FULL JOIN b ON a.k = b.k;
-- name: group_by_function_of_padding
-- expect: tensor
SELECT floor(a.x * b.y::DECIMAL(9,2)), count(*) FROM a FULL JOIN b ON a.k = b.k GROUP BY 1;

-- The padding of an outer join passes these.
-- name: padding_passes_or
-- expect: tensor
SELECT a.k, count(*), sum(a.x) FROM a LEFT JOIN b ON a.k = b.k WHERE b.y > 3 OR a.x > 2 GROUP BY a.k;

-- name: padding_passes_coalesce
-- expect: tensor
SELECT a.k, count(*), sum(b.z) FROM a LEFT JOIN b ON a.k = b.k WHERE coalesce(b.y, a.x) > 2 GROUP BY a.k;

-- What all parts of a disjunction have in common joins.
-- name: key_in_every_part
-- expect: tensor
SELECT a.y, count(*), sum(b.z) FROM a, b WHERE (a.k = b.k AND a.x > 0 AND b.tag IN ('red', 'blue')) OR (b.z < 3 AND a.k = b.k AND a.x < 0) OR (a.k = b.k AND a.x = 0 AND (b.z = 5 OR b.z IS NULL)) GROUP BY a.y;

-- name: part_that_is_common_alone
-- expect: tensor
SELECT count(*), sum(a.x) FROM a LEFT JOIN b ON (a.k = b.k AND b.tag = 'red') OR (a.k = b.k AND b.tag = 'red' AND b.z > 1) WHERE (a.x > 0 AND a.y > 0) OR a.x > 0;

-- name: half_of_a_key_in_every_part
-- expect: tensor
SELECT count(*) FROM a, b WHERE (a.k = b.k AND a.y = b.y) OR (a.k = b.k AND a.z = b.z);

-- name: semi_join
-- expect: tensor
SELECT count(*), sum(a.x) FROM a SEMI JOIN b ON a.k = b.k;

-- name: anti_join
-- expect: tensor
SELECT a.k, count(*) FROM a ANTI JOIN b ON a.k = b.k AND b.y > a.x GROUP BY a.k;

-- name: semi_join_using
-- expect: tensor
SELECT k, count(*) FROM a SEMI JOIN b USING (k, z) GROUP BY k;

-- name: anti_join_natural
-- expect: tensor
SELECT count(*) FROM a NATURAL ANTI JOIN (SELECT k FROM b) q;

-- name: semi_join_of_joins
-- expect: tensor
SELECT c.v, count(*) FROM a JOIN c ON a.k = c.k SEMI JOIN (b ANTI JOIN a d ON b.y = d.x) ON b.k = c.k GROUP BY c.v;

-- name: anti_join_over_padding
-- expect: tensor
SELECT count(*), count(c.v) FROM a LEFT JOIN c ON a.k = c.k ANTI JOIN b ON b.y = c.v;
