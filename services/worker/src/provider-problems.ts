import type { GatewayError } from '@model-gateway/canonical';
import { codeOf, noAccessToken, privateAddress } from '@model-gateway/providers/error-codes';

/** The most providers whose problems are remembered. */
const mostProviders = 200;
/** The longest message of a failure in a sentence, in characters. */
const longestMessage = 200;

/** Codes of Node and OpenSSL for a certificate that is not trusted. */
const untrusted =
  /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?)|CERT_(?:UNTRUSTED|SIGNATURE_FAILURE))$/;

/** The last failure of each provider that its configuration may have caused, until it answers again. */
export class ProviderProblems {
  readonly #sentences = new Map<string, string>();
  /** True if a provider may have a problem: requests look here before they call {@link answered}. */
  any = false;

  /** Notes a failure of a provider. Returns the sentence that says what to change; undefined if its configuration is not the reason. */
  failed(provider: string, failure: GatewayError): string | undefined {
    const advice = adviceFor(failure);
    if (advice === undefined) return undefined;
    const status = failure.details.upstream?.status;
    const message = failure.message.slice(0, longestMessage).replace(/[.\s]+$/, '');
    const sentence = `provider ${provider}: ${status === undefined ? '' : `${status}: `}${message}${advice && `; ${advice}`}`;
    this.#sentences.delete(provider);
    this.#sentences.set(provider, sentence);
    this.any = true;
    const [oldest] = this.#sentences.keys();
    if (this.#sentences.size > mostProviders && oldest !== undefined) this.#sentences.delete(oldest);
    return sentence;
  }

  /** Notes that a provider has answered. */
  answered(provider: string): void {
    this.#sentences.delete(provider);
    this.any = this.#sentences.size > 0;
  }

  /** One sentence for each provider with a problem. */
  sentences(): string[] {
    return [...this.#sentences.values()];
  }
}

/**
 * Returns what to change in the configuration of a provider, empty if the message says it; undefined if the failure is not its
 * configuration's.
 */
function adviceFor({ kind, details, cause }: GatewayError): string | undefined {
  const { upstream, refusedKey, fault } = details;
  if (refusedKey && !upstream)
    return fault ?? 'set the variable or the file of the secret where the workers run';
  const status = upstream?.status;
  if (status === 407) return 'set the user name and the password of its proxy';
  if (refusedKey || (status === 401 && kind !== 'quota-exceeded'))
    return 'set a valid apiKey, and a baseUrl or region that the key is for';
  if (status === 403)
    return 'set an apiKey that may use the model, in the region or deployment of the provider';
  if (kind === 'upstream' && status === 404)
    return 'correct its baseUrl, or the deployment or model that the target names';
  return kind === 'upstream' && status === undefined ? adviceForConnection(codeOf(cause)) : undefined;
}

function adviceForConnection(code: string | undefined): string | undefined {
  switch (code) {
    case undefined:
      return undefined;
    case noAccessToken:
      return '';
    case privateAddress:
      return 'use a public address, or state the provider in gateway.yaml: GATEWAY_PRIVATE_PROVIDERS forbids it';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'correct the host in its baseUrl, or the DNS of the workers';
    case 'ECONNREFUSED':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'correct the host and the port in its baseUrl, or its proxy, and start the server there';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'correct the host in its baseUrl, or set tls.serverName to a name in its certificate';
    case 'CERT_HAS_EXPIRED':
      return 'renew the certificate of its server';
    default:
      return untrusted.test(code)
        ? 'set tls.ca to the file of the CA that issued its certificate'
        : undefined;
  }
}
