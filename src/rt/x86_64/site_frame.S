/*
 * Into and out of the frame of a site (sites_int.h): general registers by
 * number, flags, rip, xmm0 to xmm15, addr, site, value; of a wide site the upper
 * halves of ymm0 to ymm15 behind that.
 *
 * A stub comes to fl__site_enter with the site's number in rax.  On the stack
 * are rax itself and above it the red zone, which is left as it is.  The return
 * address 0 ends backtraces.
 */
	.text
	.macro	general size
	pushfq
	pushq	%rdi
	movq	%rsp, %rdi
	leaq	-\size(%rsp), %rsp
	andq	$-16, %rsp
	movq	%rax, 408(%rsp)
	movq	%rcx, 8(%rsp)
	movq	%rdx, 16(%rsp)
	movq	%rbx, 24(%rsp)
	movq	%rbp, 40(%rsp)
	movq	%rsi, 48(%rsp)
	movq	%r8, 64(%rsp)
	movq	%r9, 72(%rsp)
	movq	%r10, 80(%rsp)
	movq	%r11, 88(%rsp)
	movq	%r12, 96(%rsp)
	movq	%r13, 104(%rsp)
	movq	%r14, 112(%rsp)
	movq	%r15, 120(%rsp)
	movq	(%rdi), %rcx
	movq	%rcx, 56(%rsp)
	movq	8(%rdi), %rcx
	movq	%rcx, 128(%rsp)
	movq	16(%rdi), %rcx
	movq	%rcx, (%rsp)
	leaq	24+128(%rdi), %rcx
	movq	%rcx, 32(%rsp)
	movups	%xmm0, 144(%rsp)
	movups	%xmm1, 160(%rsp)
	movups	%xmm2, 176(%rsp)
	movups	%xmm3, 192(%rsp)
	movups	%xmm4, 208(%rsp)
	movups	%xmm5, 224(%rsp)
	movups	%xmm6, 240(%rsp)
	movups	%xmm7, 256(%rsp)
	movups	%xmm8, 272(%rsp)
	movups	%xmm9, 288(%rsp)
	movups	%xmm10, 304(%rsp)
	movups	%xmm11, 320(%rsp)
	movups	%xmm12, 336(%rsp)
	movups	%xmm13, 352(%rsp)
	movups	%xmm14, 368(%rsp)
	movups	%xmm15, 384(%rsp)
	.endm
	.macro	arrive
	cld
	movq	%rsp, %rdi
	pushq	$0
	jmp	fl__site_arrived
	.endm

	.globl	fl__site_enter, fl__site_enter_wide
	.hidden	fl__site_enter, fl__site_enter_wide
	.type	fl__site_enter, @function
	.type	fl__site_enter_wide, @function
fl__site_enter:
	general	432
	arrive
	.size	fl__site_enter, .-fl__site_enter
fl__site_enter_wide:
	general	688
	vextractf128	$1, %ymm0, 432(%rsp)
	vextractf128	$1, %ymm1, 448(%rsp)
	vextractf128	$1, %ymm2, 464(%rsp)
	vextractf128	$1, %ymm3, 480(%rsp)
	vextractf128	$1, %ymm4, 496(%rsp)
	vextractf128	$1, %ymm5, 512(%rsp)
	vextractf128	$1, %ymm6, 528(%rsp)
	vextractf128	$1, %ymm7, 544(%rsp)
	vextractf128	$1, %ymm8, 560(%rsp)
	vextractf128	$1, %ymm9, 576(%rsp)
	vextractf128	$1, %ymm10, 592(%rsp)
	vextractf128	$1, %ymm11, 608(%rsp)
	vextractf128	$1, %ymm12, 624(%rsp)
	vextractf128	$1, %ymm13, 640(%rsp)
	vextractf128	$1, %ymm14, 656(%rsp)
	vextractf128	$1, %ymm15, 672(%rsp)
	arrive
	.size	fl__site_enter_wide, .-fl__site_enter_wide

	.globl	fl__site_go, fl__site_go_wide
	.hidden	fl__site_go, fl__site_go_wide
	.type	fl__site_go, @function
	.type	fl__site_go_wide, @function
fl__site_go_wide:
	vmovups	144(%rdi), %xmm0
	vinsertf128	$1, 432(%rdi), %ymm0, %ymm0
	vmovups	160(%rdi), %xmm1
	vinsertf128	$1, 448(%rdi), %ymm1, %ymm1
	vmovups	176(%rdi), %xmm2
	vinsertf128	$1, 464(%rdi), %ymm2, %ymm2
	vmovups	192(%rdi), %xmm3
	vinsertf128	$1, 480(%rdi), %ymm3, %ymm3
	vmovups	208(%rdi), %xmm4
	vinsertf128	$1, 496(%rdi), %ymm4, %ymm4
	vmovups	224(%rdi), %xmm5
	vinsertf128	$1, 512(%rdi), %ymm5, %ymm5
	vmovups	240(%rdi), %xmm6
	vinsertf128	$1, 528(%rdi), %ymm6, %ymm6
	vmovups	256(%rdi), %xmm7
	vinsertf128	$1, 544(%rdi), %ymm7, %ymm7
	vmovups	272(%rdi), %xmm8
	vinsertf128	$1, 560(%rdi), %ymm8, %ymm8
	vmovups	288(%rdi), %xmm9
	vinsertf128	$1, 576(%rdi), %ymm9, %ymm9
	vmovups	304(%rdi), %xmm10
	vinsertf128	$1, 592(%rdi), %ymm10, %ymm10
	vmovups	320(%rdi), %xmm11
	vinsertf128	$1, 608(%rdi), %ymm11, %ymm11
	vmovups	336(%rdi), %xmm12
	vinsertf128	$1, 624(%rdi), %ymm12, %ymm12
	vmovups	352(%rdi), %xmm13
	vinsertf128	$1, 640(%rdi), %ymm13, %ymm13
	vmovups	368(%rdi), %xmm14
	vinsertf128	$1, 656(%rdi), %ymm14, %ymm14
	vmovups	384(%rdi), %xmm15
	vinsertf128	$1, 672(%rdi), %ymm15, %ymm15
	jmp	1f
	.size	fl__site_go_wide, .-fl__site_go_wide
fl__site_go:
	movups	144(%rdi), %xmm0
	movups	160(%rdi), %xmm1
	movups	176(%rdi), %xmm2
	movups	192(%rdi), %xmm3
	movups	208(%rdi), %xmm4
	movups	224(%rdi), %xmm5
	movups	240(%rdi), %xmm6
	movups	256(%rdi), %xmm7
	movups	272(%rdi), %xmm8
	movups	288(%rdi), %xmm9
	movups	304(%rdi), %xmm10
	movups	320(%rdi), %xmm11
	movups	336(%rdi), %xmm12
	movups	352(%rdi), %xmm13
	movups	368(%rdi), %xmm14
	movups	384(%rdi), %xmm15
1:
	pushq	128(%rdi)
	popfq
	movq	(%rdi), %rax
	movq	8(%rdi), %rcx
	movq	16(%rdi), %rdx
	movq	24(%rdi), %rbx
	movq	40(%rdi), %rbp
	movq	48(%rdi), %rsi
	movq	64(%rdi), %r8
	movq	72(%rdi), %r9
	movq	80(%rdi), %r10
	movq	88(%rdi), %r11
	movq	96(%rdi), %r12
	movq	104(%rdi), %r13
	movq	112(%rdi), %r14
	movq	120(%rdi), %r15
	movq	32(%rdi), %rsp
	movq	56(%rdi), %rdi
	jmp	*fl__site_rip(%rip)
	.size	fl__site_go, .-fl__site_go
	.section .note.GNU-stack,"",@progbits
