package bench

import (
	"math"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// entity is what is known of an order, a customer, a supplier or a part: its
// features, each with its number within the entity's.
type entity []encoded

type encoded struct {
	feature int
	x       float64
}

// remainder is the feature that a number becomes.
func remainder(t *testing.T, text string) float64 {
	t.Helper()
	r := math.Mod(math.Floor(float(t, text)), 100)
	if r < 0 {
		r += 100
	}
	return r
}

func position(t *testing.T, text string, list ...string) int {
	t.Helper()
	for i, x := range list {
		if x == text {
			return i
		}
	}
	t.Fatalf("%q is none of %v", text, list)
	return 0
}

// lineItem is a row of the star.
type lineItem struct {
	id, part                        int
	order, customer, supplier, item entity
}

// readStar encodes TPC-H's tables in Go, from the tables that the features are made
// of and not from the features.
func readStar(t *testing.T, db *Database) []lineItem {
	t.Helper()
	orders, customers, suppliers, parts := map[string]entity{}, map[string]entity{}, map[string]entity{}, map[string]entity{}
	customerOf := map[string]string{}
	for _, r := range texts(t, db, "SELECT o_orderkey, o_custkey, o_orderstatus, o_totalprice, o_orderpriority, o_shippriority FROM orders") {
		customerOf[r[0]] = r[1]
		orders[r[0]] = entity{
			{position(t, r[2], "F", "O", "P"), 1},
			{3, remainder(t, r[3])},
			{4 + position(t, r[4], "1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"), 1},
			{9 + integer(t, r[5]), 1},
		}
	}
	for _, r := range texts(t, db, "SELECT c_custkey, c_nationkey, c_acctbal, c_mktsegment FROM customer") {
		customers[r[0]] = entity{
			{integer(t, r[1]), 1},
			{25, remainder(t, r[2])},
			{26 + position(t, r[3], "AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"), 1},
		}
	}
	for _, r := range texts(t, db, "SELECT s_suppkey, s_nationkey, s_acctbal FROM supplier") {
		suppliers[r[0]] = entity{{integer(t, r[1]), 1}, {25, remainder(t, r[2])}}
	}
	for _, r := range texts(t, db, "SELECT p_partkey, p_mfgr, p_brand, p_size, p_container, p_retailprice FROM part") {
		size, kind, _ := strings.Cut(r[4], " ")
		brand := strings.TrimPrefix(r[2], "Brand#")
		parts[r[0]] = entity{
			{integer(t, strings.TrimPrefix(r[1], "Manufacturer#")) - 1, 1},
			{5 + 5*int(brand[0]-'1') + int(brand[1]-'1'), 1},
			{30, remainder(t, r[3])},
			{31 + 8*position(t, size, "JUMBO", "LG", "MED", "SM", "WRAP") + position(t, kind, "BAG", "BOX", "CAN", "CASE", "DRUM", "JAR", "PACK", "PKG"), 1},
			{71, remainder(t, r[5])},
		}
	}
	var out []lineItem
	for _, r := range texts(t, db, "SELECT l_id, l_orderkey, l_partkey, l_suppkey FROM lineitem") {
		l := lineItem{integer(t, r[0]), integer(t, r[2]), orders[r[1]], customers[customerOf[r[1]]], suppliers[r[3]], parts[r[2]]}
		if l.order == nil || l.customer == nil || l.supplier == nil || l.item == nil {
			t.Fatalf("line item %v lacks an order, a customer, a supplier or a part", r)
		}
		out = append(out, l)
	}
	return out
}

// models are the parameters.
type models struct {
	theta          []float64
	layer1, layer2 [][]float64
	layer3         []float64
}

func readModels(t *testing.T, db *Database) *models {
	t.Helper()
	m := &models{theta: make([]float64, 139), layer3: make([]float64, 25)}
	for _, r := range texts(t, db, "SELECT feature, w FROM theta") {
		m.theta[integer(t, r[0])] = float(t, r[1])
	}
	m.layer1 = readDense(t, db, "SELECT feature, h1, w FROM layer1", 139, 25)
	m.layer2 = readDense(t, db, "SELECT h1, h2, w FROM layer2", 25, 25)
	for _, r := range texts(t, db, "SELECT h2, w FROM layer3") {
		m.layer3[integer(t, r[0])] = float(t, r[1])
	}
	return m
}

// features are those of a data point, of each entity from its offset on.
type features []float64

func newFeatures(n int) features { return make(features, n) }

func (p features) put(e entity, offset int) {
	for _, f := range e {
		p[offset+f.feature] += f.x
	}
}

func (m *models) linear(p features) (y float64) {
	for j, x := range p {
		y += x * m.theta[j]
	}
	return y
}

func sigmoid(y float64) float64 { return 1 / (1 + math.Exp(-y)) }

func (m *models) network(p features) float64 {
	apply := func(x []float64, w [][]float64) []float64 {
		out := make([]float64, len(w[0]))
		for i, v := range x {
			for j := range out {
				out[j] += v * w[i][j]
			}
		}
		for j := range out {
			out[j] = max(out[j], 0)
		}
		return out
	}
	y := 0.0
	for j, v := range apply(apply(p, m.layer1), m.layer2) {
		y += v * m.layer3[j]
	}
	return sigmoid(y)
}

// covary adds the products of features. One that is stored, though 0, has a
// row in the matrix.
func covary(c cells, p features, stored []int) {
	for _, j := range stored {
		for _, k := range stored {
			c.add(p[j]*p[k], j, k)
		}
	}
}

func numbers(offset int, e entity) (out []int) {
	for _, f := range e {
		out = append(out, offset+f.feature)
	}
	return out
}

// TestMLJoin compares every case with loops over the data points.
func TestMLJoin(t *testing.T) {
	s, err := MLJoin(MLJoinOptions{SF: 0.00001})
	if err != nil {
		t.Fatal(err)
	}
	db := loaded(t, s)
	items, m := readStar(t, db), readModels(t, db)
	want := map[string]cells{}
	starCells(want, items, m)
	pairCells(want, items, m)
	checkCells(t, s, db, want)
}

func starCells(want map[string]cells, items []lineItem, m *models) {
	linear, logistic, network, covariance := cells{}, cells{}, cells{}, cells{}
	for i := range items {
		l := &items[i]
		p := newFeatures(139)
		var stored []int
		for offset, e := range map[int]entity{0: l.order, 10: l.customer, 41: l.supplier, 67: l.item} {
			p.put(e, offset)
			stored = append(stored, numbers(offset, e)...)
		}
		linear.add(m.linear(p), l.id)
		logistic.add(sigmoid(m.linear(p)), l.id)
		network.add(m.network(p), l.id)
		covary(covariance, p, stored)
	}
	want["star_linear"], want["star_logistic"], want["star_network"], want["star_covariance"] = linear, logistic, network, covariance
}

func pairCells(want map[string]cells, items []lineItem, m *models) {
	best, logistic, network, covariance := cells{}, cells{}, cells{}, cells{}
	for i := range items {
		for j := range items {
			a, b := &items[i], &items[j]
			if a.part != b.part {
				continue
			}
			p := newFeatures(124)
			var stored []int
			for offset, e := range map[int]entity{0: a.supplier, 26: b.supplier, 52: a.item} {
				p.put(e, offset)
				stored = append(stored, numbers(offset, e)...)
			}
			y := m.linear(p)
			if before, ok := best[keyOf(a.id)]; !ok || y > before {
				best[keyOf(a.id)] = y
			}
			logistic.add(sigmoid(y), a.id)
			network.add(m.network(p), a.id)
			covary(covariance, p, stored)
		}
	}
	want["self_linear"], want["self_logistic"], want["self_network"], want["self_covariance"] = best, logistic, network, covariance
}

// TestMLJoinData: the tables have TPC-H's cardinalities, keys that join, and every
// feature occurs.
func TestMLJoinData(t *testing.T) {
	s, err := MLJoin(MLJoinOptions{SF: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	db := loaded(t, s)
	for sql, want := range map[string]string{
		"SELECT count(*) FROM orders":                       "15000",
		"SELECT count(*) FROM customer":                     "1500",
		"SELECT count(*) FROM part":                         "2000",
		"SELECT count(*) FROM supplier":                     "100",
		"SELECT abs(count(*) - 60000) < 1000 FROM lineitem": "1",
		"SELECT count(*) FROM lineitem LEFT JOIN orders ON o_orderkey = l_orderkey WHERE o_orderkey IS NULL": "0",
		"SELECT count(*) FROM orders WHERE o_custkey % 3 = 0 OR o_custkey NOT BETWEEN 1 AND 1500":            "0",
		"SELECT count(*) - count(DISTINCT o_orderkey) FROM orders":                                           "0",
		"SELECT max(n) FROM (SELECT count(DISTINCT l_suppkey) AS n FROM lineitem GROUP BY l_partkey) p":      "4",
		"SELECT count(DISTINCT feature) FROM star":                                                           "139",
		"SELECT max(feature) FROM pair_feature":                                                              "123",
		"SELECT count(DISTINCT feature) FROM pair_feature WHERE feature < 52 AND i < 3000":                   "52",
	} {
		if got, err := db.scalar(t.Context(), sql); err != nil || got != want {
			t.Errorf("%s: %s, want %s (error %v)", sql, got, want, err)
		}
	}
}

func TestMLJoinErrors(t *testing.T) {
	for _, sf := range []float64{0, -1, 11, math.NaN(), math.Inf(1)} {
		if _, err := MLJoin(MLJoinOptions{SF: sf}); err == nil || !strings.Contains(err.Error(), "scale factor") || sqlerr.From(err).Code != sqlerr.InvalidParameter {
			t.Errorf("%v: %v", sf, err)
		}
	}
}
