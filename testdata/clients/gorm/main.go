// Command gorm takes GORM through its steps: host, port and schema are the arguments; it
// prints a line of JSON for its version and one for each step, with the error if it failed.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

type port struct {
	gorm.Model
	Name  string `gorm:"size:40;uniqueIndex;not null"`
	Rate  *float64
	Ships []ship `gorm:"foreignKey:PortID"`
}

type ship struct {
	ID       uint
	Name     string `gorm:"size:100;index"`
	Oars     int    `gorm:"default:170;not null"`
	Launched *time.Time
	Papers   string  `gorm:"type:jsonb;default:'{}'"`
	Price    float64 `gorm:"type:numeric(10,2)"`
	PortID   *uint
	Port     *port
}

func (port) TableName() string { return table("ports") }
func (ship) TableName() string { return table("ships") }

func table(name string) string { return os.Args[3] + "." + name }

var db *gorm.DB

func main() {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == "gorm.io/gorm" {
				version = strings.TrimPrefix(d.Version, "v")
			}
		}
	}
	report(map[string]string{"Version": version})
	for _, step := range []struct {
		name string
		run  func() error
	}{{"connect", connect}, {"migrate", migrate}, {"write", write}, {"read", read}, {"transactions", transactions}, {"metadata", metadata}} {
		failure := ""
		if err := step.run(); err != nil {
			failure = err.Error()
		}
		report(map[string]string{"Step": step.name, "Error": failure})
	}
}

func report(line map[string]string) {
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		panic(err)
	}
}

func want(got, want any) error {
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		return fmt.Errorf("%s, not %s", g, w)
	}
	return nil
}

func connect() (err error) {
	dsn := fmt.Sprintf("host=%s port=%s user=trireme dbname=trireme sslmode=disable", os.Args[1], os.Args[2])
	db, err = gorm.Open(postgres.Open(dsn), &gorm.Config{Logger: logger.Default.LogMode(logger.Silent)})
	if err != nil {
		return err
	}
	var n int
	return errors.Join(db.Raw("SELECT 40 + ?::integer", 2).Scan(&n).Error, want(n, 42), db.Exec("CREATE SCHEMA "+os.Args[3]).Error)
}

// migrate makes the tables, and finds nothing to do the second time.
func migrate() error {
	if err := db.AutoMigrate(&port{}, &ship{}); err != nil {
		return err
	}
	var before, after []string
	const columns = "SELECT attrelid || ' ' || attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute WHERE attnum > 0 AND attrelid >= 16384 ORDER BY 1"
	if err := db.Raw(columns).Scan(&before).Error; err != nil {
		return err
	}
	var changes []string
	again := db.Session(&gorm.Session{})
	counts := func(tx *gorm.DB) {
		if sql := tx.Statement.SQL.String(); strings.HasPrefix(sql, "ALTER") || strings.HasPrefix(sql, "CREATE") {
			changes = append(changes, sql)
		}
	}
	if err := again.Callback().Raw().After("gorm:raw").Register("count", counts); err != nil {
		return err
	}
	if err := again.AutoMigrate(&port{}, &ship{}); err != nil {
		return err
	}
	return errors.Join(again.Callback().Raw().Remove("count"), want(changes, "[]"), db.Raw(columns).Scan(&after).Error, want(after, before))
}

func write() error {
	rate, launched := 0.123456, time.Date(2020, 1, 2, 3, 4, 5, 678000000, time.UTC)
	zea := port{Name: "Zea", Rate: &rate}
	if err := db.Create(&zea).Error; err != nil {
		return err
	}
	ships := []ship{{Name: "Argo", Launched: &launched, Papers: `{"crew": [1]}`, Price: 12.5, PortID: &zea.ID}, {Name: "Salaminia", Oars: 180, PortID: &zea.ID}}
	if err := db.Create(&ships).Error; err != nil {
		return err
	}
	many := make([]ship, 30)
	for i := range many {
		many[i] = ship{Name: fmt.Sprint("ship ", i)}
	}
	return errors.Join(
		want(zea.ID > 0 && ships[0].ID > 0, true),
		db.CreateInBatches(many, 8).Error,
		db.Model(&ship{}).Where("name = ?", "Argo").Updates(map[string]any{"oars": 50, "price": gorm.Expr("price * ?", 2)}).Error,
		db.Where("name LIKE ?", "ship 1%").Delete(&ship{}).Error,
		db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"oars"})}).
			Create(&ship{ID: ships[1].ID, Name: "Salaminia", Oars: 181}).Error,
	)
}

func read() error {
	var argo ship
	if err := db.Preload("Port").First(&argo, "name = ?", "Argo").Error; err != nil {
		return err
	}
	var sums []struct {
		Name string
		Oars int
	}
	var n int64
	return errors.Join(
		want([]any{argo.Oars, argo.Price, argo.Launched.UTC().Format(time.RFC3339Nano), argo.Port.Name, *argo.Port.Rate, argo.Papers},
			[]any{50, 25, "2020-01-02T03:04:05.678Z", "Zea", 0.123456, `{"crew": [1]}`}),
		db.Model(&ship{}).Where("oars IN ?", []int{50, 181}).Count(&n).Error, want(n, 2),
		db.Table(table("ships")+" s").Select("p.name, sum(s.oars) AS oars").Joins("JOIN "+table("ports")+" p ON p.id = s.port_id").Group("p.name").Scan(&sums).Error,
		want(sums, "[{Zea 231}]"),
		want(errors.Is(db.First(&ship{}, "name = ?", "none").Error, gorm.ErrRecordNotFound), true),
	)
}

var errBack = errors.New("back")

func transactions() error {
	err := db.Transaction(func(outer *gorm.DB) error {
		if err := outer.Create(&ship{Name: "outer"}).Error; err != nil {
			return err
		}
		inner := outer.Transaction(func(tx *gorm.DB) error {
			return errors.Join(tx.Create(&ship{Name: "inner"}).Error, errBack)
		})
		if !errors.Is(inner, errBack) {
			return inner
		}
		var locked ship
		return outer.Clauses(clause.Locking{Strength: "UPDATE"}).First(&locked, "name = ?", "outer").Error
	})
	var names []string
	return errors.Join(err, db.Model(&ship{}).Where("name IN ?", []string{"outer", "inner"}).Pluck("name", &names).Error, want(names, "[outer]"))
}

func metadata() error {
	m := db.Migrator()
	types, err := m.ColumnTypes(&ship{})
	if err != nil {
		return err
	}
	described := map[string]string{}
	for _, c := range types {
		length, _ := c.Length()
		null, _ := c.Nullable()
		key, _ := c.PrimaryKey()
		described[c.Name()] = fmt.Sprint(c.DatabaseTypeName(), " ", length, " ", null, " ", key)
	}
	return errors.Join(
		want(m.HasTable(&ship{}), true), want(m.HasColumn(&ship{}, "oars"), true), want(m.HasIndex(&port{}, "idx_"+strings.ReplaceAll(table("ports"), ".", "_")+"_name"), true),
		want(described["id"], "int8 64 false true"), want(described["name"], "varchar 100 true false"), want(described["papers"], "jsonb 0 true false"),
		m.RenameColumn(&ship{}, "oars", "rowers"), m.DropColumn(&ship{}, "papers"),
		m.DropTable(&ship{}, &port{}), want(m.HasTable(&port{}), false),
	)
}
