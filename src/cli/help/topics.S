/* The pages of topics.h; topic_NAME is docs/PAGE.md. */
	.section .rodata
	.macro	topic name, page
	.globl	topic_\name
	.hidden	topic_\name
topic_\name:
	.incbin	"docs/\page\().md"
	.byte	0
	.endm
	topic starting, starting
	topic harness, harness
	topic report, output
	topic pass, pass
	topic search, search
	topic histories, recording
	topic tso, tso
	topic limits, limits
	topic faq, faq
	.section .note.GNU-stack,"",@progbits
