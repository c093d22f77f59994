import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { passed, readAll } from '@model-gateway/canonical/testing/events';
import { describe, expect, test } from 'vitest';
import { chatDialect } from '../chat/dialect.ts';
import { generateContentDialect } from '../generate-content/dialect.ts';
import { messagesDialect } from '../messages/dialect.ts';
import { responsesDialect } from '../responses/dialect.ts';
import { encodeInput } from '../testing/encode-input.ts';
import { example, examplesOf } from '../testing/examples.ts';
import { expectFile } from '../testing/fixtures.ts';

const dialects = [chatDialect, generateContentDialect, messagesDialect, responsesDialect];
const examples = dialects.flatMap(dialect =>
  examplesOf(dialect.format).map(name => ({ dialect, format: dialect.format, name })),
);
const translated = encodeInput({ model: 'm', request: { messages: [], n: 2, stop: ['END'] } });
const verbatim = encodeInput({ model: 'm', text: Buffer.from('{"stream_options":{"include_usage":true}}') });
const unasked = encodeInput({ model: 'm', text: Buffer.from('{}') });

/** Without what may be dropped: comments before the first event, and a mark after the last event of responses. */
const bare = (sent: string) =>
  sent.replace(/^(: [^\n]*\n\n)+|(?<=response\.completed[\s\S]*)data: \[DONE\]\n\n$/g, '');

describe.each(examples)('the stream $name of $format', ({ dialect, format, name }) => {
  const stream = example(format, name);
  const read = (input = translated, size?: number) => readAll(dialect.decodeStream(input), stream, size);

  test.each([1, 7, 100])('is the same read %i bytes at a time', size => {
    expect(read(translated, size)).toEqual(read());
    const [pieces, whole] = [read(verbatim, size), read(verbatim)];
    expect(bare(passed(pieces))).toBe(bare(passed(whole)));
    expect(pieces.at(-1)).toEqual(whole.at(-1));
  });

  test('pitfall 29: passes byte for byte to a client of the same format, up to an error', () => {
    const events = read(verbatim);
    const failure = /(event: .*\n)?data: .*("error": ?\{|"type": ?"(error|response\.failed)").*\n/.exec(
      stream,
    );
    const good = stream.slice(0, failure?.index);
    const unmarked = name === 'no-end-mark' ? 'event: message_stop\ndata: {"type":"message_stop"}\n\n' : '';
    // Items keep the ids with which they were added.
    const ids = name === 'changing-ids' || name === 'raw-reasoning' ? /"item_id":"[^"]*"/g : /$^/;
    const kept = (text: string) => bare(text).replace(ids, '');
    expect(kept(passed(events))).toBe(kept(good + unmarked));
    const { type, ...end } = { ...read().at(-1) } as Record<string, unknown>;
    // What the client asked for decides on a reason of chat, and the last event on one of responses.
    const { reason: _, stopSequence: __, ...last } = end;
    expect(events.at(-1)).toMatchObject({
      type,
      ...(format === 'chat' || name === 'done-only' ? last : end),
    });
    expect(events.filter(event => event.type !== 'verbatim')).toHaveLength(1);
  });

  test('passes without the usage chunk to a client that did not request it', () => {
    const sent = passed(read(unasked));
    if (format !== 'chat') return expect(sent).toBe(passed(read(verbatim)));
    const isUsage = /"choices":\[\][^\n]*"usage":\{/;
    const chunks = passed(read(verbatim)).split('\n\n');
    expect(sent).toBe(chunks.filter(chunk => !isUsage.test(chunk)).join('\n\n'));
  });
});

test.each(dialects)('each stream of $format becomes the events of its fixture', async dialect => {
  const { format } = dialect;
  const events = examplesOf(format)
    .sort()
    .map(name => [name, readAll(dialect.decodeStream(translated), example(format, name))]);
  const source = 'the pages that examples.md names';
  const path = join(import.meta.dirname, '..', format, 'fixtures/examples.json');
  await expectFile(path, { source, ...Object.fromEntries(events) });
});

test.each(dialects)(
  'examples.md of $format lists every file once, with the page that the file follows',
  ({ format }) => {
    const at = new URL(`../${format}/examples/`, import.meta.url);
    const page = readFileSync(new URL('examples.md', at), 'utf8');
    const listed = [...page.matchAll(/^\| `(\S+)` +\| (\S.*?) +\| https:\/\/\S+ +\|$/gm)].map(
      ([, file]) => file,
    );
    const files = globSync('*', { cwd: at }).map(file => basename(file));
    expect(listed.length).toBeGreaterThan(9);
    expect(['examples.md', ...listed].sort()).toEqual(files.sort());
  },
);
