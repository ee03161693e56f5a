/*
 * The door of the cage (rt/port.h): the one system call instruction of the
 * engine's own.  The kernel takes the fourth argument in another register than
 * a function does.
 */
	.text
	.globl	fl__door, fl__door_end
	.hidden	fl__door, fl__door_end
	.type	fl__door, @function
fl__door:
	.cfi_startproc
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	xorl	%r9d, %r9d
	syscall
fl__door_end:
	ret
	.cfi_endproc
	.size	fl__door, .-fl__door
	.section .note.GNU-stack,"",@progbits
