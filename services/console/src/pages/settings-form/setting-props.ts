import type { ReactNode } from 'react';
import { core } from 'zod/mini';

/** The messages of a form by the paths of its fields, as `form.errors` of Mantine and `fieldMessages` have them. */
export type Messages = Readonly<Record<string, ReactNode>>;

/** What every field of settings takes. `path` is the field's name in the body of the request, such as `limits`. */
export interface SettingProps<Value> {
  value: Value;
  onChange(value: Value): void;
  path: string;
  errors?: Messages;
  disabled?: boolean | undefined;
}

/** Returns the message about a field below `path`, such as the one at `limits.models["gpt-5"].requestsPerMinute`. */
export function messageAt(
  errors: Messages | undefined,
  path: string,
  ...below: (string | number)[]
): ReactNode {
  return errors?.[core.toDotPath([path, ...below])];
}

/** Returns the first message about a field or anything within it, such as the one at `apiKey.env` for `apiKey`. */
export function messageIn(errors: Messages = {}, path: string, ...below: (string | number)[]): ReactNode {
  const field = core.toDotPath([path, ...below]);
  const within = (each: string) => each.startsWith(field) && /^[.[]/.test(each.slice(field.length));
  return errors[field] ?? Object.entries(errors).find(([each]) => within(each))?.[1];
}
