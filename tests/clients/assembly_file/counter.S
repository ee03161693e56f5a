	.text
	.globl	counter_next, counter_locked, counter_same
counter_next:
	movl	4(%rdi), %eax
	leal	1(%rax), %ecx
	movl	%ecx, 4(%rdi)
	ret

/* Holds the lock in bit 0 of `held`. */
counter_locked:
1:	lock btsl $0, (%rdi)
	jnc	2f
	pause
	jmp	1b
2:	call	counter_next
	movl	$0, (%rdi)
	ret

counter_same:
	leaq	8(%rdi), %rdi
	movl	$8, %ecx
	repe	cmpsb
	sete	%al
	movzbl	%al, %eax
	ret
	.globl	counter_by, counter_tail
counter_by:
	subq	$8, %rsp
	call	*16(%rdi)
	addq	$8, %rsp
	addl	$10, %eax
	ret
counter_tail:
	jmp	*16(%rdi)
	.section .note.GNU-stack,"",@progbits
