import type { GenerateRequest, OperationRequest } from '@model-gateway/canonical';
import { faultOf, type Growing, onceFor, refusedOrDone } from './cost.ts';
import { type Body, type Growable, read } from './endpoints.ts';
import { encoded, encodedForAll, passed, upstreams } from './upstreams.ts';

type Canonical = GenerateRequest | OperationRequest;

const asReceived = (body: Body): Body => JSON.parse(JSON.stringify(body));

/** Returns the faults of all that a request goes through, with their stages. */
export function faultsOf(growable: Growable, grown: (n: number) => Body): string[] {
  return stagesOf(growable, grown).flatMap(([stage, growing]) => {
    const fault = faultOf(growing);
    return fault ? [`${stage}: ${fault}`] : [];
  });
}

/** Returns what a request goes through: parsing, translation, and each upstream's encoding. */
export function stagesOf(growable: Growable, grown: (n: number) => Body): [string, Growing][] {
  const bodyOf = onceFor(n => asReceived({ ...growable.base, ...grown(n) }));
  const canonicalOf = onceFor(n => refusedOrDone(() => read(growable, bodyOf(n)).canonical() as Canonical));
  return [
    [
      'parsed',
      n => {
        const body = bodyOf(n);
        return () => read(growable, body);
      },
    ],
    [
      'translated',
      n => {
        const body = bodyOf(n);
        const parsed = refusedOrDone(() => read(growable, body));
        return () => parsed?.canonical();
      },
    ],
    ...upstreamStages(growable, bodyOf, canonicalOf),
  ];
}

function upstreamStages(
  growable: Growable,
  bodyOf: (n: number) => Body,
  canonicalOf: (n: number) => Canonical | undefined,
): [string, Growing][] {
  const { endpoint, base } = growable;
  const operation = read(growable, base).type;
  const textOf = onceFor(n => Buffer.from(JSON.stringify(bodyOf(n))));
  if (operation !== 'generate')
    return encodedForAll(operation, canonicalOf(2), textOf(2)).map(([name], at) => [
      `sent to ${name}`,
      n => encodedForAll(operation, canonicalOf(n), textOf(n))[at]?.[1] ?? (() => undefined),
    ]);
  if (!canonicalOf(2)) return [];
  return Object.entries(upstreams).flatMap(([name, upstream]): [string, Growing][] => [
    [
      `sent to ${name}`,
      n => {
        const request = canonicalOf(n);
        return () => request && encoded(upstream, request as GenerateRequest);
      },
    ],
    ...(upstream.dialect.format === endpoint.format && !upstream.facts
      ? [
          [
            'passed on',
            (n: number) => {
              const text = textOf(n);
              return () => passed(upstream, endpoint.format, text);
            },
          ] as [string, Growing],
        ]
      : []),
  ]);
}
