import { list } from './cost.ts';
import type { Body, generating } from './endpoints.ts';

type Scenarios = Record<string, (n: number) => Body>;

const said = { role: 'user', content: 'Hi' };
const reversed = <T>(items: T[]): T[] => items.toReversed();
const schema = { type: 'object' };
/** A name that differs from others of its length at its end alone. */
const long = (i: number) => `${'x'.repeat(50)}${String(i).padStart(6, '0')}`;
const unknown = (i: number) => long(i + 100_000);

const call = (i: number, name = `f${i}`) => ({
  id: `c${i}`,
  type: 'function',
  function: { name, arguments: '{}' },
});
const answered = (i: number) => ({ role: 'tool', tool_call_id: `c${i}`, content: 'r' });
const called = (calls: object[]) => ({ role: 'assistant', content: null, tool_calls: calls });
const tool = (name: string) => ({ type: 'function', function: { name, parameters: schema } });
const allowed = (names: string[]) => ({
  type: 'allowed_tools',
  allowed_tools: { mode: 'auto', tools: names.map(name => ({ type: 'function', function: { name } })) },
});
const file = (i: number, filename = 'a.pdf') => ({
  type: 'file',
  file: { filename, file_data: `data:application/pdf;base64,JVBERi0${i}` },
});

const chat: Scenarios = {
  'calls and their results': n => ({ messages: [said, called(list(n, i => call(i))), ...list(n, answered)] }),
  'calls and their results in reverse': n => ({
    messages: [said, called(list(n, i => call(i))), ...reversed(list(n, answered))],
  }),
  'calls in turns of their own': n => ({
    messages: [said, ...list(n / 2, i => [called([call(i)]), answered(i)]).flat()],
  }),
  'calls with one id': n => ({
    messages: [said, ...list(n / 2, () => [called([call(0)]), answered(0)]).flat()],
  }),
  'results by the name of their function': n => ({
    messages: [
      said,
      called(list(n, i => call(i))),
      ...reversed(list(n, i => ({ role: 'function', name: `f${i}`, content: 'r' }))),
    ],
  }),
  'results by one name of their functions': n => ({
    messages: [
      said,
      called(list(n, i => call(i, 'f'))),
      ...list(n, () => ({ role: 'function', name: 'f', content: 'r' })),
    ],
  }),
  'turns of one side': n => ({ messages: list(n, () => said) }),
  'turns of the model': n => ({
    messages: [said, ...list(n, i => ({ role: 'assistant', content: `a${i}` }))],
  }),
  'instructions among turns': n => ({
    messages: list(n, i => ({ role: i % 2 ? 'user' : 'system', content: 'a' })),
  }),
  'tools with odd names': n => ({ tools: list(n, i => tool(`a.b/${long(i)}`)) }),
  'tools, all allowed': n => ({
    tools: list(n, i => tool(long(i))),
    tool_choice: allowed(list(n, i => long(n - 1 - i))),
  }),
  'tools, none allowed': n => ({
    tools: list(n, i => tool(long(i))),
    tool_choice: allowed(list(n, unknown)),
  }),
  'files of one name': n => ({ messages: [{ role: 'user', content: list(n, i => file(i)) }] }),
  'files with the names that copies get': n => ({
    messages: [{ role: 'user', content: list(n, i => file(i, i % 2 ? 'a' : `a ${i / 2 + 2}`)) }],
  }),
  'cached parts': n => ({
    messages: [
      {
        role: 'user',
        content: list(n, () => ({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } })),
      },
    ],
  }),
  'stop sequences': n => ({ stop: list(n, i => `${'x'.repeat(100)}${i}`) }),
  'images of tool results': n => ({
    messages: [
      said,
      called(list(n, i => call(i))),
      ...list(n, i => ({
        ...answered(i),
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }],
      })),
      said,
    ],
  }),
};

const use = (i: number) => ({ type: 'tool_use', id: `c${i}`, name: `f${i}`, input: {} });
const resultOf = (i: number) => ({ type: 'tool_result', tool_use_id: `c${i}`, content: 'r' });
const messages: Scenarios = {
  'calls and their results in reverse': n => ({
    messages: [
      said,
      { role: 'assistant', content: list(n, use) },
      { role: 'user', content: reversed(list(n, resultOf)) },
    ],
  }),
  'calls in turns of their own': n => ({
    messages: [
      said,
      ...list(n / 2, i => [
        { role: 'assistant', content: [use(i)] },
        { role: 'user', content: [resultOf(i)] },
      ]).flat(),
    ],
  }),
  'signed calls': n => ({
    messages: [
      said,
      {
        role: 'assistant',
        content: list(n / 2, i => [{ type: 'thinking', thinking: '', signature: 'gg:S' }, use(i)]).flat(),
      },
      { role: 'user', content: list(n / 2, resultOf) },
    ],
  }),
  'cached blocks': n => ({
    messages: [
      {
        role: 'user',
        content: list(n, () => ({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } })),
      },
    ],
  }),
  'documents of one title': n => ({
    messages: [
      {
        role: 'user',
        content: list(n, () => ({
          type: 'document',
          title: 'a',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0' },
        })),
      },
    ],
  }),
  'stop sequences': n => ({ stop_sequences: list(n, i => `${'x'.repeat(100)}${i}`) }),
};

const functionCall = (i: number) => ({
  type: 'function_call',
  call_id: `c${i}`,
  name: `f${i}`,
  arguments: '{}',
});
const output = (i: number) => ({ type: 'function_call_output', call_id: `c${i}`, output: 'r' });
const offered = (name: string) => ({ type: 'function', name, parameters: schema });
const namespace = (name: string, tools: object[]) => ({ type: 'namespace', name, tools });
const choice = (tools: object[]) => ({ type: 'allowed_tools', mode: 'auto', tools });
const responses: Scenarios = {
  'calls and their results': n => ({ input: [said, ...list(n / 2, functionCall), ...list(n / 2, output)] }),
  'calls and their results in reverse': n => ({
    input: [said, ...list(n / 2, functionCall), ...reversed(list(n / 2, output))],
  }),
  'calls in turns of their own, answered later': n => ({
    input: [said, ...list(n / 3, i => [functionCall(i), said]).flat(), ...list(n / 3, output)],
  }),
  'tools of one name': n => ({ tools: list(n, () => offered('f')) }),
  'tools of one namespace': n => ({
    tools: [
      namespace(
        'x',
        list(n, i => offered(`f${i}`)),
      ),
    ],
  }),
  'tools of one namespace and one name': n => ({
    tools: [
      namespace(
        'x',
        list(n, () => offered('f')),
      ),
    ],
  }),
  'a namespace that is allowed again and again': n => ({
    tools: [
      namespace(
        'x',
        list(n, i => offered(`f${i}`)),
      ),
    ],
    tool_choice: choice(list(n, () => ({ type: 'namespace', name: 'x' }))),
  }),
  'namespaces, all allowed': n => ({
    tools: list(n, i => namespace(`x${i}`, [offered('f')])),
    tool_choice: choice(list(n, i => ({ type: 'namespace', name: `x${n - 1 - i}` }))),
  }),
  'tools, none allowed': n => ({
    tools: list(n, i => offered(long(i))),
    tool_choice: choice(list(n, i => ({ type: 'function', name: unknown(i) }))),
  }),
  'tools among the items': n => ({
    input: [said, ...list(n, i => ({ type: 'additional_tools', tools: [offered(`f${i}`)] }))],
  }),
  'settings among the items': n => ({
    input: [
      said,
      ...list(n, i => ({
        type: 'configuration_update',
        reasoning: { [`a${i}`]: 1 },
        text: { [`b${i}`]: 1 },
      })),
    ],
  }),
  'reasoning and signatures': n => ({
    input: [
      said,
      ...list(n, i => ({ type: 'reasoning', summary: [{ text: `a${i}` }], encrypted_content: 'gg:S' })),
      said,
    ],
  }),
};

const parts = (role: string, of: object[]) => ({ role, parts: of });
const asked = parts('user', [{ text: 'Hi' }]);
const functionNamed = (i: number, id?: string) => ({
  functionCall: { name: `f${i}`, args: {}, ...(id && { id }) },
});
const responseOf = (i: number, id?: string) => ({
  functionResponse: { name: `f${i}`, response: {}, ...(id && { id }) },
});
const google: Scenarios = {
  'calls and their results by name, in reverse': n => ({
    contents: [
      asked,
      parts(
        'model',
        list(n, i => functionNamed(i)),
      ),
      parts('user', reversed(list(n, i => responseOf(i)))),
    ],
  }),
  'calls and their results by id, in reverse': n => ({
    contents: [
      asked,
      parts(
        'model',
        list(n, i => functionNamed(0, `c${i}`)),
      ),
      parts('user', reversed(list(n, i => responseOf(0, `c${i}`)))),
    ],
  }),
  'contents of one side': n => ({ contents: list(n, () => asked) }),
  'contents of one side with signatures': n => ({
    contents: [asked, ...list(n, i => parts('model', [{ text: `a${i}`, thoughtSignature: 'S' }])), asked],
  }),
  'functions, none allowed': n => ({
    tools: [{ functionDeclarations: list(n, i => ({ name: long(i), parametersJsonSchema: schema })) }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: list(n, unknown) } },
  }),
  'functions with schemas of many properties': n => ({
    tools: [
      {
        functionDeclarations: [
          {
            name: 'f',
            parameters: {
              type: 'OBJECT',
              properties: Object.fromEntries(list(n, i => [`p_${i}`, { type: 'STRING', nullable: true }])),
            },
          },
        ],
      },
    ],
  }),
  'fields in snake case': n => ({
    contents: [
      parts('user', [{ text: 'a' }]),
      parts('model', [
        { function_call: { name: 'f', args: Object.fromEntries(list(n, i => [`a_b_${i}`, 1])) } },
      ]),
    ],
  }),
};

/** Requests whose fields refer to one another, by format. */
export const references: Partial<Record<keyof typeof generating, Scenarios>> = {
  chat,
  messages,
  responses,
  'generate-content': google,
};

/** Bodies of which a document is ranked by as many fields as there are documents. */
export const ranked: Scenarios = {
  'fields, all of one name': n => ({
    documents: list(n, i => ({ text: `a${i}` })),
    rank_fields: list(n, () => 'text'),
  }),
  'fields that most documents lack': n => ({
    documents: list(n, i => ({ text: 'a', [`f${i}`]: 'b' })),
    rank_fields: [...list(n - 1, i => `f${i}`), 'text'],
  }),
};
