import { UsageError } from './exit-codes.ts';
import { parameterName } from './parameters.ts';

/** Splits a text such as `team=search,env=prod`. @throws UsageError if a part has no `=` */
export function pairsOf(option: string, text: string, example: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').map(pair => {
      const [name = '', ...value] = pair.split('=');
      if (value.length === 0)
        throw new UsageError(`--${option} must be such as ${example}, but has '${pair}'`);
      return [name.trim(), value.join('=').trim()];
    }),
  );
}

/** Splits a list such as `a,b`. */
export function listOf(text: string | undefined): string[] | '' | undefined {
  return text ? text.split(',').map(entry => entry.trim()) : (text as '' | undefined);
}

/** Reads `yes` or `no`; null if the text is empty. */
export function answerOf(text: string | undefined): boolean | null | undefined {
  if (!text) return text === undefined ? undefined : null;
  return text === 'yes';
}

/** Reads a number; null if the text is empty. @throws UsageError */
export function numberOf(option: string, text: string | undefined): number | null | undefined {
  if (!text) return text === undefined ? undefined : null;
  const number = Number(text);
  if (Number.isNaN(number)) throw new UsageError(`--${option} must hold numbers, but has '${text}'`);
  return number;
}

/**
 * Returns the parameters of the API for the options that are given. Called before the client is made: an invalid option is reported
 * even if the gateway cannot be reached. @throws UsageError if one is empty
 */
export function queryOf(
  values: Readonly<Record<string, string | readonly string[] | boolean | undefined>>,
): URLSearchParams {
  const given = Object.entries(values).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [parameterName(name), String(each)]),
  );
  const empty = given.find(([, value]) => value === '');
  if (empty) throw new UsageError(`--${empty[0]} must not be empty`);
  return new URLSearchParams(given);
}
