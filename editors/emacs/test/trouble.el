;;; trouble.el --- A server that is missing, too old, or crashes; the documented settings -*- lexical-binding: t -*-
;;; Commentary:
;;; Code:
(load (expand-file-name "harness.el" (file-name-directory load-file-name)) nil t)

(test-check "a server that is missing"
  (let ((mangle-ls-program "/nowhere/mangle-ls"))
    (test-file "incident/facts.mg")
    (condition-case problem
        (progn (mangle-ls-start) (error "It was started"))
      (user-error (unless (string-match-p "is not an executable program: put mangle-ls on PATH" (cadr problem))
                    (error "%S" problem))))))

(test-check "a server that is too old"
  (let* ((program (make-temp-file "mangle-ls"))
         (answer "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"capabilities\":{},\"serverInfo\":{\"name\":\"mangle-ls\",\"version\":\"0.0.9\"}}}")
         (mangle-ls-program program)
         (warned nil))
    (with-temp-file program
      (insert "#!/bin/sh\n" (format "printf 'Content-Length: %d\\r\\n\\r\\n%%s' '%s'\nexec cat > /dev/null\n" (length answer) answer)))
    (set-file-modes program #o700)
    (cl-letf (((symbol-function 'display-warning) (lambda (_ text &rest _) (setq warned text))))
      (test-open "incident/facts.mg"))
    (unless (and warned (string-match-p "version 0.0.9" warned)) (error "%S" warned))
    (ignore-errors (eglot-shutdown (eglot-current-server) nil 1))))

(test-check "a server that crashes: the text stays, and Eglot starts it again"
  (test-open "guardian/facts.mg")
  (let ((server (eglot-current-server)))
    ;; Eglot leaves alone what crashes in its first seconds.
    (sleep-for (1+ eglot-autoreconnect))
    (goto-char (point-min))
    (insert "# typed before the crash\n")
    (signal-process (jsonrpc--process server) 'SIGKILL)
    (test-await "another server" (lambda () (and (eglot-current-server) (not (eq (eglot-current-server) server)))))
    (test-go "# typed before the crash\n")))

(defun page-fence (language number)
  "The text of the fence in LANGUAGE with this NUMBER, from 0, in the page about editors."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "../../docs/editors.md" test-folder))
    (dotimes (_ (1+ number)) (search-forward (concat "```" language "\n")))
    (buffer-substring (point) (progn (search-forward "\n```") (match-beginning 0)))))

(test-check "the settings on the page about editors are those of VS Code there"
  (let ((wanted (json-parse-string (page-fence "json" 0) :object-type 'plist)))
    (with-temp-buffer
      (insert (page-fence "elisp" 0))
      (eval-buffer))
    (test-equal mangle-ls-program (plist-get wanted :mangle.server.path))
    (let ((found (json-parse-string (json-serialize (plist-get (default-value 'eglot-workspace-configuration) :mangle))
                                    :object-type 'plist)))
      (test-equal (plist-get found :rules) (plist-get wanted :mangle.rules))
      (test-equal (plist-get found :hints) (list :arguments (plist-get wanted :mangle.hints.arguments)
                                                 :types (plist-get wanted :mangle.hints.types))))))

(test-end)
;;; trouble.el ends here
