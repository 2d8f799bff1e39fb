;;; mangle-mode.el --- Major modes for Mangle policies -*- lexical-binding: t -*-

;; Author: the mangle-ls developers
;; Package-Requires: ((emacs "29.1"))
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `mangle-mode' colours by regular expressions, `mangle-ts-mode' by tree-sitter, once `mangle-install-grammar' has built the parser.
;; Files get the better one that is there.  Both indent and have an index; neither needs the server, which mangle-ls.el starts.

;;; Code:

(require 'treesit)

(defgroup mangle nil
  "Mangle policies, transcripts of agents and prompts."
  :group 'languages
  :prefix "mangle-")

(defcustom mangle-indent-offset 4
  "Number of columns to indent the premises of a rule."
  :type 'natnum
  :safe #'natnump)

(defvar mangle-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?' "\"" table)
    (modify-syntax-entry ?` "\"" table)
    (dolist (char '(?_ ?: ?/))
      (modify-syntax-entry char "_" table))
    (dolist (char '(?| ?= ?< ?> ?! ?@ ?? ?~ ?+ ?-))
      (modify-syntax-entry char "." table))
    table)
  "What characters are in Mangle.")

(defvar mangle--keywords
  `((,(rx symbol-start (or "Package" "Use" "Decl" "descr" "bound" "inclusion" "do" "let" "opt" "not") symbol-end)
     . font-lock-keyword-face)
    (,(rx bol (? "Decl" (+ blank)) (group lower (* (any alnum "_.:"))) (* blank) "(") 1 font-lock-function-name-face)
    (,(rx symbol-start (or "fn:" ":") (+ (any alnum "_:"))) . font-lock-builtin-face)
    (,(rx symbol-start upper (* (any alnum "_")) symbol-end) . font-lock-variable-name-face)
    (,(rx symbol-start "/" (+ (any alnum "_/.-"))) . font-lock-constant-face)
    (,(rx (any "(, ") (group "!") (any lower ":")) 1 font-lock-negation-char-face))
  "Colours without tree-sitter.")

;;; Indentation and index, for both modes

(defun mangle--code-before (position)
  "The end of the code before POSITION, without comments and white space.
Nil if there is none."
  (save-excursion
    (goto-char position)
    (forward-comment (- (point)))
    (unless (bobp) (point))))

(defun mangle--column ()
  "The column that the current line should begin at."
  (let ((end (mangle--code-before (line-beginning-position))))
    (cond
     ((null end) 0)
     ((nth 3 (syntax-ppss (line-beginning-position))) (current-indentation))
     (t
      (let* ((closes (looking-at-p (rx (* blank) (any ")]}"))))
             (last (char-before end))
             (begin (save-excursion (goto-char end) (back-to-indentation) (current-column)))
             (text (save-excursion (goto-char end) (buffer-substring-no-properties (line-beginning-position) end))))
        (cond
         ((and closes (memq last '(?\( ?\[ ?\{))) begin)
         ((memq last '(?. ?!)) 0)
         ((or (string-suffix-p ":-" text) (string-suffix-p "⟸" text) (memq last '(?\( ?\[ ?\{)))
          (+ begin mangle-indent-offset))
         ;; What follows `do' in a transform stands below it.
         ((string-match-p (rx bos (* blank) "|>" (* nonl) "," eos) text) (+ begin 3))
         ((> begin 0) begin)
         (t mangle-indent-offset)))))))

(defun mangle-indent-line ()
  "Indent a line: a statement to the margin, what belongs to it further in."
  (interactive)
  (let ((column (save-excursion (beginning-of-line) (mangle--column))))
    (if (> (current-column) (current-indentation))
        (save-excursion (indent-line-to column))
      (indent-line-to column))))

(defvar mangle--index
  `(("Declaration" ,(rx bol "Decl" (+ blank) (group lower (* (any alnum "_.:")))) 1)
    ("Predicate" ,(rx bol (group lower (* (any alnum "_.:"))) (* blank) "(") 1))
  "What the index has without tree-sitter.")

(defun mangle--set-up ()
  "Set what both modes have in common."
  (setq-local comment-start "# "
              comment-end ""
              comment-start-skip "#+[ \t]*"
              indent-line-function #'mangle-indent-line
              indent-tabs-mode nil
              parse-sexp-ignore-comments t
              electric-indent-chars (append ")]}" electric-indent-chars)))

;;;###autoload
(define-derived-mode mangle-mode prog-mode "Mangle"
  "Major mode for Mangle policies, without tree-sitter."
  :syntax-table mangle-mode-syntax-table
  (mangle--set-up)
  (setq-local font-lock-defaults '(mangle--keywords)
              imenu-generic-expression mangle--index
              beginning-of-defun-function
              (lambda (&optional count)
                (re-search-backward (rx bol (or lower upper "?")) nil 'move (or count 1)))
              end-of-defun-function
              (lambda () (re-search-forward (rx (any ".!") (* blank) (? "#" (* nonl)) eol) nil 'move))))

;;; Tree-sitter

(defvar mangle-ts--font-lock
  (and (treesit-available-p)
       (treesit-font-lock-rules
        :language 'mangle
        :feature 'comment
        '((comment) @font-lock-comment-face
          (foreign_comment) @font-lock-comment-face)

        :language 'mangle
        :feature 'definition
        '((declaration predicate: (_ name: (identifier) @font-lock-function-name-face))
          (clause head: (_ name: (identifier) @font-lock-function-name-face))
          (package name: (identifier) @font-lock-constant-face)
          (use name: (identifier) @font-lock-constant-face))

        :language 'mangle
        :feature 'keyword
        '(["Package" "Use" "Decl" "descr" "bound" "inclusion" "do" "let" "opt"] @font-lock-keyword-face
          (temporal) @font-lock-keyword-face
          ["!" "not" "\\+" "~"] @font-lock-negation-char-face)

        :language 'mangle
        :feature 'string
        '([(string) (bytes) (timestamp)] @font-lock-string-face)

        :language 'mangle
        :feature 'type
        '((bound (constant) @font-lock-type-face)
          (dot_type (constant) @font-lock-type-face)
          (type_name) @font-lock-type-face)

        :language 'mangle
        :feature 'builtin
        '((atom name: (identifier) @font-lock-builtin-face
                (:match "\\`\\(?:fn\\)?:" @font-lock-builtin-face))
          (atom_list (atom name: (identifier) @font-lock-builtin-face))
          (atom_list (bare_atom name: (identifier) @font-lock-builtin-face)))

        :language 'mangle
        :feature 'function
        '((atom name: (identifier) @font-lock-function-call-face)
          (bare_atom name: (identifier) @font-lock-function-call-face))

        :language 'mangle
        :feature 'variable
        '((variable) @font-lock-variable-use-face)

        :language 'mangle
        :feature 'constant
        '((constant) @font-lock-constant-face
          [(number) (float) (duration)] @font-lock-number-face)

        :language 'mangle
        :feature 'operator
        '([":-" "⟸" "|>" "=" "!=" "<=" ">="] @font-lock-operator-face
          (comparison operator: ["<" ">"] @font-lock-operator-face))))
  "Colours by tree-sitter.")

(defun mangle-ts--name (node)
  "The name of the predicate that NODE, a statement, declares or defines."
  (let ((atom (or (treesit-node-child-by-field-name node "predicate")
                  (treesit-node-child-by-field-name node "head"))))
    (and atom (treesit-node-text (treesit-node-child-by-field-name atom "name") t))))

;;;###autoload
(define-derived-mode mangle-ts-mode mangle-mode "Mangle"
  "Major mode for Mangle policies, with tree-sitter."
  (unless (treesit-ready-p 'mangle)
    (user-error "No parser for Mangle: M-x mangle-install-grammar builds it"))
  (treesit-parser-create 'mangle)
  (mangle--set-up)
  (setq-local treesit-font-lock-settings mangle-ts--font-lock
              treesit-font-lock-feature-list '((comment definition) (keyword string type) (builtin function variable constant) (operator))
              treesit-defun-type-regexp (rx bos (or "clause" "declaration" "query") eos)
              treesit-defun-name-function #'mangle-ts--name
              treesit-simple-imenu-settings '(("Declaration" "\\`declaration\\'" nil nil)
                                              ("Predicate" "\\`clause\\'" nil nil))
              beginning-of-defun-function nil
              end-of-defun-function nil
              imenu-generic-expression nil)
  (treesit-major-mode-setup)
  ;; What tree-sitter would set only with rules of its own.
  (setq-local indent-line-function #'mangle-indent-line))

(defconst mangle--folder
  (file-name-directory (or load-file-name buffer-file-name default-directory))
  "The folder of this file.")

;;;###autoload
(defun mangle-install-grammar (&optional folder)
  "Build the tree-sitter parser from FOLDER, the grammar's, and install it.
It is the one of this repository unless there is a prefix argument.
Needs a C compiler: cc, or what the environment variable CC names."
  (interactive (list (and current-prefix-arg (read-directory-name "Folder of tree-sitter-mangle: "))))
  (let* ((folder (expand-file-name (or folder "../../tree-sitter-mangle") mangle--folder))
         (sources (file-expand-wildcards (expand-file-name "src/*.c" folder)))
         (target (expand-file-name (locate-user-emacs-file (concat "tree-sitter/libtree-sitter-mangle" module-file-suffix))))
         (compiler (or (getenv "CC") "cc")))
    (unless sources
      (user-error "No grammar in %s: set its folder with C-u M-x mangle-install-grammar" folder))
    (unless (executable-find compiler)
      (user-error "No C compiler: %s (set another one in the environment variable CC)" compiler))
    (make-directory (file-name-directory target) t)
    (with-temp-buffer
      (unless (eq 0 (apply #'call-process compiler nil t nil "-shared" "-fPIC" "-O2" "-I" (expand-file-name "src" folder)
                           "-o" target sources))
        (error "The parser does not compile: %s" (buffer-string))))
    (message "Installed %s. Open files again to use it" target)))

;;;###autoload
(defun mangle-best-mode ()
  "Turn on the better mode for Mangle that works here."
  (interactive)
  (if (and (treesit-available-p) (treesit-language-available-p 'mangle)) (mangle-ts-mode) (mangle-mode)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.\\(?:mg\\|gl\\)\\'" . mangle-best-mode))

(provide 'mangle-mode)
;;; mangle-mode.el ends here
