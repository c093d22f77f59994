/** Code within a literal, such as a call that reads a file. */
export class Expression {
  readonly code: string;

  constructor(code: string) {
    this.code = code;
  }
}

/** The notation of literals in a language. */
interface Notation {
  indent: string;
  object: [open: string, close: string];
  array: [open: string, close: string];
  key(name: string): string;
  text(text: string): string;
  constants: { true: string; false: string; null: string };
}

export const python: Notation = {
  indent: '    ',
  object: ['{', '}'],
  array: ['[', ']'],
  key: name => `${pythonText(name)}: `,
  text: pythonText,
  constants: { true: 'True', false: 'False', null: 'None' },
};

export const typescript: Notation = {
  indent: '  ',
  object: ['{', '}'],
  array: ['[', ']'],
  key: name => (/^[A-Za-z_$][\w$]*$/.test(name) ? `${name}: ` : `${JSON.stringify(name)}: `),
  text: text => JSON.stringify(text),
  constants: { true: 'true', false: 'false', null: 'null' },
};

export const go: Notation = {
  indent: '\t',
  object: ['map[string]any{', '}'],
  array: ['[]any{', '}'],
  key: name => `${goText(name)}: `,
  text: goText,
  constants: { true: 'true', false: 'false', null: 'nil' },
};

/** JSON escapes half of a surrogate pair and control characters as Python does, but for DEL. */
function pythonText(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

/** Go has no `\/`, and takes the other escapes of JSON. */
function goText(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

/** The most characters of a literal on one line, without its indentation. */
const lineLength = 76;

/** Writes a JSON value, which may have expressions in it, as a literal. `depth` is the indentation of the line it begins on. */
export function literal(value: unknown, notation: Notation, depth = 0): string {
  const flat = flatLiteral(value, notation);
  if (flat.length <= lineLength && !flat.includes('\n')) return flat;
  const pad = notation.indent.repeat(depth + 1);
  const lines = (texts: string[]) => texts.map(text => `${pad}${text},\n`).join('');
  const end = notation.indent.repeat(depth);
  if (Array.isArray(value)) {
    const [open, close] = notation.array;
    return `${open}\n${lines(value.map(entry => literal(entry, notation, depth + 1)))}${end}${close}`;
  }
  if (isFields(value)) {
    const [open, close] = notation.object;
    const fields = fieldsOf(value).map(
      ([name, field]) => notation.key(name) + literal(field, notation, depth + 1),
    );
    return `${open}\n${lines(fields)}${end}${close}`;
  }
  return flat;
}

function flatLiteral(value: unknown, notation: Notation): string {
  if (value instanceof Expression) return value.code;
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'number') return JSON.stringify(value);
  if (value === true || value === false) return notation.constants[`${value}`];
  if (Array.isArray(value)) {
    const [open, close] = notation.array;
    return open + value.map(entry => flatLiteral(entry, notation)).join(', ') + close;
  }
  if (!isFields(value)) return notation.constants.null;
  const [open, close] = notation.object;
  const fields = fieldsOf(value).map(([name, field]) => notation.key(name) + flatLiteral(field, notation));
  const space = notation === typescript && fields.length > 0 ? ' ' : '';
  return open + space + fields.join(', ') + space + close;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Expression);
}

function fieldsOf(value: Record<string, unknown>): [string, unknown][] {
  return Object.entries(value).filter(([, field]) => field !== undefined);
}
