import type { GenerateRequest, OperationRequest } from '@model-gateway/canonical';
import { faultOf, onceFor, refusedOrDone } from './cost.ts';
import { type Body, type Growable, read } from './endpoints.ts';
import { encoded, encodedForAll, passed, upstreams } from './upstreams.ts';

type Canonical = GenerateRequest | OperationRequest;

const asReceived = (body: Body): Body => JSON.parse(JSON.stringify(body));

/** Returns the faults of all that a request goes through, with their stages: parsing, translation, and each upstream's encoding. */
export function faultsOf(growable: Growable, grown: (n: number) => Body): string[] {
  const bodyOf = onceFor(n => asReceived({ ...growable.base, ...grown(n) }));
  const canonicalOf = onceFor(n => refusedOrDone(() => read(growable, bodyOf(n)).canonical() as Canonical));
  const stages: [string, (n: number) => () => unknown][] = [
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
  return stages.flatMap(([stage, growing]) => {
    const fault = faultOf(growing);
    return fault ? [`${stage}: ${fault}`] : [];
  });
}

function upstreamStages(
  { endpoint }: Growable,
  bodyOf: (n: number) => Body,
  canonicalOf: (n: number) => Canonical | undefined,
): [string, (n: number) => () => unknown][] {
  const one = canonicalOf(2);
  if (!one) return [];
  if (!('messages' in one)) {
    const operation =
      'inputs' in one ? 'embed' : 'documents' in one ? 'rerank' : 'prompt' in one ? 'image' : 'speech';
    return encodedForAll(operation, one).map((_, at) => [
      `sent to upstream ${at} of ${operation}`,
      n => {
        const request = canonicalOf(n);
        return () => request && encodedForAll(operation, request as OperationRequest)[at]?.();
      },
    ]);
  }
  return Object.entries(upstreams).flatMap(([name, upstream]): [string, (n: number) => () => unknown][] => [
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
              const text = Buffer.from(JSON.stringify(bodyOf(n)));
              return () => passed(upstream, endpoint.format, text);
            },
          ] as [string, (n: number) => () => unknown],
        ]
      : []),
  ]);
}
