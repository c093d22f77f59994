import { imageEditRequest, modelNameCharacters, responsesMetadata } from '@model-gateway/formats';
import { checkModelName, invalidRequest } from '@model-gateway/formats/client';
import { z } from 'zod';
import { largest, messagesPage } from '../../../../services/ingress-models/src/models/parse.ts';
import {
  maxItems,
  parseItems,
} from '../../../../services/ingress-responses/src/endpoints/parse-conversation.ts';
import { parsePage } from '../../../../services/ingress-responses/src/endpoints/parse-lookup.ts';
import { largestPage } from '../../../../services/ingress-responses/src/items/item-page.ts';
import type { Bound, Section } from '../bound.ts';
import { boundOf, type FieldRange, fieldRanges } from '../field-ranges.ts';
import { type RequestFields, requestFields } from '../formats.ts';
import { failureOf, refusal, told, toldAs } from '../told.ts';
import { count } from '../written.ts';

export async function formats(): Promise<Section> {
  return {
    title: 'Names and numbers of the formats',
    intro:
      'These bounds are those of the formats. A model may allow less: then its provider refuses the request. The message is for a value just outside the range, in the format of the path. A limit of -1 tokens [means no limit](translation.md#from-chat-to-messages) if a provider takes it.',
    bounds: [...(await names()), ...(await ranges()), ...(await inside())],
  };
}

async function names(): Promise<Bound[]> {
  return [
    {
      what: 'Name of a model, in any place',
      limit: `${count(modelNameCharacters)} characters`,
      told: await refusal(() => checkModelName('x'.repeat(modelNameCharacters + 1))),
    },
    {
      what: 'Characters of that name',
      limit: 'no control characters, no lone surrogates',
      told: await refusal(() => checkModelName('a\n')),
    },
  ];
}

/** Fields with equal bounds share a row. */
async function ranges(): Promise<Bound[]> {
  const rows = new Map<string, Bound & { paths: string[] }>();
  for (const request of requestFields)
    for (const range of fieldRanges(request.shape)) {
      if (range.name === 'model') continue;
      const bound = await rowOf(request, range);
      const key = JSON.stringify(bound);
      const row = rows.get(key) ?? { ...bound, paths: [] };
      if (!row.paths.includes(`\`${request.path}\``)) row.paths.push(`\`${request.path}\``);
      rows.set(key, row);
    }
  return [...rows.values()].map(({ paths, ...bound }) => ({
    ...bound,
    what: `${bound.what} of ${paths.join(', ')}`,
  }));
}

async function rowOf(request: RequestFields, range: FieldRange): Promise<Bound> {
  const body = request.with({ [range.name]: outside(request, range) });
  const error = await failureOf(() => request.check(body));
  return { what: `\`${range.name}\``, limit: written(range), told: toldAs(request.render(error)) };
}

/** A value just outside a range. */
function outside({ items }: RequestFields, { name, kind, least = 0, most }: FieldRange): unknown {
  if (most === undefined) return least - 1;
  if (kind === 'number') return most + 1;
  return kind === 'text' ? 'x'.repeat(most + 1) : Array(most + 1).fill(items?.[name] ?? 'x');
}

function written({ kind, least, most }: FieldRange): string {
  if (most === undefined) return `at least ${count(least as number)}`;
  if (kind === 'text') return `${count(most)} characters`;
  return kind === 'list' ? `${count(most)} items` : `${count(least as number)} to ${count(most)}`;
}

/** Bounds of nested fields, and of lists in responses. */
async function inside(): Promise<Bound[]> {
  const pairs = boundOf(
    responsesMetadata,
    Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [i, ''])),
  );
  const value = boundOf(responsesMetadata, { key: 'x'.repeat(10_000) });
  const url = boundOf(imageEditRequest.shape.images, [{ image_url: 'x'.repeat(30_000_000) }]);
  const kept = z.object({ metadata: responsesMetadata });
  const edit = imageEditRequest.pick({ images: true });
  const manyPairs = Object.fromEntries(Array.from({ length: pairs + 1 }, (_, i) => [i, '']));
  return [
    {
      what: '`metadata` of a response or a conversation',
      limit: `${count(pairs)} pairs`,
      told: refused(kept, { metadata: manyPairs }),
    },
    {
      what: 'A value of this `metadata`',
      limit: `${count(value)} characters`,
      told: refused(kept, { metadata: { key: 'x'.repeat(value + 1) } }),
    },
    {
      what: '`images[].image_url` of `/v1/images/edits`',
      limit: `${count(url)} characters`,
      told: refused(edit, { images: [{ image_url: 'x'.repeat(url + 1) }] }),
    },
    {
      what: 'Items of a new conversation, or items that are added at once',
      limit: count(maxItems),
      told: await refusal(() =>
        parseItems(Buffer.from(JSON.stringify({ items: Array(maxItems + 1).fill({ type: 'message' }) }))),
      ),
    },
    {
      what: '`limit` of `/v1/responses/{id}/input_items` and of the items of a conversation',
      limit: `1 to ${count(largestPage)}`,
      told: await refusal(() => parsePage(`/v1/responses/a/input_items?limit=${largestPage + 1}`)),
    },
    {
      what: '`limit` of `/v1/models` in the shape of messages',
      limit: `1 to ${count(largest)}`,
      told: await refusal(() => messagesPage(new URLSearchParams({ limit: `${largest + 1}` }))),
    },
  ];
}

/** The response to a body that violates a schema. */
function refused(schema: z.ZodType, body: unknown): string {
  return told(invalidRequest(schema.safeParse(body).error as z.ZodError, body));
}
