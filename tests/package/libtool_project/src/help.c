int help_add(int n);

int help_add(int n) { return n + 1; }
