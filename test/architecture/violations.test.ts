import { describe, expect, test } from 'vitest';
import { arrowsOf } from './arrows.ts';
import { faultsOf, type Rule, rules } from './rules.ts';
import { type Source, sourceOf } from './sources.ts';

/** Made-up files that break a rule, and what it says of them. */
type Violation = [files: Record<string, string>, fault: string];

const sources = (files: Record<string, string>): Source[] =>
  Object.entries(files).map(([path, text]) => sourceOf(path, text));
const imports = (name: string) => `import { a } from '${name}';\n`;
const both = (name: string) => imports(name) + imports('@model-gateway/canonical');
const lines = (count: number) => 'a;\n'.repeat(count);

const chat = 'shared/formats/src/chat';

/** Violations of every rule. */
const violations: Record<keyof typeof rules, Violation[]> = {
  'a package imports only what it may': [
    [{ 'shared/json/src/a.ts': imports('@model-gateway/bus') }, 'shared/json/src/a.ts imports bus'],
    [
      { 'services/console/src/a.ts': imports('@model-gateway/formats/dialects') },
      'services/console/src/a.ts imports formats/dialects',
    ],
    [
      { 'services/worker/src/a.ts': imports('@model-gateway/ingress/testing/a') },
      'services/worker/src/a.ts imports ingress/testing/a',
    ],
    [
      { 'services/ingress-chat/src/a.ts': "import {\n  a,\n} from '@model-gateway/store';\n" },
      'services/ingress-chat/src/a.ts imports store',
    ],
    [
      { 'shared/unheard-of/src/a.ts': "type A = import('@model-gateway/json').A;\n" },
      'shared/unheard-of/src/a.ts imports json',
    ],
  ],
  'a library that belongs to packages is used by no other': [
    [
      { 'shared/access/src/a.ts': imports('@nats-io/kv') },
      'shared/access/src/a.ts imports @nats-io/kv, which belongs to bus',
    ],
    [
      { 'shared/store/src/a.ts': imports('drizzle-orm/pg-core') },
      'shared/store/src/a.ts imports drizzle-orm, which belongs to control',
    ],
  ],
  'a relative import stays in its package': [
    [
      { 'shared/bus/src/a.ts': imports('../../json/src/index.ts') },
      'shared/bus/src/a.ts reaches into another package by ../../json/src/index.ts',
    ],
    [
      { 'services/worker/src/a.ts': "export * from '../../../test/a.ts';\n" },
      'services/worker/src/a.ts reaches into another package by ../../../test/a.ts',
    ],
  ],
  'only translators know a wire format and the canonical language': [
    `${chat}/values-a.ts ./request.ts`,
    `${chat}/fields.ts ../unheard-of/types.ts`,
    'services/worker/src/a.ts @model-gateway/formats',
  ].map(words => {
    const [path = '', name = ''] = words.split(' ');
    return [{ [path]: both(name) }, `${path} imports both a wire format and the canonical language`];
  }),
  'settings are read in one place': [
    [{ 'services/worker/src/a.ts': 'process.env.A' }, 'services/worker/src/a.ts reads process.env'],
  ],
  "a dialect does not ask for the client's format": [
    `${chat}/encode-a.ts`,
    'shared/formats/src/upstream/a.ts',
    'shared/formats/src/embed-upstreams.ts',
  ].map(path => [{ [path]: "input.envelope.format === 'chat'" }, `${path} reads envelope.format`]),
  "a dialect reads no other format's fields": [
    [{ [`${chat}/encode-a.ts`]: 'extensions?.messages' }, `${chat}/encode-a.ts reads fields of messages`],
    [
      { 'shared/formats/src/upstream/a.ts': "request.extensions?.['generate-content']" },
      'shared/formats/src/upstream/a.ts reads fields of generate-content',
    ],
    [
      { 'shared/formats/src/speech.ts': "own?.format === 'chat'" },
      'shared/formats/src/speech.ts reads fields of chat',
    ],
  ],
  'a dialect refuses a field by its canonical path, and leaves its name to the ingress': [
    "{ param: 'stop' }",
    "new GatewayError('invalid-request', why)",
    `"Unsupported value for 'stop': no."`,
  ].map(text => [{ [`${chat}/encode-a.ts`]: text }, `${chat}/encode-a.ts names a field`]),
  'every imported package is a declared dependency': [
    [
      { 'shared/json/src/a.ts': imports('zod/mini') },
      'shared/json/src/a.ts imports zod, which its package does not declare',
    ],
    [
      { 'services/console/src/a.ts': "require('left-pad')" },
      'services/console/src/a.ts imports left-pad, which its package does not declare',
    ],
    [
      { 'deploy/edge/a.ts': imports('left-pad') },
      'deploy/edge/a.ts imports left-pad, which its package does not declare',
    ],
  ],
  'code that runs for each request assigns no function literal to a property': [
    'this.#done = () => 1;',
    'call.done = async (a: string): Promise<void> => {',
    'this.done ??= a => a;',
  ].map(line => [{ 'shared/ingress/src/a.ts': `  ${line}\n` }, `shared/ingress/src/a.ts has ${line}`]),
  'what limits, rests, retries or expires takes its time from a clock': [
    'Date.now()',
    'setTimeout(end, 5)',
    "import { setImmediate, setTimeout } from 'node:timers/promises';",
  ].map(text => [{ 'shared/access/src/a.ts': text }, "shared/access/src/a.ts uses the system's time"]),
  'messages and changes of connections to NATS are read where exceptions end nothing': [
    'this.calls.subscribe(subject)',
    'for await (const change of nats.status()) {}',
  ].map(text => [{ 'shared/bus/src/a.ts': text }, 'shared/bus/src/a.ts reads them itself']),
  'no service imports a service, and otherwise only the launcher does': [
    [
      {
        'services/control/src/service.ts': '',
        'deploy/build/a.ts': imports('@model-gateway/control'),
        'deploy/launcher/src/a.ts': imports('@model-gateway/control'),
      },
      'deploy/build/a.ts imports control',
    ],
  ],
  'no files import each other in a circle': [
    [
      {
        [`${chat}/a.ts`]: imports('./b.ts'),
        [`${chat}/b.ts`]: imports('./c.ts'),
        [`${chat}/c.ts`]: imports('./a.ts'),
      },
      `a circle: ${chat}/a.ts, ${chat}/b.ts, ${chat}/c.ts`,
    ],
    [
      {
        'shared/bus/src/index.ts': imports('@model-gateway/json'),
        'shared/json/src/index.ts': imports('@model-gateway/bus'),
      },
      'a circle: shared/bus/src/index.ts, shared/json/src/index.ts',
    ],
  ],
  'a service is a main.ts and a service.ts that any process can start': [
    [{ 'services/a/src/main.ts': '' }, 'a has no service.ts'],
    [{ 'services/a/src/service.ts': '', 'services/a/src/b/main.ts': '' }, 'a has no main.ts'],
  ],
  'an error of the kind overloaded is made with its reason': [
    [
      { 'shared/bus/src/a.ts': "throw new GatewayError(\n  'overloaded', message);" },
      'shared/bus/src/a.ts makes it by new GatewayError, in place of overloaded()',
    ],
  ],
  'a parser has a renderer': [
    [{ [`${chat}/endpoint.ts`]: '', [`${chat}/parse.ts`]: '' }, `${chat} has no render.ts`],
  ],
  'an encoder has a dialect and a decoder': [
    [{ [`${chat}/dialect.ts`]: '', [`${chat}/encode.ts`]: '' }, `${chat} has no decode.ts`],
  ],
  'a folder holds more than one file': [
    [{ 'shared/bus/src/alone/a.ts': '' }, 'shared/bus/src/alone holds one'],
  ],
  'the median file has 45 to 110 lines': [
    [{ [`${chat}/a.ts`]: lines(44) }, 'it has 44'],
    [{ [`${chat}/a.ts`]: lines(111) }, 'it has 111'],
  ],
  'a doc comment opens with its subject': [
    [{ [`${chat}/a.ts`]: '/** How it is. */\n/**\n * What it is.\n */\n/** A. */' }, '2 of 3 do not'],
  ],
};

test('every rule has a violation', () => {
  expect(Object.keys(violations)).toEqual(Object.keys(rules));
});

describe.each(Object.entries<Violation[]>(violations))('%s', (name, broken) => {
  const rule: Rule = rules[name as keyof typeof rules];

  test.each(broken.map(([files, fault]) => ({ files, fault })))('$fault', ({ files, fault }) => {
    expect(faultsOf(rule, sources(files))).toEqual([fault]);
  });
});

test('folders that import from each other are counted', () => {
  const files = { 'shared/bus/src/a/a.ts': imports('../b/b.ts'), 'shared/bus/src/a/b.ts': '' };
  const back = { 'shared/bus/src/b/b.ts': '', 'shared/bus/src/b/c.ts': imports('../a/b.ts') };
  expect(arrowsOf(sources({ ...files, ...back })).mutual).toEqual([['shared/bus/src/a', 'shared/bus/src/b']]);
});
