/*
 * fl__switch(void **save_sp, void *engine_sp): from a fiber to the engine.
 * Callee-saved registers go on the stack that is left, so that a parked
 * fiber's whole context is its stack.  The way back is in engine.c (resume):
 * inline, and by a return, so that the processor's return predictor stays in
 * step with the fiber's calls as long as the same fiber goes on.  With a
 * called function and an indirect jump on both sides, a step cost half as much
 * again: every return behind a switch was mispredicted (bench/README.md).
 *
 * fl__switch_in: the second half alone.  A signal handler that has to abandon
 * a fiber resumes here with rsp set to the engine's saved stack pointer.
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
