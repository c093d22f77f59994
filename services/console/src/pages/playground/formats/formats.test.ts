import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { everything, plain } from '../testing/every-part.ts';
import { readAll } from '../testing/read-all.ts';
import type { WireFormat } from './format.ts';
import { chat, generateContent, messages, responses } from './formats.ts';

const formats: Record<string, WireFormat> = {
  chat,
  responses,
  messages,
  'generate-content': generateContent,
};

/** The requests of a question without settings, and of one with every part and setting. */
const built = parse(`
chat:
  plain: {path: /v1/chat/completions, header: authorization, prefix: 'Bearer '}
  question: {model: m, messages: [{role: user, content: Hi}], stream: true, stream_options: {include_usage: true}}
  everything:
    {model: a/b, stream: true, stream_options: {include_usage: true}, temperature: 0.5, top_p: 0.9, max_tokens: 100,
    stop: [END], seed: 7, presence_penalty: 1, frequency_penalty: -1, reasoning_effort: low, parallel_tool_calls: false,
    tool_choice: {type: function, function: {name: weather}},
    response_format: {type: json_schema, json_schema: {name: answer, schema: {type: object}}}}
  tool: {type: function, function: {name: weather, description: The weather}}
  turns:
    - {role: system, content: Be kind.}
    - role: user
      content:
        - {type: text, text: Look}
        - {type: image_url, image_url: {url: 'data:image/png;base64,aW1n'}}
        - {type: file, file: {filename: a.txt, file_data: 'data:text/plain;base64,dGV4dA=='}}
    - {role: assistant, content: null, reasoning_content: c, tool_calls: [{id: c1, type: function, function: {name: weather, arguments: '{"city":"Oslo"}'}}]}
    - {role: tool, tool_call_id: c1, content: 'Error: offline'}
    - {role: user, content: So?}
responses:
  plain: {path: /v1/responses, header: authorization, prefix: 'Bearer '}
  question: {model: m, input: [{role: user, content: [{type: input_text, text: Hi}]}], stream: true, store: false}
  everything:
    {model: a/b, instructions: Be kind., stream: true, store: false, temperature: 0.5, top_p: 0.9, max_output_tokens: 100,
    reasoning: {effort: low, summary: auto}, include: [reasoning.encrypted_content], parallel_tool_calls: false,
    tool_choice: {type: function, name: weather},
    text: {format: {type: json_schema, name: answer, schema: {type: object}, strict: false}}}
  tool: {type: function, name: weather, parameters: {type: object}}
  turns:
    - role: user
      content:
        - {type: input_text, text: Look}
        - {type: input_image, image_url: 'data:image/png;base64,aW1n'}
        - {type: input_file, filename: a.txt, file_data: 'data:text/plain;base64,dGV4dA=='}
    - {type: reasoning, id: rs_1, summary: [], encrypted_content: e}
    - {type: function_call, call_id: c1, name: weather, arguments: '{"city":"Oslo"}'}
    - {type: function_call_output, call_id: c1, output: 'Error: offline'}
    - {role: user, content: [{type: input_text, text: So?}]}
messages:
  plain: {path: /v1/messages, header: x-api-key, prefix: '', version: '2023-06-01'}
  question: {model: m, max_tokens: 4096, messages: [{role: user, content: Hi}], stream: true}
  everything:
    {model: a/b, max_tokens: 100, system: Be kind., stream: true, temperature: 0.5, top_p: 0.9, top_k: 5,
    stop_sequences: [END], thinking: {type: adaptive, display: summarized},
    output_config: {effort: low, format: {type: json_schema, schema: {type: object}}},
    tool_choice: {type: tool, name: weather, disable_parallel_tool_use: true}}
  tool: {name: weather, input_schema: {type: object}}
  turns:
    - role: user
      content:
        - {type: text, text: Look}
        - {type: image, source: {type: base64, media_type: image/png, data: aW1n}}
        - {type: document, source: {type: text, media_type: text/plain, data: text}, title: a.txt}
    - {role: assistant, content: [{type: thinking, thinking: m, signature: s}, {type: tool_use, id: c1, name: weather, input: {city: Oslo}}]}
    - {role: user, content: [{type: tool_result, tool_use_id: c1, content: offline, is_error: true}, {type: text, text: So?}]}
generate-content:
  plain: {path: '/v1beta/models/m:streamGenerateContent?alt=sse', header: x-goog-api-key, prefix: ''}
  question: {contents: [{role: user, parts: [{text: Hi}]}]}
  everything:
    systemInstruction: {parts: [{text: Be kind.}]}
    generationConfig:
      {temperature: 0.5, topP: 0.9, topK: 5, maxOutputTokens: 100, stopSequences: [END], seed: 7, presencePenalty: 1,
      frequencyPenalty: -1, thinkingConfig: {thinkingLevel: LOW, includeThoughts: true},
      responseMimeType: application/json, responseJsonSchema: {type: object}}
    toolConfig: {functionCallingConfig: {mode: ANY, allowedFunctionNames: [weather]}}
  tool: {functionDeclarations: [{name: weather, parametersJsonSchema: {type: object}}]}
  turns:
    - {role: user, parts: [{text: Look}, {inlineData: {mimeType: image/png, data: aW1n}}, {inlineData: {mimeType: text/plain, data: dGV4dA==}}]}
    - {role: model, parts: [{functionCall: {id: c1, name: weather, args: {city: Oslo}}, thoughtSignature: sig}]}
    - {role: user, parts: [{functionResponse: {id: c1, name: weather, response: {error: offline}}}, {text: So?}]}
`);

describe.each(Object.entries(formats))('%s', (name, format) => {
  const { plain: asked, question, everything: all, tool, turns } = built[name];

  test('a question without settings is a request without them', () => {
    const version = asked.version && { 'anthropic-version': asked.version };
    expect(format.build(plain)).toEqual({
      ...{ method: 'POST', path: asked.path, headers: { 'content-type': 'application/json', ...version } },
      ...{ credential: { header: asked.header, prefix: asked.prefix }, body: question },
    });
  });

  test('every part and setting has its place in a request, and others are left out', () => {
    const { path, body } = format.build(everything);
    const { tools, messages, input, contents, ...rest } = body as Record<string, unknown>;
    expect(path).toBe(asked.path.replace('/m:', '/a/b:'));
    expect(tools).toMatchObject([tool]);
    expect(messages ?? input ?? contents).toEqual(turns);
    expect(rest).toEqual(all);
  });
});

test.each([
  [{ reasoningBudget: 2_000 }, 6_096, { type: 'enabled', budget_tokens: 2_000, display: 'summarized' }],
  [{ effort: 'none' }, 4_096, { type: 'disabled' }],
  [{ effort: 'minimal' }, 4_096, undefined],
] as const)('with %j, messages has at most %i tokens and thinking of %j', (settings, limit, thinking) => {
  const { body } = messages.build({ ...plain, settings: { ...plain.settings, ...settings } });
  expect([body.max_tokens, body.thinking]).toEqual([limit, thinking]);
});

test('an id that a call came without is not sent back', () => {
  const call = { type: 'tool-call', id: 'unnamed_1', name: 'g', arguments: '{}' } as const;
  const { body } = generateContent.build({ ...plain, turns: [{ role: 'assistant', parts: [call] }] });
  expect(body.contents).toEqual([{ role: 'model', parts: [{ functionCall: { name: 'g', args: {} } }] }]);
});

/** Streams and what is read from them. */
const streams = parse(String.raw`
chat:
  - {choices: [{index: 0, delta: {role: assistant, content: null, refusal: null}, finish_reason: null}]}
  - {choices: [{index: 0, delta: {reasoning_content: H}, finish_reason: null}]}
  - {choices: [{index: 0, delta: {reasoning: mm}, finish_reason: null}]}
  - {choices: [{index: 0, delta: {thinking_blocks: [&block {type: thinking, thinking: Hmm, signature: s}]}, finish_reason: null}]}
  - {choices: [{index: 0, delta: {content: Let}, finish_reason: null}]}
  - {choices: [{index: 0, delta: {content: ' me'}, finish_reason: null}]}
  - {choices: [{index: 0, delta: {tool_calls: [{index: 0, id: c1, type: function, function: {name: f, arguments: ''}}]}}]}
  - {choices: [{index: 0, delta: {tool_calls: [{index: 1, id: c2, type: function, function: {name: g, arguments: '{}'}}]}}]}
  - {choices: [{index: 0, delta: {tool_calls: [{index: 0, function: {arguments: '{"a":1}'}}]}}]}
  - {choices: [{index: 0, delta: {tool_calls: [{index: 0, function: {arguments: ''}, extra_content: {google: 1}}]}}]}
  - {choices: [{index: 0, delta: {}, finish_reason: tool_calls}]}
  - {choices: [], usage: {prompt_tokens: 9, completion_tokens: 5, prompt_tokens_details: {cached_tokens: 4}, completion_tokens_details: {reasoning_tokens: 2}}}
  - '[DONE]'
  - parts:
      - {type: reasoning, text: Hmm, seal: {format: chat, value: *block}}
      - {type: text, text: Let me}
      - {type: tool-call, id: c1, name: f, arguments: '{"a":1}', seal: {format: chat, value: {google: 1}}}
      - {type: tool-call, id: c2, name: g, arguments: '{}'}
    finish: [tool-calls, tool_calls]
    usage: {input: 9, output: 5, cached: 4, reasoning: 2}
responses:
  - {type: response.created, response: {error: null, usage: null}}
  - {type: response.output_item.added, output_index: 0, item: {type: reasoning, id: rs_1, summary: []}}
  - {type: response.reasoning_summary_text.delta, output_index: 0, summary_index: 0, delta: A}
  - {type: response.reasoning_summary_text.delta, output_index: 0, summary_index: 1, delta: B}
  - {type: response.output_item.done, output_index: 0, item: &done {type: reasoning, id: rs_1, summary: [{type: summary_text, text: A}], encrypted_content: e}}
  - {type: response.output_item.added, output_index: 1, item: {type: message, id: msg_1}}
  - {type: response.output_text.delta, output_index: 1, content_index: 0, delta: Let}
  - {type: response.output_text.delta, output_index: 1, content_index: 0, delta: ' me'}
  - {type: response.output_item.added, output_index: 2, item: {type: function_call, id: fc_1, call_id: c1, name: f, arguments: ''}}
  - {type: response.function_call_arguments.delta, output_index: 2, delta: '{}'}
  - {type: response.completed, response: {usage: {input_tokens: 9, input_tokens_details: {cached_tokens: 1}, output_tokens: 5, output_tokens_details: {reasoning_tokens: 2}}}}
  - parts:
      - {type: reasoning, text: "A\n\nB", seal: {format: responses, value: *done}}
      - {type: text, text: Let me}
      - {type: tool-call, id: c1, name: f, arguments: '{}'}
    finish: [tool-calls, completed]
    usage: {input: 9, output: 5, cached: 1, reasoning: 2}
messages:
  - {type: message_start, message: {usage: {input_tokens: 5, cache_read_input_tokens: 20, cache_creation_input_tokens: 0, output_tokens: 1}}}
  - {type: content_block_start, index: 0, content_block: {type: thinking, thinking: '', signature: ''}}
  - {type: ping}
  - {type: content_block_delta, index: 0, delta: {type: thinking_delta, thinking: Hmm}}
  - {type: content_block_delta, index: 0, delta: {type: signature_delta, signature: s}}
  - {type: content_block_stop, index: 0}
  - {type: content_block_start, index: 1, content_block: {type: redacted_thinking, data: d}}
  - {type: content_block_start, index: 2, content_block: {type: text, text: ''}}
  - {type: content_block_delta, index: 2, delta: {type: text_delta, text: Look}}
  - {type: content_block_start, index: 3, content_block: {type: tool_use, id: t1, name: f, input: {}}}
  - {type: content_block_delta, index: 3, delta: {type: input_json_delta, partial_json: '{"a"'}}
  - {type: content_block_delta, index: 3, delta: {type: input_json_delta, partial_json: ':1}'}}
  - {type: message_delta, delta: {stop_reason: tool_use}, usage: {output_tokens: 37}}
  - {type: message_stop}
  - parts:
      - {type: reasoning, text: Hmm, seal: {format: messages, value: {type: thinking, thinking: Hmm, signature: s}}}
      - {type: reasoning, text: '', seal: {format: messages, value: {type: redacted_thinking, data: d}}}
      - {type: text, text: Look}
      - {type: tool-call, id: t1, name: f, arguments: '{"a":1}'}
    finish: [tool-calls, tool_use]
    usage: {input: 25, output: 37, cached: 20, cacheWritten: 0}
generate-content:
  - {candidates: [{content: {role: model, parts: [{text: Hm, thought: true}]}}]}
  - {candidates: [{content: {role: model, parts: [{text: m, thought: true}]}}]}
  - {candidates: [{content: {role: model, parts: [{text: Let}]}}]}
  - {candidates: [{content: {role: model, parts: [{text: ' me'}]}}]}
  - {candidates: [{content: {role: model, parts: [{text: '', thoughtSignature: of-text}]}}]}
  - {candidates: [{content: {role: model, parts: [{functionCall: {id: c1, name: f, args: {a: 1}}, thoughtSignature: of-call}]}}]}
  - {candidates: [{content: {role: model, parts: [{functionCall: {name: g}}]}}]}
  - candidates: [{content: {role: model, parts: [{text: ''}]}, finishReason: STOP}]
    usageMetadata: {promptTokenCount: 9, candidatesTokenCount: 8, thoughtsTokenCount: 2}
  - parts:
      - {type: reasoning, text: Hmm}
      - {type: text, text: Let me, seal: {format: generate-content, value: of-text}}
      - {type: tool-call, id: c1, name: f, arguments: '{"a":1}', seal: {format: generate-content, value: of-call}}
      - {type: tool-call, id: unnamed_1, name: g, arguments: '{}'}
    finish: [tool-calls, STOP]
    usage: {input: 9, output: 10, reasoning: 2}
`);

test.each(Object.entries(formats))('the parts of a stream of %s are read', (name, format) => {
  const [read, ...events] = streams[name].toReversed();
  expect(readAll(format, events.reverse())).toEqual({ ...read, complete: true });
});

const half = (delta: object, finish_reason: string | null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
const blocked = { promptFeedback: { blockReason: 'SAFETY' } };
const stopped = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } };
const candidate = { candidates: [{ content: { role: 'model', parts: [{ text: 'Half' }] } }] };
const cut = { incomplete_details: { reason: 'max_output_tokens' } };
test.each<[string, object | string, object]>([
  ['chat', half({ content: 'Half' }, null), { complete: false }],
  ['chat', half({ refusal: 'No' }, 'stop'), { parts: [{ type: 'refusal', text: 'No' }], complete: true }],
  ['chat', '[DONE]', { complete: true }],
  ['messages', stopped, { complete: false }],
  ['generate-content', candidate, { complete: false }],
  ['generate-content', blocked, { finish: ['filter', 'SAFETY'], complete: true }],
  ['responses', { type: 'response.output_text.delta', output_index: 0, delta: 'H' }, { complete: false }],
  [
    'responses',
    { type: 'response.incomplete', response: cut },
    { finish: ['length', 'max_output_tokens'], complete: true },
  ],
])('%s: %j is read as %j', (name, event, read) => {
  expect(readAll(formats[name] as WireFormat, [event])).toMatchObject(read);
});

const cannot = 'An event of the stream cannot be parsed.';
const failed = { type: 'response.failed', response: { error: { code: 'server_error', message: 'Busy' } } };
test.each<[string, object | string, string, string]>([
  ['chat', { error: { message: 'Busy', code: 'server_is_overloaded' } }, 'Busy', 'server_is_overloaded'],
  ['chat', '{"choices": [', cannot, 'not_a_stream'],
  [
    'messages',
    { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } },
    ...(['Busy', 'overloaded_error'] as const),
  ],
  ['responses', failed, 'Busy', 'server_error'],
  [
    'generate-content',
    { error: { code: 503, message: 'Busy', status: 'UNAVAILABLE' } },
    'Busy',
    'UNAVAILABLE',
  ],
])('%s: %j is the error %s of code %s', (name, event, message, code) => {
  const error = expect.objectContaining({ message, facts: { code } });
  expect(() => readAll(formats[name] as WireFormat, [event])).toThrow(error);
});
