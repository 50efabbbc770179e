package svcdtest

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func createProject(s *Service, name string) *Answer {
	s.t.Helper()
	return s.Request("POST", "/groups", map[string]string{"name": name, "orgId": s.Credentials.OrgID})
}

func projects(s *Service) int {
	s.t.Helper()
	var list struct{ TotalCount int }
	s.Request("GET", "/groups", nil).Want(200).JSON(&list)
	return list.TotalCount
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// Both subtests create the same project, and neither sees the project of the other.
func TestSharedIsReset(t *testing.T) {
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			s := Shared(t)
			equal(t, "projects", projects(s), 1)
			createProject(s, "payments").Want(201)
			s.AddFault(Fault{"status": 500})
			s.Advance(time.Hour)
		})
	}
}

func TestSharedByParallelTests(t *testing.T) {
	for i := 0; i < 4; i++ {
		i := i
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			s := Shared(t)
			equal(t, "projects", projects(s), 1)
			createProject(s, fmt.Sprint("project ", i)).Want(201)
			equal(t, "projects", projects(s), 2)
		})
	}
}

func TestSharedBySubtests(t *testing.T) {
	s := Shared(t)
	createProject(s, "payments").Want(201)
	t.Run("sees it", func(t *testing.T) { equal(t, "projects", projects(Shared(t)), 2) })
	equal(t, "the subtest resets nothing: projects", projects(s), 2)
	equal(t, "the same svcd", Shared(t).URL, s.URL)
}

func TestToken(t *testing.T) {
	s := Shared(t)
	first := s.Token()
	equal(t, "token", s.Token(), first)
	s.Advance(time.Hour)
	if s.Token() == first {
		t.Fatal("the token has expired, and is still given out")
	}
	s.Reset()
	equal(t, "projects", projects(s), 1)
}

func TestClock(t *testing.T) {
	s := Shared(t)
	equal(t, "start", s.Now(), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	equal(t, "advance", s.Advance(90*time.Second), time.Date(2030, 1, 1, 0, 1, 30, 0, time.UTC))
	to := time.Date(2030, 3, 1, 2, 0, 0, 0, time.FixedZone("east", 7200))
	equal(t, "set", s.SetClock(to).Equal(to), true)
}

func TestFaults(t *testing.T) {
	s := Shared(t)
	s.AddFault(Fault{"operation": "listGroups", "status": 503, "count": 1})
	s.Request("GET", "/groups", nil).Want(503)
	s.Request("GET", "/groups", nil).Want(200)
	id := s.AddFault(Fault{"status": 500})
	equal(t, "faults", len(s.Faults()), 1)
	equal(t, "id", int(s.Faults()[0]["id"].(float64)), id)
	s.RemoveFault(id)
	s.AddFault(Fault{"operation": "listGroups", "status": 429})
	s.ClearFaults()
	equal(t, "faults", len(s.Faults()), 0)
	for drop, more := range map[string]int{"before": 0, "after": 1} {
		before := projects(s)
		s.AddFault(Fault{"operation": "createGroup", "drop": drop, "count": 1})
		if _, err := s.Try("POST", "/groups", map[string]string{"name": drop, "orgId": s.Credentials.OrgID}); err == nil {
			t.Fatalf("an answer that is lost %s the change came", drop)
		}
		equal(t, "projects after "+drop, projects(s), before+more)
	}
	s.AddFault(Fault{"operation": "listGroups", "drop": "before", "count": 1})
	if _, err := s.Try("GET", "/groups", nil); err == nil {
		t.Fatal("net/http has repeated a GET whose answer was lost")
	}
}

func TestSnapshots(t *testing.T) {
	s := Shared(t)
	s.Snapshot("before")
	createProject(s, "payments").Want(201)
	s.Restore("before")
	equal(t, "projects", projects(s), 1)
	equal(t, "names", strings.Join(s.Snapshots(), " "), "before")
	s.DeleteSnapshot("before")
	equal(t, "names", len(s.Snapshots()), 0)
}

func TestJournal(t *testing.T) {
	s := Shared(t)
	createProject(s, "payments").Want(201)
	last := s.Journal(1)
	equal(t, "entries", len(last), 1)
	equal(t, "entry", fmt.Sprint(last[0].Method, " ", last[0].Operation, " ", last[0].Status), "POST createGroup 201")
}

func TestClient(t *testing.T) {
	s := Shared(t)
	response, err := s.Client().Get(s.Address("/groups"))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	equal(t, "status", response.StatusCode, 200)
	request, _ := http.NewRequest("GET", s.Address("/groups"), nil)
	request.Header.Set("Authorization", "Bearer wrong")
	if response, err = s.Client().Do(request); err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	equal(t, "status", response.StatusCode, 401)
}

func TestCredentialsShowNoSecret(t *testing.T) {
	c := Shared(t).Credentials
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		text := fmt.Sprintf(format, c)
		if strings.Contains(text, c.ClientSecret) || strings.Contains(text, c.PrivateKey) || !strings.Contains(text, c.OrgID) {
			t.Fatalf("%s prints a secret, or nothing", format)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Setenv("SVCD_LISTEN", "http://192.0.2.1:1") // not inherited by svcd
	o := Options{Clock: "2031-05-01T00:00:00Z", Seed: 7, Vendor: "acme", Flags: []string{"--limiter-off"}}
	s := Start(t, o)
	equal(t, "clock", s.Now().Year(), 2031)
	equal(t, "address", s.Address("/groups"), s.URL+"/api/acme/v2/groups")
	equal(t, "projects", projects(s), 1)
	equal(t, "ids of one seed", Start(t, o).Credentials.OrgID, s.Credentials.OrgID)
	if !strings.Contains(s.Log(), "svcd ready on "+s.URL) {
		t.Fatalf("the log is %q", s.Log())
	}
	real := Start(t, Options{Clock: "real"})
	if since := time.Since(real.Now()); since < -time.Minute || since > time.Minute {
		t.Fatalf("a real clock differs by %s", since)
	}
}

func TestStartFails(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	text := filepath.Join(t.TempDir(), "svcd")
	if err = os.WriteFile(text, []byte("#!/bin/sh\necho thinking\nexec sleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		o    Options
		want string
	}{
		{Options{Flags: []string{"--provision-second", "1"}}, "did you mean --provision-seconds?"},
		{Options{Clock: "tomorrow"}, "svcd has ended with status 2:\n  svcd: --clock tomorrow"},
		{Options{Flags: []string{"--listen", "http://" + taken.Addr().String()}}, taken.Addr().String()},
		{Options{Svcd: "/nowhere/svcd"}, "svcd was not found by Options.Svcd"},
		{Options{Svcd: text, Timeout: 300 * time.Millisecond}, "svcd is not ready after 300ms:\n  thinking"},
	} {
		p, err := startProcess(one.o)
		if err == nil {
			p.stop()
			t.Fatalf("%+v starts", one.o)
		}
		if !strings.Contains(err.Error(), one.want) {
			t.Errorf("%+v: the error lacks %q: %v", one.o, one.want, err)
		}
	}
}

// needs skips a test if svcd does not have a flag.
func needs(t *testing.T, flag string) {
	program, err := Options{}.program()
	if err != nil {
		t.Fatal(err)
	}
	if help, _ := exec.Command(program, "serve", "--help").Output(); !strings.Contains(string(help), flag+" ") {
		t.Skipf("this svcd has no %s", flag)
	}
}

func TestWorld(t *testing.T) {
	needs(t, "--world")
	file := filepath.Join(t.TempDir(), "world.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"world":1,"orgs":[{"name":"Acme","groups":[{"name":"shop"},{"name":"lab"}]}]}`)
	s := Shared(t, Options{World: file})
	equal(t, "projects", projects(s), 2)
	write(`{"world":1,"orgs":[{"name":"Acme","groups":[{"name":"late"}]}]}`)
	s.LoadWorld(file)
	equal(t, "projects", projects(s), 3)
	s.Snapshot("three")
	s.SaveSnapshot("three", file+".snapshot")
	s.Reset()
	equal(t, "projects after a reset", projects(s), 2)
	s.LoadSnapshot("again", file+".snapshot")
	s.Restore("again")
	equal(t, "projects of the file", projects(s), 3)
	write("{\n  \"world\": 1, \"orgs\": 5 }")
	if _, err := startProcess(Options{World: file}); err == nil || !strings.Contains(err.Error(), "world.json:2:") {
		t.Fatalf("a wrong world: %v", err)
	}
	equal(t, "a world of svcd", projects(Start(t, Options{World: "team"})) > 1, true)
}

func TestRate(t *testing.T) {
	needs(t, "--clock-rate")
	s := Start(t, Options{Rate: 100000})
	time.Sleep(50 * time.Millisecond)
	if s.Now().Before(time.Date(2030, 1, 1, 0, 30, 0, 0, time.UTC)) {
		t.Fatal("the clock does not run")
	}
	s.SetRate(0)
	equal(t, "a clock that was stopped", s.Now(), s.Now())
	for i := 0; i < 3; i++ {
		before := s.Now()
		if now, moved := s.NextDue(); moved != now.After(before) {
			t.Fatalf("from %s to %s, and moved is %v", before, now, moved)
		}
	}
	projects(s)
	if har := string(s.HAR()); !strings.Contains(har, `"version":"1.2"`) || strings.Contains(har, s.Credentials.ClientSecret) {
		t.Fatal("the archive is invalid, or contains a secret")
	}
}

func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(text), ") Z ")
}

func TestCrashShowsTheLog(t *testing.T) {
	s := Start(t, Options{})
	s.Token()
	s.p.command.Process.Kill()
	<-s.p.ended
	if _, err := s.control("GET", "/clock", nil); err == nil || !strings.Contains(err.Error(), "svcd has ended:\n  ") {
		t.Fatalf("the error is %v", err)
	}
}

// The test runs its own binary as a program that starts svcd, and kills that program.
func TestSvcdEndsWithItsUser(t *testing.T) {
	if os.Getenv("SVCDTEST_USER") != "" {
		fmt.Println("pid", Start(t, Options{}).p.command.Process.Pid)
		time.Sleep(time.Minute)
	}
	user := exec.Command(os.Args[0], "-test.run", "^TestSvcdEndsWithItsUser$", "-test.v")
	folder := t.TempDir()
	user.Env = append(os.Environ(), "SVCDTEST_USER=yes", "TMPDIR="+folder)
	output, err := user.StdoutPipe()
	if err == nil {
		err = user.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	pid := 0
	for lines := bufio.NewScanner(output); pid == 0 && lines.Scan(); {
		fmt.Sscanf(lines.Text(), "pid %d", &pid)
	}
	if pid == 0 || !alive(pid) {
		t.Fatalf("svcd does not run: pid %d", pid)
	}
	user.Process.Kill()
	user.Wait()
	for until := time.Now().Add(10 * time.Second); alive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("svcd has outlived the program that started it")
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Fatalf("files of the start stay behind: %v %v", left, err)
	}
}
