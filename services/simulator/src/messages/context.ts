import { hash } from 'node:crypto';
import type { CachePoint, Prompt } from '../responder/prompt.ts';
import type { Block, CacheControl, CountRequest, Tool } from './request.ts';
import { signedBy } from './thinking.ts';
import { badRequest } from './validation-error.ts';

/** A part of the context. */
interface Segment {
  text: string;
  cache: CacheControl | null | undefined;
}

const maxMarks = 4;
const lookBack = 20;

/** The whole prompt in the order of the cache: tools, system, messages. @throws ApiError */
export function readContext(request: CountRequest): Pick<Prompt, 'context' | 'cachePoints'> {
  const segments = segmentsOf(request);
  if (request.cache_control) markLast(segments, request.cache_control);
  checkMarks(segments);
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

/** The text of a block. */
export function spoken(block: Block): string {
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
      return (block.content ?? []).map(part => (part.type === 'text' ? part.text : shortly(part))).join('\n');
    default:
      return shortly(block);
  }
}

function segmentsOf({ tools, system, messages }: CountRequest): Segment[] {
  return [
    ...(tools ?? []).map(toolSegment),
    ...(system ?? []).map(block => ({ text: `system: ${block.text}\n`, cache: block.cache_control })),
    ...messages.flatMap(({ role, content }) =>
      content.map(block => ({
        text: `${role}: ${spoken(block)}\n`,
        cache: 'cache_control' in block ? block.cache_control : null,
      })),
    ),
  ];
}

function toolSegment({ cache_control: cache, ...tool }: Tool): Segment {
  return { text: `${JSON.stringify(tool)}\n`, cache };
}

/** Media has a price of its own; here it only has to differ from other media. */
function shortly(block: { type: string }): string {
  const { cache_control: _cache, ...itself } = block as { type: string; cache_control?: unknown };
  return `[${block.type} ${hash('sha1', JSON.stringify(itself)).slice(0, 8)}]`;
}

function markLast(segments: Segment[], cache: CacheControl): void {
  const last = segments.at(-1);
  if (last) last.cache ??= cache;
}

function checkMarks(segments: Segment[]): void {
  const marks = segments.flatMap(({ cache }) => (cache ? [cache.ttl ?? '5m'] : []));
  if (marks.length > maxMarks)
    throw badRequest(
      `A maximum of ${maxMarks} blocks with cache_control may be provided. Found ${marks.length}.`,
    );
  if (marks.lastIndexOf('1h') > marks.indexOf('5m') && marks.includes('5m'))
    throw badRequest("cache_control: a ttl='1h' block must not come after a ttl='5m' block");
}

function pointAt(ends: number[], at: number, { ttl = '5m' }: CacheControl): CachePoint {
  const before = ends.slice(Math.max(0, at - lookBack), at).reverse();
  return { ends: [ends[at] ?? 0, ...before], ttl };
}
