/* What coverage.c counts while tests run: from begin to end, into the file that SVC_TEST_TOUCHED names, if it does. */
#ifndef SVC_TEST_COVERAGE_H
#define SVC_TEST_COVERAGE_H

void coverage_begin(void);
void coverage_end(void);
int coverage_unshown(void); /* prints the fields that bodies may set and that no answer of their noun shows: operation, field */
int coverage_operations(void); /* prints them, of the tables: a line each, with tabs between what it says */

#endif
