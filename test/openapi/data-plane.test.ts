import { readFileSync } from 'node:fs';
import { matchRoute, type RouteService } from '@model-gateway/ingress';
import { ambiguousKey, type KnownFields } from '@model-gateway/json';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { dataPlane, operations, path } from '../../docs/generators/data-plane/document.ts';
import type { DataPlaneOperation, JsonSchema } from '../../docs/generators/data-plane/operation.ts';
import { schemaOf } from '../../docs/generators/data-plane/schema-of.ts';
import { type Registered, registered } from './registered.ts';

const lineOf = ({ method, path }: { method: string; path: string }) => `${method.toUpperCase()} ${path}`;

test('the described endpoints are those that the services register', () => {
  expect(operations.map(lineOf).sort()).toEqual(registered.map(lineOf).sort());
});

test('every path that the edge passes to a service of the data plane is of a described endpoint, and the reverse', () => {
  const example = (path: string) => path.replaceAll(/\{\w+\}/g, 'some/model');
  const services = new Set<RouteService | undefined>(
    operations.map(({ method, path }) => matchRoute(method.toUpperCase(), example(path))),
  );
  expect([...services].sort()).toEqual([
    'ingress-audio',
    'ingress-chat',
    'ingress-embeddings',
    'ingress-generate-content',
    'ingress-images',
    'ingress-messages',
    'ingress-models',
    'ingress-responses',
    'realtime',
  ]);
});

test('operations have ids of their own', () => {
  const ids = operations.map(({ id }) => id);
  expect([...new Set(ids)]).toEqual(ids);
});

const withFields = operations.flatMap(operation => {
  const { fields, contentTypes } = found(operation);
  return fields ? [{ line: lineOf(operation), operation, fields, contentTypes }] : [];
});

test.each(withFields)(
  'the schemas of $line have the fields that its ingress reads',
  ({ operation, fields }) => {
    const described = bodies(operation).flatMap(({ properties = {} }) => Object.keys(properties));
    const files = ['file', 'image', 'image[]', 'mask'];
    const unknown = described.filter(name => !files.includes(name) && !knows(fields, name));
    expect(unknown).toEqual([]);
    expect(described.length).toBeGreaterThan(0);
  },
);

test.each(withFields)('$line describes the types of body that it takes', ({ operation, contentTypes }) => {
  expect(Object.keys(operation.body ?? {}).sort()).toEqual([...contentTypes].sort());
});

test.each(operations.filter(({ example }) => example))('the example of $id is valid', ({ body, example }) => {
  const schema = body?.['application/json'];
  expect(schema instanceof z.ZodType && schema.safeParse(example).success).toBe(true);
});

test('the committed file is what the code makes: npm run docs writes it', () => {
  expect(readFileSync(path, 'utf8') === dataPlane()).toBe(true);
});

function found(operation: DataPlaneOperation): Registered {
  return registered.find(one => lineOf(one) === lineOf(operation)) as Registered;
}

function bodies({ body = {} }: DataPlaneOperation): JsonSchema[] {
  return Object.values(body).map(schema => (schema instanceof z.ZodType ? schemaOf(schema) : schema));
}

/** True if `name` is a known field: another spelling of it is then ambiguous. */
function knows(fields: KnownFields, name: string): boolean {
  return ambiguousKey([name.toUpperCase()], fields) !== undefined;
}
