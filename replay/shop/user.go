package shop

import (
	"net/http"
	"strconv"
)

// user is the answer of GET /users/{id}.
type user struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	City  string `json:"city"`
}

func (s *Shop) getUser(r *http.Request) (reply, error) {
	id, err := pathID(r)
	if err != nil {
		return reply{}, err
	}
	var u user
	err = s.view(func(st *store) error {
		return st.user.QueryRow(id).Scan(&u.ID, &u.Name, &u.Email, &u.City)
	})
	return reply{http.StatusOK, &u}, found(err, "no such user")
}

// caller returns the user that the request names in X-User or in its cookie. It refuses with 401 when
// there is none; whether the user exists is for known to say.
func caller(r *http.Request) (int64, error) {
	text := r.Header.Get("X-User")
	if text == "" {
		if cookie, err := r.Cookie("user"); err == nil {
			text = cookie.Value
		}
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, refuse(http.StatusUnauthorized, "X-User or the cookie user must hold a user id")
	}
	return id, nil
}

// known refuses with 401 when the shop has no user of that id.
func (st *store) known(id int64) error {
	var one int
	err := st.userExists.QueryRow(id).Scan(&one)
	if missing(err) {
		return refuse(http.StatusUnauthorized, "no such user")
	}
	return err
}

// pathID returns the {id} of the path. An id that no row can have is not found, like any other.
func pathID(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id < 1 {
		return 0, refuse(http.StatusNotFound, "no such id")
	}
	return id, nil
}
