import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import { type Address, parseAddress } from './address.ts';

/** The longest prefix of each family, in bits. */
const widest = { ipv4: 32, ipv6: 128 };
/** Length of the prefix of IPv4-mapped IPv6 addresses, in bits. */
const mappedBits = 96;

/** The proxies whose `X-Forwarded-For` is trusted. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #none: boolean;

  /** @throws RangeError naming the first entry that is neither an address nor a range */
  constructor(entries: readonly string[] = []) {
    this.#none = entries.length === 0;
    for (const entry of entries) this.#add(entry);
  }

  has({ text, family }: Address): boolean {
    return !this.#none && this.#list.check(text, family);
  }

  #add(entry: string): void {
    const [written = '', bits, more] = entry.split('/');
    const address = isIP(written) === 0 ? undefined : parseAddress(written);
    const prefix = bits === undefined ? undefined : prefixOf(bits, written, address);
    if (!address || more !== undefined || Number.isNaN(prefix))
      throw new RangeError(
        `'${entry}' is neither an IP address nor a range such as 10.0.0.0/8 or 2001:db8::/32`,
      );
    if (prefix === undefined) this.#list.addAddress(address.text, address.family);
    else this.#list.addSubnet(address.text, prefix, address.family);
  }
}

/** Returns the prefix length; NaN if the address has no such prefix. */
function prefixOf(bits: string, written: string, address: Address | undefined): number {
  if (!address || !/^\d{1,3}$/.test(bits)) return Number.NaN;
  const isMapped = address.family === 'ipv4' && written.includes(':');
  const prefix = Number(bits) - (isMapped ? mappedBits : 0);
  return prefix >= 0 && prefix <= widest[address.family] ? prefix : Number.NaN;
}

/** Schema of the setting: addresses and ranges, separated by commas. */
export const trustedProxies = z.string().transform((text, context) => {
  const entries = text.split(',').map(entry => entry.trim());
  try {
    return new TrustedProxies(entries.filter(entry => entry !== ''));
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as RangeError).message });
    return z.NEVER;
  }
});
