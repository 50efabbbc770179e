// Package svcdtest starts svcd for tests of programs that use the API: on a free port, in memory, with a clock that stands until the test
// moves it. The package uses only the standard library: copy this folder into your module.
//
// The rule: a method that fails ends the test with t.Fatal and a reason, so that tests are short. Try is for requests that may fail.
package svcdtest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// DefaultClock is the time at which the clock stands at the start.
const DefaultClock = "2030-01-01T00:00:00Z"

// Options of svcd. The zero value gives the defaults, which are in parentheses below.
type Options struct {
	Clock   string        // time of the manual clock (DefaultClock); "manual": the present; "real": the clock is not manual
	Seed    uint64        // seed of ids and secrets, which are the same on every run with the same options (1)
	Rate    int           // the clock runs this many times faster than real time
	World   string        // what exists at the start: a world file, or the name of a built-in world
	Vendor  string        // the word in /api/WORD/v2 (svc)
	Flags   []string      // more flags of svcd: "--limiter-off", "--provision-seconds", "1"
	Svcd    string        // the program (the variable SVCD, or svcd in PATH)
	Timeout time.Duration // for the start of svcd (30 s)
}

// Credentials are the first credentials of the store.
type Credentials struct {
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
	PublicKey    string `json:"publicKey"`
	PrivateKey   string `json:"privateKey"`
	OrgID        string `json:"orgId"`
	ProjectID    string `json:"groupId"`
}

// String leaves the secrets out, because the output of a failed test goes to logs.
func (c Credentials) String() string {
	return fmt.Sprintf("{ClientID:%s PublicKey:%s OrgID:%s ProjectID:%s}", c.ClientID, c.PublicKey, c.OrgID, c.ProjectID)
}

// GoString does the same for %#v.
func (c Credentials) GoString() string { return "svcdtest.Credentials" + c.String() }

// Service is a running svcd, used by one test.
type Service struct {
	URL         string
	Credentials Credentials

	t testing.TB
	p *process
}

func service(t testing.TB, p *process) *Service {
	return &Service{URL: p.url, Credentials: p.first.Credentials, t: t, p: p}
}

// Start starts an svcd for this test alone. It ends with the test.
func Start(t testing.TB, o Options) *Service {
	t.Helper()
	p, err := startProcess(o)
	if err != nil {
		t.Fatalf("svcdtest: %v", err)
	}
	t.Cleanup(p.stop)
	return service(t, p)
}

// shared is one svcd for the tests of a binary, one test at a time.
type shared struct {
	p      *process
	holder string // name of the test that uses this svcd; "": none
}

var (
	sharedMutex sync.Mutex
	sharedFree  = sync.NewCond(&sharedMutex)
	sharedAll   = map[string]*shared{}
)

// Shared returns the svcd that all tests of this binary share, and resets it when the test ends: store, clock, faults and journal are as at
// the start. svcd ends with the binary. Parallel tests wait for one another; subtests use the service of their parent test without a reset.
// Tests with other options have another svcd.
func Shared(t testing.TB, options ...Options) *Service {
	t.Helper()
	var o Options
	if len(options) > 1 {
		t.Fatalf("svcdtest: Shared takes one Options (got %d)", len(options))
	}
	if len(options) == 1 {
		o = options[0]
	}
	s, err := acquire(fmt.Sprintf("%+v", o), t, o)
	if err != nil {
		t.Fatalf("svcdtest: %v", err)
	}
	return s
}

// within returns true if a test is the holder, or a subtest of it.
func within(name, holder string) bool { return name == holder || strings.HasPrefix(name, holder+"/") }

func acquire(key string, t testing.TB, o Options) (*Service, error) {
	sharedMutex.Lock()
	defer sharedMutex.Unlock()
	one := sharedAll[key]
	if one == nil {
		p, err := startProcess(o)
		if err != nil {
			return nil, err
		}
		one = &shared{p: p}
		sharedAll[key] = one
	}
	for one.holder != "" && !within(t.Name(), one.holder) {
		sharedFree.Wait()
	}
	s := service(t, one.p)
	if one.holder == "" {
		one.holder = t.Name()
		t.Cleanup(func() { release(one, s) })
	}
	return s, nil
}

// release resets the service. If the reset fails, release ends svcd, and the next test starts another one.
func release(one *shared, s *Service) {
	_, err := s.control(http.MethodPost, "/reset", nil)
	s.p.forget()
	sharedMutex.Lock()
	defer sharedMutex.Unlock()
	one.holder = ""
	if err != nil {
		for key, other := range sharedAll {
			if other == one {
				delete(sharedAll, key)
			}
		}
		one.p.stop()
		s.t.Errorf("svcdtest: svcd cannot be reset: %v", err)
	}
	sharedFree.Broadcast()
}
