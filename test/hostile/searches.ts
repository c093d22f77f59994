import { type Attack, asking, body, chat, list, must } from './attack.ts';
import { post } from './send.ts';

const responses = '/v1/responses';
const messages = '/v1/messages';
/** Models of targets in each format. */
const targets = ['m', 'claude', 'gemini', 'replies'];
const names = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `x${'x'.repeat(50)}${String(i + from).padStart(6, '0')}`);
const many = 9_900;

const chatTools = (all: string[]) =>
  all.map(name => `{"type":"function","function":{"name":"${name}"}}`).join(',');
const tools = (all: string[]) => all.map(name => `{"type":"function","name":"${name}"}`).join(',');
const namespace = `{"type":"namespace","name":"x","tools":[${list(many, '{"type":"function","name":"f1"}')}]}`;
const choices = (count: number) =>
  `{"type":"allowed_tools","mode":"auto","tools":[${list(count, '{"type":"namespace","name":"x"}')}]}`;
const asked = (model: string, more: string) => `{"model":"${model}","store":false,"input":"x"${more}}`;

/** Texts that make a search for secrets long. Each is repeated to 260 KB. */
const secrets = [
  '-eyJ',
  'eyJ-',
  `eyJ${'a'.repeat(12)}.`,
  'sk-',
  '://a',
  'api_key=',
  'a@',
  'bearer ',
  '1:',
  '1-',
];

/** Requests within every limit in which something might be searched for each of many items. */
export const searches: Attack[] = [
  ...targets.flatMap(model => [
    body(
      `3 namespaces of ${many} tools, to ${model}`,
      responses,
      () => asked(model, `,"tools":[${list(3, namespace)}]`),
      200,
      400,
      502,
    ),
    body(
      `a namespace of ${many} tools that is allowed 6,000 times, to ${model}`,
      responses,
      () => asked(model, `,"tools":[${list(3, namespace)}],"tool_choice":${choices(6_000)}`),
      200,
      400,
      413,
      502,
    ),
    body(
      `${many} tools and ${many} others that are allowed, to ${model}`,
      chat,
      () =>
        asking(
          model,
          `,"tools":[${chatTools(names(many))}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[${chatTools(names(many, 100_000))}]}}`,
        ),
      200,
      400,
      502,
    ),
    body(
      `${many} tools and ${many} others that are allowed, by responses to ${model}`,
      responses,
      () =>
        asked(
          model,
          `,"tools":[${tools(names(many))}],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[${tools(names(many, 100_000))}]}`,
        ),
      200,
      400,
      502,
    ),
  ]),
  {
    name: 'two namespaces of 9,900 tools that are allowed 9,900 times',
    async run(_gateway, attacker) {
      const text = asked('m', `,"tools":[${list(2, namespace)}],"tool_choice":${choices(many)}`);
      must('allowed', await post(attacker, responses, text), 200, 400, 413, 502);
    },
  },
  {
    name: '40 streams beside 9,900 stop sequences',
    async run(_gateway, attacker) {
      const stops = (count: number) =>
        `,"max_tokens":1000,"stream":true,"stop_sequences":[${Array.from({ length: count }, (_, i) => `"zz${'q'.repeat(20)}${i}"`).join(',')}]`;
      const ask = (count: number) =>
        Promise.all(
          Array.from({ length: 40 }, () => post(attacker, messages, asking('replies', stops(count)))),
        );
      for (const answer of await ask(many)) must('too many', answer, 400, 429);
      for (const answer of await ask(16)) must('as many as may be', answer, 200, 429);
    },
  },
  {
    name: 'texts that look like secrets again and again, in a project that logs requests',
    async run(gateway, { baseUrl }) {
      const attacker = { baseUrl, token: await gateway.token('logged') };
      for (const secret of secrets) {
        const text = secret.repeat(Math.ceil(260_000 / secret.length));
        must(secret, await post(attacker, chat, asking('m').replace('"x"', JSON.stringify(text))), 200);
      }
      must('an answer', await post(attacker, chat, asking('secretive')), 200);
    },
  },
];
