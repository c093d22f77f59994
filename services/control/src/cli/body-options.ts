import { unless } from './admin.ts';
import { type Context, type Option, text } from './command.ts';
import { readerOf } from './contract.ts';
import { type AnyRow, type Described, namesFor } from './described.ts';
import { UsageError } from './exit-codes.ts';
import { optionName, optionOf, readValue, type Schema, schemaOf } from './fields.ts';
import { readMapping } from './files.ts';
import type { FieldOption } from './rows.ts';

const file = text(
  'FILE',
  'All settings in YAML or JSON, in the place of other options; - is standard input',
  { names: 'files' },
);

/** Returns the options for the body of a request, and a function that makes it of them. */
export function bodyOf(each: Described) {
  const { body: shape, method, path, row } = each;
  const show = readerOf(path)?.id;
  const schema: Schema = shape && !row.body ? schemaOf(shape) : {};
  const isOptional = (field: string) => !schema.required?.includes(field);
  // Where every field is required, there is none to leave as it is.
  const isWhole =
    method === 'put' && show !== undefined && Object.keys(schema.properties ?? {}).some(isOptional);
  const isChange = shape !== undefined && (method === 'patch' || isWhole);
  const settings = settingsOf(schema, row, isChange, method === 'put' ? ['name'] : []);
  const changesOf = (values: Context['values'], before: object | undefined) => {
    const setBy: Record<string, string> = {};
    const changes: Record<string, unknown> = { ...row.body };
    for (const { option, sets } of settings) {
      const given = values[option.name];
      if (given === undefined) continue;
      if (given === '' && !isChange) throw new UsageError(`--${option.name} must not be empty`);
      for (const [field, value] of Object.entries(sets(given, { ...before, ...changes }))) {
        const other = setBy[field];
        if (other && !option.joins) throw new UsageError(`--${option.name} cannot be given with --${other}`);
        setBy[field] = option.name;
        changes[field] = value;
      }
    }
    return changes;
  };
  return {
    isChange: isChange && !row.body,
    options: {
      ...Object.fromEntries(settings.map(({ option: { name, joins: _, ...option } }) => [name, option])),
      ...(isWhole && { file }),
    } as Record<string, Option>,
    async read({ values, admin }: Context, params: Record<string, string>): Promise<object> {
      const { file: from, ...given } = values as Record<string, string | undefined>;
      const other = settings.find(({ option }) => given[option.name] !== undefined);
      if (isWhole && from !== undefined) {
        if (other) throw new UsageError(`--file cannot be given with --${other.option.name}`);
        return readMapping(from);
      }
      const changes = changesOf(values, undefined);
      if (!isChange || !show || row.body) return changes;
      const call = admin().call(show, { params });
      const before = (isWhole ? await unless(404, call) : await call) as object | undefined;
      const fields = Object.keys(schema.properties ?? {}).filter(
        field => field !== 'name' && Object(before)[field] !== undefined,
      );
      const kept = isWhole ? Object.fromEntries(fields.map(field => [field, Object(before)[field]])) : {};
      return { ...kept, ...changesOf(values, before) };
    },
  };
}

/** An option with the fields of the body that it sets. */
interface Setting {
  /** `joins`: the option sets a part of its field, beside others. */
  option: Option & { name: string; joins?: boolean };
  sets(given: string | readonly string[] | boolean, before: Readonly<Record<string, unknown>>): object;
}

function settingsOf(schema: Schema, row: AnyRow, isChange: boolean, without: readonly string[]): Setting[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([field, each]): Setting[] => {
    const own = row.fields?.[field];
    if (own === null || without.includes(field)) return [];
    if (own === 'spread') return spread(field, each);
    const { option = optionName(field), read, sets, ...extras }: FieldOption = own ?? {};
    const inherited = optionOf(field, each, namesFor(field));
    const value = extras.kind === 'flag' ? '' : (extras.value ?? inherited.value);
    const one = (given: string, before: unknown) =>
      read ? read(given) : readValue(option, each, given, before);
    return [
      {
        option: {
          ...{
            ...inherited,
            ...extras,
            value,
            name: option,
            about: extras.about ?? inherited.about,
          },
          ...(!isChange && required.includes(field) && { required: true }),
          ...(read && { choices: undefined }),
        },
        sets: (given, before) =>
          sets?.(String(given)) ?? {
            [field]: Array.isArray(given)
              ? given.map(item => one(item, undefined))
              : one(String(given), before[field]),
          },
      },
    ];
  });
}

/** Returns an option for each field of an object. */
function spread(field: string, schema: Schema): Setting[] {
  const object = [schema, ...(schema.anyOf ?? [])].find(({ properties }) => properties);
  return Object.entries(object?.properties ?? {}).map(([part, each]) => ({
    option: { ...optionOf(part, each, undefined), name: optionName(part), joins: true },
    sets(given, before) {
      const value = readValue(optionName(part), each, String(given));
      const { [part]: _, ...others } = Object(before[field] ?? {}) as Record<string, unknown>;
      return { [field]: value === null ? others : { ...others, [part]: value } };
    },
  }));
}
