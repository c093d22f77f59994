import type { WireFormat } from '@model-gateway/canonical';
import { GatewayError } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import type { ReceivedForm } from '@model-gateway/ingress';
import { expect, test } from 'vitest';
import { findDialect } from '../../shared/formats/src/dialects.ts';
import { ReceivedForm as Received } from '../../shared/ingress/src/form/received.ts';
import { fieldBytes, mostFields, mostFiles } from '../../shared/ingress/src/read/read-form.ts';
import { list, longest } from './cost.ts';
import { content, filesNamed, forms, type GrowableForm, repeated } from './forms.ts';

type Fields = [string, string][];

/** A form whose files are in memory. */
function formOf(fields: Fields, fileNames: readonly string[]): ReceivedForm {
  const files = filesNamed(fileNames);
  const spool = {
    size: files.length * content.length,
    async *read(from: number, to: number) {
      for (let at = from; at < to; at += content.length)
        yield content.subarray(0, Math.min(content.length, to - at));
    },
  };
  const room = { memory: { take() {}, give() {}, release() {} }, limit: 1e9 };
  return new Received({ fields, files }, spool as never, room as never);
}

/** Parses a form, translates it and writes it for its upstreams. */
async function handled({ endpoint }: GrowableForm, form: ReceivedForm): Promise<void> {
  const parsed = await endpoint.parseForm?.(form, {});
  if (!parsed) throw new Error('the endpoint takes no form');
  const facts = { envelope: testEnvelope({ operation: parsed.type }), model: 'm', drop: ['x'], limits: {} };
  const own = findDialect(parsed.type, endpoint.format as WireFormat, 'form');
  own?.encode({ ...facts, body: 'form', form: { ...form, bytes: form.bytes() } } as never);
  const request = await parsed.canonical();
  for (const format of ['images', 'generate-content', 'listen'] as const)
    findDialect(parsed.type, format, 'canonical')?.encode({ ...facts, body: 'canonical', request } as never);
}

/** Returns the CPU time of the quicker of two runs, in milliseconds. */
async function costOf(work: () => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 2; run++) {
    const before = process.threadCpuUsage();
    await work().catch(thrown => {
      if (!(thrown instanceof GatewayError) || thrown.kind === 'internal') throw thrown;
    });
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

test.each(Object.entries(forms))(
  'a form of %s with as much of any field as it may have is handled at a stretch',
  async (_path, growable) => {
    const { base, file, schema } = growable;
    const names = Object.keys((schema as unknown as { def: { shape: object } }).def.shape);
    const rooms = mostFields - base.length;
    const all: [string, Fields, string[]][] = [...names, 'unknown'].flatMap(name => [
      ...repeated(name).map(([what, of]): [string, Fields, string[]] => [
        what,
        [...of(rooms), ...base],
        [file],
      ]),
      [`a long ${name}`, [...base, [name, 'a_-A.9 '.repeat(fieldBytes / 7)]], [file]],
    ]);
    all.push(['files', base, list(mostFiles, () => file)]);
    all.push(['files of other names', base, list(mostFiles, i => `${file}[${i}]`)]);
    const slow: string[] = [];
    for (const [what, fields, files] of all) {
      const ms = await costOf(() => handled(growable, formOf(fields, files)));
      if (ms > longest) slow.push(`${what} takes ${Math.round(ms)} ms`);
    }
    expect(slow).toEqual([]);
  },
);
