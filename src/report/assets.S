/* Files that are part of the program: assets/. */
	.section .rodata
	.globl	log_page_begin
	.hidden	log_page_begin
	.globl	log_page_end
	.hidden	log_page_end
log_page_begin:
	.incbin	"report/assets/history.html"
log_page_end:
	.byte	0
	.section .note.GNU-stack,"",@progbits
