import type { Citation } from '@model-gateway/canonical';
import type { MessagesWebCitation } from '@model-gateway/wire';

/** A source as this format has it: of all of its block, without what it says and without proof, which other formats lack. */
export function renderCitation({ url, title }: Citation): MessagesWebCitation {
  return { type: 'web_search_result_location', url, title, cited_text: '', encrypted_index: '' };
}
