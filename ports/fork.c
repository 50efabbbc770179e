/*
** The process that opened a handle, and whether this one is a child of it (fork). A child process has a copy of the handle, and the
** store's files and locks are its parent's as well: a write of the child would damage the store.
**
** Each public function asks, so asking must cost nothing. getpid() is a system call, about 0.2 microseconds. So the handle has a page that
** the kernel empties in a child (MADV_WIPEONFORK, Linux 4.14 and later), and reads one byte of it. Without such a page, getpid() is asked.
** A counter by pthread_atfork() would need a variable of the process, and would stay registered in a program that unloads the library.
*/
#include "ports/ports.h"

#if !defined(_WIN32) && !defined(__wasm__)
#include <sys/mman.h>
#include <unistd.h>
#define FORK_KNOWN
#endif

#ifndef FORK_KNOWN

SVC_PRIVATE void svc_fork_begin(svc_fork *p)
{
  memset(p, 0, sizeof *p);
}

SVC_PRIVATE bool svc_fork_is_ours(const svc_fork *p)
{
  (void)p;
  return true;
}

SVC_PRIVATE void svc_fork_end(svc_fork *p)
{
  (void)p;
}

#else

#define FORK_PAGE 1 /* byte: mmap() and munmap() round it up to a page */

#ifdef MADV_WIPEONFORK
static unsigned char *fork_page(void)
{
  unsigned char *page = mmap(NULL, FORK_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const long size = sysconf(_SC_PAGESIZE);
  if (page == MAP_FAILED) return NULL;
  /* some emulators (qemu-user 7) accept any advice and follow none: one that accepts advice that does not exist is not trusted */
  if (size > 0 && madvise(page, (size_t)size, -1) != 0 && madvise(page, (size_t)size, MADV_WIPEONFORK) == 0) {
    *page = 1;
    return page;
  }
  munmap(page, FORK_PAGE);
  return NULL;
}
#else
static unsigned char *fork_page(void)
{
  return NULL;
}
#endif

SVC_PRIVATE void svc_fork_begin(svc_fork *p)
{
  p->page = fork_page();
  p->id = (long)getpid();
}

SVC_PRIVATE bool svc_fork_is_ours(const svc_fork *p)
{
  return p->page ? *p->page != 0 : p->id == (long)getpid();
}

SVC_PRIVATE void svc_fork_end(svc_fork *p)
{
  if (p->page) munmap((void *)(uintptr_t)p->page, FORK_PAGE);
  p->page = NULL;
}

#endif
