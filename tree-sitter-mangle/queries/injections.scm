; Comments are prose.

((comment) @injection.content (#set! injection.language "comment"))
