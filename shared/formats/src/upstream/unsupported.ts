import {
  type FieldPath,
  GatewayError,
  type GenerateFormat,
  type GenerateRequest,
  type Tool,
  type ToolChoice,
} from '@model-gateway/canonical';
import { isObjectSchema } from './tools.ts';

/** Returns the error for a canonical field whose value the upstream's format cannot express. */
export function unsupported(path: FieldPath, why: string): GatewayError {
  return new GatewayError('invalid-request', `Unsupported value for '{path}': ${why}.`, {
    path,
    code: 'unsupported_value',
  });
}

/** Refuses a canonical field. In the message, `{path}` stands for the field's name. @throws GatewayError */
export function refuse(path: FieldPath, message: string, code?: string): never {
  throw new GatewayError('invalid-request', message, { path, ...(code && { code }) });
}

/** @throws GatewayError for a tool that only the vendor of another format runs */
export function refuseTool({ value }: Extract<Tool, { type: 'opaque' }>): never {
  refuse('tools', `The tool '${value.type ?? Object.keys(value)[0]}' is not run by this model's vendor.`);
}

/** @throws GatewayError for a feature that only the vendor of another format has */
export function refuseVendorFields({ vendorFields }: GenerateRequest, format: GenerateFormat): void {
  if (!vendorFields || vendorFields.format === format) return;
  const [field = ''] = vendorFields.names;
  // Only the client's format has the field, so this is its name.
  const message = `Unsupported value for '${field}': this model's provider does not support it.`;
  throw new GatewayError('invalid-request', message, { param: field, code: 'unsupported_value' });
}

/** @throws GatewayError for a choice that names a missing tool, or that requires a tool when there are none */
export function checkToolChoice({ tools = [], toolChoice }: GenerateRequest): void {
  if (!toolChoice || toolChoice.type === 'auto' || toolChoice.type === 'none') return;
  if (tools.length === 0) refuseChoice('it needs tools, but the request has none');
  if (toolChoice.type !== 'tool') return;
  const { name } = toolChoice;
  const named = tools.some(tool => {
    if ('name' in tool) return tool.name === name;
    return tool.type === 'web-search' ? name === (tool.choiceName ?? 'web_search') : tool.value.name === name;
  });
  if (!named) refuseChoice(`the request has no tool '${name}'`);
}

/** True for a choice of a tool that the vendor runs, or of any tool where there is no other. */
export function forcesVendorTool(choice: ToolChoice | undefined, tools: readonly Tool[]): boolean {
  if (choice?.type === 'required') return !tools.some(tool => 'name' in tool);
  return choice?.type === 'tool' && !tools.some(tool => 'name' in tool && tool.name === choice.name);
}

function refuseChoice(why: string): never {
  refuse('toolChoice', `Invalid '{path}': ${why}.`, 'invalid_value');
}

/** @throws GatewayError for settings that a format of one answer in text cannot express. Unsupported hints are left out. */
export function refuseBeyondOneText(request: GenerateRequest): void {
  const { n = 1, maxTokens = 1, logprobs, logitBias = {}, modalities = [], output } = request;
  if (maxTokens < 1) refuse('maxTokens', `Invalid '{path}': ${maxTokens} is less than 1.`);
  if (output?.type === 'schema' && !isObjectSchema(output.schema))
    refuse('output', "Invalid '{path}': this model supports only a schema of type 'object'.");
  if (n > 1) refuse('n', `Invalid '{path}': this model supports only one choice, but got ${n}.`);
  if (logprobs) refuse('logprobs', "Invalid '{path}': this model does not return log probabilities.");
  if (Object.keys(logitBias).length > 0)
    refuse('logitBias', "Invalid '{path}': this model does not support it.");
  const other = modalities.find(modality => modality !== 'text');
  if (other) refuse('modalities', `Invalid '{path}': this model outputs only text, not ${other}.`);
}
