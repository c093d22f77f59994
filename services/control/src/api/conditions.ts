import { createHash } from 'node:crypto';
import { GatewayError } from '@model-gateway/canonical';
import type { Request, Response } from 'express';

/** The ETag of a resource. */
export interface Tag {
  /** The header's value. It changes with every change of the resource. */
  text: string;
  /** The part of it that changes only with the fields that a request can change. */
  changeable: string;
}

/**
 * Returns the ETag of a resource as the API shows it. `observed`: the paths of fields that change by themselves, such as
 * `login.lastSignInAt`. They count for a GET; for a change they do not, since nobody could change a resource in use.
 */
export function tagOf(resource: object, observed: readonly string[] = []): Tag {
  const changeable = hashOf(observed.length === 0 ? resource : without(resource, observed));
  const text = observed.length === 0 ? changeable : `${changeable}.${hashOf(resource)}`;
  return { text: `"${text}"`, changeable };
}

/** Sends a resource with its ETag: only the status 304 if the client of a GET has it already. */
export function sendResource<Resource extends object>(
  request: Request,
  response: Response<Resource>,
  resource: Resource,
  tag: Tag,
): void {
  response.setHeader('etag', tag.text);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && isNamed(request.get('if-none-match'), ({ text }) => text === tag.text)) {
    response.status(304).end();
    return;
  }
  response.json(resource);
}

/**
 * Checks the headers If-Match and If-None-Match of a change. It must run in the change's transaction, which has locked the
 * resource. `tag` is that of the resource; undefined if there is none. @throws GatewayError if a condition does not hold
 */
export function assertConditions(request: Request, tag: Tag | undefined): void {
  const ifMatch = request.get('if-match');
  const isSame = ({ text, isWeak }: Named) => !isWeak && partOf(text) === tag?.changeable;
  if (ifMatch !== undefined && !(tag && isNamed(ifMatch, isSame)))
    throw failed('If-Match: the resource has changed since it was read. Read it again.');
  const ifNoneMatch = request.get('if-none-match');
  if (tag && isNamed(ifNoneMatch, ({ text }) => partOf(text) === tag.changeable))
    throw failed('If-None-Match: the resource exists already.');
}

interface Named {
  /** With its quotes. */
  text: string;
  isWeak: boolean;
}

/** True if a header names a tag that fulfils a condition, or any by `*`. */
function isNamed(header: string | undefined, fulfils: (named: Named) => boolean): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return [...header.matchAll(/(W\/)?("[^"]*")/g)].some(([, weak, text = '']) =>
    fulfils({ text, isWeak: weak !== undefined }),
  );
}

function partOf(text: string): string | undefined {
  return text.slice(1, -1).split('.')[0];
}

function without(resource: object, paths: readonly string[]): object {
  const copy = structuredClone(resource);
  for (const path of paths) {
    const fields = path.split('.');
    const last = fields.pop() as string;
    const parent = fields.reduce<Record<string, unknown> | null>(
      (found, field) => (found?.[field] ?? null) as Record<string, unknown> | null,
      copy as Record<string, unknown>,
    );
    if (parent) delete parent[last];
  }
  return copy;
}

function hashOf(resource: object): string {
  return createHash('sha256').update(JSON.stringify(resource)).digest('base64url').slice(0, 22);
}

function failed(message: string): GatewayError {
  return new GatewayError('invalid-request', message, { code: 'precondition_failed' });
}
