;;; clean.el --- The package is clean for the byte compiler and checkdoc -*- lexical-binding: t -*-
;;; Commentary:
;;; Code:
(load (expand-file-name "harness.el" (file-name-directory load-file-name)) nil t)

(require 'bytecomp)
(require 'checkdoc)

(dolist (name '("mangle-mode.el" "mangle-ls.el"))
  (let ((file (expand-file-name name test-folder)))
    (test-check (concat name " compiles without a warning")
      (let ((byte-compile-error-on-warn t)
            (byte-compile-dest-file-function (lambda (_) (make-temp-file "mangle" nil ".elc"))))
        (unless (byte-compile-file file)
          (error "%s" (with-current-buffer byte-compile-log-buffer (buffer-string))))))
    (test-check (concat name " has documentation as checkdoc wants it")
      (let (problems)
        (with-current-buffer (find-file-noselect file)
          (let ((checkdoc-create-error-function
                 (lambda (text start _end &optional _unfixable)
                   (push (format "%d: %s" (line-number-at-pos start) text) problems)
                   nil))
                (checkdoc-autofix-flag 'never)
                (checkdoc-force-docstrings-flag t)
                (checkdoc-arguments-in-order-flag nil)
                (checkdoc-verb-check-experimental-flag nil))
            (checkdoc-current-buffer t)))
        (when problems (error "%s" (string-join (nreverse problems) "; ")))))))

(test-end)
;;; clean.el ends here
