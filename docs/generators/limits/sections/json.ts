import type { GenerateRequest } from '@model-gateway/canonical';
import { parseObject } from '@model-gateway/ingress';
import { jsonStep, KnownFields, maxJsonToken, maxNesting, requestBounds } from '@model-gateway/json';
import { checkNestedJson, writtenBytes } from '../../../../services/worker/src/serve-route.ts';
import { tooLargeWritten } from '../../../../shared/formats/src/upstream/request-body.ts';
import { namesBytes, tooLargeTranslated } from '../../../../shared/ingress/src/read/canonical-body.ts';
import type { Section } from '../bound.ts';
import { refusal, told } from '../told.ts';
import { count, size } from '../written.ts';

/** A conversation with a call that has these arguments. */
function callsOf(args: string): GenerateRequest {
  return {
    messages: [{ role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 'f', arguments: args }] }],
  };
}

const fields = new KnownFields(['model', 'messages']);
const refused = (text: string | Buffer) => refusal(() => parseObject(Buffer.from(text), fields));

/** The size of a body whose refusal is an example, in bytes. */
const exampleBody = 1_000_000;

export async function json(): Promise<Section> {
  const { values, integers, items } = requestBounds;
  const list = (length: number, item: string) => `[${Array(length).fill(item).join()}]`;
  const lists = (total: number, item: string) => list(Math.ceil(total / (items - 1)), list(items - 1, item));
  const members = Array.from({ length: items + 1 }, (_, i) => `"${i}":0`).join();
  return {
    title: 'JSON',
    intro:
      'A body is measured before it is parsed. The names are examples; `messages` stands for the field that is too large.',
    bounds: [
      {
        what: 'Levels of nesting',
        limit: count(maxNesting),
        told: await refused(`{"messages":${'['.repeat(maxNesting)}`),
      },
      {
        what: 'Objects, arrays, strings, numbers, booleans and nulls in total, without integers in arrays',
        limit: count(values),
        told: await refused(`{"messages":${lists(values, '""')}}`),
      },
      {
        what: 'Integers in arrays, such as token ids, in total',
        limit: count(integers),
        told: await refused(`{"messages":${list(integers + 1, '0')}}`),
      },
      {
        what: 'Items of one array, without integers',
        limit: count(items),
        told: await refused(`{"messages":${list(items + 1, '""')}}`),
      },
      {
        what: 'Members of one object',
        limit: count(items),
        told: await refused(`{"messages":{${members}}}`),
      },
      {
        what: 'A key of the top level',
        limit: `${count(maxJsonToken)} characters`,
        told: await refused(`{"${'k'.repeat(maxJsonToken)}":0}`),
      },
      {
        what: 'A number',
        limit: `${count(maxJsonToken)} characters`,
        told: await refused(`{"messages":${'1'.repeat(maxJsonToken + 1)}}`),
      },
      {
        what: 'JSON in arguments and results of tool calls, in total, if a request is translated',
        limit: `${count(values)} values`,
        told: await refusal(() => checkNestedJson(callsOf(list(values, '0.5')))),
      },
      {
        what: 'A request in the form in which it crosses to a worker, if it is translated',
        limit: `twice its body and ${size(namesBytes)}`,
        told: told(tooLargeTranslated(2 * exampleBody + namesBytes)),
      },
      {
        what: `The same in the form in which it is sent to the provider, from ${size(jsonStep)} on`,
        limit: `twice the form above and ${size(writtenBytes)}`,
        told: told(tooLargeWritten(2 * (2 * exampleBody + namesBytes) + writtenBytes)),
      },
      {
        what: 'Keys of the same name at the top level',
        limit: count(1),
        told: await refused('{"model":"a","model":"b"}'),
      },
      {
        what: 'Top-level keys that differ only in case, blanks, width or characters that are not seen from each other, or from a field of the endpoint',
        limit: 'none',
        told: await refused('{"Model":"a"}'),
      },
      {
        what: 'Top-level value',
        limit: 'an object',
        told: await refused('[]'),
      },
      { what: 'Encoding of the text', limit: 'UTF-8', told: await refused(Buffer.of(0x22, 0xff, 0x22)) },
      { what: 'Syntax', limit: 'JSON', told: await refused('{"model":') },
    ],
  };
}
