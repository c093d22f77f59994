import { ambiguousKey, type Form, GatewayError, type KnownFields } from '@model-gateway/canonical';

/** @throws GatewayError for a file in another field than those that `takes` knows, which are called `names` */
export function refuseMisplaced(
  { files }: Pick<Form, 'files'>,
  takes: (name: string) => boolean,
  names: readonly string[],
): void {
  const stray = files.find(({ name }) => !takes(name));
  if (!stray) return;
  const places = names.map(name => `'${name}'`).join(', ');
  const message = `Invalid '${stray.name}': no file is taken there. Files are for: ${places}.`;
  throw new GatewayError('invalid-request', message, { param: stray.name, code: 'unknown_parameter' });
}

/** @throws GatewayError for a form whose parts have names that may be taken for each other, or for another field */
export function refuseAmbiguous({ fields, files }: Form, known: KnownFields): void {
  // A name may come several times: lists are written so.
  const names = new Set([...fields.map(([name]) => name), ...files.map(({ name }) => name)]);
  const ambiguous = ambiguousKey([...names], known);
  if (!ambiguous) return;
  const { key: param, words } = ambiguous;
  throw new GatewayError('invalid-request', `The form ${words}.`, { param, code: 'invalid_value' });
}
