;;; mangle-ls.el --- The server mangle-ls, with Eglot -*- lexical-binding: t -*-

;; Author: the mangle-ls developers
;; Package-Requires: ((emacs "29.1"))
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Starts mangle-ls in Mangle files, and shows what it makes beyond the protocol:
;;
;;   (add-to-list 'load-path "/path/to/mangle-ls/editors/emacs")
;;   (require 'mangle-ls)
;;   (add-hook 'mangle-mode-hook #'eglot-ensure)
;;
;; `mangle-ls-preview', `mangle-ls-replay', `mangle-ls-state', `mangle-ls-channels' and `mangle-ls-syntax' show documents
;; that follow edits; RET in them goes to where a line comes from, g asks anew.  `mangle-ls-query' asks for facts,
;; `mangle-ls-test' runs policy tests, `mangle-ls-verify' shows what a property came to, `mangle-ls-schema' the schema or
;; grammar of replies.  `mangle-ls-conversation' shows a transcript with its findings: h describes, f fixes, d goes to a
;; definition, n and p move from turn to turn.  In a transcript `mangle-ls-start' starts the server.

;;; Code:

(require 'eglot)
(require 'flymake)
(require 'imenu)
(require 'mangle-mode)

(defcustom mangle-ls-program "mangle-ls"
  "The `mangle-ls' program: a name to find on PATH, or a path."
  :type 'string
  :group 'mangle)

(defconst mangle-ls-oldest "0.1.0"
  "The oldest server that has all that is asked for here.")

(defun mangle-ls--contact (&rest _)
  "The command that starts the server.
If there is none, an error says how to mend it."
  (unless (executable-find mangle-ls-program)
    (user-error "`%s' is not an executable program: put mangle-ls on PATH, or customize `mangle-ls-program'"
                mangle-ls-program))
  (list mangle-ls-program "lsp"))

(defconst mangle-ls--modes
  '(mangle-mode mangle-ts-mode
    (js-json-mode :language-id "json") (json-mode :language-id "json") (json-ts-mode :language-id "json")
    (markdown-mode :language-id "markdown") (text-mode :language-id "plaintext")
    (conf-toml-mode :language-id "toml") (toml-ts-mode :language-id "toml"))
  "The modes whose files one server looks at.
Policies first, then what a transcript or the settings can be in.")

;; At the end, so that M-x eglot in other files still starts what it started before.
(add-to-list 'eglot-server-programs (cons mangle-ls--modes #'mangle-ls--contact) t)

;;;###autoload
(defun mangle-ls-start ()
  "Start the server for this project, also from a transcript or the settings file.
The server then also manages buffers of other modes than Mangle's.
It reports nothing in buffers without a transcript."
  (interactive)
  (let ((eglot-server-programs (list (cons mangle-ls--modes #'mangle-ls--contact))))
    (call-interactively #'eglot)))

(defun mangle-ls--check-version (server)
  "Say what is wrong with the version of SERVER, if it is ours."
  (let* ((info (and (fboundp 'eglot--server-info) (eglot--server-info server)))
         (version (plist-get info :version)))
    (when (and (equal (plist-get info :name) "mangle-ls") version (version< version mangle-ls-oldest))
      (display-warning 'mangle-ls (format "The server is version %s, and this package requires %s or newer: update it with cargo install"
                                          version mangle-ls-oldest)))))

(add-hook 'eglot-connect-hook #'mangle-ls--check-version)

;;; Questions

(defvar-local mangle-ls--source nil "The buffer that this one is made from.")
(defvar-local mangle-ls--uri nil "The address of the document in this buffer.")
(defvar-local mangle-ls--origins nil "Where the parts of this buffer come from.")

(defun mangle-ls--server ()
  "The server of this buffer, or of the one that it is made from."
  (or (with-current-buffer (if (buffer-live-p mangle-ls--source) mangle-ls--source (current-buffer)) (eglot-current-server))
      (user-error "The server is not attached to this buffer: M-x mangle-ls-start")))

(defun mangle-ls--address ()
  "The address of the file in the current buffer."
  (let ((path (or buffer-file-name (user-error "This buffer has no file"))))
    (with-suppressed-warnings ((obsolete eglot--path-to-uri))
      (if (fboundp 'eglot-path-to-uri) (eglot-path-to-uri path) (eglot--path-to-uri path)))))

(defun mangle-ls--ask (method parameters)
  "Ask METHOD with PARAMETERS; once more when an edit came first."
  (let ((server (mangle-ls--server)) (tries 20) answer)
    (while (> tries 0)
      (condition-case problem
          (setq answer (jsonrpc-request server method parameters) tries 0)
        (jsonrpc-error
         (setq tries (1- tries))
         (unless (and (> tries 0) (eql -32801 (alist-get 'jsonrpc-error-code (cddr problem))))
           (user-error "%s" (or (alist-get 'jsonrpc-error-message (cddr problem)) (cadr problem))))
         (sleep-for 0.1))))
    answer))

;;; Documents that the server makes

(defvar-keymap mangle-ls-document-mode-map
  "RET" #'mangle-ls-visit)

(define-derived-mode mangle-ls-document-mode special-mode "Mangle document"
  "A document that the server makes, which follows edits."
  (setq truncate-lines t
        revert-buffer-function (lambda (&rest _) (mangle-ls--fill))))

(defvar mangle-ls--made nil "What the server made while `mangle-ls-filled-hook' runs.")

(defvar mangle-ls-filled-hook nil
  "What is done in the buffer of a document after it was filled.")

(defun mangle-ls--fill ()
  "Show what the document of this buffer is now; point stays where it is."
  (mangle-ls--take (mangle-ls--ask :mangle/virtualDocument (list :uri mangle-ls--uri))))

(defun mangle-ls--take (made)
  "Show what the server MADE in this buffer; point stays where it is."
  (let ((inhibit-read-only t)
         (new (generate-new-buffer " *mangle-ls*" t)))
    (with-current-buffer new (insert (plist-get made :text)))
    (replace-buffer-contents new)
    (kill-buffer new)
    (setq mangle-ls--origins (append (plist-get made :origins) nil))
    (let ((mangle-ls--made made)) (run-hooks 'mangle-ls-filled-hook))))

(defun mangle-ls--refill (buffer &optional tries)
  "Show what the document of BUFFER is now, once the server says so.
Nothing waits for it: several documents may change at once.  After an edit
it is asked again, TRIES times so far."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (jsonrpc-async-request
       (mangle-ls--server) :mangle/virtualDocument (list :uri mangle-ls--uri)
       :success-fn (lambda (made) (when (buffer-live-p buffer) (with-current-buffer buffer (mangle-ls--take made))))
       :error-fn (lambda (problem)
                   (when (and (eql -32801 (plist-get problem :code)) (< (or tries 0) 20))
                     (run-at-time 0.1 nil #'mangle-ls--refill buffer (1+ (or tries 0)))))))))

(defun mangle-ls--open (uri title &optional mode)
  "Show the document at URI, made from this buffer, in one called TITLE.
It has MODE, by default that of documents."
  (mangle-ls--server)
  (let ((source (current-buffer))
        (buffer (get-buffer-create (format "*%s*" title))))
    (with-current-buffer buffer
      (funcall (or mode #'mangle-ls-document-mode))
      (setq mangle-ls--source source mangle-ls--uri uri)
      (mangle-ls--fill))
    (display-buffer buffer '((display-buffer-reuse-window display-buffer-pop-up-window)))))

(defun mangle-ls--preview-names ()
  "The names of the previews that this buffer asks for."
  (let (names)
    (save-excursion
      (goto-char (point-min))
      (while (re-search-forward (rx bol "#" (* blank) "@preview" (+ blank) "name:" (* blank) (group (*? nonl)) (* blank) eol) nil t)
        (push (match-string-no-properties 1) names)))
    (nreverse names)))

;;;###autoload
(defun mangle-ls-preview (name)
  "Show the prompt of the preview NAME of this kernel.
It updates as you type."
  (interactive
   (let ((names (or (mangle-ls--preview-names)
                    (user-error "This file has no preview: add a comment @preview name: … to a *.kernel.mg file"))))
     (list (if (cdr names) (completing-read "Preview: " names nil t) (car names)))))
  (mangle-ls--open (format "mangle-preview:/%s?of=%s" (url-hexify-string name) (url-hexify-string (mangle-ls--address)))
                   (format "prompt %s" name)))

;;;###autoload
(defun mangle-ls-channels ()
  "Show the text for the user and the updates for the kernel, side by side."
  (interactive)
  (mangle-ls--open (concat "mangle-split:" (mangle-ls--address)) (format "channels of %s" (buffer-name))))

;;;###autoload
(defun mangle-ls-syntax ()
  "Show the syntax tree of the current file."
  (interactive)
  (mangle-ls--open (concat "mangle-syntax:" (mangle-ls--address)) (format "syntax of %s" (buffer-name))))

(defun mangle-ls--turn-document (command turn)
  "Show the document that COMMAND has for TURN, by default the one at point."
  (let ((answer (mangle-ls--ask :workspace/executeCommand
                                (list :command command
                                      :arguments (vector (append (list :uri (mangle-ls--address) :quiet t)
                                                                 (if turn (list :turn turn)
                                                                   (list :position (eglot--pos-to-lsp-position)))))))))
    (unless (plist-get answer :document)
      (user-error "No turn here, not a transcript, or no policies for it"))
    (mangle-ls--open (plist-get answer :document)
                     (format "%s %d of %s" (if (equal command "mangle.state") "state after turn" "replay from turn")
                             (plist-get answer :turn) (buffer-name)))))

;;;###autoload
(defun mangle-ls-state (&optional turn)
  "Show the facts of the kernel after a TURN of the current transcript.
TURN is the turn at point, or the prefix argument."
  (interactive (list (and current-prefix-arg (prefix-numeric-value current-prefix-arg))))
  (mangle-ls--turn-document "mangle.state" turn))

;;;###autoload
(defun mangle-ls-replay (&optional turn)
  "Show the verdicts of the policies on the transcript in this buffer.
TURN is the first turn to show, by default 1."
  (interactive (list (and current-prefix-arg (prefix-numeric-value current-prefix-arg))))
  (mangle-ls--turn-document "mangle.replay" (or turn 1)))

(defun mangle-ls--negotiated (&rest names)
  "What Eglot has set one of NAMES to in the buffer that this one is made from.
These are functions for columns in the unit of the server."
  (when (buffer-live-p mangle-ls--source)
    (seq-some (lambda (name) (and (boundp name) (buffer-local-value name mangle-ls--source))) names)))

(defun mangle-ls--column ()
  "The column of point, in the unit of the server."
  (funcall (or (mangle-ls--negotiated 'eglot-current-linepos-function 'eglot-current-column-function) #'current-column)))

(defun mangle-ls--origin ()
  "The narrowest origin of point; without one, the first of its line."
  (let* ((line (1- (line-number-at-pos)))
         (column (mangle-ls--column))
         (on-line (seq-filter (lambda (origin)
                                (let ((range (plist-get origin :range)))
                                  (<= (plist-get (plist-get range :start) :line)
                                      line
                                      (plist-get (plist-get range :end) :line))))
                              mangle-ls--origins))
         (here (seq-filter (lambda (origin)
                             (let* ((range (plist-get origin :range))
                                    (start (plist-get range :start))
                                    (end (plist-get range :end)))
                               (and (or (< (plist-get start :line) line) (<= (plist-get start :character) column))
                                    (or (< line (plist-get end :line)) (< column (plist-get end :character))))))
                           on-line)))
    (or (car (last here)) (car on-line))))

(defun mangle-ls-visit ()
  "Go to the origin of the line at point."
  (interactive)
  (when-let* ((origin (mangle-ls--origin))) (mangle-ls--go (plist-get origin :location))))

(defun mangle-ls--go (location)
  "Show LOCATION in another window."
  (let* ((uri (plist-get location :uri))
         (path (with-suppressed-warnings ((obsolete eglot--uri-to-path))
                 (if (fboundp 'eglot-uri-to-path) (eglot-uri-to-path uri) (eglot--uri-to-path uri))))
         (start (plist-get (plist-get location :range) :start))
         (move (mangle-ls--negotiated 'eglot-move-to-linepos-function 'eglot-move-to-column-function)))
    (pop-to-buffer (find-file-noselect path))
    (goto-char (point-min))
    (forward-line (plist-get start :line))
    (funcall (or move #'move-to-column) (plist-get start :character))))

(cl-defmethod eglot-handle-notification (_server (_method (eql mangle/virtualDocumentChanged)) &key uri &allow-other-keys)
  "Show what changed in the buffer with the document at URI."
  (dolist (buffer (buffer-list))
    (when (and (equal uri (buffer-local-value 'mangle-ls--uri buffer))
               (buffer-live-p (buffer-local-value 'mangle-ls--source buffer)))
      (run-at-time 0 nil #'mangle-ls--refill buffer))))

;;; Conversations

(defface mangle-ls-lost '((t :strike-through t))
  "What the runtime does not keep of a transcript."
  :group 'mangle)

(defvar-local mangle-ls--diagnostics nil "What is found in the transcript, in its places here.")
(defvar-local mangle-ls--turns nil "The turns that are shown.")

(defvar-keymap mangle-ls-conversation-mode-map
  :parent mangle-ls-document-mode-map
  "h" #'mangle-ls-describe
  "f" #'mangle-ls-fix
  "d" #'mangle-ls-definition
  "n" #'mangle-ls-next-turn
  "p" #'mangle-ls-previous-turn)

(define-derived-mode mangle-ls-conversation-mode mangle-ls-document-mode "Mangle conversation"
  "A transcript as a conversation, with its findings."
  (setq imenu-create-index-function #'mangle-ls--index)
  (setq-local font-lock-defaults '((("~~.+?~~" . 'mangle-ls-lost)
                                    ("^── .* ──$" . 'bold)
                                    ("↳ DENY" . 'error)
                                    ("↳ PERMIT" . 'success))
                                   t))
  (add-hook 'mangle-ls-filled-hook #'mangle-ls--conversation-filled nil t)
  (add-hook 'flymake-diagnostic-functions #'mangle-ls--report-findings nil t)
  (flymake-mode 1))

(defun mangle-ls--conversation-filled ()
  "Take what belongs to the text of the conversation that was filled."
  (setq mangle-ls--diagnostics (append (plist-get mangle-ls--made :diagnostics) nil)
        mangle-ls--turns (append (plist-get mangle-ls--made :turns) nil))
  (flymake-start))

(defun mangle-ls--position (position)
  "The place of POSITION, one of the protocol, in this buffer."
  (save-excursion
    (goto-char (point-min))
    (forward-line (plist-get position :line))
    (funcall (or (mangle-ls--negotiated 'eglot-move-to-linepos-function 'eglot-move-to-column-function) #'move-to-column)
             (plist-get position :character))
    (point)))

(defun mangle-ls--report-findings (report &rest _)
  "Give REPORT the findings of this conversation."
  (funcall report
           (mapcar
            (lambda (one)
              (let* ((range (plist-get one :range))
                     (start (mangle-ls--position (plist-get range :start)))
                     (end (mangle-ls--position (plist-get range :end)))
                     (type (pcase (plist-get one :severity) (1 :error) (2 :warning) (_ :note))))
                (flymake-make-diagnostic (current-buffer) start (max end (min (1+ start) (point-max))) type
                                         (format "%s [%s]" (plist-get one :message) (plist-get one :code))
                                         one)))
            mangle-ls--diagnostics)))

(defun mangle-ls--at-point (&rest more)
  "The parameters of a request about point, with MORE."
  (append (list :textDocument (list :uri mangle-ls--uri)
                :position (list :line (1- (line-number-at-pos nil t)) :character (mangle-ls--column)))
          more))

(defun mangle-ls-describe ()
  "Show the hover at point."
  (interactive)
  (let* ((hover (mangle-ls--ask :textDocument/hover (mangle-ls--at-point)))
         (contents (plist-get hover :contents))
         (text (if (stringp contents) contents (plist-get contents :value))))
    (unless text (user-error "No information at this position"))
    (with-help-window "*Mangle help*" (princ text))))

(defun mangle-ls-definition ()
  "Go to the definition at point, or to the bytes if there is none."
  (interactive)
  (let* ((found (mangle-ls--ask :textDocument/definition (mangle-ls--at-point)))
         (first (if (vectorp found) (and (> (length found) 0) (aref found 0)) found)))
    (unless first (user-error "No definition here"))
    (mangle-ls--go (list :uri (or (plist-get first :uri) (plist-get first :targetUri))
                         :range (or (plist-get first :range) (plist-get first :targetSelectionRange))))))

(defun mangle-ls--fixes ()
  "What can be done about the findings of the line at point."
  (let* ((line (1- (line-number-at-pos nil t)))
         (here (seq-filter (lambda (one)
                             (let ((range (plist-get one :range)))
                               (<= (plist-get (plist-get range :start) :line) line (plist-get (plist-get range :end) :line))))
                           mangle-ls--diagnostics))
         (at (mangle-ls--at-point))
         (range (if here (plist-get (car here) :range)
                  (list :start (plist-get at :position) :end (plist-get at :position)))))
    (append (mangle-ls--ask :textDocument/codeAction
                            (append at (list :range range :context (list :diagnostics (vconcat here)))))
            nil)))

(defun mangle-ls--apply (action)
  "Apply the edit of ACTION to the transcript."
  (let ((edit (or (plist-get action :edit)
                  (plist-get (mangle-ls--ask :codeAction/resolve action) :edit))))
    (unless edit (user-error "The fix changes nothing"))
    ;; Emacs 29 asks by a flag, newer ones by what the edit comes of.
    (apply #'eglot--apply-workspace-edit edit (and (> emacs-major-version 29) '(mangle-ls-fix)))))

(defun mangle-ls-fix (title)
  "Apply the fix TITLE for the findings of this line, in the transcript."
  (interactive
   (list (completing-read "Fix: " (or (delq nil (mapcar (lambda (action) (and (plist-get action :data) (plist-get action :title)))
                                                        (mangle-ls--fixes)))
                                      (user-error "No fix is available here"))
                          nil t)))
  (let ((action (seq-find (lambda (action) (equal title (plist-get action :title))) (mangle-ls--fixes))))
    (unless action (user-error "Unknown fix"))
    (mangle-ls--apply action)))

(defun mangle-ls--turn-words (turn)
  "What became of TURN."
  (string-join
   (delq nil (list (plist-get turn :title)
                   (and (> (plist-get turn :denied) 0) (format "%d denied" (plist-get turn :denied)))
                   (and (> (plist-get turn :lost) 0) (format "%d lost" (plist-get turn :lost)))
                   (and (eq (plist-get turn :corrects) t) "corrects itself")))
   " · "))

(defun mangle-ls--index ()
  "The turns, for `imenu'."
  (mapcar (lambda (turn)
            (cons (mangle-ls--turn-words turn) (mangle-ls--position (list :line (plist-get turn :startLine) :character 0))))
          mangle-ls--turns))

(defun mangle-ls-next-turn (&optional count)
  "Go to the next turn, or the COUNT next one."
  (interactive "p")
  (let* ((line (1- (line-number-at-pos nil t)))
         (lines (mapcar (lambda (turn) (plist-get turn :startLine)) mangle-ls--turns))
         (count (or count 1))
         (there (if (> count 0) (nth (1- count) (seq-filter (lambda (start) (> start line)) lines))
                  (nth (1- (- count)) (reverse (seq-filter (lambda (start) (< start line)) lines))))))
    (unless there (user-error "No such turn here"))
    (goto-char (mangle-ls--position (list :line there :character 0)))))

(defun mangle-ls-previous-turn (&optional count)
  "Go to the previous turn, or COUNT turns back."
  (interactive "p")
  (mangle-ls-next-turn (- (or count 1))))

;;;###autoload
(defun mangle-ls-conversation ()
  "Show this transcript as a conversation, the records around point."
  (interactive)
  (mangle-ls--open (format "mangle-conversation:/line-%d?of=%s" (line-number-at-pos nil t) (url-hexify-string (mangle-ls--address)))
                   (format "conversation of %s" (buffer-name))
                   #'mangle-ls-conversation-mode))

;;; Properties and schemas

(defun mangle-ls--properties ()
  "The properties of this policy test: names with their verdicts."
  (seq-keep (lambda (lens)
              (let ((command (plist-get lens :command)))
                (when (equal (plist-get command :command) "mangle.property")
                  (cons (plist-get (aref (plist-get command :arguments) 0) :name) (plist-get command :title)))))
            (mangle-ls--ask :textDocument/codeLens (list :textDocument (list :uri (mangle-ls--address))))))

;;;###autoload
(defun mangle-ls-verify (name)
  "Show the result of the property NAME of this policy test.
The result includes its world and its proof."
  (interactive
   (let* ((all (or (mangle-ls--properties) (user-error "This file has no properties: add a comment such as # @never")))
          (completion-extra-properties
           (list :annotation-function (lambda (name) (concat "  " (cdr (assoc name all)))))))
     (list (completing-read "Property: " all nil t))))
  (let ((answer (mangle-ls--ask :workspace/executeCommand
                                (list :command "mangle.property"
                                      :arguments (vector (list :uri (mangle-ls--address) :name name :quiet t))))))
    (unless (stringp (plist-get answer :document)) (user-error "Unknown property"))
    (mangle-ls--open (plist-get answer :document) (format "property %s" name))))

(defun mangle-ls--grammar (&rest target)
  "What the server says of the schema or grammar for TARGET.
Without one it lists all of them."
  (mangle-ls--ask :workspace/executeCommand
                  (list :command "mangle.grammar"
                        :arguments (vector (append (list :uri (mangle-ls--address) :quiet t) target)))))

;;;###autoload
(defun mangle-ls-schema (target)
  "Show the schema or grammar of the replies that this policy allows, for TARGET."
  (interactive
   (list (completing-read "For: " (mapcar (lambda (one) (plist-get one :name)) (plist-get (mangle-ls--grammar) :targets)) nil t)))
  (let ((text (plist-get (mangle-ls--grammar :target target) :text)))
    (unless (stringp text) (user-error "The server generates nothing for this file"))
    (with-current-buffer (get-buffer-create (format "*schema for %s*" target))
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert text)
        (if (string-prefix-p "{" text) (js-json-mode) (fundamental-mode))
        (goto-char (point-min))
        (view-mode)
        (display-buffer (current-buffer))))))

;;; Answers

(defvar mangle-ls-query-history nil "Questions that were asked.")

;;;###autoload
(defun mangle-ls-query (atom)
  "Show the facts that match ATOM, in the programs of this file."
  (interactive (list (read-string "Facts of: " nil 'mangle-ls-query-history
                                  (when-let* ((name (thing-at-point 'symbol t))) (concat name "()")))))
  (let ((answers (mangle-ls--ask :mangle/query (list :uri (mangle-ls--address) :atom atom))))
    (with-current-buffer (get-buffer-create "*Mangle facts*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (mangle-best-mode)
        (seq-do #'mangle-ls--insert-answer answers)
        (goto-char (point-min))
        (view-mode)
        (display-buffer (current-buffer))))))

(defun mangle-ls--insert-answer (answer)
  "Insert an ANSWER: its facts, with what is known of them in comments."
  (let ((facts (plist-get answer :facts)) (sample (plist-get answer :sample)))
    (insert (format "# %d facts, %s%s\n" (length facts)
                    (if (equal (plist-get answer :reading) "engine") "the engine" "as written")
                    (if (stringp sample) (concat ", with " sample) "")))
    (seq-do (lambda (note) (insert "# " note "\n")) (plist-get answer :lost))
    (when (stringp (plist-get answer :stopped)) (insert "# " (plist-get answer :stopped) "\n"))
    (seq-do (lambda (fact) (insert fact " .\n")) facts)
    (insert "\n")))

(defun mangle-ls--report (title folder lines)
  "Show LINES, \"FILE:LINE: text\", in a buffer called TITLE.
Paths in them count from FOLDER; `next-error' goes to their places."
  (with-current-buffer (get-buffer-create (format "*%s*" title))
    (let ((inhibit-read-only t))
      (erase-buffer)
      (setq default-directory folder)
      (insert (string-join lines "\n") "\n")
      (goto-char (point-min))
      (compilation-mode)
      (setq next-error-last-buffer (current-buffer))
      (display-buffer (current-buffer)))))

(defun mangle-ls--folder-of (file)
  "The folder that the path FILE counts from, at or above that of this buffer."
  (or (locate-dominating-file default-directory (lambda (folder) (file-exists-p (expand-file-name file folder))))
      default-directory))

;;;###autoload
(defun mangle-ls-test ()
  "Run the policy tests of this file, or of the programs that contain it."
  (interactive)
  (let* ((answer (mangle-ls--ask :mangle/test (list :uri (mangle-ls--address))))
         (summary (plist-get answer :summary))
         (counts (format "%d passed, %d failed, %d could not be run"
                         (plist-get summary :passed) (plist-get summary :failed) (plist-get summary :errors)))
         (failures (seq-mapcat #'mangle-ls--failures (plist-get answer :suites) 'list)))
    (when failures
      (mangle-ls--report "Mangle tests"
                         (expand-file-name (mangle-ls--folder-of (plist-get (seq-first (plist-get answer :suites)) :file)))
                         (cons counts failures)))
    (message "%s" counts)))

(defun mangle-ls--failures (suite)
  "Lines for the cases of SUITE that failed or could not be run."
  (let ((file (plist-get suite :file)))
    (seq-mapcat
     (lambda (case)
       (append
        (when (stringp (plist-get case :message))
          (list (format "%s:%d: error: %s: %s" file (plist-get case :line) (plist-get case :name) (plist-get case :message))))
        (seq-mapcat
         (lambda (failure)
           (cons (format "%s:%d: error: %s: %s" file (plist-get failure :line) (plist-get case :name) (plist-get failure :message))
                 (mapcar (lambda (line) (concat "    " line)) (split-string (or (plist-get failure :explanation) "") "\n" t))))
         (plist-get case :failures) 'list)))
     (plist-get suite :cases) 'list)))

(provide 'mangle-ls)
;;; mangle-ls.el ends here
