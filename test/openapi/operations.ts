import type { JsonSchema } from '../../docs/generators/data-plane/operation.ts';

interface Content {
  content?: Record<string, { schema?: JsonSchema }>;
}
export interface Operation {
  operationId: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: unknown[];
  requestBody?: Content;
  responses: Record<string, Content>;
}
/** An OpenAPI document, as far as the tests read it. */
export interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
}

/** Returns the operations of a document with their ids, methods and paths. */
export function allOperations({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method,
      path,
      operation,
    })),
  );
}
