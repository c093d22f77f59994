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
  const found = described.map(({ id, method, path, operation }) => {
    const [status] = Object.keys(operation.responses);
    return [id, { method, path, status: Number(status) }] as const;
  });
  const wanted = Object.entries<Endpoint>(endpoints).map(
    ([id, { method, path, status }]) => [id, { method, path, status }] as const,
  );
  expect(new Map(found)).toEqual(new Map(wanted));
  expect(found).toHaveLength(wanted.length);
});

test('bodies, headers and queries have their bounds and defaults', () => {
  expect(document.components.schemas.NewToken).toMatchObject({
    required: ['name'],
    additionalProperties: false,
    properties: { name: { type: 'string', minLength: 1, maxLength: 200 } },
  });
  const { paths } = document;
  expect(paths['/api/v1/tokens/{id}']?.delete?.parameters).toMatchObject([
    { name: 'id', in: 'path' },
    { name: 'If-Match', in: 'header' },
  ]);
  expect(paths['/api/v1/usage/totals']?.get?.parameters).toContainEqual({
    ...{ name: 'by', in: 'query', required: false },
    schema: { type: 'string', pattern: expect.stringContaining('|tag:.+)$'), default: 'model' },
  });
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
