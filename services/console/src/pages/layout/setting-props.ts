import type { ReactNode } from 'react';
import { core } from 'zod/mini';

/** The messages of a form by the paths of its fields, as the gateway names them. */
export type Messages = Readonly<Record<string, ReactNode>>;

type Path = readonly (string | number)[];

/** The properties of every field of settings. `path` leads to its value in the body of the request, such as `['limits', 'concurrency']`. */
export interface SettingProps<Value> {
  value: Value;
  onChange(value: Value): void;
  path: Path;
  errors?: Messages;
  disabled?: boolean | undefined;
}

/** Returns the properties of a field for a part of a value. An object whose last part is removed is not set. */
export function part<Value extends object, Name extends keyof Value & string>(
  { value, onChange, path, ...rest }: SettingProps<Value | null | undefined>,
  name: Name,
): SettingProps<Value[Name] | undefined> {
  return {
    ...rest,
    value: value?.[name],
    path: [...path, name],
    onChange: changed => {
      const whole = { ...value, [name]: changed };
      const isEmpty = Object.values(whole).every(each => each === undefined);
      onChange(isEmpty ? undefined : (whole as Value));
    },
  };
}

/** Returns the message about a field, such as the one at `limits.models["gpt-5"].requestsPerMinute`. */
export function messageAt(errors: Messages | undefined, path: Path): ReactNode {
  return errors?.[core.toDotPath([...path])];
}

/** Returns the first message about a field or anything within it, such as the one at `apiKey.env` for `apiKey`. */
export function messageIn(errors: Messages = {}, path: Path): ReactNode {
  return Object.entries(errors).find(([each]) => inside(each, path))?.[1];
}

/** True if a path, as the gateway writes it, is another one or leads to something within it. */
export function inside(each: string, path: Path): boolean {
  const field = core.toDotPath([...path]);
  return each === field || (each.startsWith(field) && /^[.[]/.test(each.slice(field.length)));
}
