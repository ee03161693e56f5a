/* Files that are part of the program: assets/. */
	.section .rodata
	.macro asset name, file:vararg
	.globl	\name
	.hidden	\name
\name:
	.irp	part, \file
	.incbin	"report/assets/\part"
	.endr
	.byte	0
	.endm
	asset	log_page, history.html
	asset	fault_page, fault.html
	asset	fault_style, fault.css
	asset	fault_script, fault_model.js, fault_view.js, fault_source.js, fault_step.js
	.section .note.GNU-stack,"",@progbits
