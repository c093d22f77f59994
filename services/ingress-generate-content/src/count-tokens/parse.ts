import type { Endpoint } from '@model-gateway/ingress';
import { camelCased, googleCountRequest, googleTranslatable } from '@model-gateway/wire';
import { check } from '../check.ts';
import { conversation } from '../contents/parse.ts';
import { isForeignHistory } from '../foreign/parse.ts';
import { readTarget } from '../target.ts';
import { parseToolSettings } from '../tools/parse.ts';
import { renderCount } from './render.ts';

/** @throws GatewayError of kind `invalid-request` */
export const parse: Endpoint['parse'] = (body, _headers, _text, url) => {
  const { model } = readTarget(url);
  const { contents, generateContentRequest } = check(googleCountRequest, camelCased(body));
  const counted = generateContentRequest ?? { contents: contents ?? [] };
  return {
    model,
    foreign: isForeignHistory(counted),
    canonical() {
      const request = check(googleTranslatable, counted);
      return { messages: conversation(request), ...parseToolSettings(request) };
    },
    renderCount,
  };
};
