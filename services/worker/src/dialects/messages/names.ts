import { createHash } from 'node:crypto';

const allowed = /^[a-zA-Z0-9_-]{1,64}$/;

/** An id of a tool call as this format allows it; what another vendor made is replaced, the same each time. */
export function callId(id: string): string {
  return allowed.test(id) ? id : `call_${hash(id)}`;
}

/** A tool's name as this format allows it: as much of it as can be kept, and what sets it apart from its like. */
export function toolName(name: string): string {
  if (allowed.test(name)) return name;
  return `${name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 51)}_${hash(name).slice(0, 12)}`;
}

/** The id of an end user; one that is too long, or that names a person, goes no further than this hash. */
export function userId(user: string): string {
  return user.length > 256 || /\S@\S/.test(user) ? hash(user) : user;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
