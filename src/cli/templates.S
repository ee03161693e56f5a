/* The files of `faultline new`: templates/. */
	.section .rodata
	.macro	template name, path
	.globl	template_\name
	.hidden	template_\name
template_\name:
	.incbin	"cli/templates/\path"
	.byte	0
	.endm
	template stack_h, stack.h
	template stack_c, stack.c
	template harness_c, harness.c
	template makefile, Makefile
	template workflow, faultline.yml
	template readme, README.md
	template gdb, faultline.gdb
	.section .note.GNU-stack,"",@progbits
