/** Fields that decide on an answer, and that some servers of these formats have and no other format. */
const fields: readonly string[] = [
  // OpenAI: CreateChatCompletionRequest.
  'moderation',
  // vLLM: "Structured Outputs" of its documents, and the names before 0.12.
  ...['structured_outputs', 'guided_json', 'guided_regex', 'guided_choice', 'guided_grammar'],
  // llama.cpp: README of its server. SGLang: "Structured Outputs".
  ...['grammar', 'json_schema', 'regex', 'ebnf'],
];

/** Returns the names of the fields of a request that upstreams of another format cannot honour; undefined if there are none. */
export function constraintsOf<F extends string>(
  format: F,
  body: Record<string, unknown>,
  own: readonly string[] = [],
): { format: F; names: string[] } | undefined {
  const names = [...own, ...fields].filter(name => body[name]);
  return names.length > 0 ? { format, names } : undefined;
}
