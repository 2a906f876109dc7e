package shop

import (
	"fmt"
	"time"
)

// Sizes of the data set where Options leaves them zero.
const (
	DefaultProducts = 1000
	DefaultUsers    = 500
	DefaultOrders   = 2000
)

// maxRows bounds each size: beyond it seeding takes longer than a run.
const maxRows = 1_000_000

// Options describe a shop. The zero value is a shop of default size, seed 0, in a temporary folder,
// without faults.
type Options struct {
	// Path is the live SQLite file; its folder must exist. The base is kept beside it as Path.base
	// until Close. An existing file is replaced when a shop wrote it and refused otherwise; two shops
	// must not share a path. Empty means a temporary folder that Close removes.
	Path string
	// Seed fixes the data. Any value is valid.
	Seed uint64
	// Products, Users and Orders count the seeded rows, at most 1,000,000 each; 0 means the default.
	Products, Users, Orders int
	// Faults are in force from Open on; the zero value means none.
	Faults FaultSpec
	// Now stamps new orders; nil means time.Now. Seeded orders carry fixed stamps.
	Now func() time.Time
}

// validate reports the first option out of range and fills in the defaults.
func (o *Options) validate() error {
	for _, size := range []struct {
		name  string
		value *int
		zero  int
	}{
		{"products", &o.Products, DefaultProducts},
		{"users", &o.Users, DefaultUsers},
		{"orders", &o.Orders, DefaultOrders},
	} {
		if *size.value == 0 {
			*size.value = size.zero
		}
		if *size.value < 1 || *size.value > maxRows {
			return fmt.Errorf("shop: %s %d is outside 1..%d", size.name, *size.value, maxRows)
		}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o.Faults.validate()
}
