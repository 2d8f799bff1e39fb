;;; harness.el --- What the tests here have in common -*- lexical-binding: t -*-

;;; Commentary:

;; Each of the other files is a run of its own: MANGLE_LS=…/mangle-ls emacs --batch -Q -l test/SUBJECT.el
;; in a copy of examples that may be changed.  Prints `ok - …' or `not ok - …' for each check.

;;; Code:

(defconst test-folder (file-name-directory (directory-file-name (file-name-directory load-file-name)))
  "The package's folder.")

(add-to-list 'load-path test-folder)
(setq native-comp-jit-compilation nil
      warning-minimum-log-level :error
      create-lockfiles nil
      make-backup-files nil)
(require 'mangle-ls)
(setq mangle-ls-program (getenv "MANGLE_LS")
      eglot-sync-connect 20
      eglot-autoshutdown nil
      eglot-report-progress nil)

(defconst test-root default-directory "The folder of the examples.")
;; It is a project of its own, not a part of the repository that ignores it.
(make-directory (expand-file-name ".git" test-root) t)

(defun test-file (path)
  "Visit the example PATH."
  (switch-to-buffer (find-file-noselect (expand-file-name path test-root))))

(defvar test-failed nil "Whether a check failed.")

(defun test-say (&rest text)
  "Write TEXT as a line to standard output."
  (princ (apply #'concat (append text '("\n")))))

(defmacro test-check (name &rest body)
  "Say whether BODY, called NAME, ends without an error."
  (declare (indent 1))
  `(condition-case problem
       (progn ,@body (test-say "ok - " ,name))
     ((error quit)
      (setq test-failed t)
      (test-say "not ok - " ,name ": " (error-message-string problem)))))

(defun test-equal (found wanted)
  "Fail unless FOUND is WANTED."
  (unless (equal found wanted) (error "Found %S, not %S" found wanted)))

(defun test-await (what condition)
  "Wait until CONDITION, a function, gives something, which is given; WHAT it is."
  (let ((end (+ (float-time) 20)) value)
    (while (and (not (setq value (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.05))
    (or value (error "Waited in vain for %s" what))))

(defun test-open (path)
  "Open the example PATH and start the server there."
  (test-file path)
  (unless (eglot-current-server) (mangle-ls-start))
  (test-await "a server" (lambda () (eglot-managed-p))))

(defun test-go (text)
  "Go to the beginning of the first TEXT."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun test-replace (old new)
  "Type NEW over the first OLD."
  (test-go old)
  (delete-char (length old))
  (insert new)
  (eglot--signal-textDocument/didChange))

(defun test-shows (buffer text)
  "Wait until BUFFER has TEXT."
  (test-await (format "%S in %s" text buffer)
              (lambda ()
                (when (get-buffer buffer)
                  (with-current-buffer buffer
                    (save-excursion (goto-char (point-min)) (search-forward text nil t)))))))

(defun test-findings ()
  "The findings in the current buffer."
  (flymake-start)
  (flymake-diagnostics))

(defun test-end ()
  "End with an exit status that says whether all passed."
  (dolist (buffer (buffer-list)) (with-current-buffer buffer (set-buffer-modified-p nil)))
  (kill-emacs (if test-failed 1 0)))

(provide 'harness)
;;; harness.el ends here
