package svcdtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const logLines = 200

// process is a running svcd. It never outlives the test binary: svcd runs with --end-with-stdin, and the kernel closes the pipe.
type process struct {
	command *exec.Cmd
	stdin   io.Closer
	folder  string
	url     string
	vendor  string
	first   bootstrap
	client  *http.Client

	ready chan struct{} // closed when svcd answers
	ended chan struct{} // closed when its output has ended

	mutex  sync.Mutex
	lines  []string
	token  string
	expiry time.Time
}

// bootstrap is the file of credentials that svcd writes.
type bootstrap struct {
	Credentials
	TestToken string `json:"testToken"`
}

func (o Options) arguments(folder string) []string {
	arguments := []string{"serve", "--end-with-stdin", "--memory", "--test-control", "--listen", "http://127.0.0.1:0",
		"--bootstrap", filepath.Join(folder, "bootstrap.json")}
	clock, seed := o.Clock, o.Seed
	if clock == "" {
		clock = DefaultClock
	}
	if seed == 0 {
		seed = 1
	}
	if clock != "real" {
		arguments = append(arguments, "--clock", clock)
	}
	arguments = append(arguments, "--seed", strconv.FormatUint(seed, 10))
	if o.Rate != 0 {
		arguments = append(arguments, "--clock-rate", strconv.Itoa(o.Rate))
	}
	if o.World != "" {
		arguments = append(arguments, "--world", o.World)
	}
	return append(arguments, o.Flags...)
}

func (o Options) program() (string, error) {
	name, from := o.Svcd, "Options.Svcd"
	if name == "" {
		name, from = os.Getenv("SVCD"), "the environment variable SVCD"
	}
	if name == "" {
		name, from = "svcd", "PATH"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("svcd was not found by %s: set SVCD to the path of svcd: %w", from, err)
	}
	return path, nil
}

// environment returns the environment of this process without the variables that svcd reads as flags, so that tests do not depend on the
// machine.
func environment() []string {
	var out []string
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "SVCD_") {
			out = append(out, pair)
		}
	}
	return out
}

func startProcess(o Options) (*process, error) {
	program, err := o.program()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "svcdtest-")
	if err != nil {
		return nil, err
	}
	p := &process{folder: folder, vendor: "svc", ready: make(chan struct{}), ended: make(chan struct{})}
	if o.Vendor != "" {
		p.vendor = o.Vendor
	}
	if err = p.start(program, o); err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	if err = p.await(o); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

func (p *process) start(program string, o Options) error {
	arguments := o.arguments(p.folder)
	if o.Vendor != "" {
		arguments = append(arguments, "--vendor", o.Vendor)
	}
	p.command = exec.Command(program, arguments...)
	p.command.Env = environment()
	output, err := p.command.StdoutPipe()
	if err != nil {
		return err
	}
	p.command.Stderr = p.command.Stdout
	if p.stdin, err = p.command.StdinPipe(); err != nil {
		return err
	}
	if err = p.command.Start(); err != nil {
		return fmt.Errorf("svcd cannot be started: %w", err)
	}
	go p.read(output)
	return nil
}

// read reads the output of svcd, so that svcd never blocks, and keeps the last lines.
func (p *process) read(output io.Reader) {
	defer close(p.ended)
	reader := bufio.NewReader(output)
	for {
		line, err := reader.ReadString('\n')
		line = strings.TrimRight(line, "\n")
		if line != "" {
			p.mutex.Lock()
			if p.lines = append(p.lines, line); len(p.lines) > logLines {
				p.lines = p.lines[1:]
			}
			p.mutex.Unlock()
		}
		if strings.HasPrefix(line, "svcd ready on ") && p.url == "" {
			p.url = strings.Fields(line)[3]
			close(p.ready)
		}
		if err != nil {
			return
		}
	}
}

func (p *process) log() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	lines := p.lines
	if len(lines) > 20 {
		lines = lines[len(lines)-20:]
	}
	return strings.Join(lines, "\n  ")
}

func (p *process) await(o Options) error {
	timeout := o.Timeout
	if timeout == 0 {
		timeout = 30 * time.Second
	}
	select {
	case <-p.ready:
	case <-p.ended:
		p.stop()
		return fmt.Errorf("svcd has ended with status %d:\n  %s", p.command.ProcessState.ExitCode(), p.log())
	case <-time.After(timeout):
		return fmt.Errorf("svcd is not ready after %s:\n  %s", timeout, p.log())
	}
	text, err := os.ReadFile(filepath.Join(p.folder, "bootstrap.json"))
	if err == nil {
		err = json.Unmarshal(text, &p.first)
	}
	os.RemoveAll(p.folder) // from now on only this process knows the credentials, and no file stays behind, whatever ends it
	// Each request has its own connection: on a kept one, net/http would retry a GET whose answer was lost, and no test would see the fault.
	p.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}, Timeout: time.Minute}
	return err
}

// stop ends svcd. Calling it again does nothing.
func (p *process) stop() {
	if p.command.ProcessState != nil {
		return
	}
	p.stdin.Close()
	p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(15 * time.Second): // svcd itself gives up after 10 seconds
		p.command.Process.Kill()
		<-p.ended
	}
	p.command.Wait()
	os.RemoveAll(p.folder)
}
