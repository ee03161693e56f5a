/* A shared object that is no model. */
int fl_nothing;
