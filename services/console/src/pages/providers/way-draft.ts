import type { ProviderInfo, ProviderSettings } from '@model-gateway/admin-api';
import { draftOfSecret, noSecret, type SecretDraft, secretOfDraft } from './secret-draft.ts';

/** The way to a provider as it is typed: its proxy and its certificates. */
export interface WayDraft {
  /** `workers` for the proxy of the environment of the workers. */
  proxy: 'workers' | 'none' | 'url';
  proxyUrl: string;
  proxyUser: string;
  proxyPassword: SecretDraft;
  /** The paths of PEM files of the workers, and the name that the provider's certificate must have. */
  tls: Record<CertificateField, string>;
}

/** The settings of certificates, in the order in which a form has them. */
export const certificateFields = ['ca', 'serverName', 'cert', 'key'] as const;
export type CertificateField = (typeof certificateFields)[number];

export const newWay: WayDraft = {
  ...{ proxy: 'workers', proxyUrl: '', proxyUser: '', proxyPassword: noSecret },
  tls: { ca: '', serverName: '', cert: '', key: '' },
};

/** Returns the form's values for the way to a provider. */
export function draftOfWay({ proxy, tls }: Pick<ProviderInfo, 'proxy' | 'tls'>): WayDraft {
  const { url, username, password } = typeof proxy === 'string' ? { url: proxy } : (proxy ?? { url: '' });
  return {
    proxy: proxy === null ? 'workers' : proxy === 'none' ? 'none' : 'url',
    ...{ proxyUrl: proxy === 'none' ? '' : url, proxyUser: username ?? '' },
    proxyPassword: draftOfSecret(password),
    tls: {
      ...{ ca: tls?.ca?.file ?? '', serverName: tls?.serverName ?? '' },
      ...{ cert: tls?.cert?.file ?? '', key: tls?.key?.file ?? '' },
    },
  };
}

/** Returns the settings of the way that a form has. */
export function wayOfDraft(draft: WayDraft): Pick<ProviderSettings, 'proxy' | 'tls'> {
  const typed = certificateFields.flatMap(field => {
    const text = draft.tls[field].trim();
    return text === '' ? [] : [[field, field === 'serverName' ? text : { file: text }] as const];
  });
  return {
    ...(draft.proxy !== 'workers' && { proxy: draft.proxy === 'none' ? 'none' : proxyOf(draft) }),
    ...(typed.length > 0 && { tls: Object.fromEntries(typed) }),
  };
}

function proxyOf({ proxyUrl, proxyUser, proxyPassword }: WayDraft): ProviderSettings['proxy'] {
  const [url, username, password] = [proxyUrl.trim(), proxyUser.trim(), secretOfDraft(proxyPassword)];
  if (username === '' && !password) return url;
  return { url, ...(username && { username }), ...(password && { password }) };
}
