package svcdtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Answer is the answer to a request. Error statuses are answers like any other.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte

	t    testing.TB
	what string // "GET /groups"
}

// Want ends the test unless the answer has this status.
func (a *Answer) Want(status int) *Answer {
	a.t.Helper()
	if a.Status != status {
		a.t.Fatalf("%s answered %d, and not %d: %s", a.what, a.Status, status, a.Body)
	}
	return a
}

// JSON reads the body into v.
func (a *Answer) JSON(v any) *Answer {
	a.t.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		a.t.Fatalf("%s answered what is not such JSON: %v: %s", a.what, err, a.Body)
	}
	return a
}

// Text returns a member of the body that is a string.
func (a *Answer) Text(member string) string {
	a.t.Helper()
	var all map[string]any
	a.JSON(&all)
	text, is := all[member].(string)
	if !is {
		a.t.Fatalf("%s answered without a text %q: %s", a.what, member, a.Body)
	}
	return text
}

func (p *process) forget() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.token = ""
}

// send sends a request. The body is nil, JSON text (string, []byte or json.RawMessage), an io.Reader, or a value that becomes JSON.
func (s *Service) send(method, address string, body any, header http.Header) (*Answer, error) {
	var reader io.Reader
	kind := "application/json"
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	case []byte:
		reader = bytes.NewReader(b)
	case json.RawMessage:
		reader = bytes.NewReader(b)
	case io.Reader:
		reader, kind = b, "application/octet-stream"
	default:
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, address, reader)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", kind)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := s.p.client.Do(request)
	if err != nil {
		return nil, s.crashed(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, s.crashed(err)
	}
	return &Answer{response.StatusCode, response.Header, text, s.t, method + " " + strings.TrimPrefix(address, s.URL)}, nil
}

// crashed distinguishes a lost answer from an svcd that has ended.
func (s *Service) crashed(err error) error {
	select {
	case <-s.p.ended:
		return fmt.Errorf("%w: svcd has ended:\n  %s", err, s.p.log())
	case <-time.After(20 * time.Millisecond): // its output ends a moment after its sockets
		return err
	}
}

func (s *Service) fatal(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("svcdtest: %v", err)
	}
}

// ---- the API

// Address returns the URL of a path. A path such as /groups is relative to /api/svc/v2; a path that starts with /api/ is used unchanged.
func (s *Service) Address(path string) string {
	if !strings.HasPrefix(path, "/") {
		s.t.Helper()
		s.t.Fatalf("svcdtest: a path starts with / (got %q)", path)
	}
	if strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/_svc/") {
		return s.URL + path
	}
	return s.URL + "/api/" + s.p.vendor + "/v2" + path
}

// Token returns a bearer token of the first service account, and keeps it until it expires by the clock of the service.
func (s *Service) Token() string {
	s.t.Helper()
	token, err := s.bearer()
	s.fatal(err)
	return token
}

func (s *Service) bearer() (string, error) {
	now, err := s.now(http.MethodGet, nil)
	if err != nil {
		return "", err
	}
	s.p.mutex.Lock()
	token, expiry := s.p.token, s.p.expiry
	s.p.mutex.Unlock()
	if token != "" && now.Before(expiry) {
		return token, nil
	}
	request, err := http.NewRequest(http.MethodPost, s.URL+"/api/oauth/token", strings.NewReader("grant_type=client_credentials"))
	if err != nil {
		return "", err
	}
	request.SetBasicAuth(s.Credentials.ClientID, s.Credentials.ClientSecret)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := s.p.client.Do(request)
	if err != nil {
		return "", s.crashed(err)
	}
	defer response.Body.Close()
	var given struct {
		Token   string `json:"access_token"`
		Seconds int64  `json:"expires_in"`
	}
	if err = json.NewDecoder(response.Body).Decode(&given); err != nil || response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("no token: POST /api/oauth/token answered %s (%v)", response.Status, err)
	}
	s.p.mutex.Lock()
	defer s.p.mutex.Unlock()
	s.p.token, s.p.expiry = given.Token, now.Add(time.Duration(given.Seconds)*time.Second)
	return given.Token, nil
}

// Try sends a request with a token. An error means that the answer was lost.
func (s *Service) Try(method, path string, body any) (*Answer, error) {
	s.t.Helper()
	return s.send(method, s.Address(path), body, http.Header{"Authorization": {"Bearer " + s.Token()}})
}

// Request sends a request with a token. The body is nil, JSON text, or a value that becomes JSON. A lost answer ends the test.
func (s *Service) Request(method, path string, body any) *Answer {
	s.t.Helper()
	answer, err := s.Try(method, path, body)
	s.fatal(err)
	return answer
}

// Client returns a client that adds a token to each request to this service, for programs that take an *http.Client.
func (s *Service) Client() *http.Client {
	return &http.Client{Transport: roundTripper{s}, Timeout: time.Minute}
}

type roundTripper struct{ s *Service }

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Header.Get("Authorization") == "" && request.URL.Scheme+"://"+request.URL.Host == r.s.URL {
		token, err := r.s.bearer()
		if err != nil {
			return nil, err
		}
		request = request.Clone(request.Context())
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return r.s.p.client.Transport.RoundTrip(request)
}

// ---- test control

// control calls a path below /_svc.
func (s *Service) control(method, path string, body any) (*Answer, error) {
	answer, err := s.send(method, s.URL+"/_svc"+path, body, http.Header{"Authorization": {"Bearer " + s.p.first.TestToken}})
	if err != nil || answer.Status < 300 {
		return answer, err
	}
	var why struct{ Detail, ErrorCode string }
	if json.Unmarshal(answer.Body, &why) != nil || why.Detail == "" {
		return nil, fmt.Errorf("%s /_svc%s answered %d", method, path, answer.Status)
	}
	return nil, fmt.Errorf("%s (%d %s)", why.Detail, answer.Status, why.ErrorCode)
}

func (s *Service) must(method, path string, body any) *Answer {
	s.t.Helper()
	answer, err := s.control(method, path, body)
	s.fatal(err)
	return answer
}

func (s *Service) now(method string, body any) (time.Time, error) {
	answer, err := s.control(method, "/clock", body)
	if err != nil {
		return time.Time{}, err
	}
	var clock struct {
		NowMs int64 `json:"nowMs"`
	}
	err = json.Unmarshal(answer.Body, &clock)
	return time.UnixMilli(clock.NowMs).UTC(), err
}

func (s *Service) move(body any) time.Time {
	s.t.Helper()
	now, err := s.now(http.MethodPost, body)
	s.fatal(err)
	return now
}

// Now returns the time of the service.
func (s *Service) Now() time.Time {
	s.t.Helper()
	now, err := s.now(http.MethodGet, nil)
	s.fatal(err)
	return now
}

// Advance moves the clock forwards, by whole seconds. All due steps up to the new time have happened when it returns.
func (s *Service) Advance(by time.Duration) time.Time {
	s.t.Helper()
	if by < 0 || by%time.Second != 0 {
		s.fatal(fmt.Errorf("the clock advances by whole seconds, 0 or more (got %s); Restore goes back", by))
	}
	return s.move(map[string]any{"advanceSeconds": int64(by / time.Second)})
}

// SetClock moves the clock forwards to a point in time, in whole seconds.
func (s *Service) SetClock(to time.Time) time.Time {
	s.t.Helper()
	return s.move(map[string]any{"now": to.UTC().Format("2006-01-02T15:04:05Z")})
}

// NextDue moves the clock to the next due step: a cluster that becomes IDLE, an invoice, a backup. False: nothing is due.
func (s *Service) NextDue() (time.Time, bool) {
	s.t.Helper()
	var clock struct {
		NowMs int64 `json:"nowMs"`
		Moved bool  `json:"moved"`
	}
	s.must(http.MethodPost, "/clock", map[string]bool{"toNextDue": true}).JSON(&clock)
	return time.UnixMilli(clock.NowMs).UTC(), clock.Moved
}

// SetRate lets the clock run this many times faster than real time; 0 stops it.
func (s *Service) SetRate(rate int) time.Time {
	s.t.Helper()
	return s.move(map[string]any{"rate": rate})
}

// Fault is a rule that makes requests, orders or hosts fail, with the members of POST /_svc/faults:
// Fault{"operation": "createCluster", "status": 503, "count": 1}.
type Fault map[string]any

// AddFault adds a rule and returns its id.
func (s *Service) AddFault(fault Fault) int {
	s.t.Helper()
	var made struct{ ID int }
	s.must(http.MethodPost, "/faults", fault).JSON(&made)
	return made.ID
}

// Faults returns all rules.
func (s *Service) Faults() []Fault {
	s.t.Helper()
	var all []Fault
	s.must(http.MethodGet, "/faults", nil).JSON(&all)
	return all
}

// RemoveFault removes a rule by its id.
func (s *Service) RemoveFault(id int) {
	s.t.Helper()
	s.must(http.MethodDelete, "/faults/"+strconv.Itoa(id), nil)
}

// ClearFaults removes all rules.
func (s *Service) ClearFaults() {
	s.t.Helper()
	s.must(http.MethodDelete, "/faults", nil)
}

// Reset restores the store and the clock as they were at the start of svcd, removes all faults and empties the journal.
func (s *Service) Reset() {
	s.t.Helper()
	s.must(http.MethodPost, "/reset", nil)
	s.p.forget()
}

// Snapshot stores the state of the store and the clock under a name.
func (s *Service) Snapshot(name string) {
	s.t.Helper()
	s.must(http.MethodPost, "/snapshots", map[string]string{"name": name})
}

// Restore restores a snapshot. Faults and the journal stay.
func (s *Service) Restore(name string) {
	s.t.Helper()
	s.must(http.MethodPost, "/snapshots/"+url.PathEscape(name)+":restore", nil)
	s.p.forget()
}

// Snapshots returns the names of all snapshots.
func (s *Service) Snapshots() []string {
	s.t.Helper()
	var all []struct{ Name string }
	s.must(http.MethodGet, "/snapshots", nil).JSON(&all)
	names := []string{}
	for _, one := range all {
		names = append(names, one.Name)
	}
	return names
}

// DeleteSnapshot deletes a snapshot.
func (s *Service) DeleteSnapshot(name string) {
	s.t.Helper()
	s.must(http.MethodDelete, "/snapshots/"+url.PathEscape(name), nil)
}

// SaveSnapshot writes a snapshot to a file, which only its owner can read, because it contains secrets.
func (s *Service) SaveSnapshot(name, file string) {
	s.t.Helper()
	s.fatal(os.WriteFile(file, s.must(http.MethodGet, "/snapshots/"+url.PathEscape(name), nil).Body, 0o600))
}

// LoadSnapshot reads a snapshot from a file and gives it this name, for Restore.
func (s *Service) LoadSnapshot(name, file string) {
	s.t.Helper()
	text, err := os.ReadFile(file)
	s.fatal(err)
	s.must(http.MethodPut, "/snapshots/"+url.PathEscape(name), bytes.NewReader(text))
}

// LoadWorld creates what a world file describes.
func (s *Service) LoadWorld(file string) {
	s.t.Helper()
	text, err := os.ReadFile(file)
	s.fatal(err)
	_, err = s.control(http.MethodPost, "/world", text)
	if err != nil {
		s.fatal(fmt.Errorf("%s: %w", file, err))
	}
}

// Entry is a request of the journal.
type Entry struct {
	Time, Method, Target, Operation, ErrorCode string
	Status                                     int
}

// Journal returns the last requests, up to limit, the newest last. Secrets are blanked.
func (s *Service) Journal(limit int) []Entry {
	s.t.Helper()
	if limit < 1 {
		s.fatal(errors.New("the limit of the journal is 1 or more"))
	}
	var all []Entry
	s.must(http.MethodGet, "/journal?limit="+strconv.Itoa(limit), nil).JSON(&all)
	return all
}

// HAR returns the journal as an HTTP archive.
func (s *Service) HAR() json.RawMessage {
	s.t.Helper()
	return s.must(http.MethodGet, "/journal?format=har", nil).Body
}

// Log returns the last lines that svcd has printed.
func (s *Service) Log() string { return s.p.log() }
