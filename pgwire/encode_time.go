package pgwire

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

const (
	microsPerSecond = 1_000_000
	secondsPerDay   = 86_400
	microsPerDay    = secondsPerDay * microsPerSecond
	// epochDays is 2000-01-01, Postgres's day zero, in days since 1970-01-01.
	epochDays   = 10_957
	epochMicros = epochDays * microsPerDay
)

// DuckDB's infinities: dates in 32 bits, timestamps of every unit in 64.
const (
	dateInfinity      = math.MaxInt32
	timestampInfinity = math.MaxInt64
)

// civil converts days since 1970-01-01 to a date of the proleptic Gregorian
// calendar; year 0 is 1 BC. It counts eras of 400 years that begin on 1 March,
// so that the leap day is the last day of its year.
func civil(days int64) (year int64, month, day int) {
	const eraDays = 146_097
	z := days + 719_468 // days since 0000-03-01
	era := z / eraDays
	if z%eraDays < 0 {
		era--
	}
	doe := z - era*eraDays
	yoe := (doe - doe/1_460 + doe/36_524 - doe/(eraDays-1)) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	shifted := (5*doy + 2) / 153 // months since March
	day = int(doy-(153*shifted+2)/5) + 1
	month = int(shifted) + 3
	year = yoe + era*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

func append2(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

// appendPadded appends n in at least width digits.
func appendPadded(dst []byte, n int64, width int) []byte {
	for limit := int64(math.Pow10(width - 1)); n < limit && limit > 1; limit /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, n, 10)
}

// appendYMD appends a date without its era and reports whether that is BC.
func appendYMD(dst []byte, days int64) (out []byte, bc bool) {
	y, m, d := civil(days)
	if y <= 0 {
		y, bc = 1-y, true
	}
	dst = appendPadded(dst, y, 4)
	dst = append2(append(dst, '-'), m)
	return append2(append(dst, '-'), d), bc
}

func appendEra(dst []byte, bc bool) []byte {
	if bc {
		return append(dst, " BC"...)
	}
	return dst
}

// appendDate appends days since 1970-01-01 as a date.
func appendDate(dst []byte, days int64) []byte {
	switch days {
	case dateInfinity:
		return append(dst, "infinity"...)
	case -dateInfinity:
		return append(dst, "-infinity"...)
	}
	dst, bc := appendYMD(dst, days)
	return appendEra(dst, bc)
}

// appendTimeOfDay appends units since midnight, perSecond units to the second,
// the fraction without trailing zeros.
func appendTimeOfDay(dst []byte, units, perSecond int64) []byte {
	sec, frac := units/perSecond, units%perSecond
	hour := sec / 3600
	dst = appendPadded(dst, hour, 2)
	dst = append2(append(dst, ':'), int(sec/60%60))
	dst = append2(append(dst, ':'), int(sec%60))
	return appendFraction(dst, frac, perSecond)
}

// appendFraction appends frac/perSecond as a point and digits, nothing for zero.
func appendFraction(dst []byte, frac, perSecond int64) []byte {
	if frac == 0 {
		return dst
	}
	dst = append(dst, '.')
	for frac != 0 {
		frac *= 10
		dst = append(dst, byte('0'+frac/perSecond))
		frac %= perSecond
	}
	return dst
}

// timestampUnits is the number of a timestamp type's units in a second.
func timestampUnits(id rows.TypeID) int64 {
	switch id {
	case rows.TimestampS:
		return 1
	case rows.TimestampMS:
		return 1_000
	case rows.TimestampNS:
		return 1_000_000_000
	default:
		return microsPerSecond
	}
}

// textTimestampAppender prints timestamps; those with time zone in the one given, whose
// distance from UTC follows, "+00" for UTC because some clients misread "Z".
func textTimestampAppender(id rows.TypeID, style textStyle) appender {
	perSecond, zone := timestampUnits(id), style.zone
	if id == rows.TimestampNS && !style.keepsNanos {
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			units := v.I64[i]
			if units != timestampInfinity && units != -timestampInfinity {
				units, _ = toMicros(units, perSecond)
			}
			return appendTimestamp(dst, units, microsPerSecond, nil), nil
		}
	}
	if id != rows.TimestampTZ {
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return appendTimestamp(dst, v.I64[i], perSecond, nil), nil
		}
	}
	return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
		return appendTimestamp(dst, v.I64[i], perSecond, zone), nil
	}
}

// appendTimestamp appends units since 1970-01-01 00:00:00, of UTC as the clocks of a zone
// show them; nil: as they are, without a zone.
func appendTimestamp(dst []byte, units, perSecond int64, zone *time.Location) []byte {
	switch units {
	case timestampInfinity:
		return append(dst, "infinity"...)
	case -timestampInfinity:
		return append(dst, "-infinity"...)
	}
	ahead := 0
	if zone != nil && zone != time.UTC {
		_, ahead = time.Unix(units/perSecond, units%perSecond*(int64(time.Second)/perSecond)).In(zone).Zone()
		if local := units + int64(ahead)*perSecond; (local < units) == (ahead < 0) {
			units = local
		} else {
			ahead = 0 // the last hours that can be told
		}
	}
	perDay := perSecond * secondsPerDay
	days, rest := units/perDay, units%perDay
	if rest < 0 {
		days, rest = days-1, rest+perDay
	}
	dst, bc := appendYMD(dst, days)
	dst = appendTimeOfDay(append(dst, ' '), rest, perSecond)
	if zone != nil {
		dst = appendAhead(dst, ahead)
	}
	return appendEra(dst, bc)
}

// appendAhead appends by how many seconds clocks are ahead of UTC: hours, and minutes
// and seconds where there are any.
func appendAhead(dst []byte, seconds int) []byte {
	sign := byte('+')
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	dst = append2(append(dst, sign), seconds/3600)
	if seconds%3600 != 0 {
		dst = append2(append(dst, ':'), seconds/60%60)
	}
	if seconds%60 != 0 {
		dst = append2(append(dst, ':'), seconds%60)
	}
	return dst
}

// appendDateBinary appends days since 2000-01-01.
func appendDateBinary(dst []byte, v *rows.Vector, i int) ([]byte, error) {
	switch days := v.I64[i]; days {
	case dateInfinity:
		return appendInt32(dst, math.MaxInt32), nil
	case -dateInfinity:
		return appendInt32(dst, math.MinInt32), nil
	default:
		if days-epochDays <= math.MinInt32 {
			return dst, sqlerr.New(codeDatetimeOverflow, "date out of range for the binary format")
		}
		return appendInt32(dst, days-epochDays), nil
	}
}

// binaryTimestampAppender writes microseconds since 2000-01-01; nanoseconds are
// cut off, since the format has no room for them.
func binaryTimestampAppender(id rows.TypeID) appender {
	perSecond := timestampUnits(id)
	return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
		switch v.I64[i] {
		case timestampInfinity:
			return appendInt64(dst, math.MaxInt64), nil
		case -timestampInfinity:
			return appendInt64(dst, math.MinInt64), nil
		}
		micros, ok := toMicros(v.I64[i], perSecond)
		if !ok || micros < math.MinInt64+1+epochMicros {
			return dst, sqlerr.New(codeDatetimeOverflow, "timestamp out of range for the binary format")
		}
		return appendInt64(dst, micros-epochMicros), nil
	}
}

// toMicros converts units to microseconds, rounding down.
func toMicros(units, perSecond int64) (int64, bool) {
	if perSecond > microsPerSecond {
		d := perSecond / microsPerSecond
		q := units / d
		if units%d < 0 {
			q--
		}
		return q, true
	}
	m := microsPerSecond / perSecond
	if units > math.MaxInt64/m || units < math.MinInt64/m {
		return 0, false
	}
	return units * m, true
}

// intervalPrinter prints an interval in style postgres: the sign of a part is
// shown when it is negative, or when it is positive after a negative one.
type intervalPrinter struct {
	dst    []byte
	any    bool // a part has been printed
	before bool // the last part printed was negative
}

func (p *intervalPrinter) part(value int64, unit string) {
	if value == 0 {
		return
	}
	if p.any {
		p.dst = append(p.dst, ' ')
	}
	if p.before && value > 0 {
		p.dst = append(p.dst, '+')
	}
	p.dst = strconv.AppendInt(p.dst, value, 10)
	p.dst = append(append(p.dst, ' '), unit...)
	if value != 1 {
		p.dst = append(p.dst, 's')
	}
	p.any, p.before = true, value < 0
}

func (p *intervalPrinter) time(micros int64) {
	if micros == 0 && p.any {
		return
	}
	if p.any {
		p.dst = append(p.dst, ' ')
	}
	magnitude := uint64(micros)
	if micros < 0 {
		p.dst, magnitude = append(p.dst, '-'), -magnitude
	} else if p.before {
		p.dst = append(p.dst, '+')
	}
	seconds := int64(magnitude / microsPerSecond)
	p.dst = appendTimeOfDay(p.dst, seconds, 1)
	p.dst = appendFraction(p.dst, int64(magnitude%microsPerSecond), microsPerSecond)
}

func (s textStyle) appendInterval(dst []byte, v rows.IntervalValue) []byte {
	if s.isoIntervals {
		return appendISOInterval(dst, v)
	}
	return appendInterval(dst, v)
}

// appendISOInterval appends an interval as ISO 8601 has it.
func appendISOInterval(dst []byte, v rows.IntervalValue) []byte {
	dst = append(dst, 'P')
	empty := len(dst)
	part := func(n int64, designator byte) {
		if n != 0 {
			dst = append(strconv.AppendInt(dst, n, 10), designator)
		}
	}
	part(int64(v.Months/12), 'Y')
	part(int64(v.Months%12), 'M')
	part(int64(v.Days), 'D')
	if v.Micros == 0 && len(dst) > empty {
		return dst
	}
	dst = append(dst, 'T')
	const microsPerMinute = 60 * microsPerSecond
	seconds := v.Micros % microsPerMinute
	part(v.Micros/(60*microsPerMinute), 'H')
	part(v.Micros/microsPerMinute%60, 'M')
	if seconds == 0 && v.Micros != 0 {
		return dst
	}
	if seconds < 0 {
		dst, seconds = append(dst, '-'), -seconds
	}
	dst = strconv.AppendInt(dst, seconds/microsPerSecond, 10)
	if fraction := seconds % microsPerSecond; fraction != 0 {
		dst = append(dst, '.')
		dst = append(dst, strings.TrimRight(fmt.Sprintf("%06d", fraction), "0")...)
	}
	return append(dst, 'S')
}

// appendInterval appends an interval as Postgres prints it by default.
func appendInterval(dst []byte, v rows.IntervalValue) []byte {
	p := intervalPrinter{dst: dst}
	p.part(int64(v.Months/12), "year")
	p.part(int64(v.Months%12), "mon")
	p.part(int64(v.Days), "day")
	p.time(v.Micros)
	return p.dst
}
