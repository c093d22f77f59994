import { resolve } from 'node:path';
import { audioOperations } from './audio.ts';
import { chat } from './chat.ts';
import { namedSchemas, reference } from './components.ts';
import { errorComponents, errorResponses } from './errors.ts';
import { generateContent } from './generate-content.ts';
import { imageOperations } from './images.ts';
import { messages } from './messages.ts';
import { models } from './models.ts';
import { type DataPlaneOperation, json, securitySchemes, tags } from './operation.ts';
import { realtime } from './realtime.ts';
import { responses } from './responses.ts';
import { vectors } from './vectors.ts';

/** The file with the data plane's part of the OpenAPI document, which control serves. */
export const path = resolve(import.meta.dirname, '../../../services/control/src/api/openapi/data-plane.json');

/** Every endpoint of the data plane. */
export const operations: readonly DataPlaneOperation[] = [
  ...chat,
  ...messages,
  ...responses,
  ...generateContent,
  ...vectors,
  ...imageOperations,
  ...audioOperations,
  ...realtime,
  ...models,
];

/** Returns the data plane's part of the OpenAPI document as text. */
export function dataPlane(): string {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations)
    paths[operation.path] = { ...paths[operation.path], [operation.method]: render(operation) };
  const errors = errorComponents();
  const part = {
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes,
      headers: {
        RequestId: {
          description: "The request's id, by which the logs name it.",
          schema: { type: 'string' },
        },
        Location: { description: 'Where to go on.', schema: { type: 'string' } },
        RetryAfter: {
          description: 'Seconds after which to try again.',
          schema: { type: 'integer', minimum: 0 },
        },
      },
      schemas: { ...namedSchemas(), ...errors.schemas },
      responses: errors.responses,
    },
  };
  return `${JSON.stringify(part, undefined, 1)}\n`;
}

function render(operation: DataPlaneOperation): object {
  const { id, tag, summary, description, security, errors, status = 200 } = operation;
  const parameters = [...inPath(operation.path), ...(operation.parameters ?? [])];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: security.map(scheme => ({ [scheme]: [] })),
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(operation),
    responses: { [status]: success(operation), ...errorResponses(errors) },
  };
}

function inPath(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    ...(name === 'model' && { description: "The model's name, which may hold `/` and `:`." }),
    schema: { type: 'string', minLength: 1 },
  }));
}

function requestBody({ body, bodyIsOptional, example }: DataPlaneOperation): object {
  if (!body) return {};
  const content = Object.entries(body).map(([type, schema]) => [
    type,
    { schema: reference(schema), ...(type === json && example && { example }) },
  ]);
  return { requestBody: { required: !bodyIsOptional, content: Object.fromEntries(content) } };
}

function success({ answer, status }: DataPlaneOperation): object {
  const content = Object.entries(answer).map(([type, schema]) => [type, { schema: reference(schema) }]);
  return {
    description: status === 101 ? 'The session is open.' : 'The request succeeded.',
    headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' } },
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
  };
}
