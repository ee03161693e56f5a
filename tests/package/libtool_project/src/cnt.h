int cnt_next(void);
