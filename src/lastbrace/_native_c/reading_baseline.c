/* Reading with the instructions that every processor of its kind has. */

#include "reading.h"

int read_baseline(Automaton *a, Py_ssize_t index) { return read_all(a, index); }
