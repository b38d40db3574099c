/* Reading with the instructions that every processor of its kind has. */

#include "containers.h"
#include "reading.h"

int read_baseline(Automaton *a, Py_ssize_t index) { return read_all(a, index); }
const uint8_t *decode_baseline(Decoding *d, const uint8_t *at) { return read_whole(d, at); }
