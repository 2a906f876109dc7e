package anonymize

import (
	"fmt"

	"reprise/anonymize/internal/pseudonym"
	"reprise/anonymize/rules"
)

// defaultEntity is the namespace of all values that the rules give to no entity.
const defaultEntity = "id"

// useUser is the use of identities in the cache, after those of all entities.
const useUser = useEntity + rules.MaxEntities

// entity is a namespace of values: one value of it has one pseudonym, wherever it stands, and the same value of another
// entity has an unrelated one.
type entity struct {
	name   string
	mapper *pseudonym.Mapper
	use    byte // in the cache
	format rules.Format
}

// fork is the entity for another worker.
func (e *entity) fork() *entity {
	f := *e
	f.mapper = e.mapper.Fork()
	return &f
}

// newEntities makes the entities of the rules, in their order.
func newEntities(master []byte, r *rules.Rules) ([]*entity, error) {
	if len(r.Entities) > rules.MaxEntities {
		return nil, fmt.Errorf("rules have %d entities, more than %d", len(r.Entities), rules.MaxEntities)
	}
	var all []*entity
	for i, e := range r.Entities {
		all = append(all, &entity{name: e.Name, mapper: pseudonym.NewMapper(master, e.Name), use: useEntity + byte(i), format: e.Format})
	}
	return all, nil
}
