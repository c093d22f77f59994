import { type Form, type FormFile, GatewayError } from '@model-gateway/canonical';

/** A form that a client sent. */
export interface ClientForm extends Pick<Form, 'fields'> {
  readonly files: readonly FormFile[];
  /** Returns the last value of a field; undefined if it is absent or empty. */
  field(name: string): string | undefined;
  /** Returns the files of a field that may have several names. */
  filesOf(...names: string[]): FormFile[];
  /** Reads a file into memory. @throws GatewayError `too-large` if all files read exceed the limit */
  read(file: FormFile): Promise<Buffer>;
  /** Reads the first bytes of a file, at most `length`. */
  begin(file: FormFile, length: number): Promise<Buffer>;
}

/** @throws GatewayError for a file in a field that `takes` refuses; `names` are the fields that take files */
export function refuseMisplaced(
  { files }: Pick<ClientForm, 'files'>,
  takes: (name: string) => boolean,
  names: readonly string[],
): void {
  const stray = files.find(({ name }) => !takes(name));
  if (!stray) return;
  const places = names.map(name => `'${name}'`).join(', ');
  const message = `Invalid '${stray.name}': this field takes no file. Fields that take files: ${places}.`;
  throw new GatewayError('invalid-request', message, { param: stray.name, code: 'unknown_parameter' });
}

/** The parser of an endpoint that accepts only forms. */
export function parseNone(): never {
  const message = 'Unsupported content type: this endpoint takes a form.';
  throw new GatewayError('invalid-request', message, { code: 'unsupported_content_type' });
}
