import type { Dice } from '../dice.ts';
import { numberFor } from './number.ts';
import { both, isSchema, numberOr, resolved, type Schema, typeOf } from './schema.ts';
import { type Material, stringFor } from './string.ts';

const deep = 6;
const deepest = 32;
const many = 500;
const most = 5_000;

/**
 * A value that satisfies a JSON schema: types, enum, const, required, bounds, `$ref`, allOf, the first of anyOf and oneOf.
 * `pattern`, `not` and `if` are not looked at. Six levels down, or after 500 values, only what is required is made;
 * a schema without end even so ends in nulls.
 */
export function valueFor(schema: unknown, material: Material, dice: Dice): unknown {
  return new Maker(schema, material, dice).make(schema, '', 0);
}

class Maker {
  readonly #root: unknown;
  readonly #material: Material;
  readonly #dice: Dice;
  #made = 0;
  #strings = 0;
  #numbers = 0;

  constructor(root: unknown, material: Material, dice: Dice) {
    this.#root = root;
    this.#material = material;
    this.#dice = dice;
  }

  make(given: unknown, name: string, depth: number): unknown {
    if (++this.#made > most || depth > deepest) return null;
    const schema = resolved(given, this.#root);
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum)) return this.#mentioned(schema.enum);
    const branches = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(branches)) return this.make(this.#branch(schema, branches, depth), name, depth + 1);
    return this.#typed(schema, name, depth);
  }

  #typed(schema: Schema, name: string, depth: number): unknown {
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, name, depth);
      case 'integer':
      case 'number':
        return numberFor(
          schema,
          this.#material.numbers[this.#numbers++],
          1 + Math.floor(this.#dice.roll() * 9),
        );
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return stringFor(schema, name, this.#material, this.#strings++, this.#dice);
    }
  }

  #object(schema: Schema, depth: number): Schema {
    const properties = isSchema(schema.properties) ? schema.properties : {};
    const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
    const names = this.#sparing(depth) ? required : new Set([...Object.keys(properties), ...required]);
    return Object.fromEntries(
      Array.from(names, name => [
        name,
        this.make(properties[name] ?? schema.additionalProperties, name, depth + 1),
      ]),
    );
  }

  #array(schema: Schema, name: string, depth: number): unknown[] {
    const tuple = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    const wanted = Math.max(numberOr(schema.minItems, 0), tuple.length, this.#sparing(depth) ? 0 : 1);
    const length = Math.min(wanted, numberOr(schema.maxItems, most), most);
    const items = resolved(schema.items, this.#root);
    const distinct = schema.uniqueItems === true && Array.isArray(items.enum) ? items.enum : [];
    return Array.from({ length }, (_, at) =>
      at < distinct.length ? distinct[at] : this.make(tuple[at] ?? items, name, depth + 1),
    );
  }

  /** The first branch with what all branches share; where little is to be made, null if that is allowed. */
  #branch(schema: Schema, branches: unknown[], depth: number): Schema {
    const { anyOf: _anyOf, oneOf: _oneOf, ...shared } = schema;
    const options = branches.map(branch => resolved(branch, this.#root));
    const end = this.#sparing(depth) ? options.find(option => option.type === 'null') : undefined;
    return both(end ?? options[0] ?? {}, shared);
  }

  /** The value that the question names, else the first. */
  #mentioned(values: unknown[]): unknown {
    const question = this.#material.question.toLowerCase();
    const named = values.find(value => value !== '' && question.includes(String(value).toLowerCase()));
    return named ?? values[0];
  }

  #sparing(depth: number): boolean {
    return depth >= deep || this.#made > many;
  }
}
