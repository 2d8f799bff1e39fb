;;; editing.el --- Eglot: findings, hover, completion, fixes, rename, format -*- lexical-binding: t -*-
;;; Commentary:
;;; Code:
(load (expand-file-name "harness.el" (file-name-directory load-file-name)) nil t)

(mangle-install-grammar)
(test-open "incident/constitution.mg")

(test-check "findings"
  (test-await "findings" #'test-findings)
  (test-go "not is_known(")
  (let ((found (flymake-diagnostics (line-beginning-position) (line-end-position))))
    (unless found (error "None in this line"))
    (unless (string-match-p "`not` does not negate" (flymake-diagnostic-text (car found)))
      (error "%s" (flymake-diagnostic-text (car found))))))

(test-check "hover, as Eldoc shows it"
  (test-go "clear_action(ActionID) :-")
  (let (shown)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq shown text)))
    (test-await "hover" (lambda () shown))
    (unless (string-match-p "clear_action(ActionID" shown) (error "%s" shown))))

(test-check "completion"
  (goto-char (point-max))
  (insert "\np(X) :- is_fro")
  (let* ((found (eglot-completion-at-point))
         (all (all-completions "is_fro" (nth 2 found))))
    (unless (seq-some (lambda (word) (string-prefix-p "is_frozen" word)) all) (error "%S" all)))
  (delete-region (line-beginning-position) (point-max)))

(test-check "a quick fix changes the text"
  (test-go "not is_known(")
  (let ((action (test-await "an action" (lambda () (eglot-code-actions (point) (1+ (point)) "quickfix")))))
    (eglot-execute (eglot-current-server) (seq-find (lambda (each) (string-match-p "Write" (plist-get each :title))) action)))
  (test-await "the new text" (lambda () (save-excursion (goto-char (point-min)) (search-forward "    !is_known(" nil t)))))

(test-check "format"
  (test-replace "request(ActionID, Action) :- pending_action(" "request(  ActionID,Action):-pending_action(")
  (eglot-format-buffer)
  (test-go "request(ActionID, Action) :- pending_action("))

(test-check "rename, in all files"
  (test-open "guardian/constitution.mg")
  (test-await "the program" (lambda () (jsonrpc-request (eglot-current-server) :mangle/status nil)))
  (test-go "is_frozen(Action)")
  (let ((eglot-confirm-server-edits nil) (eglot-confirm-server-initiated-edits nil))
    (eglot-rename "is_icy"))
  (test-go "is_icy(Action)")
  (with-current-buffer (find-file-noselect (expand-file-name "guardian/schemas.gl" test-root))
    (test-go "Decl is_icy(Action)")))

(test-check "settings reach the server"
  (test-open "incident/routing.mg")
  (test-await "findings" #'test-findings)
  (setq-default eglot-workspace-configuration '(:mangle (:rules (:* "off"))))
  (eglot-signal-didChangeConfiguration (eglot-current-server))
  (test-await "no finding" (lambda () (not (test-findings)))))

(test-end)
;;; editing.el ends here
