import { name as shape } from '@model-gateway/admin-api';
import { z } from 'zod/mini';
import { parseBody } from './parse-body.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The id of nothing. */
const nil = '00000000-0000-0000-0000-000000000000';

/** Returns the name in a path. @throws GatewayError if it cannot be one */
export function nameIn(params: Record<string, string>, param = 'name'): string {
  return parseBody(z.record(z.string(), shape), { [param]: params[param] })[param] as string;
}

/** Returns the id in a path: that of nothing if it cannot be one. */
export function idIn({ id = '' }: Record<string, string>): string {
  return uuid.test(id) ? id : nil;
}
