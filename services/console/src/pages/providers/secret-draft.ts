import type { ProviderInfo } from '@model-gateway/admin-api';

/** The source of a secret in a form. */
export type SecretSource = 'none' | 'value' | 'env' | 'file';

/** A secret as it is typed. */
export interface SecretDraft {
  source: SecretSource;
  /** The secret, the name of the variable, or the path of the file. A stored secret is never shown, and kept if the text is empty. */
  text: string;
  /** True if the gateway has a secret that it can keep. */
  stored: boolean;
}

export const noSecret: SecretDraft = { source: 'none', text: '', stored: false };
export const newSecret: SecretDraft = { ...noSecret, source: 'value' };

type Shown = NonNullable<ProviderInfo['apiKey']>;
type Sent = { value: string } | Shown;

/** Returns the form's values for a secret as the gateway shows it. */
export function draftOfSecret(shown: Shown | undefined): SecretDraft {
  if (!shown) return noSecret;
  if ('env' in shown) return { source: 'env', text: shown.env, stored: false };
  if ('file' in shown) return { source: 'file', text: shown.file, stored: false };
  return { ...newSecret, stored: true };
}

/** Returns the secret that a form has; undefined for none. A secret is sent as it is typed. */
export function secretOfDraft({ source, text, stored }: SecretDraft): Sent | undefined {
  switch (source) {
    case 'none':
      return undefined;
    case 'value':
      return stored && text === '' ? { set: true } : { value: text };
    case 'env':
      return { env: text.trim() };
    case 'file':
      return { file: text.trim() };
  }
}
