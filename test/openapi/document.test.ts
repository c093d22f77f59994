import { type Endpoint, type EndpointName, endpoints } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { openApi } from '../../services/control/src/api/openapi/document.ts';
import { examples } from '../../services/control/src/api/openapi/examples.ts';
import { allOperations, type Document } from './operations.ts';

const document = openApi() as Document;
const operations = allOperations(document);

test('every body in JSON of the admin API has a named schema', () => {
  const unnamed = operations
    .filter(({ path }) => path.startsWith('/api/'))
    .flatMap(({ id, operation: { requestBody, responses } }) => {
      const contents = [requestBody, ...Object.values(responses)].map(
        part => part?.content?.['application/json'],
      );
      return contents.flatMap(content => (content && !content.schema?.$ref ? [id] : []));
    });
  expect(unnamed).toEqual([]);
});

test('the admin API is that of the contract, under the same names', () => {
  const described = operations.filter(({ path }) => path.startsWith('/api/'));
  expect(described.map(({ id, method, path }) => [id, { method, path }])).toEqual(
    expect.arrayContaining(
      Object.entries<Endpoint>(endpoints).map(([id, { method, path }]) => [id, { method, path }]),
    ),
  );
  expect(described.length).toBe(Object.keys(endpoints).length);
});

test('every operation has a tag that the document describes, and an id of its own', () => {
  const known = document.tags.map(({ name }) => name);
  expect(operations.filter(({ operation }) => !operation.tags.every(tag => known.includes(tag)))).toEqual([]);
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
});

test('every operation states who may call it, and its errors', () => {
  const open = operations.filter(({ operation }) => operation.security.length === 0).map(({ id }) => id);
  expect(open).toEqual([
    ...['signIn', 'showSignInWays', 'startOidc', 'finishOidc'],
    ...['showCommandSignIn', 'confirmCommandSignIn', 'finishCommandSignIn'],
  ]);
  expect(operations.filter(({ operation }) => !operation.responses.default)).toEqual([]);
});

test.each(Object.entries(examples))('the example of %s is valid', (name, example) => {
  const { body }: Endpoint = endpoints[name as EndpointName];
  expect(body?.safeParse(example).error).toBeUndefined();
});
