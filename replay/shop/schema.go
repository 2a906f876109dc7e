package shop

// applicationID marks a shop's database in its header ("RPSH"), so that Open never overwrites a
// database of somebody else's.
const applicationID = 0x52505348

// schema is executed once, on the empty base. The tables are STRICT so that a value has one type and a
// row one hash. Only orders has a sequence: AUTOINCREMENT keeps the next number even when rows are
// deleted, as the sequences of a production database do.
const schema = `
CREATE TABLE products (
	id          INTEGER PRIMARY KEY,
	name        TEXT    NOT NULL,
	category    TEXT    NOT NULL,
	description TEXT    NOT NULL,
	price_cents INTEGER NOT NULL
) STRICT;
CREATE INDEX products_by_category ON products (category, id);
CREATE TABLE users (
	id    INTEGER PRIMARY KEY,
	name  TEXT NOT NULL,
	email TEXT NOT NULL,
	city  TEXT NOT NULL
) STRICT;
CREATE TABLE orders (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id     INTEGER NOT NULL REFERENCES users (id),
	created_at  INTEGER NOT NULL, -- seconds since the Unix epoch
	total_cents INTEGER NOT NULL
) STRICT;
CREATE TABLE order_items (
	order_id    INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
	line        INTEGER NOT NULL,
	product_id  INTEGER NOT NULL REFERENCES products (id),
	quantity    INTEGER NOT NULL,
	price_cents INTEGER NOT NULL,
	PRIMARY KEY (order_id, line)
) STRICT, WITHOUT ROWID;
CREATE TABLE cart_items (
	user_id    INTEGER NOT NULL REFERENCES users (id),
	product_id INTEGER NOT NULL REFERENCES products (id),
	quantity   INTEGER NOT NULL,
	PRIMARY KEY (user_id, product_id)
) STRICT, WITHOUT ROWID;
`
