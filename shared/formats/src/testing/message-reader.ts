/** A content block as the SDK's stream helper accumulates it. */
type Block = Record<string, unknown> & { type: string };

interface ReadMessage {
  content: Block[];
  [field: string]: unknown;
}

interface Frame {
  type: string;
  index?: number;
  content_block?: Block;
  delta?: Record<string, unknown>;
  usage?: object;
  message?: ReadMessage;
}

/** Parses a stream's events. @throws if one is not a named frame */
export function readFrames(stream: string): Frame[] {
  return stream
    .split('\n\n')
    .slice(0, -1)
    .map(text => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(text) ?? [];
      if (!name || !data) throw new Error(`not a frame: ${text}`);
      const frame = JSON.parse(data) as Frame;
      if (frame.type !== name) throw new Error(`event ${name} holds ${frame.type}`);
      return frame;
    });
}

/** Accumulates a stream as the vendor's SDKs do. @throws if they would misread the stream */
export function readMessage(stream: string): ReadMessage {
  let message: ReadMessage | undefined;
  let open: { block: Block; input: string } | undefined;
  let ended = false;
  const fail = (what: string): never => {
    throw new Error(what);
  };
  for (const frame of readFrames(stream)) {
    if (ended) fail('something follows message_stop');
    if (!message && frame.type !== 'message_start') fail(`${frame.type} before message_start`);
    switch (frame.type) {
      case 'message_start':
        if (message) fail('a second message_start');
        message = structuredClone(frame.message) as ReadMessage;
        break;
      case 'content_block_start':
        if (open) fail('a second open block');
        if (frame.index !== message?.content.length) fail(`block ${frame.index} is out of order`);
        open = { block: frame.content_block as Block, input: '' };
        message?.content.push(open.block);
        break;
      case 'content_block_delta':
        if (!open || frame.index !== (message?.content.length ?? 0) - 1) fail('a delta of no open block');
        else applyDelta(open, frame.delta ?? {});
        break;
      case 'content_block_stop':
        if (!open || frame.index !== (message?.content.length ?? 0) - 1) fail('a stop of no open block');
        else if (open.block.type === 'tool_use') open.block.input = JSON.parse(open.input);
        open = undefined;
        break;
      case 'message_delta':
        if (open) fail('an open block at the end');
        Object.assign(message as ReadMessage, frame.delta, { usage: frame.usage });
        break;
      case 'message_stop':
        ended = true;
        break;
      default:
        fail(`unknown event ${frame.type}`);
    }
  }
  if (!ended) fail('no message_stop');
  return message as ReadMessage;
}

const fields: Record<string, [type: string, field: string]> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['thinking', 'signature'],
};

function applyDelta(open: { block: Block; input: string }, delta: Record<string, unknown>): void {
  const { block } = open;
  if (delta.type === 'input_json_delta' && block.type === 'tool_use') {
    open.input += delta.partial_json;
    return;
  }
  const [type, field] = fields[String(delta.type)] ?? [];
  if (!field || block.type !== type) throw new Error(`${delta.type} in a ${block.type} block`);
  block[field] = `${block[field]}${delta[field]}`;
}
