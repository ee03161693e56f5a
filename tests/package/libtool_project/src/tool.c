#include "cnt.h"

int main(void) { return cnt_next() != 1; }
