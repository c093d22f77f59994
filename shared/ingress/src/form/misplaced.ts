import { type Form, GatewayError } from '@model-gateway/canonical';

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
