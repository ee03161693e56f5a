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
	.macro asset name, file:vararg
	.globl	\name
	.hidden	\name
\name:
	.irp	part, \file
	.incbin	"report/assets/\part"
	.endr
	.byte	0
	.endm
	asset	fault_page, fault.html
	asset	fault_style, fault.css
	asset	fault_script, fault_model.js, fault_view.js, fault_source.js, fault_step.js
	.section .note.GNU-stack,"",@progbits
