;;; documents.el --- What the server makes: previews, channels, states; facts, tests, replays -*- lexical-binding: t -*-
;;; Commentary:
;;; Code:
(load (expand-file-name "harness.el" (file-name-directory load-file-name)) nil t)

(test-open "prompts/fix-auth.kernel.mg")

(test-check "a preview follows typing"
  (test-equal (mangle-ls--preview-names) '("fix-auth" "test-auth"))
  (mangle-ls-preview "fix-auth")
  (test-shows "*prompt fix-auth*" "Tokens expire after 15 minutes here.")
  (test-replace "after 15 minutes" "after 20 minutes")
  (test-shows "*prompt fix-auth*" "Tokens expire after 20 minutes here."))

(test-check "its lines lead to where they come from"
  (set-buffer "*prompt fix-auth*")
  (test-go "after 20 minutes")
  (mangle-ls-visit)
  (test-equal (buffer-name) "policy.mg")
  (unless (looking-at-p "injectable_context") (error "%s" (buffer-substring (point) (line-end-position)))))

(test-check "also when what they are made of is closed"
  (with-current-buffer "fix-auth.kernel.mg"
    (set-buffer-modified-p nil)
    (kill-buffer))
  (set-buffer "*prompt fix-auth*")
  (test-go "after 20 minutes")
  (mangle-ls-visit)
  (test-equal (buffer-name) "policy.mg"))

(test-check "both channels of a transcript, and the way back"
  (make-directory (expand-file-name "incident/transcripts" test-root) t)
  (copy-file (expand-file-name "transcripts/failures/lost-atoms.json" test-root)
             (expand-file-name "incident/transcripts/" test-root) t)
  (test-open "incident/transcripts/lost-atoms.json")
  (test-await "findings" #'test-findings)
  (mangle-ls-channels)
  (test-shows "*channels of lost-atoms.json*" "- modified(\"core/lease.rs\").")
  (set-buffer "*channels of lost-atoms.json*")
  (test-go "modified(\"core")
  (mangle-ls-visit)
  (test-equal (buffer-name) "lost-atoms.json")
  (unless (string-match-p "modified(" (buffer-substring (line-beginning-position) (line-end-position)))
    (error "At %d" (point))))

(test-check "a transcript as a conversation"
  (test-open "incident/transcripts/lost-atoms.json")
  (mangle-ls-conversation)
  (test-shows "*conversation of lost-atoms.json*" "- ~~modified(\"core/lease.rs\").~~")
  (set-buffer "*conversation of lost-atoms.json*")
  (test-go "modified(\"core")
  (mangle-ls-visit)
  (test-equal (buffer-name) "lost-atoms.json"))

(test-check "a conversation has the findings of its transcript, and their fixes"
  (set-buffer "*conversation of lost-atoms.json*")
  (flymake-start)
  (test-await "its findings"
    (lambda ()
      (seq-some (lambda (found) (string-match-p "no-period" (flymake-diagnostic-text found))) (flymake-diagnostics))))
  (test-go "modified(\"core")
  (mangle-ls-describe)
  (test-shows "*Mangle help*" "declare")
  (set-buffer "*conversation of lost-atoms.json*")
  (test-go "task_status(\"lease-twice\", /done)~~")
  (let ((fix (seq-find (lambda (action) (string-match-p "full stop" (plist-get action :title))) (mangle-ls--fixes)))
        (eglot-confirm-server-edits nil)
        (eglot-confirm-server-initiated-edits nil))
    (unless fix (error "There is no fix: %S" (mapcar (lambda (action) (plist-get action :title)) (mangle-ls--fixes))))
    (mangle-ls-fix (plist-get fix :title)))
  (with-current-buffer "lost-atoms.json" (eglot--signal-textDocument/didChange))
  (test-shows "lost-atoms.json" "/done).")
  (test-shows "*conversation of lost-atoms.json*" "task_status(\"lease-twice\", /done).")
  (with-current-buffer "lost-atoms.json" (set-buffer-modified-p nil)))

(test-check "its turns are an index, and keys lead from one to the next"
  (set-buffer "*conversation of lost-atoms.json*")
  (goto-char (point-max))
  (mangle-ls-previous-turn)
  (unless (looking-at-p "── turn 1 ") (error "%s" (buffer-substring (point) (line-end-position))))
  (let ((name (caar (mangle-ls--index))))
    (unless (string-match-p "turn 1 · assistant .*[0-9]+ lost" name) (error "%s" name))))

(test-check "what a property came to"
  (test-open "silent-errors/constitution_test.mg")
  (test-equal (and (assoc "a blocked pattern is never permitted" (mangle-ls--properties)) t) t)
  (mangle-ls-verify "a blocked pattern is never permitted")
  (test-shows "*property a blocked pattern is never permitted*" "the smallest world:"))

(test-check "the schema of replies"
  (test-open "silent-errors/constitution.mg")
  (mangle-ls-schema "openai")
  (test-shows "*schema for openai*" "surface_response"))

(test-check "a syntax tree follows edits"
  (test-open "silent-errors/constitution.mg")
  (mangle-ls-syntax)
  (test-shows "*syntax of constitution.mg*" "source_file 1:1")
  (goto-char (point-min))
  (insert "zebra(1).\n")
  (eglot--signal-textDocument/didChange)
  (test-shows "*syntax of constitution.mg*" "zebra"))

(test-check "facts"
  (mangle-ls-query "safe_action(A)")
  (test-shows "*Mangle facts*" "safe_action(/read_file) ."))

(test-check "a question that makes no sense is answered with why"
  (condition-case problem
      (progn (mangle-ls-query "no_such_predicate(X)") (error "It was answered"))
    (user-error (unless (string-match-p "no_such_predicate" (cadr problem)) (error "%S" problem)))))

(test-check "policy tests, and the way to what failed"
  (test-open "silent-errors/constitution_test.mg")
  (mangle-ls-test)
  (test-shows "*Mangle tests*" "1 passed, 4 failed, 0 could not be run")
  (test-shows "*Mangle tests*" "is ignored by the engine")
  (set-buffer "*Mangle tests*")
  (goto-char (point-min))
  (next-error)
  (set-buffer (window-buffer))
  (test-equal (buffer-name) "constitution_test.mg")
  (test-equal (line-number-at-pos) 8))

(test-check "a replay, and the kernel after a turn"
  (copy-file (expand-file-name "jailbreak/session.piggyback.jsonl" test-root) (expand-file-name "guardian/" test-root) t)
  (test-file "guardian/session.piggyback.jsonl")
  (text-mode)
  (test-open "guardian/session.piggyback.jsonl")
  (mangle-ls-replay)
  (test-shows "*replay from turn 1 of session.piggyback.jsonl*" "DENY     /delete_file src/cache/index.db")
  (test-file "guardian/session.piggyback.jsonl")
  (goto-char (point-min))
  (forward-line 3)
  (mangle-ls-state)
  (test-shows "*state after turn 2 of session.piggyback.jsonl*" "task_status(\"slow-build\",/done)"))

(test-end)
;;; documents.el ends here
