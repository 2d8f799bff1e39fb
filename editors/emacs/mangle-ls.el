;;; mangle-ls.el --- Mangle policies and transcripts of agents, with Eglot -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "29.1"))
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Starts mangle-ls in Mangle files, and shows both channels of a transcript side by side:
;;
;;   (load "/path/to/mangle-ls/editors/emacs/mangle-ls.el")
;;
;; In a captured reply of an agent, M-x eglot starts the server, and M-x mangle-ls-show-channels shows what a person was shown
;; and what the kernel was told.  RET there goes to that place in the transcript, g asks anew.

;;; Code:

(require 'eglot)

(define-derived-mode mangle-mode prog-mode "Mangle"
  "Major mode for Mangle policies."
  (setq-local comment-start "# "
              comment-start-skip "#+ *"))

(add-to-list 'auto-mode-alist '("\\.\\(?:mg\\|gl\\)\\'" . mangle-mode))

(add-to-list 'eglot-server-programs
             '((mangle-mode json-mode js-json-mode json-ts-mode markdown-mode text-mode) . ("mangle-ls" "serve")))

(defvar-local mangle-ls--transcript nil "The buffer with the transcript that this one is made of.")

(defvar-local mangle-ls--origins nil "Where the parts of this buffer come from.")

(define-derived-mode mangle-ls-channels-mode special-mode "Channels"
  "Both channels of a transcript side by side."
  (setq truncate-lines t
        revert-buffer-function (lambda (&rest _) (mangle-ls--fill)))
  (define-key mangle-ls-channels-mode-map (kbd "RET") #'mangle-ls-visit))

(defun mangle-ls--uri ()
  "The address of the current transcript."
  (if (fboundp 'eglot-path-to-uri)
      (eglot-path-to-uri buffer-file-name)
    (eglot--path-to-uri buffer-file-name)))

(defun mangle-ls--fill ()
  "Ask the server what the transcript of this buffer is made of, and show it."
  (let* ((made (with-current-buffer mangle-ls--transcript
                 (jsonrpc-request (eglot-current-server) :mangle/virtualDocument
                                  (list :uri (concat "mangle-split:" (mangle-ls--uri))))))
         (inhibit-read-only t)
         (line (line-number-at-pos)))
    (erase-buffer)
    (insert (plist-get made :text))
    (setq mangle-ls--origins (plist-get made :origins))
    (goto-char (point-min))
    (forward-line (1- line))))

(defun mangle-ls-show-channels ()
  "Show what the current transcript showed and what it told the kernel, side by side."
  (interactive)
  (unless (eglot-current-server) (user-error "Eglot does not manage this buffer: M-x eglot"))
  (let ((transcript (current-buffer))
        (buffer (get-buffer-create (format "*channels of %s*" (buffer-name)))))
    (with-current-buffer buffer
      (mangle-ls-channels-mode)
      (setq mangle-ls--transcript transcript)
      (mangle-ls--fill))
    (display-buffer buffer '(display-buffer-below-selected))))

(defun mangle-ls-visit ()
  "Go to the place in the transcript that the part at point comes from."
  (interactive)
  (let* ((line (1- (line-number-at-pos)))
         (column (current-column))
         (here (lambda (origin)
                 (let* ((range (plist-get origin :range))
                        (start (plist-get range :start))
                        (end (plist-get range :end)))
                   (and (= (plist-get start :line) line)
                        (<= (plist-get start :character) column (plist-get end :character))))))
         (origin (seq-find here mangle-ls--origins)))
    (when origin
      (pop-to-buffer mangle-ls--transcript)
      (let ((start (plist-get (plist-get (plist-get origin :location) :range) :start)))
        (goto-char (if (fboundp 'eglot--lsp-position-to-point)
                       (eglot--lsp-position-to-point start)
                     (point)))))))

(cl-defmethod eglot-handle-notification (server (_method (eql mangle/virtualDocumentChanged)) &key uri &allow-other-keys)
  "Show what changed in buffers that are made of the document of URI, which SERVER tells of."
  (ignore server uri)
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (and (derived-mode-p 'mangle-ls-channels-mode) (buffer-live-p mangle-ls--transcript))
        (run-at-time 0 nil (lambda () (when (buffer-live-p buffer) (with-current-buffer buffer (mangle-ls--fill)))))))))

(provide 'mangle-ls)
;;; mangle-ls.el ends here
