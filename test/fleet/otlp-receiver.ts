import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';

/** A span as a collector receives it. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty for a root. */
  parentId: string;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  attributes: Record<string, unknown>;
  events: string[];
  /** The spans that it is linked to. */
  links: Pick<ReceivedSpan, 'traceId' | 'spanId'>[];
  /** True if its status is an error. */
  failed: boolean;
  /** The `service.name` of its process. */
  service: string;
}

/** A collector of OpenTelemetry that receives traces by OTLP over HTTP, in protobuf. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** The bodies of all messages, one character a byte. */
  raw = '';
  /** The headers of the last message. */
  headers: NodeJS.Dict<string | string[]> = {};
  /** The status of its answers. */
  status = 200;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', piece => pieces.push(piece));
      request.on('end', () => {
        const body = Buffer.concat(pieces);
        this.headers = request.headers;
        this.raw += body.toString('latin1');
        if (this.status === 200) this.spans.push(...readExport(body));
        response.writeHead(this.status, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await new Promise(resolve => receiver.#server.once('listening', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The spans of a trace, in the order of their arrival. */
  trace(traceId: string): ReceivedSpan[] {
    return this.spans.filter(span => span.traceId === traceId);
  }

  /** Waits for the trace of a request whose root has ended, with this number of spans. */
  async request(requestId: string | null, count: number): Promise<ReceivedSpan[]> {
    const root = () => this.spans.find(span => span.attributes['gateway.request_id'] === requestId);
    const spans = () => this.trace(root()?.traceId ?? '');
    await expect
      .poll(() => spans().map(({ name }) => name), { message: `spans of ${requestId}`, timeout: 30_000 })
      .toHaveLength(count);
    return spans();
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** The names of spans, each with those of the spans below it. */
type Tree = { [name: string]: Tree };

/** The spans below an attempt that asks the upstream once. */
export const served: Tree = { serve: { POST: {} }, 'wait for a worker': {} };

/** Returns the names of the spans below one as trees. */
export function treeOf(
  spans: readonly Pick<ReceivedSpan, 'spanId' | 'parentId' | 'name'>[],
  parentId: string,
): Tree[] {
  return spans
    .filter(span => span.parentId === parentId)
    .map(({ name, spanId }) => ({ [name]: Object.assign({}, ...treeOf(spans, spanId)) }));
}

/** The fields of a protobuf message by number: bytes, or a number for those of a fixed width and varints. */
type Fields = Map<number, (Buffer | bigint)[]>;

/** Reads a message: https://protobuf.dev/programming-guides/encoding/ */
function readFields(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const taken = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const type = key & 7;
    const value =
      type === 0 ? varint() : type === 2 ? taken(Number(varint())) : fixed(taken(type === 1 ? 8 : 4));
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), value]);
  }
  return fields;
}

function fixed(bytes: Buffer): bigint {
  return bytes.length === 8 ? bytes.readBigUInt64LE() : BigInt(bytes.readUInt32LE());
}

const all = (fields: Fields, number: number) => (fields.get(number) ?? []) as Buffer[];
const messages = (fields: Fields, number: number) => all(fields, number).map(readFields);
const text = (fields: Fields, number: number) => all(fields, number)[0]?.toString('utf8') ?? '';
const hex = (fields: Fields, number: number) => all(fields, number)[0]?.toString('hex') ?? '';

/** https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto */
function readExport(body: Buffer): ReceivedSpan[] {
  return messages(readFields(body), 1).flatMap(resourceSpans => {
    const [resource] = messages(resourceSpans, 1);
    const service = String(resource && attributesOf(resource, 1)['service.name']);
    return messages(resourceSpans, 2).flatMap(scope =>
      messages(scope, 2).map(span => ({ ...readSpan(span), service })),
    );
  });
}

function readSpan(span: Fields): Omit<ReceivedSpan, 'service'> {
  const [status] = messages(span, 15);
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentId: hex(span, 4),
    name: text(span, 5),
    kind: Number(span.get(6)?.[0] ?? 0),
    attributes: attributesOf(span, 9),
    events: messages(span, 11).map(event => text(event, 2)),
    links: messages(span, 13).map(link => ({ traceId: hex(link, 1), spanId: hex(link, 2) })),
    failed: Number(status?.get(3)?.[0] ?? 0) === 2,
  };
}

function attributesOf(fields: Fields, number: number): Record<string, unknown> {
  return Object.fromEntries(
    messages(fields, number).map(pair => [text(pair, 1), attributeValue(messages(pair, 2)[0] as Fields)]),
  );
}

function attributeValue(value: Fields): unknown {
  const [number, [first] = []] = [...value][0] ?? [];
  switch (number) {
    case 1:
      return (first as Buffer).toString('utf8');
    case 2:
      return first === 1n;
    case 3:
      return Number(first);
    case 4: {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(first as bigint);
      return bytes.readDoubleLE();
    }
    default:
      return messages(readFields(first as Buffer), 1).map(attributeValue);
  }
}
