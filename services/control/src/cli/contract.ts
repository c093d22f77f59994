import { type Endpoint, type EndpointName, endpoints, type ListName } from '@model-gateway/admin-api';
import type { z } from 'zod/mini';

/** Returns the fields of the shape of an object. */
export function fieldsOf(shape: z.core.$ZodType | undefined): Readonly<Record<string, z.core.$ZodType>> {
  return (shape as z.ZodMiniObject | undefined)?.shape ?? {};
}

/** True if the response is a list, in pages or not. */
export function isList({ method, response }: Pick<Endpoint, 'method' | 'response'>): boolean {
  return method === 'get' && fieldsOf(response).data !== undefined;
}

/** Returns the shape of the records of a list. */
export function itemOf(response: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  return (fieldsOf(response).data as z.ZodMiniArray | undefined)?.def.element;
}

/** Returns the GET of a path. */
export function readerOf(path: string | undefined): (Endpoint & { id: EndpointName }) | undefined {
  const [id, endpoint] =
    Object.entries<Endpoint>(endpoints).find(([, each]) => each.path === path && each.method === 'get') ?? [];
  return endpoint && { ...endpoint, id: id as EndpointName };
}

/** Returns the list of the records with an id and a name that a path such as `/api/v1/tokens/{id}` names by their id. */
export function listWithIds(path: string): ListName | undefined {
  const list = readerOf(/^(.*)\/\{id\}/.exec(path)?.[1]);
  const { id, name } = fieldsOf(itemOf(list?.response));
  return id && name ? (list?.id as ListName) : undefined;
}
