/* Counts the operations that tests call (coverage.c). Counting runs between coverage_begin() and coverage_end(); the counts go
   to the file that SVC_TEST_TOUCHED names, if it is set. */
#ifndef SVC_TEST_COVERAGE_H
#define SVC_TEST_COVERAGE_H

void coverage_begin(void);
void coverage_end(void);
int coverage_unshown(void); /* prints "operation field" for each field that bodies may set and no answer of its noun shows */
int coverage_operations(void); /* prints the operations of the tables, one per line, with tabs between the columns */

#endif
