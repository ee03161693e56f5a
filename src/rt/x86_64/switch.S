/*
 * The way from a fiber to the engine (rt/port.h).
 *
 * fl__switch(void **fiber_sp, void *engine_sp) saves the callee-saved registers
 * on the stack that is left, so that a parked fiber's whole context is its
 * stack.  The way back is fl__enter_fiber (inline.h).  It is inline and ends
 * with a return, so that the processor's return predictor stays in step with
 * the fiber's calls as long as the same fiber goes on.  With a called function
 * and an indirect jump on both sides every return behind a switch was
 * mispredicted, and a step cost half as much again (bench/README.md).
 *
 * fl__switch_in is the second half alone.  A signal handler that abandons a
 * fiber goes on here, with rsp set to the engine's saved stack pointer.
 */
	.text
	.globl	fl__switch
	.hidden	fl__switch
	.type	fl__switch, @function
	.globl	fl__switch_in
	.hidden	fl__switch_in
	.p2align 4
fl__switch:
	.cfi_startproc
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
fl__switch_in:
	popq	%rbp
	popq	%rcx
	jmp	*%rcx
	.cfi_endproc
	.size	fl__switch, .-fl__switch
	.section .note.GNU-stack,"",@progbits
