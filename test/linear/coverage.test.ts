import { type Operation, wireFormats } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { findDialect } from '../../shared/formats/src/dialects.ts';
import { registered } from '../openapi/registered.ts';
import { results } from './answers/results.ts';
import { streams } from './answers/streams.ts';
import { whole } from './answers/whole.ts';
import { ofPath } from './endpoints.ts';
import { forms } from './forms.ts';
import { upstreams } from './upstreams.ts';

/** Endpoints that call a model, with each type of body. */
const asking = registered.flatMap(({ path, fields, contentTypes }) =>
  fields ? contentTypes.map(type => ({ path, type })) : [],
);

test('the requests of every endpoint grow', () => {
  const paths = (type: string) => asking.flatMap(each => (each.type === type ? [each.path] : []));
  expect(Object.keys(ofPath).sort()).toEqual(paths('application/json').sort());
  expect(Object.keys(forms).sort()).toEqual(paths('multipart/form-data').sort());
});

/** The operations, by their upstream formats. */
const operations = {
  generate: true,
  embed: true,
  rerank: true,
  moderate: true,
  image: true,
  speech: true,
  transcribe: true,
  // Answered by dialects of generate in one number.
  'count-tokens': false,
  // Events of sessions: see realtime.test.ts.
  realtime: false,
} satisfies Record<Operation, boolean>;

test.each(Object.keys(operations).filter(name => operations[name as Operation]) as Operation[])(
  'the answers of every upstream format of %s grow',
  operation => {
    const formats = wireFormats.filter(format =>
      (['verbatim', 'canonical', 'form'] as const).some(body => findDialect(operation, format, body)),
    );
    const named = (all: object) =>
      wireFormats.filter(format =>
        Object.keys(all).some(name => (upstreams[name]?.dialect.format ?? name) === format),
      );
    if (operation === 'generate') {
      expect(named(streams)).toEqual(formats);
      expect(named(whole)).toEqual(formats);
    } else expect(named(results[operation] ?? {})).toEqual(formats);
  },
);
