import { BlockList, isIPv4 } from 'node:net';
import type { KubernetesObject } from './render.ts';

/** One end of a connection: a pod by the labels of itself and of its namespace, or an address outside the cluster. */
export interface End {
  name: string;
  labels?: Record<string, string>;
  /** The labels of its namespace. */
  namespace?: Record<string, string>;
  address?: string;
}

interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

interface Peer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
}

interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: { protocol: string; port: number }[];
}

interface PolicySpec {
  podSelector: Selector;
  policyTypes: string[];
  ingress?: Rule[];
  egress?: Rule[];
}

/** The namespace of the chart, as a label. */
export const home = { 'kubernetes.io/metadata.name': 'test' };

/** The rules of Kubernetes for who may open a TCP connection to whom, over the NetworkPolicies of one namespace. */
export class Policies {
  readonly #specs: PolicySpec[];

  constructor(objects: readonly KubernetesObject[]) {
    this.#specs = objects
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ spec }) => spec as PolicySpec);
  }

  /** True if one end may reach the other at the port: the policies of both must allow it. */
  allow(from: End, to: End, port: number): boolean {
    return this.#agrees('Egress', from, to, port) && this.#agrees('Ingress', to, from, port);
  }

  /** An end that no policy selects allows everything. */
  #agrees(direction: 'Ingress' | 'Egress', end: End, other: End, port: number): boolean {
    const own = this.#specs.filter(
      ({ podSelector, policyTypes }) =>
        policyTypes.includes(direction) && isHome(end) && selects(podSelector, end.labels),
    );
    if (own.length === 0) return true;
    return own.some(spec => {
      const rules = direction === 'Ingress' ? spec.ingress : spec.egress;
      return (rules ?? []).some(rule => {
        const peers = direction === 'Ingress' ? rule.from : rule.to;
        return (
          (!rule.ports || rule.ports.some(each => each.protocol === 'TCP' && each.port === port)) &&
          (!peers || peers.some(peer => isPeer(peer, other)))
        );
      });
    });
  }
}

function isHome({ labels, namespace }: End): boolean {
  return labels !== undefined && selects({ matchLabels: home }, namespace);
}

function isPeer({ podSelector, namespaceSelector, ipBlock }: Peer, end: End): boolean {
  if (ipBlock) return end.address !== undefined && isIn(ipBlock, end.address);
  const inNamespace = namespaceSelector ? selects(namespaceSelector, end.namespace) : isHome(end);
  return end.labels !== undefined && inNamespace && selects(podSelector ?? {}, end.labels);
}

function isIn({ cidr, except = [] }: { cidr: string; except?: string[] }, address: string): boolean {
  const family = (text: string) => (isIPv4(text) ? 'ipv4' : 'ipv6');
  const holds = (range: string) => {
    const [network = '', bits] = range.split('/');
    if (family(network) !== family(address)) return false;
    const list = new BlockList();
    list.addSubnet(network, Number(bits), family(network));
    return list.check(address, family(address));
  };
  return holds(cidr) && !except.some(holds);
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Record<string, string> = {}) {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`the operator ${operator} is not known here`);
      return values.includes(labels[key] ?? '');
    })
  );
}
