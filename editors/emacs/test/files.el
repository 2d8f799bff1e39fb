;;; files.el --- Modes: colours, indentation, index, movement -*- lexical-binding: t -*-
;;; Commentary:
;;; Code:
(load (expand-file-name "harness.el" (file-name-directory load-file-name)) nil t)

(defun face-of (text)
  "The face of the first TEXT."
  (font-lock-ensure)
  (test-go text)
  (get-text-property (point) 'face))

(defun indented (text)
  "TEXT, indented anew, line by line."
  (with-temp-buffer
    (mangle-mode)
    (insert text)
    (indent-region (point-min) (point-max))
    (buffer-string)))

(test-check "without a parser there is a mode"
  (test-file "incident/facts.mg")
  (test-equal major-mode 'mangle-mode)
  (test-equal (face-of "# ") 'font-lock-comment-delimiter-face)
  (test-equal (face-of "safe_action(") 'font-lock-function-name-face)
  (test-equal (face-of "/read_file") 'font-lock-constant-face))

(test-check "the grammar installs"
  (mangle-install-grammar))

(test-check "then files are coloured by tree-sitter"
  (test-file "guardian/constitution.mg")
  (test-equal major-mode 'mangle-ts-mode)
  (setq treesit-font-lock-level 4)
  (treesit-font-lock-recompute-features)
  (dolist (pair '(("# The constitution" . font-lock-comment-face)
                  ("permitted(Action" . font-lock-function-name-face)
                  ("pending_action(" . font-lock-function-call-face)
                  ("ActionID" . font-lock-variable-use-face)
                  (":-" . font-lock-operator-face)
                  ("!is_frozen" . font-lock-negation-char-face)
                  (":string:contains" . font-lock-builtin-face)
                  ("fn:count" . font-lock-builtin-face)
                  ("do fn" . font-lock-keyword-face)
                  ("/halted" . font-lock-constant-face)
                  ("\"https" . font-lock-string-face)))
    (let ((face (face-of (car pair))))
      (unless (eq face (cdr pair)) (error "%S is %S, not %S" (car pair) face (cdr pair)))))
  (test-equal comment-start "# "))

(test-check "schemas, too"
  (test-file "guardian/schemas.gl")
  (test-equal major-mode 'mangle-ts-mode)
  (test-equal (face-of "Decl") 'font-lock-keyword-face)
  (test-equal (face-of "/string") 'font-lock-type-face))

(test-check "the index"
  (switch-to-buffer "constitution.mg")
  (let ((index (imenu--make-index-alist t)))
    (unless (assoc "permission_denied" (cdr (assoc "Predicate" index))) (error "Not there: %S" index)))
  (switch-to-buffer "schemas.gl")
  (let ((index (imenu--make-index-alist t)))
    (unless (assoc "permission_denied" (cdr (assoc "Declaration" index))) (error "Not there: %S" index))))

(test-check "movement by statements"
  (switch-to-buffer "constitution.mg")
  (test-go "safe_action(Action)")
  (beginning-of-defun)
  (unless (looking-at-p "permitted(Action") (error "At %S" (buffer-substring (point) (line-end-position))))
  (test-equal (treesit-defun-name (treesit-defun-at-point)) "permitted")
  (end-of-defun)
  (test-equal (save-excursion (skip-chars-backward " \n") (char-before)) ?.))

(test-check "every example is indented as it is written"
  (dolist (name '("guardian/constitution.mg" "guardian/recovery.mg" "guardian/routing.mg"))
    (let ((text (with-temp-buffer (insert-file-contents (expand-file-name name test-root)) (buffer-string))))
      (test-equal (indented text) text))))

(test-check "the next line begins where it belongs"
  (test-equal (indented "p(X) :- # p(1).\nq(X, \"a(.:-\"),\nr(X).\ns(1).\n")
              "p(X) :- # p(1).\n    q(X, \"a(.:-\"),\n    r(X).\ns(1).\n"))

(test-end)
;;; files.el ends here
