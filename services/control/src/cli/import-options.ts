import { flag, text } from './command.ts';

/** The options of every import. */
export const importOptions = {
  output: text('FILE', 'write gateway.yaml to this file; if absent, print it'),
  secrets: text('FILE', 'write the secrets that the source holds to this file, as environment variables'),
  tokens: flag('create the tokens, by their SHA-256, at the gateway'),
  force: flag('replace files that exist'),
  'dry-run': flag('write and create nothing, and report what would be'),
};

export const importNotes = `Without --output, --secrets and --tokens nothing is written or created. Apply gateway.yaml before --tokens, so
that tokens find their projects and models. A second import creates no token twice.

The report lists every value of the source that is not carried over. See docs/migrating.md.`;
