import { digest } from '#bytes';

const allowed = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns a call id that this format allows: an invalid id is always replaced by the same hash. */
export function callId(id: string): string {
  return allowed.test(id) ? id : `call_${digest(id, 32)}`;
}

/** Returns a tool name that this format allows: an invalid name is shortened and gets a hash. */
export function toolName(name: string): string {
  if (allowed.test(name)) return name;
  return `${name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 51)}_${digest(name, 12)}`;
}

/** Returns an end-user id. One that is too long or looks like an email address is hashed. */
export function userId(user: string): string {
  return user.length > 256 || /\S@\S/.test(user) ? digest(user, 32) : user;
}
