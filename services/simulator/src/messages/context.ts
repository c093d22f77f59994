import { hash } from 'node:crypto';
import type { CachePoint, Prompt } from '../responder/prompt.ts';
import type { Block, CacheControl, CountRequest } from './request.ts';
import { signedBy } from './thinking.ts';
import { badRequest } from './validation-error.ts';

interface Segment {
  text: string;
  cache: CacheControl | null | undefined;
}

const maxBreakpoints = 4;
const lookBack = 20;

/** The whole prompt in the order of the cache: tools, system, messages. @throws ApiError */
export function readContext(request: CountRequest): Pick<Prompt, 'context' | 'cachePoints'> {
  const segments = segmentsOf(request);
  const last = segments.at(-1);
  if (last) last.cache ??= request.cache_control;
  checkBreakpoints(segments);
  const ends: number[] = [];
  let end = 0;
  for (const { text } of segments) {
    end += text.length;
    ends.push(end);
  }
  return {
    context: segments.map(({ text }) => text).join(''),
    cachePoints: segments.flatMap(({ cache }, at): CachePoint[] => (cache ? [pointAt(ends, at, cache)] : [])),
  };
}

export function textOfBlock(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
      return signedBy(block.signature) ?? '';
    case 'redacted_thinking':
      return signedBy(block.data) ?? '';
    case 'tool_use':
      return `${block.name}(${JSON.stringify(block.input)})`;
    case 'tool_result':
      return (block.content ?? []).map(part => (part.type === 'text' ? part.text : digest(part))).join('\n');
    default:
      return digest(block);
  }
}

function segmentsOf({ tools, system, messages }: CountRequest): Segment[] {
  return [
    ...(tools ?? []).map(({ cache_control: cache, ...tool }) => ({
      text: `${JSON.stringify(tool)}\n`,
      cache,
    })),
    ...(system ?? []).map(block => ({ text: `system: ${block.text}\n`, cache: block.cache_control })),
    ...messages.flatMap(({ role, content }) =>
      content.map(block => ({
        text: `${role}: ${textOfBlock(block)}\n`,
        cache: 'cache_control' in block ? block.cache_control : null,
      })),
    ),
  ];
}

/** A digest: media is counted apart, but different media must differ in the context. */
function digest(block: { type: string }): string {
  const { cache_control: _cache, ...itself } = block as { type: string; cache_control?: unknown };
  return `[${block.type} ${hash('sha1', JSON.stringify(itself)).slice(0, 8)}]`;
}

function checkBreakpoints(segments: Segment[]): void {
  const ttls = segments.flatMap(({ cache }) => (cache ? [cache.ttl ?? '5m'] : []));
  if (ttls.length > maxBreakpoints)
    throw badRequest(
      `A maximum of ${maxBreakpoints} blocks with cache_control may be provided. Found ${ttls.length}.`,
    );
  if (ttls.includes('5m') && ttls.lastIndexOf('1h') > ttls.indexOf('5m'))
    throw badRequest("cache_control: a ttl='1h' block must not come after a ttl='5m' block");
}

function pointAt(ends: number[], at: number, { ttl = '5m' }: CacheControl): CachePoint {
  const before = ends.slice(Math.max(0, at - lookBack), at).reverse();
  return { ends: [ends[at] ?? 0, ...before], ttl };
}
