// What the page can show, as it tells the server.

/** The types of tokens that have a colour. */
export const TOKEN_TYPES = [
  "comment", "keyword", "operator", "string", "number", "function", "method", "variable", "parameter", "enumMember", "type", "namespace", "decorator",
];

export const CAPABILITIES = {
  // The unit of the editor.
  general: { positionEncodings: ["utf-16"] },
  workspace: {
    applyEdit: true,
    workspaceEdit: { documentChanges: true, resourceOperations: ["create"] },
    workspaceFolders: true,
  },
  textDocument: {
    publishDiagnostics: { relatedInformation: false, tagSupport: { valueSet: [1, 2] }, dataSupport: true },
    hover: { contentFormat: ["markdown"] },
    completion: {
      completionItem: { snippetSupport: true, documentationFormat: ["markdown"], insertReplaceSupport: false, labelDetailsSupport: true, resolveSupport: { properties: ["documentation", "detail"] } },
      contextSupport: true,
    },
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "refactor", "source"] } },
      isPreferredSupport: true,
      dataSupport: true,
      resolveSupport: { properties: ["edit"] },
    },
    signatureHelp: { signatureInformation: { documentationFormat: ["plaintext"], parameterInformation: { labelOffsetSupport: true }, activeParameterSupport: true } },
    rename: { prepareSupport: true },
    semanticTokens: {
      requests: { full: true },
      tokenTypes: TOKEN_TYPES,
      tokenModifiers: ["negated"],
      formats: ["relative"],
      multilineTokenSupport: false,
      overlappingTokenSupport: false,
    },
  },
} as const;
