import { type Attack, asking, body, chat, must } from './attack.ts';
import { post } from './send.ts';

const answered = (model: string) => `{"model":"${model}","store":false,"input":"x"}`;
const messages = '/v1/messages';
const short = ',"max_tokens":10';

/** Answers of upstreams that break their formats, or that are none. */
export const brokenUpstreams: Attack[] = [
  body('two answers in one stream', '/v1/responses', () => answered('spliced'), 502),
  body('two answers in one stream, streamed', chat, () => asking('spliced', ',"stream":true'), 200, 502),
  {
    name: 'an id that is a number, for clients of each format',
    async run(_gateway, attacker) {
      for (const stream of ['', ',"stream":true']) {
        must('messages', await post(attacker, messages, asking('numbered', `${short}${stream}`)), 200);
        const asked = `${answered('numbered').slice(0, -1)}${stream}}`;
        must('responses', await post(attacker, '/v1/responses', asked), 200);
        const prompt = `{"model":"numbered","prompt":"x"${stream}}`;
        must('completions', await post(attacker, '/v1/completions', prompt), 200);
      }
    },
  },
  body('an error without end', chat, () => asking('endless-error'), 502),
  body(
    'an error without end in place of a stream',
    chat,
    () => asking('endless-error', ',"stream":true'),
    502,
  ),
  body('ten million arrays in place of a stream', chat, () => asking('arrays', ',"stream":true'), 502),
  body('ten million arrays, translated', messages, () => asking('arrays', short), 500),
  body('a million keys in place of a stream', chat, () => asking('keys', ',"stream":true'), 502),
  {
    name: '20 answers of 30 MB that do not end',
    async run({ ready }, attacker) {
      const leave = new AbortController();
      const headers = { authorization: `Bearer ${attacker.token}`, 'content-type': 'application/json' };
      const refused = Promise.withResolvers<string>();
      const ask = async () => {
        const sent = { method: 'POST', headers, body: asking('held'), signal: leave.signal };
        const response = await fetch(`${ready.baseUrl}${chat}`, sent);
        refused.resolve(await response.text());
      };
      const all = Array.from({ length: 20 }, () => ask().catch(() => {}));
      const late = setTimeout(() => refused.resolve('nothing was refused'), 60_000);
      const text = await refused.promise;
      clearTimeout(late);
      leave.abort();
      await Promise.all(all);
      if (!text.includes('of answers to this token')) throw new Error(text.slice(0, 300));
    },
  },
];
