/*
** Under ThreadSanitizer everything takes ten times as long, there is one more thread, and memory is not counted. Tests that
** measure time or memory prove nothing there and are skipped.
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
