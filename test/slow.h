/*
** Under ThreadSanitizer everything takes ten times as long, there is a thread more, and memory is counted by nobody: tests of how long
** something takes, or of how much, say nothing then, and are left to the other runs.
*/
#ifndef SVC_TEST_SLOW_H
#define SVC_TEST_SLOW_H

#ifdef __SANITIZE_THREAD__
#define T_SLOW 1
#else
#define T_SLOW 0
#endif
#define T_SKIP_SLOW SKIP_IF(T_SLOW)

#endif /* SVC_TEST_SLOW_H */
